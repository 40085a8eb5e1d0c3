/** What a proxy adds to the latency of a turn while nothing else is going on. */
import { median, openConnection } from '../load/index.ts';
import type { Connection } from '../load/index.ts';
import { pathOf, turnBody, variants } from '../peers/index.ts';
import type { Format, Peers, VariantName } from '../peers/index.ts';
import { menuOf, tools } from '../scenarios/index.ts';

/** How much is sent. */
export interface LatencySettings {
  readonly rounds: number;
  /** Requests of each kind in each round. */
  readonly perRound: number;
}

/** Milliseconds that a variant adds. */
export interface LatencyResult {
  readonly variant: VariantName;
  readonly format: Format;
  /** p50 from sending to the last byte. */
  readonly p50Ms: number;
  /** p50 beyond what the upstream takes by itself for the same calls, per call to the upstream. */
  readonly addedPerHopMs: number;
}

const TOOLS = 37;

interface Probe {
  readonly url: string;
  readonly body: string;
  readonly samples: number[];
}

/** One request at a time over a kept connection, the ways taking turns. */
export async function measureLatency(
  peers: Peers,
  settings: LatencySettings,
): Promise<readonly LatencyResult[]> {
  const connections = new Map<string, Connection>();
  const results: LatencyResult[] = [];
  for (const format of ['json', 'sse'] as const)
    results.push(...(await measureFormat(peers, settings, format, connections)));
  for (const connection of connections.values()) connection.close();
  return results;
}

async function measureFormat(
  peers: Peers,
  { rounds, perRound }: LatencySettings,
  format: Format,
  connections: Map<string, Connection>,
): Promise<readonly LatencyResult[]> {
  const upstreamUrl = `${peers.upstream.url}/v1/responses`;
  const probe = (url: string, body: string): Probe => ({ url, body, samples: [] });
  const direct = probe(upstreamUrl, turnBody(TOOLS, format));
  // The two calls of a rolled-up turn, as nearly as they can be sent without Toolroll.
  const pick = probe(upstreamUrl, pickBody(format));
  const reveal = probe(upstreamUrl, turnBody(1, format));
  const ways = variants.map((variant) => ({
    variant,
    probe: probe(peers.proxies[variant.peer].url + pathOf(variant, 'responses'), turnBody(TOOLS, format)),
  }));
  const probes = [direct, pick, reveal, ...ways.map((way) => way.probe)];
  for (let round = 0; round <= rounds; round += 1) {
    for (const one of probes) {
      const samples = await timeMany(one, perRound, connections);
      // The first round warms up.
      if (round > 0) one.samples.push(...samples);
    }
  }
  const alone = median(direct.samples);
  const bothAlone = median(pick.samples) + median(reveal.samples);
  return ways.map(({ variant, probe: { samples } }) => {
    const p50Ms = median(samples);
    const addedPerHopMs = variant.plan === 'two_hop' ? (p50Ms - bothAlone) / 2 : p50Ms - alone;
    return { variant: variant.name, format, p50Ms, addedPerHopMs };
  });
}

async function timeMany(
  { url, body }: Probe,
  count: number,
  connections: Map<string, Connection>,
): Promise<readonly number[]> {
  const { origin } = new URL(url);
  const connection = connections.get(origin) ?? openConnection();
  connections.set(origin, connection);
  const samples: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const { status, wholeMs } = await connection.send(url, body);
    if (status !== 200) throw new Error(`${url} answered ${String(status)}`);
    samples.push(wholeMs);
  }
  return samples;
}

function pickBody(format: Format): string {
  return JSON.stringify({
    model: 'gpt-5-mini',
    input: 'What will the weather be like in Lisbon tomorrow?',
    tools: [menuOf(tools)],
    ...(format === 'sse' ? { stream: true } : {}),
  });
}
