/**
 * Tokens of a text, estimated without a tokenizer.
 *
 * ASCII JSON of tools has about 4.8 characters a token (±10 % for 90 % of 1,486 real tools, o200k_base; selection.md).
 * Wide scripts (Chinese, Japanese, Korean) have little more than one character a token, other alphabets lie between.
 */
const ASCII_CHARS_PER_TOKEN = 4.8;
const WIDE_CHARS_PER_TOKEN = 1.45;
const OTHER_CHARS_PER_TOKEN = 3;

/** From here on (CJK radicals and later, surrogates included) a script counts as wide. */
const FIRST_WIDE_CODE = 0x2e80;

/** Estimated tokens of a text, not rounded. Linear in its length. */
export function estimateTokens(text: string): number {
  let other = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= FIRST_WIDE_CODE) wide += 1;
    else if (code >= 0x80) other += 1;
  }
  const ascii = text.length - other - wide;
  return ascii / ASCII_CHARS_PER_TOKEN + wide / WIDE_CHARS_PER_TOKEN + other / OTHER_CHARS_PER_TOKEN;
}
