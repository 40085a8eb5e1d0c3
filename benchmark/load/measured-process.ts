/** A process of its own for everything that is measured, with a probe inside. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Ask, Reading } from './probe.ts';

/** What is started. */
export interface ProcessSettings {
  readonly program: URL;
  readonly probe: URL;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A running, listening process. */
export interface MeasuredProcess {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Where it can be controlled; empty where it cannot. */
  readonly controlUrl: string;
  ask(ask: Ask): Promise<Reading>;
  stop(): Promise<void>;
}

const START_MS = 20_000;

/**
 * Starts it and waits until it says, on stderr as one JSON line with `"event":"listening"`, where it listens.
 *
 * @throws Error if it ends or stays silent instead
 */
export async function startProcess(settings: ProcessSettings): Promise<MeasuredProcess> {
  const child = fork(settings.program, settings.arguments ?? [], {
    execArgv: ['--import', settings.probe.href],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...settings.environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const { url, controlUrl } = await listening(child, settings.program);
  return { url, controlUrl, ask: createAsking(child), stop: () => stop(child) };
}

function listening(child: ChildProcess, program: URL): Promise<{ url: string; controlUrl: string }> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${program.pathname} ${why}\n${said.join('\n')}`));
    };
    const timer = setTimeout(() => {
      fail('does not listen');
    }, START_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${String(code)}`);
    });
    if (child.stderr === null) throw new TypeError('stderr is a pipe');
    // Read to its end, so that the process never waits for us.
    createInterface(child.stderr).on('line', (line) => {
      if (said.length < 20) said.push(line);
      const place = readPlace(line);
      if (place === undefined) return;
      clearTimeout(timer);
      resolve(place);
    });
  });
}

function readPlace(line: string): { url: string; controlUrl: string } | undefined {
  if (!line.includes('"event":"listening"')) return undefined;
  const said: unknown = JSON.parse(line);
  if (typeof said !== 'object' || said === null || !('proxy' in said)) return undefined;
  return { url: String(said.proxy), controlUrl: 'control' in said ? String(said.control) : '' };
}

function createAsking(child: ChildProcess): MeasuredProcess['ask'] {
  let asked = 0;
  const waiting = new Map<number, (reading: Reading) => void>();
  child.on('message', (message: unknown) => {
    // Our own probe sends these and nothing else does.
    const { id, reading } = message as { id: number; reading: Reading };
    waiting.get(id)?.(reading);
    waiting.delete(id);
  });
  return (ask) =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, resolve);
      child.send({ ask, id: asked }, (error) => {
        if (error !== null) reject(error);
      });
    });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(timer);
}
