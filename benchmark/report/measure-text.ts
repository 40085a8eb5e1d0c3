/** How fast calls are read out of what a model writes. */
import { TextScanner } from '../../proxy/core/text-tools/index.ts';
import { median } from '../load/index.ts';

/** What it takes. */
export interface TextResult {
  /** Microseconds per delta of four characters, plain text. */
  readonly microsPerDelta: number;
  /** Time per byte of text that is nothing but beginnings of calls, against plain text. */
  readonly lookAlikeRatio: number;
}

const CHARS = 1_000_000;
const DELTA = 4;
const ROUNDS = 7;
const PLAIN = 'The quick brown fox jumps over the lazy dog, and then it sits down to think about it. ';
const LOOK_ALIKE = '<tool_call';

/** Both kinds by turns, after a round that warms up. */
export function measureText(): TextResult {
  const plain = deltasOf(PLAIN);
  const lookAlikes = deltasOf(LOOK_ALIKE);
  const samples = { plain: [] as number[], ratio: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plainMs = scan(plain);
    const lookAlikeMs = scan(lookAlikes);
    if (round === 0) continue;
    samples.plain.push((plainMs * 1000) / plain.length);
    samples.ratio.push(lookAlikeMs / plainMs);
  }
  return { microsPerDelta: median(samples.plain), lookAlikeRatio: median(samples.ratio) };
}

function deltasOf(text: string): readonly string[] {
  const whole = text.repeat(Math.ceil(CHARS / text.length)).slice(0, CHARS);
  return Array.from({ length: CHARS / DELTA }, (_, at) => whole.slice(at * DELTA, (at + 1) * DELTA));
}

function scan(deltas: readonly string[]): number {
  const scanner = new TextScanner({ format: 'xml', judge: () => 'calls' });
  const begun = performance.now();
  for (const delta of deltas) scanner.push(delta);
  scanner.end();
  return performance.now() - begun;
}
