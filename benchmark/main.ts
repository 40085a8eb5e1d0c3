/** `npm run bench`: Toolroll beside a bare Node proxy, in one run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureTokens } from './demo/index.ts';
import { startPeers } from './peers/index.ts';
import type { Peers } from './peers/index.ts';
import {
  measureCpu,
  measureLatency,
  measureReload,
  measureSkills,
  measureSoak,
  measureText,
  profilePeers,
  renderProfiles,
  renderResults,
} from './report/index.ts';
import type { BenchResults } from './report/index.ts';

const help = `CPU time, latency, memory, reload time and tokens of Toolroll beside a bare Node proxy.

  --quick          less of everything, in about 40 seconds
  --tools LIST     tools per request, as in 37,200 (default 1,37,200; with --quick 37)
  --soak           also 100,000 rolled-up turns, to see that memory stays flat
  --turns N        another number of turns for --soak
  --json FILE      writes the results to a file
  --profile DIR    instead of measuring, writes CPU profiles and tells where the time goes
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tools: { type: 'string' },
    soak: { type: 'boolean', default: false },
    turns: { type: 'string', default: '100000' },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const programs = {
  probe: new URL('./load/probe.js', import.meta.url),
  flatUpstream: new URL('./load/flat-upstream.js', import.meta.url),
  bareProxy: new URL('./peers/bare-proxy.js', import.meta.url),
  toolroll: new URL('../cli.js', import.meta.url),
};

if (values.help) process.stdout.write(help);
else await bench();

async function bench(): Promise<void> {
  const peers = await startPeers(programs);
  try {
    if (values.profile === undefined) {
      const results = await measure(peers);
      process.stdout.write(`\n${renderResults(results)}\n`);
      if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
    } else {
      await mkdir(values.profile, { recursive: true });
      process.stdout.write(`${renderProfiles(await profilePeers(peers, values.profile))}\n`);
    }
  } finally {
    await peers.stop();
  }
}

async function measure(peers: Peers): Promise<BenchResults> {
  const { quick } = values;
  const runs = { rounds: quick ? 3 : 5, secondsPerRun: quick ? 0.6 : 1.5, connections: 16, note };
  const toolCounts = (values.tools ?? (quick ? '37' : '1,37,200')).split(',').map(Number);
  const cpu = await measureCpu(peers, { ...runs, api: 'responses', toolCounts });
  const chat = await measureCpu(peers, { ...runs, api: 'chat', toolCounts: [37] });
  note('latency');
  const latency = await measureLatency(
    peers,
    quick ? { rounds: 4, perRound: 30 } : { rounds: 8, perRound: 60 },
  );
  const soak = values.soak ? { soak: await measureSoak(peers, Number(values.turns), note) } : {};
  note('reloads');
  const reload = await measureReload(peers, quick ? 5 : 12);
  note('text tools and skills');
  const text = measureText();
  const skills = await measureSkills();
  note('tokens');
  const tokens = await measureTokens(import.meta.dirname);
  return {
    node: process.version,
    processors: cpus().map(({ model }) => model),
    cpu,
    chat,
    latency,
    ...soak,
    reload,
    text,
    skills,
    tokens,
  };
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
