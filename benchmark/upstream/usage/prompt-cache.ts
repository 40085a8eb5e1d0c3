/**
 * A simulated prompt cache: the longest prefix that an earlier request shares, from 1,024 tokens on in steps of 128
 * (OpenAI's prompt caching guide). A prompt is a list of segments (tools first, then instructions, then the input
 * items), so that the comparison walks segments and looks into the first differing one only.
 */
import { countTokens } from './count-tokens.ts';

/** A piece of a prompt and what it counts. */
export interface PromptSegment {
  readonly text: string;
  readonly tokens: number;
}

/** Makes a segment; `extra` tokens count for what is no text: wrapping, images. */
export function segmentOf(text: string, extra: number): PromptSegment {
  return { text, tokens: countTokens(text) + extra };
}

/** Tokens of a whole prompt. */
export function tokensOf(prompt: readonly PromptSegment[]): number {
  return prompt.reduce((sum, segment) => sum + segment.tokens, 3);
}

const minimum = 1024;
const step = 128;

/** Remembers the prompts of the last requests, per model and cache key. */
export class PromptCache {
  readonly #keep: number;
  #prompts: { readonly key: string; readonly prompt: readonly PromptSegment[] }[] = [];

  constructor(keep = 64) {
    this.#keep = keep;
  }

  /** Cached tokens of this prompt; remembers it for the next. */
  look(key: string, prompt: readonly PromptSegment[]): number {
    let best = 0;
    for (const earlier of this.#prompts) {
      if (earlier.key === key) best = Math.max(best, sharedTokens(earlier.prompt, prompt));
    }
    this.#remember(key, prompt);
    return best < minimum ? 0 : best - (best % step);
  }

  #remember(key: string, prompt: readonly PromptSegment[]): void {
    const last = this.#prompts.findIndex((entry) => entry.key === key && entry.prompt === prompt);
    if (last >= 0) this.#prompts.splice(last, 1);
    this.#prompts.push({ key, prompt });
    if (this.#prompts.length > this.#keep) this.#prompts.shift();
  }
}

function sharedTokens(a: readonly PromptSegment[], b: readonly PromptSegment[]): number {
  let shared = 0;
  for (const [at, segment] of b.entries()) {
    const other = a[at];
    if (other === undefined) break;
    if (other.text !== segment.text) return shared + sharedWithin(other.text, segment.text);
    shared += segment.tokens;
  }
  return shared;
}

/** Tokens of the common beginning of two texts; the last one may be cut by the difference and does not count. */
function sharedWithin(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : Math.max(0, countTokens(b.slice(0, at)) - 1);
}
