/** What an answer costs, and how much of it fits the tokens that the caller allows. */
import type { BrainAnswer, BrainPart } from '../brain/index.ts';
import { countTokens } from '../usage/index.ts';

/** How much an effort multiplies a thought. */
const effortFactor: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 8,
  high: 24,
  xhigh: 48,
  max: 64,
};

/** Tokens of a thought at an effort. */
export function thinkingTokens(thought: string, effort: string): number {
  return countTokens(thought) * (effortFactor[effort] ?? 8);
}

/** The parts that fit, what they cost, and whether they are the whole answer. */
export interface CutAnswer {
  readonly kept: readonly { readonly part: BrainPart; readonly whole: boolean }[];
  readonly tokens: number;
  readonly complete: boolean;
}

/** Cuts an answer to so many tokens; the last part that is kept may be cut in its middle. */
export function cutParts(answer: BrainAnswer, limit: number): CutAnswer {
  const kept: { part: BrainPart; whole: boolean }[] = [];
  let used = 0;
  for (const [at, part] of answer.parts.entries()) {
    if (used >= limit) return { kept, tokens: used, complete: false };
    const { kept: piece, tokens, whole: fits } = cutPart(part, limit - used);
    const whole = fits && !(answer.broken === true && at === answer.parts.length - 1);
    kept.push({ part: piece, whole });
    used += tokens;
    if (!whole) return { kept, tokens: used, complete: false };
  }
  return { kept, tokens: used, complete: true };
}

/** Tokens that wrap a call in the output. */
const callTokens = 8;

function cutPart(part: BrainPart, left: number): { kept: BrainPart; tokens: number; whole: boolean } {
  const text = part.kind === 'text' ? part.text : part.kind === 'call' ? part.arguments : part.input;
  const around = part.kind === 'text' ? 2 : callTokens + countTokens(part.name);
  const tokens = countTokens(text) + around;
  if (tokens <= left) return { kept: part, tokens, whole: true };
  const share = Math.max(0, (left - around) / (tokens - around));
  const characters = Array.from(text);
  const cut = characters.slice(0, Math.floor(characters.length * share)).join('');
  return { kept: withText(part, cut), tokens: left, whole: false };
}

function withText(part: BrainPart, text: string): BrainPart {
  switch (part.kind) {
    case 'text':
      return { ...part, text };
    case 'call':
      return { ...part, arguments: text };
    case 'custom':
      return { ...part, input: text };
    default:
      return part satisfies never;
  }
}
