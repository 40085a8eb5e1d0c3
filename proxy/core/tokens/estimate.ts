import {
  ACCENTED,
  classAt,
  DIGIT,
  FOREIGN,
  HANGUL,
  LOWER,
  MARK,
  SIGN,
  SPACE,
  SYMBOL,
  UPPER,
  WIDE,
} from './char-class.ts';
import type { CharClass } from './char-class.ts';

/**
 * Tokens of a JSON text, estimated without a tokenizer: the text is cut into words, digits and signs as the tokenizers
 * of current models cut it, and each piece counts what such pieces cost on average.
 *
 * The costs were fitted to o200k_base on tools in English and Chinese. Unicode escapes count as what they stand for,
 * and white space between values not at all, since a server reads the values and not their spelling.
 */
const SHORT_WORD = 0.96;
/** More than four letters. */
const WORD = 1.07;
/** More than eight letters. */
const LONG_WORD = 1.2;
/** Right after signs. */
const QUOTED_WORD = 0.95;
/** `_word`: identifiers are made of common words. */
const SNAKE_WORD = 0.95;
const LONG_SNAKE_WORD = 1.35;
/** `.word`, `-word`: the sign and the word together. */
const JOINED_WORD = 1.85;
/** `Word` inside `camelWord`. */
const CAMEL_WORD = 1.33;
/** Each letter beyond the twelfth. */
const FAR_LETTER = 0.3;
const ACCENTED_WORD = 0.9;
const CAPITALS = 1;
const CAPITAL = 0.07;
const THREE_DIGITS = 0.9;
const BLANKS = 1.2;
/** Signs in a row, by how many. */
const SIGNS: readonly number[] = [0, 1.22, 1, 0.98, 1.4, 2, 2.45, 2.5, 2.55];
const MANY_SIGNS = 2.6;
const FAR_SIGN = 0.12;

/** What a run of characters costs that are no ASCII: so much, and so much a character. */
const RUNS: ReadonlyMap<CharClass, readonly [run: number, character: number]> = new Map([
  [SYMBOL, [0, 0.7]],
  [FOREIGN, [0.5, 0.165]],
  [HANGUL, [0.3, 0.6]],
  [WIDE, [1.35, 0.64]],
]);

/** Longer texts are estimated by samples: a long conversation, or an image in base64, is not worth reading whole. */
const LONGEST_READ = 32_000;
const SAMPLES = 8;

/** Estimated tokens of a text, not rounded. Linear in its length, and bounded. */
export function estimateTokens(text: string): number {
  if (text.length <= LONGEST_READ) return new Estimate(text, false).run();
  const size = LONGEST_READ / SAMPLES;
  const step = (text.length - size) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const start = Math.floor(sample * step);
    const piece = text.slice(start, start + size);
    tokens += new Estimate(piece, startsInString(piece)).run();
  }
  return (tokens * text.length) / LONGEST_READ;
}

/** Whether a piece that was cut out of a JSON text begins inside a string: then its first quote ends one. */
function startsInString(piece: string): boolean {
  const quote = piece.indexOf('"');
  return quote === -1 || /^"\s*[:,}\]]/.test(piece.slice(quote, quote + 20));
}

/** What stands before a piece. */
type Before = 'start' | 'space' | 'word' | 'signs' | 'underscore' | 'joint';

class Estimate {
  private readonly text: string;
  private at = 0;
  private tokens = 0;
  private inString: boolean;
  private before: Before = 'start';

  constructor(text: string, inString: boolean) {
    this.text = text;
    this.inString = inString;
  }

  run(): number {
    while (this.at < this.text.length) {
      const kind = classAt(this.text, this.at);
      if (isLetter(kind)) this.takeWord();
      else if (kind === SPACE) this.takeSpace();
      else if (kind === SIGN || kind === MARK) this.takeSigns();
      else this.takeRun(kind);
    }
    return this.tokens;
  }

  /** A word ends where a capital follows a small letter. */
  private takeWord(): void {
    const { text } = this;
    let { at } = this;
    let letters = 0;
    let small = false;
    let accented = false;
    for (;;) {
      const plain = skipLower(text, at);
      letters += plain - at;
      small ||= plain > at;
      at = plain;
      const kind = classAt(text, at);
      if (!isLetter(kind) || (kind === UPPER && small)) break;
      if (kind === ACCENTED) small = accented = true;
      at = afterCharacter(text, at);
      letters += 1;
    }
    this.at = at;
    if (!small && letters > 2) this.tokens += CAPITALS + letters * CAPITAL;
    else this.tokens += this.wordCost(letters) + (accented ? ACCENTED_WORD : 0);
    this.before = 'word';
  }

  private wordCost(letters: number): number {
    const far = letters > 12 ? (letters - 12) * FAR_LETTER : 0;
    switch (this.before) {
      case 'underscore':
        return (letters > 8 ? LONG_SNAKE_WORD : SNAKE_WORD) + far;
      case 'joint':
        return JOINED_WORD + far;
      case 'word':
        return CAMEL_WORD + far;
      case 'signs':
        return QUOTED_WORD + far;
      case 'start':
      case 'space':
        return spacedWordCost(letters) + far;
      default:
        return this.before satisfies never;
    }
  }

  /** One blank belongs to the word after it. */
  private takeSpace(): void {
    const start = this.at;
    while (classAt(this.text, this.at) === SPACE) this.at += 1;
    if (!this.inString) return;
    if (this.at - start > 1) this.tokens += BLANKS;
    else if (classAt(this.text, this.at) === DIGIT) this.tokens += 1;
    this.before = 'space';
  }

  private takeSigns(): void {
    let signs = 0;
    for (;;) {
      const kind = classAt(this.text, this.at);
      if (kind === SIGN) {
        this.at += 1;
        signs += 1;
      } else if (kind === MARK) signs += this.skipMark();
      else if (kind === SPACE && !this.inString) this.at += 1;
      else break;
    }
    const joins = signs === 1 && this.before !== 'space' && isLetter(classAt(this.text, this.at));
    if (!joins) this.tokens += signsCost(signs);
    if (!joins) this.before = 'signs';
    else this.before = this.text[this.at - 1] === '_' ? 'underscore' : 'joint';
  }

  /** @returns how many signs that were: a backslash and what it escapes are two */
  private skipMark(): number {
    const isQuote = this.text[this.at] === '"';
    if (isQuote) this.inString = !this.inString;
    this.at = afterCharacter(this.text, this.at);
    return isQuote ? 1 : 2;
  }

  private takeRun(kind: CharClass): void {
    let length = 0;
    for (; this.at < this.text.length && classAt(this.text, this.at) === kind; length += 1) {
      this.at = afterCharacter(this.text, this.at);
    }
    const [run, character] = RUNS.get(kind) ?? [0, 0];
    this.tokens += kind === DIGIT ? Math.ceil(length / 3) * THREE_DIGITS : run + length * character;
    this.before = 'word';
  }
}

/** Past small letters, which are most of any text. */
function skipLower(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 0x61 && code <= 0x7a; code = text.charCodeAt(at)) at += 1;
  return at;
}

function isLetter(kind: CharClass): boolean {
  return kind === LOWER || kind === UPPER || kind === ACCENTED;
}

/** The place after a character, written out or as an escape. */
function afterCharacter(text: string, at: number): number {
  if (text.charCodeAt(at) !== 0x5c) return at + 1;
  return text.charCodeAt(at + 1) === 0x75 ? at + 6 : at + 2;
}

function spacedWordCost(letters: number): number {
  if (letters <= 4) return SHORT_WORD;
  return letters > 8 ? LONG_WORD : WORD;
}

function signsCost(signs: number): number {
  return SIGNS[signs] ?? MANY_SIGNS + signs * FAR_SIGN;
}
