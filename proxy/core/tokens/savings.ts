import { estimateTokens } from './estimate.ts';

/** One span of text to leave out. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Estimated tokens of what stands outside the spans. */
export function estimateOutside(text: string, spans: readonly Range[]): number {
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  let tokens = 0;
  let at = 0;
  for (const { start, end } of ordered) {
    tokens += estimateTokens(text.slice(at, start));
    at = end;
  }
  return tokens + estimateTokens(text.slice(at));
}

/** What one turn used and what it would have used without Toolroll, in input tokens. */
export interface SavingsInput {
  /** Estimated tokens of the request outside its tools. */
  readonly rest: number;
  /** Estimated tokens of the tools as the app sent them. */
  readonly sentTools: number;
  /** Each hop: estimated tokens of the tools it showed, and the upstream's own count where it gave one. */
  readonly hops: readonly { readonly shownTools: number; readonly inputTokens: number | undefined }[];
}

export interface Savings {
  readonly saved: number;
  readonly lost: number;
}

/**
 * How far the upstream's count may be from the estimate, as a factor. Beyond it something else than this text was counted (an
 * image, a conversation that the upstream holds), and says nothing about tools.
 */
const MAX_CALIBRATION = 1.6;

/** How many tokens the estimate is trusted like: a count of few tokens is mostly what a server wraps around them. */
const TRUST = 1000;

/** What a turn saved against sending everything at once, or lost. The turn's own usage calibrates the estimate. */
export function computeSavings({ rest, sentTools, hops }: SavingsInput): Savings {
  const last = hops.findLast((hop) => hop.inputTokens !== undefined) ?? hops.at(-1);
  if (last === undefined) return { saved: 0, lost: 0 };
  const scale = calibrate(rest, hops);
  const counted = (hop: SavingsInput['hops'][number]): number =>
    hop.inputTokens ?? (rest + hop.shownTools) * scale;
  const direct = counted(last) + (sentTools - last.shownTools) * scale;
  const used = hops.reduce((sum, hop) => sum + counted(hop), 0);
  const saved = Math.round(direct - used);
  return { saved: Math.max(saved, 0), lost: Math.max(-saved, 0) };
}

/** How many tokens of this upstream one estimated token is. */
function calibrate(rest: number, hops: SavingsInput['hops']): number {
  let counted = 0;
  let estimated = 0;
  for (const { inputTokens, shownTools } of hops) {
    if (inputTokens === undefined) continue;
    counted += inputTokens;
    estimated += rest + shownTools;
  }
  const ratio = (counted + TRUST) / (estimated + TRUST);
  return ratio > MAX_CALIBRATION || ratio < 1 / MAX_CALIBRATION ? 1 : ratio;
}
