/** How long a reload of 200 rules stops everything else. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load/index.ts';
import { manyRules } from '../peers/index.ts';
import type { Peers } from '../peers/index.ts';

/** Blocks of the event loop, in milliseconds. */
export interface ReloadResult {
  readonly reloads: number;
  /** All rules in one file, and spread over ten. */
  readonly oneFile: Blocks;
  readonly tenFiles: Blocks;
  /** What was seen in as long a time without a reload: noise of the machine. */
  readonly quiet: Blocks;
}

export interface Blocks {
  readonly medianMs: number;
  readonly worstMs: number;
}

const SETTLE_MS = 150;

/**
 * Reloads a peer that often in each way; its rules are others afterwards.
 *
 * @throws Error if the rules do not change
 */
export async function measureReload(peers: Peers, reloads: number): Promise<ReloadResult> {
  const quiet: number[] = [];
  const oneFile: number[] = [];
  const tenFiles: number[] = [];
  for (let edition = 0; edition < reloads; edition += 1) {
    quiet.push(await watched(peers, () => Promise.resolve()));
    await clearRules(peers);
    oneFile.push(await watched(peers, () => writeRules(peers, edition, 1)));
    await clearRules(peers);
    tenFiles.push(await watched(peers, () => writeRules(peers, edition, 10)));
  }
  return { reloads, oneFile: blocksOf(oneFile), tenFiles: blocksOf(tenFiles), quiet: blocksOf(quiet) };
}

function blocksOf(values: readonly number[]): Blocks {
  return { medianMs: median(values), worstMs: Math.max(...values) };
}

/** The longest block during an action and shortly after. */
async function watched({ proxies: { oneHop } }: Peers, action: () => Promise<unknown>): Promise<number> {
  await oneHop.ask('watch_loop');
  await action();
  // The watcher looks at the directory too, a little later.
  await sleep(SETTLE_MS);
  return (await oneHop.ask('unwatch_loop')).worstBlockMs;
}

/**
 * Takes all rules from the one-hop peer, so that what it is given next is new to it.
 *
 * @throws Error if that does not serve then
 */
export async function clearRules(peers: Peers): Promise<void> {
  const directory = peers.rulesDirectory('oneHop');
  for (const name of await readdir(directory)) await rm(join(directory, name));
  await reload(peers, 0);
}

/**
 * Gives the one-hop peer 200 rules.
 *
 * @throws Error if they do not serve then
 */
export async function writeRules(peers: Peers, edition: number, fileCount: number): Promise<void> {
  const files = manyRules(edition, fileCount);
  const directory = peers.rulesDirectory('oneHop');
  for (const [name, text] of files) await writeFile(join(directory, name), text);
  await reload(peers, fileCount);
}

async function reload({ proxies: { oneHop } }: Peers, fileCount: number): Promise<void> {
  await fetch(`${oneHop.controlUrl}/api/tools/reload`, { method: 'POST' });
  const loaded: unknown = await (await fetch(`${oneHop.controlUrl}/api/tools/rules`)).json();
  const files = typeof loaded === 'object' && loaded !== null && 'files' in loaded ? loaded.files : undefined;
  if (Array.isArray(files) && files.length === fileCount) return;
  throw new Error(`the rules do not serve: ${JSON.stringify(loaded)}`);
}
