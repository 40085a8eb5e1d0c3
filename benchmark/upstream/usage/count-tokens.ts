/** Token counts with the o200k_base vocabulary, remembered by text: a benchmark sends the same tools again and again. */
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Characters of text that are remembered at most. */
const most = 16_000_000;
const remembered = new Map<string, number>();
let size = 0;

/** Longer texts are counted by their beginning: the tokenizer needs a second for a megabyte. */
const longest = 400_000;

/** Tokens of a text. Text that spells a special token counts as plain text. */
export function countTokens(text: string): number {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const tokens = text.length > longest ? estimate(text) : count(text, { disallowedSpecial: new Set() });
  if (size > most) {
    remembered.clear();
    size = 0;
  }
  remembered.set(text, tokens);
  size += text.length;
  return tokens;
}

function estimate(text: string): number {
  const sample = count(text.slice(0, longest), { disallowedSpecial: new Set() });
  return Math.round((sample * text.length) / longest);
}
