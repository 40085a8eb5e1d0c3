import { editMembers, lastMember, scanArray, scanObject } from '../../json/index.ts';
import type { ObjectScan, Span } from '../../json/index.ts';
import { parseFrame } from '../../sse/index.ts';
import type { StringBytes } from './string-bytes.ts';
import type { ByteRange, ChatChunk } from './stream-frame.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Chunks in a row that may look like none before, until it is given up to learn from them. */
const MAX_MISSES = 16;

/** What a chunk of words says beyond the words, which is the same in each of them. */
export interface WordsOf {
  readonly items: readonly number[];
  readonly calls: ChatChunk['calls'];
  readonly hasRole: boolean;
  readonly usage: 'none' | 'null';
  /** Where the words go. */
  readonly sink: StringBytes;
  /** Members on the way from the chunk to the words, from the choice on. */
  readonly path: readonly string[];
}

/**
 * Most of a stream are chunks that differ in one string: a few words, or a few characters of arguments. Once one has been read, the
 * next is told by its bytes: the same before and behind that string, and no quote inside. (OpenAI adds a string `obfuscation` of
 * varying length.)
 */
export class ChunkShapes {
  #shapes: readonly ChunkShape[] = [];
  #misses = 0;

  /** The chunk, if it is like one that was read; its words have been taken in. */
  match(raw: Uint8Array): ChatChunk | undefined {
    for (const shape of this.#shapes) {
      const chunk = shape.match(raw);
      if (chunk === undefined) continue;
      this.#misses = 0;
      return chunk;
    }
    return undefined;
  }

  learn(text: string, data: string, words: WordsOf): void {
    this.#misses += 1;
    if (this.#misses > MAX_MISSES) return;
    const shape = readShape(text, data, words);
    if (shape === undefined) return;
    this.#shapes = [shape, ...this.#shapes.filter(({ words: { sink } }) => sink !== words.sink)].slice(0, 4);
  }

  /** A call has begun: chunks that look as before may mean that one now. */
  forgetCalls(): void {
    this.#shapes = this.#shapes.filter(({ words }) => words.calls.length === 0);
  }
}

interface Cut {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

class ChunkShape {
  readonly words: WordsOf;
  readonly #segments: readonly Uint8Array[];
  readonly #hole: number;
  readonly #cut: Cut | undefined;

  /** @param parts what is fixed, in order, strings between; which of these are the words; where `usage` stands */
  constructor(
    words: WordsOf,
    parts: { readonly segments: readonly Uint8Array[]; readonly hole: number; readonly cut: Cut | undefined },
  ) {
    this.words = words;
    this.#segments = parts.segments;
    this.#hole = parts.hole;
    this.#cut = parts.cut;
  }

  match(raw: Uint8Array): ChatChunk | undefined {
    let at = 0;
    let piece: Uint8Array | undefined;
    let cut: ByteRange | undefined;
    for (const [index, segment] of this.#segments.entries()) {
      if (!standsAt(raw, at, segment)) return undefined;
      if (this.#cut?.segment === index) cut = { start: at + this.#cut.start, end: at + this.#cut.end };
      at += segment.length;
      if (index === this.#segments.length - 1) break;
      const end = endOfString(raw, at);
      if (end === -1) return undefined;
      if (index === this.#hole) piece = raw.subarray(at, end);
      at = end;
    }
    if (at !== raw.length || piece === undefined) return undefined;
    this.words.sink.add(piece);
    return new WordsChunk(raw, this.words, cut);
  }
}

function standsAt(raw: Uint8Array, at: number, segment: Uint8Array): boolean {
  if (at + segment.length > raw.length) return false;
  // From the end, where chunks differ.
  for (let index = segment.length - 1; index >= 0; index -= 1) {
    if (raw[at + index] !== segment[index]) return false;
  }
  return true;
}

/** Where the quote stands that ends the string whose inside begins at `at`. */
function endOfString(raw: Uint8Array, at: number): number {
  let quote = raw.indexOf(QUOTE, at);
  while (quote !== -1) {
    let slashes = 0;
    while (quote - slashes > at && raw[quote - slashes - 1] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    quote = raw.indexOf(QUOTE, quote + 1);
  }
  return -1;
}

/** A chunk of words on its way. Where it just goes on it is not even decoded. */
class WordsChunk implements ChatChunk {
  readonly kind = 'chunk';
  readonly finish = undefined;
  readonly main = 0;
  readonly hasOthers = false;
  readonly cut: ByteRange | undefined;
  readonly #raw: Uint8Array;
  readonly #words: WordsOf;
  #text: string | undefined;

  constructor(raw: Uint8Array, words: WordsOf, cut: ByteRange | undefined) {
    this.#raw = raw;
    this.#words = words;
    this.cut = cut;
  }

  get items(): readonly number[] {
    return this.#words.items;
  }

  get calls(): ChatChunk['calls'] {
    return this.#words.calls;
  }

  get hasRole(): boolean {
    return this.#words.hasRole;
  }

  get usage(): 'none' | 'null' {
    return this.#words.usage;
  }

  get text(): string {
    this.#text ??= decoder.decode(this.#raw);
    return this.#text;
  }

  get data(): string {
    return parseFrame(this.text).data ?? '';
  }
}

/** `undefined` for a frame that is not one line of data, or whose words cannot be found. */
function readShape(text: string, data: string, words: WordsOf): ChunkShape | undefined {
  const base = text.indexOf(data);
  if (base === -1 || /[\r\n]/.test(data)) return undefined;
  const scan = scanObject(data);
  const place = findWords(data, scan, words.path);
  if (place === undefined) return undefined;
  const filler = lastMember(scan, 'obfuscation')?.value;
  const holes = [place, ...(filler !== undefined && data[filler.start] === '"' ? [filler] : [])].sort(
    (a, b) => a.start - b.start,
  );
  const bounds = [0, ...holes.flatMap(({ start, end }) => [base + start + 1, base + end - 1]), text.length];
  const fixed: Span[] = [];
  for (let index = 0; index < bounds.length; index += 2) {
    fixed.push({ start: bounds[index] ?? 0, end: bounds[index + 1] ?? 0 });
  }
  const cut = words.usage === 'null' ? findCut(text, data, { base, scan, fixed }) : undefined;
  if (words.usage === 'null' && cut === undefined) return undefined;
  return new ChunkShape(words, {
    segments: fixed.map(({ start, end }) => encoder.encode(text.slice(start, end))),
    hole: holes.indexOf(place),
    cut,
  });
}

function findCut(
  text: string,
  data: string,
  {
    base,
    scan,
    fixed,
  }: { readonly base: number; readonly scan: ObjectScan; readonly fixed: readonly Span[] },
): Cut | undefined {
  const [edit, ...others] = editMembers(data, scan, { usage: null });
  if (edit === undefined || others.length > 0) return undefined;
  const start = base + edit.start;
  const end = base + edit.end;
  const segment = fixed.findIndex((span) => span.start <= start && end <= span.end);
  const from = fixed[segment]?.start;
  if (from === undefined) return undefined;
  const bytes = (to: number): number => encoder.encode(text.slice(from, to)).length;
  return { segment, start: bytes(start), end: bytes(end) };
}

/** Where the string at the end of the path stands: each step is a member, or the first element where an array comes. */
function findWords(data: string, top: ObjectScan, path: readonly string[]): Span | undefined {
  let span = lastMember(top, 'choices')?.value;
  for (const key of path) {
    const object = span === undefined ? undefined : firstObject(data, span);
    if (object === undefined) return undefined;
    span = lastMember(scanObject(data, object.start), key)?.value;
  }
  return span !== undefined && data[span.start] === '"' ? span : undefined;
}

function firstObject(data: string, span: Span): Span | undefined {
  const first = data[span.start] === '[' ? scanArray(data, span.start).elements[0] : span;
  return first !== undefined && data[first.start] === '{' ? first : undefined;
}
