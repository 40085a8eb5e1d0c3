/** Where a proxy's CPU time goes, function by function. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateLoad, openConnection } from '../load/index.ts';
import type { MeasuredProcess } from '../load/index.ts';
import { checkVariant, pathOf, turnBody, variants } from '../peers/index.ts';
import type { Format, Peers, Variant } from '../peers/index.ts';
import { clearRules, writeRules } from './measure-reload.ts';

/** One profile. */
export interface ProfileSummary {
  readonly title: string;
  readonly file: string;
  /** Share of the time that was not idle, the largest first. */
  readonly functions: readonly { readonly name: string; readonly percent: number }[];
}

const TOOLS = 37;
const CONNECTIONS = 16;
const WARM_UP = 3_000;
const MEASURED = 1_500;
const RELOADS = 5;
const SHOWN = 40;

/** Profiles every variant with 37 tools; the profiles, for a browser's developer tools, go into the folder. */
export async function profilePeers(peers: Peers, folder: string): Promise<readonly ProfileSummary[]> {
  const summaries: ProfileSummary[] = [];
  for (const variant of variants) {
    for (const format of ['json', 'sse'] as const)
      summaries.push(await profileOne(peers, folder, variant, format));
  }
  return [...summaries, await profileReload(peers, folder)];
}

/** Its rules are others afterwards. */
async function profileReload(peers: Peers, folder: string): Promise<ProfileSummary> {
  const proxy = peers.proxies.oneHop;
  await proxy.ask('profile');
  for (let edition = 0; edition < RELOADS; edition += 1) {
    await clearRules(peers);
    await writeRules(peers, edition, 1);
  }
  return summarise(proxy, `${String(RELOADS)} reloads of 200 rules`, join(folder, 'reload.cpuprofile'));
}

async function profileOne(
  peers: Peers,
  folder: string,
  variant: Variant,
  format: Format,
): Promise<ProfileSummary> {
  const proxy = peers.proxies[variant.peer];
  const url = proxy.url + pathOf(variant, 'responses');
  const body = turnBody(TOOLS, format);
  const connection = openConnection();
  const shot = {
    url,
    body,
    answerChars: await checkVariant(connection, { variant, url, body, format, api: 'responses' }),
  };
  connection.close();
  await generateLoad(shot, { connections: CONNECTIONS, requests: WARM_UP });
  await proxy.ask('profile');
  await generateLoad(shot, { connections: CONNECTIONS, requests: MEASURED });
  return summarise(
    proxy,
    `${variant.title}, ${format}`,
    join(folder, `${variant.name}-${format}.cpuprofile`),
  );
}

async function summarise(proxy: MeasuredProcess, title: string, file: string): Promise<ProfileSummary> {
  const { profile = '{}' } = await proxy.ask('end_profile');
  await writeFile(file, profile);
  return { title, file, functions: selfTimes(profile) };
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

function selfTimes(text: string): ProfileSummary['functions'] {
  // V8's own format: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
  const profile = JSON.parse(text) as {
    readonly nodes: readonly ProfileNode[];
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
  };
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let busy = 0;
  profile.samples.forEach((node, at) => {
    const name = names.get(node) ?? '';
    if (name === '(idle)') return;
    const time = profile.timeDeltas[at] ?? 0;
    busy += time;
    times.set(name, (times.get(name) ?? 0) + time);
  });
  return [...times]
    .map(([name, time]) => ({ name, percent: (time / busy) * 100 }))
    .sort((a, b) => b.percent - a.percent)
    .slice(0, SHOWN);
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const place = url === '' ? '' : ` ${url.split('/').slice(-2).join('/')}:${String(lineNumber + 1)}`;
  return `${functionName === '' ? '(anonymous)' : functionName}${place}`;
}
