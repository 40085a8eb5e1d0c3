import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOptions } from '../../../proxy/config/index.ts';
import { startToolroll } from '../../../proxy/main.ts';
import { createLog } from '../../../proxy/telemetry/index.ts';
import type { Options } from '../../../schemas/generated/options.ts';
import type { Json } from './json.ts';

/** How Toolroll is to run. */
export interface ToolrollSetup {
  /** The upstream, by its base URL. */
  readonly upstream: { readonly url: string };
  /** The `spec` of the one rule set; {@link twoHops} if left out. */
  readonly spec?: Json;
  /** Rule files by name, in place of `spec`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: Partial<Options>;
}

export interface RunningToolroll {
  readonly proxyUrl: string;
  readonly controlUrl: string;
  readonly rulesDir: string;
  /** Every line logged so far, parsed. */
  readonly logLines: readonly Json[];
  /** The value of the first metric line that starts so, as in `toolroll_turns_total{…`; 0 where there is none. */
  metric(start: string): Promise<number>;
  /** The latest audit records, the newest first. */
  audit(): Promise<unknown>;
  close(): Promise<void>;
}

/** A rule set's `spec` that rolls up every tool, however few tokens they have. */
export function twoHops(selection: Json = {}, rest: Json = {}): Json {
  return { selection: { strategy: 'two_hop', minTools: 2, minToolTokens: 0, ...selection }, ...rest };
}

/** Starts Toolroll on free ports with rules in a directory of its own, which goes when it is closed. */
export async function startWith(setup: ToolrollSetup): Promise<RunningToolroll> {
  const rulesDir = await mkdtemp(join(tmpdir(), 'toolroll-turn-'));
  for (const [name, text] of Object.entries(
    setup.files ?? { 'rules.json': ruleFile(setup.spec ?? twoHops()) },
  )) {
    await writeFile(join(rulesDir, name), text);
  }
  const logLines: Json[] = [];
  const write = (line: string): void => {
    // Log lines are JSON objects.
    logLines.push(JSON.parse(line) as Json);
  };
  const toolroll = await startToolroll({
    options: {
      ...defaults(),
      upstreamBaseUrl: setup.upstream.url,
      proxyListen: '127.0.0.1:0',
      controlListen: '127.0.0.1:0',
      rulesDir,
      drainSeconds: 0,
      ...setup.options,
    },
    environment: {},
    version: '0.0.0',
    log: createLog({ level: 'debug', secrets: [], destination: { write } }),
  });
  const { proxyUrl, controlUrl } = toolroll;
  const read = async (path: string): Promise<Response> =>
    fetch(controlUrl + path, { headers: { connection: 'close' } });
  return {
    proxyUrl,
    controlUrl,
    rulesDir,
    logLines,
    metric: async (start) => {
      const text = await (await read('/metrics')).text();
      const line = text.split('\n').find((candidate) => candidate.startsWith(start));
      return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
    },
    audit: async () => (await read('/api/audit')).json(),
    close: async () => {
      await toolroll.close();
      await rm(rulesDir, { recursive: true });
    },
  };
}

function ruleFile(spec: Json): string {
  return JSON.stringify({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec,
  });
}

function defaults(): Options {
  const { options } = loadOptions({ flags: {}, environment: {} });
  if (options === undefined) throw new TypeError('the defaults are no valid options');
  return options;
}
