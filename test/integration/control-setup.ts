import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlApp, createRulesService, listenControl } from '../../control/index.ts';
import type { ControlDependencies, ControlSettings, PreviewInput } from '../../control/index.ts';
import { ConfigStore } from '../../proxy/config/index.ts';
import { createLog, createTelemetry } from '../../proxy/telemetry/index.ts';
import type { Telemetry } from '../../proxy/telemetry/index.ts';

/** The rule set `name`, which denies `deny`. */
export function rulesYaml(name = 'default', deny = 'delete_*'): string {
  return [
    'apiVersion: toolroll.dev/v1alpha1',
    'kind: RuleSet',
    `metadata: { name: ${name} }`,
    'spec:',
    '  tools:',
    `    - filter: { deny: ["${deny}"] }`,
    '',
  ].join('\n');
}

/** A control listener over a real rules directory, store and telemetry. */
export interface ControlUnderTest {
  readonly url: string;
  readonly directory: string;
  readonly store: ConfigStore;
  readonly telemetry: Telemetry;
  readonly logLines: string[];
  /** What `apply` asked for. */
  readonly previews: PreviewInput[];
  readonly dependencies: ControlDependencies;
  drain(): void;
  close(): Promise<void>;
}

export interface ControlSetup {
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Partial<ControlSettings>;
  readonly host?: string;
  readonly previewTurn?: ControlDependencies['previewTurn'];
}

export async function startControl(setup: ControlSetup = {}): Promise<ControlUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'toolroll-control-'));
  for (const [name, content] of Object.entries(setup.files ?? { 'default.yaml': rulesYaml() })) {
    await writeFile(join(directory, name), content);
  }
  const logLines: string[] = [];
  const previews: PreviewInput[] = [];
  const secrets = setup.settings?.adminApiKey === undefined ? [] : [setup.settings.adminApiKey];
  const log = createLog({ level: 'debug', secrets, destination: { write: (line) => logLines.push(line) } });
  const telemetry = createTelemetry({ log, auditEntries: 2_000, secrets });
  const store = new ConfigStore({ directory, now: () => 1_700_000_000_000, log });
  await store.reload();
  let draining = false;
  const dependencies: ControlDependencies = {
    rules: createRulesService(store, directory),
    telemetry,
    log,
    previewTurn: setup.previewTurn ?? ((input) => echo(input, previews)),
    settings: {
      bodyLimitBytes: 100_000,
      publicOptions: { rulesDir: directory, adminApiKey: 'set' },
      version: '1.2.3',
      startedAt: 1_700_000_000_000,
      ...setup.settings,
    },
    now: () => 1_700_000_012_500,
    isDraining: () => draining,
  };
  const listener = await listenControl(createControlApp(dependencies), {
    host: setup.host ?? '127.0.0.1',
    port: 0,
  });
  return {
    url: listener.url,
    directory,
    store,
    telemetry,
    logLines,
    previews,
    dependencies,
    drain: () => {
      draining = true;
    },
    close: async () => {
      await listener.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Gives the request back as the turn it would become, so that a test sees every character that passed. */
function echo(input: PreviewInput, previews: PreviewInput[]) {
  previews.push(input);
  return {
    originalTools: '[{"n":1.0}]',
    modifiedTools: '[]',
    operations: [{ operation: 'filter', rule: 'filter-0', tool: 'delete_file' }],
    plan: { name: 'direct' as const, reasons: ['selection is off'], ruleSet: 'default' },
    finalRequest: input.requestBody,
  };
}
