/** CPU time and memory of the proxies under load: peers take turns, so that a noisy machine is noisy for all. */
import { generateLoad, median, openConnection } from '../load/index.ts';
import type { MeasuredProcess, Shot } from '../load/index.ts';
import { checkVariant, pathOf, turnBody, variants } from '../peers/index.ts';
import type { Api, Format, PeerName, Peers, VariantName } from '../peers/index.ts';

/** What is measured and how long. */
export interface CpuSettings {
  readonly api: Api;
  readonly toolCounts: readonly number[];
  readonly rounds: number;
  /** About how long one run of one cell takes. */
  readonly secondsPerRun: number;
  readonly connections: number;
  /** Told what is going on. */
  readonly note: (line: string) => void;
}

/** One way through one peer with one kind of request. */
export interface CpuCell {
  readonly variant: VariantName;
  readonly format: Format;
  readonly tools: number;
  /** CPU time of the proxy per request of the app, in microseconds: the median of the rounds. */
  readonly micros: number;
  /** Against the bare proxy in the same round: the median of the rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** Requests in each run. */
  readonly requests: number;
}

/** What came of it. */
export interface CpuResult {
  readonly cells: readonly CpuCell[];
  /** Resident memory under load, the median of the samples, in bytes. */
  readonly rssBytes: Readonly<Record<PeerName, number>>;
}

const FORMATS: readonly Format[] = ['json', 'sse'];
const CALIBRATION_REQUESTS = 400;
/** Before it is measured, each cell runs that many times as long: the compiler must be done with it. */
const WARM_UP_RUNS = 4;
const FEWEST_REQUESTS = 60;
const SAMPLE_MS = 250;

interface Cell {
  readonly variant: VariantName;
  readonly format: Format;
  readonly tools: number;
  readonly proxy: MeasuredProcess;
  readonly rssSamples: number[];
  readonly shot: Shot;
  readonly requests: number;
  readonly micros: number[];
}

/** @throws Error if an answer is not as it should be */
export async function measureCpu(peers: Peers, settings: CpuSettings): Promise<CpuResult> {
  const rssSamples: Record<PeerName, number[]> = { bare: [], noRules: [], oneHop: [], twoHops: [] };
  const cells = await prepareCells(peers, settings, rssSamples);
  for (let round = 1; round <= settings.rounds; round += 1) {
    settings.note(`${settings.api}: CPU time, round ${String(round)} of ${String(settings.rounds)}`);
    for (const cell of cells) cell.micros.push(await runCell(cell, settings.connections));
  }
  return {
    cells: cells.map((cell) => summarise(cell, cells)),
    rssBytes: {
      bare: median(rssSamples.bare),
      noRules: median(rssSamples.noRules),
      oneHop: median(rssSamples.oneHop),
      twoHops: median(rssSamples.twoHops),
    },
  };
}

/** Checks and warms up every cell, and finds out how many requests fill a run. */
async function prepareCells(
  peers: Peers,
  { api, toolCounts, secondsPerRun, connections, note }: CpuSettings,
  rssSamples: Readonly<Record<PeerName, number[]>>,
): Promise<readonly Cell[]> {
  const connection = openConnection();
  const cells: Cell[] = [];
  for (const tools of toolCounts) {
    note(`${api}: warming up with ${String(tools)} tools`);
    for (const format of FORMATS) {
      const body = turnBody(tools, format, api);
      for (const variant of variants.filter(({ path }) => api === 'responses' || path === undefined)) {
        const proxy = peers.proxies[variant.peer];
        const url = proxy.url + pathOf(variant, api);
        const answerChars = await checkVariant(connection, { variant, url, body, format, api });
        const shot = { url, body, answerChars };
        const seconds = await generateLoad(shot, { connections, requests: CALIBRATION_REQUESTS });
        const fitting = Math.round((CALIBRATION_REQUESTS / seconds) * secondsPerRun);
        cells.push({
          variant: variant.name,
          format,
          tools,
          proxy,
          rssSamples: rssSamples[variant.peer],
          shot,
          requests: Math.max(fitting, FEWEST_REQUESTS),
          micros: [],
        });
      }
    }
  }
  for (const cell of cells) await runCell({ ...cell, requests: cell.requests * WARM_UP_RUNS }, connections);
  for (const samples of Object.values(rssSamples)) samples.length = 0;
  connection.close();
  return cells;
}

/** CPU microseconds per request of one run. */
async function runCell(cell: Cell, connections: number): Promise<number> {
  const { proxy, shot, requests, rssSamples } = cell;
  const sample = async (): Promise<void> => {
    rssSamples.push((await proxy.ask('read')).rssBytes);
  };
  const before = await proxy.ask('read');
  const sampling = setInterval(() => void sample(), SAMPLE_MS);
  try {
    await generateLoad(shot, { connections, requests });
  } finally {
    clearInterval(sampling);
  }
  const after = await proxy.ask('read');
  rssSamples.push(after.rssBytes);
  return (after.cpuMicros - before.cpuMicros) / requests;
}

function summarise(cell: Cell, cells: readonly Cell[]): CpuCell {
  const { variant, format, tools, requests, micros } = cell;
  const bare = cells.find(
    (other) => other.variant === 'bare' && other.format === format && other.tools === tools,
  );
  const ratios = micros.map((value, round) => value / (bare?.micros[round] ?? Number.NaN));
  return { variant, format, tools, micros: median(micros), ratio: median(ratios), ratios, requests };
}
