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

/** How far the upstream's count may move the estimate: beyond it something else than text is counted, an image mostly. */
const MAX_CALIBRATION = 1.6;

/**
 * What a turn saved against sending everything at once, or lost. The last hop's own usage calibrates the estimate, since its tools
 * are most like those that were not sent.
 */
export function computeSavings({ rest, sentTools, hops }: SavingsInput): Savings {
  const last = hops.findLast((hop) => hop.inputTokens !== undefined) ?? hops.at(-1);
  if (last === undefined) return { saved: 0, lost: 0 };
  const estimated = rest + last.shownTools;
  const ratio = last.inputTokens === undefined || estimated === 0 ? 1 : last.inputTokens / estimated;
  const scale = Math.min(Math.max(ratio, 1 / MAX_CALIBRATION), MAX_CALIBRATION);
  const counted = (hop: SavingsInput['hops'][number]): number =>
    hop.inputTokens ?? (rest + hop.shownTools) * scale;
  const direct = counted(last) + (sentTools - last.shownTools) * scale;
  const used = hops.reduce((sum, hop) => sum + counted(hop), 0);
  const saved = Math.round(direct - used);
  return { saved: Math.max(saved, 0), lost: Math.max(-saved, 0) };
}
