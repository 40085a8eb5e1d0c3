/** What a character is to a tokenizer; numbers, since every character of every request is looked up. */
export type CharClass = number;

/** Past the end of the text. */
export const NONE: CharClass = 0;
export const LOWER: CharClass = 1;
export const UPPER: CharClass = 2;
/** A Latin letter beyond ASCII. */
export const ACCENTED: CharClass = 3;
export const DIGIT: CharClass = 4;
export const SPACE: CharClass = 5;
export const SIGN: CharClass = 6;
/** A quote or a backslash: a sign that the reader of a JSON text has to look at. */
export const MARK: CharClass = 7;
/** Punctuation and symbols beyond ASCII. */
export const SYMBOL: CharClass = 8;
/** A letter of another alphabet. */
export const FOREIGN: CharClass = 9;
/** A Korean syllable. */
export const HANGUL: CharClass = 10;
/** Chinese and Japanese, and all that lies behind them, surrogates included. */
export const WIDE: CharClass = 11;

const FIRST_ACCENTED = 0xc0;
const FIRST_FOREIGN = 0x250;
const FIRST_SYMBOL = 0x2000;
const FIRST_WIDE = 0x2e80;
const FIRST_HANGUL = 0xac00;
const LAST_HANGUL = 0xd7a3;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/** ASCII by its code. */
const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) return LOWER;
  if (/[A-Z]/.test(char)) return UPPER;
  if (/[0-9]/.test(char)) return DIGIT;
  if (char === '"' || char === '\\') return MARK;
  return code <= 0x20 ? SPACE : SIGN;
});

/** The class of the character at a place of a JSON text; of a Unicode escape, that of the character it stands for. */
export function classAt(text: string, at: number): CharClass {
  const code = text.charCodeAt(at);
  if (code !== BACKSLASH) return classOf(code);
  if (text.charCodeAt(at + 1) !== SMALL_U) return MARK;
  const escaped = Number.parseInt(text.slice(at + 2, at + 6), 16);
  return escaped >= 0x80 ? classOf(escaped) : MARK;
}

function classOf(code: number): CharClass {
  if (code < 0x80) return ascii[code] ?? SIGN;
  if (code >= FIRST_WIDE) return code >= FIRST_HANGUL && code <= LAST_HANGUL ? HANGUL : WIDE;
  if (code >= FIRST_SYMBOL || code < FIRST_ACCENTED) return SYMBOL;
  if (code >= FIRST_FOREIGN) return FOREIGN;
  return code >= FIRST_ACCENTED ? ACCENTED : NONE;
}
