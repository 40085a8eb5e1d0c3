import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '../load/index.ts';
import type { MeasuredProcess } from '../load/index.ts';
import { oneHopRules, twoHopRules } from './rule-files.ts';
import type { PeerName } from './variants.ts';

/** The programs that are run as processes of their own. */
export interface Programs {
  readonly probe: URL;
  readonly flatUpstream: URL;
  readonly bareProxy: URL;
  readonly toolroll: URL;
}

/** Everything that runs during the benchmark. */
export interface Peers {
  readonly upstream: MeasuredProcess;
  readonly proxies: Readonly<Record<PeerName, MeasuredProcess>>;
  /** The rules directory of a peer that is Toolroll. */
  readonly rulesDirectory: (peer: PeerName) => string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the upstream and all proxies before it.
 *
 * @throws Error if one of them does not come up
 */
export async function startPeers(programs: Programs): Promise<Peers> {
  const folder = await mkdtemp(join(tmpdir(), 'toolroll-bench-'));
  const running: MeasuredProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const start = async (program: URL, environment: Readonly<Record<string, string>> = {}) => {
    const started = await startProcess({
      program,
      probe: programs.probe,
      environment,
      ...serveWhere(program, programs),
    });
    running.push(started);
    return started;
  };
  const rulesDirectory = (peer: PeerName): string => join(folder, peer);
  try {
    const upstream = await start(programs.flatUpstream);
    const base = { UPSTREAM_BASE_URL: `${upstream.url}/v1` };
    const startToolroll = async (peer: PeerName, rules?: string): Promise<MeasuredProcess> => {
      await mkdir(rulesDirectory(peer));
      if (rules !== undefined) await writeFile(join(rulesDirectory(peer), 'rules.json'), rules);
      return start(programs.toolroll, {
        ...base,
        TOOLROLL_PROXY_LISTEN: '127.0.0.1:0',
        TOOLROLL_CONTROL_LISTEN: '127.0.0.1:0',
        TOOLROLL_RULES_DIR: rulesDirectory(peer),
      });
    };
    const proxies = {
      bare: await start(programs.bareProxy, base),
      noRules: await startToolroll('noRules'),
      oneHop: await startToolroll('oneHop', oneHopRules),
      twoHops: await startToolroll('twoHops', twoHopRules),
    };
    return { upstream, proxies, rulesDirectory, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serveWhere(program: URL, { toolroll }: Programs): { arguments?: readonly string[] } {
  return program === toolroll ? { arguments: ['serve'] } : {};
}
