import { NextMark } from './next-mark.ts';
import {
  beginCandidate,
  CALL_END,
  CALL_START,
  endOfRun,
  endsWell,
  MAX_FENCE,
  isFenceInfo,
  MAX_INFO,
  readCandidate,
  readFence,
  readThink,
  TEXT,
  THINK_START,
} from './scan-modes.ts';
import type { BlockStep, Candidate, FenceChar, Mode } from './scan-modes.ts';
import { ScanOutput } from './scan-output.ts';
import type { ScanEvent } from './scan-output.ts';
import { mayBeCall, readCalls } from './written-call.ts';
import type { WrittenCall } from './written-call.ts';

/** In which form a model's calls are read: between tags, as JSON (bare or in a code block), or both. */
export type CallFormat = 'xml' | 'json' | 'any';

export interface ScanOptions {
  readonly format: CallFormat;
  /** Asked for calls that were read: whether they come as calls, or stay the text that they were written as. */
  readonly judge: (calls: readonly WrittenCall[]) => 'calls' | 'text';
}

/** How much may be read a second time after something that only looked like a call; then text stays text. */
const MAX_REREAD_CHARS = 4 * 1024 * 1024;

/** Text that is still to be read. */
interface Waiting {
  readonly text: string;
  readonly at: number;
}

const WHITE = /[ \t\r\n]*/y;
const NEXT_TICK_OR_LINE = /[`\n]/g;
const NEXT_TILDE_OR_LINE = /[~\n]/g;
const ENDS_AT_LINE_START = /(?:^|\n)[ \t\r]*$/;

/**
 * Reads calls out of an answer's text, in whatever pieces it comes: the events, their texts joined, are the same for any cut.
 *
 * - Text goes on at once; held is only what can still be the start of a call.
 * - `xml`: `<tool_call>` and an object (or an array of them) and `</tool_call>`, anywhere but in code and in `<think>`.
 *   `json`: an object (or an array) that has a `name` and an object `arguments` (or `parameters`) and begins a line or the
 *   answer, or follows a call; or one or more of them in a block of three or more backticks that says `json` or nothing.
 * - Code is what stands in a fence, and inside a line what stands between equal runs of backticks; a run that nothing closes
 *   on its line counts to the end of the line. A fence begins with three or more backticks anywhere on a line, or with three tildes at its
 *   start, and ends with a line of nothing but at least as many.
 * - `<think>` goes on to `</think>`, or to the end of the answer; what stands in it is text.
 * - White space is text, but for a stretch that has nothing but white space in it and stands between two calls, before the
 *   first or after the last one.
 * - What only looked like a call is text in the model's own words, and so is one that the answer ends in.
 */
export class TextScanner {
  readonly #tags: readonly string[];
  readonly #readsJson: boolean;
  readonly #judge: ScanOptions['judge'];
  readonly #nextMark: NextMark;
  #mode: Mode = TEXT;
  /** The start of what may become a tag. */
  #carry = '';
  /** To be read again before what follows. */
  #again = '';
  #rereadLeft = MAX_REREAD_CHARS;
  #isAtLineStart = true;
  /** What follows broken JSON up to an empty line may be the rest of it, and is no call of its own. */
  #isInBrokenJson = false;
  readonly #output = new ScanOutput();
  #unreadable = 0;

  constructor({ format, judge }: ScanOptions) {
    this.#tags = format === 'json' ? [THINK_START] : [CALL_START, THINK_START];
    this.#nextMark = new NextMark([...this.#tags, '`', '\n']);
    this.#readsJson = format !== 'xml';
    this.#judge = judge;
  }

  /** Calls, begun at least, that could not be read and are text now. */
  get unreadable(): number {
    return this.#unreadable;
  }

  push(piece: string): ScanEvent[] {
    this.#read(piece);
    return this.#output.take();
  }

  /** The answer has ended: nothing is held any longer. */
  end(): ScanEvent[] {
    while (this.#mode.kind === 'candidate') {
      if (endsWell(this.#mode)) this.#settle(this.#mode);
      else this.#giveUp(this.#mode);
      const again = this.#again;
      this.#again = '';
      this.#read(again);
    }
    this.#output.say(this.#carry);
    this.#carry = '';
    if (this.#mode.kind === 'run' && this.#mode.isHeld) this.#output.say('`'.repeat(this.#mode.count));
    if (this.#mode.kind === 'info') this.#output.say('`'.repeat(this.#mode.count) + this.#mode.info);
    this.#mode = TEXT;
    return this.#output.end();
  }

  /** What waits is not joined with what goes before it: an answer that comes whole would be copied for each of its calls. */
  #read(piece: string): void {
    let at = this.#readOn(piece, 0);
    if (this.#again === '') return;
    const waiting: Waiting[] = [];
    let text = piece;
    for (;;) {
      if (at < text.length) waiting.push({ text, at });
      if (this.#again !== '') waiting.push({ text: this.#again, at: 0 });
      this.#again = '';
      const next = waiting.pop();
      if (next === undefined) return;
      text = next.text;
      at = this.#readOn(text, next.at);
    }
  }

  #readOn(text: string, from: number): number {
    let at = this.#carry === '' ? from : this.#goOnWithTag(text, from);
    while (at < text.length && this.#again === '') at = this.#step(text, at);
    return at;
  }

  /** The text before ended in what may become a tag. */
  #goOnWithTag(text: string, at: number): number {
    const seen = this.#carry.length;
    for (const tag of this.#tags) {
      if (!tag.startsWith(this.#carry)) continue;
      const rest = text.slice(at, at + tag.length - seen);
      if (!tag.startsWith(rest, seen)) continue;
      const end = seen + rest.length;
      if (end === tag.length) {
        this.#carry = '';
        return this.#beginTag(tag, at - seen);
      }
      this.#carry = tag.slice(0, end);
      return text.length;
    }
    this.#output.say(this.#carry);
    this.#carry = '';
    this.#isAtLineStart = false;
    return at;
  }

  #step(text: string, at: number): number {
    const mode = this.#mode;
    switch (mode.kind) {
      case 'text':
        return this.#inText(text, at);
      case 'run':
        return this.#inRun(mode, text, at);
      case 'info':
        return this.#inInfo(mode, text, at);
      case 'inline':
        return this.#inline(mode, text, at);
      case 'fence':
        return this.#block(readFence(mode, text, at), text, at);
      case 'think':
        return this.#block(readThink(mode, text, at), text, at);
      case 'candidate': {
        const { state, at: end } = readCandidate(mode, text, at);
        if (state === 'whole') this.#settle(mode);
        else if (state === 'broken') this.#giveUp(mode);
        return end;
      }
      default:
        return mode satisfies never;
    }
  }

  #inText(text: string, from: number): number {
    if (this.#isAtLineStart) {
      const at = this.#lineStart(text, from);
      if (at === text.length || this.#mode !== TEXT) return at;
      if (text[at] === '<') return this.#tag(text, at);
      this.#isAtLineStart = false;
      return at;
    }
    const next = this.#nextMark.after(text, from);
    const at = next < text.length ? next : this.#openTagAt(text, from);
    this.#output.say(text.slice(from, at));
    if (at === text.length) return at;
    const mark = text[at];
    if (mark === '<') return this.#tag(text, at);
    if (mark === '`') return this.#beginRun('`', at);
    this.#output.say('\n');
    this.#isAtLineStart = true;
    return at + 1;
  }

  #lineStart(text: string, from: number): number {
    WHITE.lastIndex = from;
    const white = WHITE.exec(text)?.[0] ?? '';
    if (white.includes('\n')) this.#isInBrokenJson = false;
    this.#output.say(white);
    const at = from + white.length;
    const mark = text[at];
    if (mark === '`' || mark === '~') return this.#beginRun(mark, at);
    const opens = (mark === '{' || mark === '[') && this.#readsJson && !this.#isInBrokenJson;
    if (opens) this.#mode = beginCandidate('bare', '', 0);
    return at;
  }

  /** Where a text ends in what may become a tag; its length where it does not. */
  #openTagAt(text: string, from: number): number {
    const at = text.lastIndexOf('<');
    if (at < from || text.length - at >= CALL_START.length) return text.length;
    const rest = text.slice(at);
    return this.#tags.some((tag) => tag.startsWith(rest)) ? at : text.length;
  }

  /** A `<`: a tag, the start of one, or text. */
  #tag(text: string, at: number): number {
    for (const tag of this.#tags) {
      if (text.startsWith(tag, at)) return this.#beginTag(tag, at);
      if (text.length - at < tag.length && tag.startsWith(text.slice(at))) {
        this.#carry = text.slice(at);
        return text.length;
      }
    }
    this.#output.say('<');
    this.#isAtLineStart = false;
    return at + 1;
  }

  #beginTag(tag: string, at: number): number {
    if (tag === CALL_START) this.#mode = beginCandidate('tag', tag, 0);
    else {
      this.#output.say(tag);
      this.#mode = { kind: 'think', tail: '' };
    }
    return at + tag.length;
  }

  #beginRun(char: FenceChar, at: number): number {
    this.#mode = { kind: 'run', char, count: 0, isHeld: char === '`' && this.#readsJson };
    this.#isAtLineStart = false;
    return at;
  }

  #inRun(mode: Extract<Mode, { kind: 'run' }>, text: string, from: number): number {
    const at = endOfRun(mode.char, text, from);
    mode.count += at - from;
    if (!mode.isHeld) this.#output.say(text.slice(from, at));
    else if (mode.count > MAX_FENCE) {
      this.#output.say('`'.repeat(mode.count));
      mode.isHeld = false;
    }
    if (at === text.length) return at;
    const { char, count } = mode;
    const isFence = count >= 3;
    if (mode.isHeld && isFence) this.#mode = { kind: 'info', count, info: '' };
    else {
      if (mode.isHeld) this.#output.say('`'.repeat(count));
      this.#mode = char === '`' || isFence ? { kind: 'inline', char, count, run: 0 } : TEXT;
    }
    return at;
  }

  #inInfo(mode: Extract<Mode, { kind: 'info' }>, text: string, from: number): number {
    const near = text.slice(from, from + MAX_INFO + 1);
    const lineEnd = near.indexOf('\n');
    const at = from + (lineEnd === -1 ? near.length : lineEnd);
    mode.info += text.slice(from, at);
    const { count, info } = mode;
    const opener = '`'.repeat(count);
    if (!isFenceInfo(info, lineEnd === -1 ? 'so_far' : 'whole')) {
      this.#output.say(opener);
      this.#mode = { kind: 'inline', char: '`', count, run: 0 };
      this.#again = info;
      return at;
    }
    if (lineEnd === -1) return at;
    this.#mode = beginCandidate('fence', `${opener}${info}\n`, count);
    return at + 1;
  }

  #inline(mode: Extract<Mode, { kind: 'inline' }>, text: string, from: number): number {
    const { char, count } = mode;
    if (mode.run > 0 && text[from] !== char) {
      if (mode.run === count) this.#mode = TEXT;
      mode.run = 0;
      return from;
    }
    if (text[from] === char) {
      const at = endOfRun(char, text, from);
      mode.run += at - from;
      this.#output.say(text.slice(from, at));
      return at;
    }
    const mark = char === '`' ? NEXT_TICK_OR_LINE : NEXT_TILDE_OR_LINE;
    mark.lastIndex = from;
    const at = mark.exec(text)?.index ?? text.length;
    this.#output.say(text.slice(from, at));
    if (text[at] !== '\n') return at;
    this.#output.say('\n');
    this.#isAtLineStart = true;
    this.#mode = count >= 3 ? { kind: 'fence', char, count, head: '' } : TEXT;
    return at + 1;
  }

  /** What was read of a block is text, and so is what follows its end. */
  #block(read: BlockStep, text: string, from: number): number {
    this.#output.say(text.slice(from, read.at));
    if (read.closes) {
      this.#mode = TEXT;
      this.#isAtLineStart = true;
    }
    return read.at;
  }

  /** A candidate is whole. */
  #settle(candidate: Candidate): void {
    const calls = readCalls(candidate.values, candidate.shape === 'tag' ? 'tagged' : 'bare');
    this.#mode = TEXT;
    if (calls === undefined) this.#count(candidate);
    if (calls === undefined || this.#judge(calls) === 'text') {
      this.#output.say(candidate.raw);
      this.#isAtLineStart = false;
      return;
    }
    this.#output.call(calls);
    this.#isAtLineStart = true;
  }

  /**
   * A candidate is no call. What broken JSON took in behind its own end, since a string in it was never closed, is read again:
   * from the first closing tag on, or as the code block that it then is.
   */
  #giveUp(candidate: Candidate): void {
    const { raw, shape, fence } = candidate;
    this.#count(candidate);
    const tagEnd = shape === 'tag' ? raw.indexOf(CALL_END) : -1;
    const end = shape === 'fence' ? candidate.opener : tagEnd === -1 ? raw.length : tagEnd + CALL_END.length;
    const isReread = raw.length - end <= this.#rereadLeft;
    const said = isReread ? raw.slice(0, end) : raw;
    this.#again = raw.slice(said.length);
    this.#rereadLeft -= this.#again.length;
    this.#output.say(said);
    this.#isAtLineStart = ENDS_AT_LINE_START.test(said);
    this.#isInBrokenJson = shape === 'bare';
    this.#mode =
      shape === 'fence' ? { kind: 'fence', char: '`', count: fence, head: isReread ? '' : undefined } : TEXT;
  }

  /** JSON that nobody meant as a call is an answer like any other. */
  #count({ shape, raw }: Candidate): void {
    if (shape === 'tag' || mayBeCall(raw)) this.#unreadable += 1;
  }
}
