/** How long a reload of 200 rules stops everything else. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load/index.ts';
import { manyRules } from '../peers/index.ts';
import type { Peers } from '../peers/index.ts';

/** Blocks of the event loop, in milliseconds. */
export interface ReloadResult {
  readonly reloads: number;
  readonly medianBlockMs: number;
  readonly worstBlockMs: number;
  /** The worst that was seen in as long a time without a reload: noise of the machine. */
  readonly quietBlockMs: number;
}

const SETTLE_MS = 150;

/**
 * Reloads a peer that often; its rules are others afterwards.
 *
 * @throws Error if the rules do not change
 */
export async function measureReload(peers: Peers, reloads: number): Promise<ReloadResult> {
  const proxy = peers.proxies.oneHop;
  const file = join(peers.rulesDirectory('oneHop'), 'rules.json');
  const watched = async (action: () => Promise<void>): Promise<number> => {
    await proxy.ask('watch_loop');
    await action();
    // The watcher may look at the directory too, a little later.
    await sleep(SETTLE_MS);
    return (await proxy.ask('unwatch_loop')).worstBlockMs;
  };
  const quiet: number[] = [];
  const blocks: number[] = [];
  const revisions = new Set<string>();
  for (let edition = 0; edition < reloads; edition += 1) {
    quiet.push(await watched(() => Promise.resolve()));
    blocks.push(
      await watched(async () => {
        await writeFile(file, manyRules(edition));
        revisions.add(await reload(proxy.controlUrl));
      }),
    );
  }
  if (revisions.size !== reloads) throw new Error('reloading did not change the rules');
  return {
    reloads,
    medianBlockMs: median(blocks),
    worstBlockMs: Math.max(...blocks),
    quietBlockMs: Math.max(...quiet),
  };
}

async function reload(controlUrl: string): Promise<string> {
  const response = await fetch(`${controlUrl}/api/tools/reload`, { method: 'POST' });
  const said: unknown = await response.json();
  if (!response.ok || typeof said !== 'object' || said === null || !('revision' in said)) {
    throw new Error(`the rules were refused: ${JSON.stringify(said)}`);
  }
  return String(said.revision);
}
