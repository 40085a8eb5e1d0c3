import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadOptions } from '../../proxy/config/index.ts';
import { startToolroll } from '../../proxy/main.ts';
import { createLog } from '../../proxy/telemetry/index.ts';
import type { AuditEvent } from '../../schemas/generated/audit-event.ts';
import { field, items } from '../integration/support/json.ts';
import type { ModelTestOptions } from './options.ts';
import { ruleFiles, skillFile } from './rule-sets.ts';
import type { TextPlacement } from './rule-sets.ts';

/** Toolroll in front of the server. */
export interface Toolroll {
  /** Its base URL, `/v1` included. */
  readonly baseUrl: string;
  /** The record of the one turn that was sent since the last time. @throws Error where none comes */
  nextRecord(): Promise<AuditEvent>;
  /** Warnings and errors logged since the last time. */
  takeComplaints(): readonly string[];
  close(): Promise<void>;
}

/** Starts Toolroll in this process, with rules and skills in a directory that goes when it is closed. */
export async function startInFrontOf(options: ModelTestOptions, placement: TextPlacement): Promise<Toolroll> {
  const directory = await mkdtemp(join(tmpdir(), 'toolroll-model-'));
  const rulesDir = join(directory, 'rules');
  const skillsDir = join(directory, 'skills');
  await Promise.all([rulesDir, skillsDir].map((path) => mkdir(path)));
  for (const [name, text] of ruleFiles({ format: options.textFormat, placement })) {
    await writeFile(join(rulesDir, name), text);
  }
  await writeFile(join(skillsDir, 'release.md'), skillFile);

  const complaints: string[] = [];
  const { proxyUrl, controlUrl, close } = await startToolroll({
    options: processOptions(options, rulesDir, skillsDir),
    environment: process.env,
    version: 'model-test',
    log: createLog({ level: 'warn', secrets: [], destination: { write: (line) => complaints.push(line) } }),
  });
  let last: string | undefined;
  return {
    baseUrl: `${proxyUrl}/v1`,
    nextRecord: async () => {
      const record = await waitForRecord(controlUrl, last);
      last = record.id;
      return record;
    },
    takeComplaints: () => complaints.splice(0),
    close: async () => {
      await close();
      await rm(directory, { recursive: true });
    },
  };
}

function processOptions({ baseUrl, timeoutSeconds }: ModelTestOptions, rulesDir: string, skillsDir: string) {
  const { options, faults } = loadOptions({
    flags: {
      upstreamBaseUrl: baseUrl,
      proxyListen: '127.0.0.1:0',
      controlListen: '127.0.0.1:0',
      rulesDir,
      skillsDir,
      firstByteTimeoutSeconds: String(timeoutSeconds),
      idleTimeoutSeconds: String(timeoutSeconds),
      drainSeconds: '0',
    },
    environment: {},
  });
  if (options === undefined) {
    throw new TypeError(faults.map(({ source, message }) => `${source} ${message}`).join('; '));
  }
  return options;
}

/** A record is made when the answer has ended, which the app may have seen before. */
async function waitForRecord(controlUrl: string, last: string | undefined): Promise<AuditEvent> {
  for (let tries = 0; tries < 60; tries += 1) {
    const response = await fetch(`${controlUrl}/api/audit?limit=1`, { headers: { connection: 'close' } });
    const [newest] = items(await response.json(), 'events');
    // The control API answers with records of its own schema.
    if (newest !== undefined && field(newest, 'id') !== last) return newest as unknown as AuditEvent;
    await pause(50);
  }
  throw new Error('no audit record of the turn');
}
