import { LooseJsonReader } from './loose-json.ts';

export const CALL_START = '<tool_call>';
export const CALL_END = '</tool_call>';
export const THINK_START = '<think>';
const THINK_END = '</think>';

/** More than a call can be; what is longer is text. In UTF-16 units. */
export const MAX_CALL_CHARS = 1024 * 1024;
/** Longer runs of backticks open no block that could hold a call. */
export const MAX_FENCE = 16;

/** What stands behind the backticks of a fence, or on a line that closes one, is no longer than this. */
export const MAX_INFO = 128;

export type FenceChar = '`' | '~';

/** What may turn out to be a call, and is held until that is known. */
export interface Candidate {
  readonly kind: 'candidate';
  readonly shape: 'tag' | 'fence' | 'bare';
  /** Everything held, in the model's words. Never read before the end: reading would join its pieces each time. */
  raw: string;
  length: number;
  reader: LooseJsonReader;
  /** The value that is being read, and those before it. */
  value: string;
  readonly values: string[];
  /** `end`: a value is whole, and the tag or fence that closes is awaited. */
  phase: 'value' | 'end';
  /** Characters of the closing mark that have come. */
  closing: number;
  /** Backticks that opened the fence. */
  readonly fence: number;
  /** Where in `raw` the value begins. */
  readonly opener: number;
}

/** A code block; `head` is what its current line begins with, as long as that can close it. */
interface Fence {
  readonly kind: 'fence';
  readonly char: FenceChar;
  readonly count: number;
  head: string | undefined;
}

/** Thinking; `tail` is its last characters, that may be the start of its end. */
interface Think {
  readonly kind: 'think';
  tail: string;
}

export type Mode =
  | { readonly kind: 'text' }
  /** A run of backticks (or tildes) that may go on; `isHeld` while it may open a block with a call. */
  | { readonly kind: 'run'; readonly char: FenceChar; count: number; isHeld: boolean }
  /** What stands behind the backticks that open a block. */
  | { readonly kind: 'info'; readonly count: number; info: string }
  /** Code inside a line; `run` counts the backticks that may close it. */
  | { readonly kind: 'inline'; readonly char: FenceChar; readonly count: number; run: number }
  | Fence
  | Think
  | Candidate;

export const TEXT: Mode = { kind: 'text' };

export function beginCandidate(shape: Candidate['shape'], raw: string, fence: number): Candidate {
  return {
    kind: 'candidate',
    shape,
    raw,
    length: raw.length,
    reader: new LooseJsonReader(),
    value: '',
    values: [],
    phase: 'value',
    closing: 0,
    fence,
    opener: raw.length,
  };
}

const SPACE = /[ \t\r\n]*/y;
const BACKTICKS = /`*/y;

/** What a candidate has become. */
export type CandidateState = 'held' | 'whole' | 'broken';

/** Reads on; gives where it stopped. What was read is part of the candidate. */
export function readCandidate(
  candidate: Candidate,
  text: string,
  from: number,
): { readonly state: CandidateState; readonly at: number } {
  const end = Math.min(text.length, from + MAX_CALL_CHARS - candidate.length);
  const limited = end === text.length ? text : text.slice(0, end);
  let at = from;
  let state: CandidateState = 'held';
  while (at < end && state === 'held') {
    const step =
      candidate.phase === 'value' ? readValue(candidate, limited, at) : readEnd(candidate, limited, at);
    state = step.state;
    at = step.at;
  }
  candidate.raw += text.slice(from, at);
  candidate.length += at - from;
  if (state === 'held' && candidate.length >= MAX_CALL_CHARS) state = 'broken';
  return { state, at };
}

interface Step {
  readonly state: CandidateState;
  readonly at: number;
}

function readValue(candidate: Candidate, text: string, from: number): Step {
  const at = candidate.reader.read(text, from);
  candidate.value += text.slice(from, at);
  const { state } = candidate.reader;
  if (state === 'reading') return { state: 'held', at };
  if (state === 'broken') return { state, at };
  candidate.values.push(candidate.value);
  candidate.value = '';
  candidate.phase = 'end';
  return { state: candidate.shape === 'bare' ? 'whole' : 'held', at };
}

function readEnd(candidate: Candidate, text: string, from: number): Step {
  let at = from;
  if (candidate.closing === 0) {
    SPACE.lastIndex = from;
    at += SPACE.exec(text)?.[0].length ?? 0;
    if (at === text.length) return { state: 'held', at };
  }
  return candidate.shape === 'tag' ? readEndTag(candidate, text, at) : readEndFence(candidate, text, at);
}

function readEndTag(candidate: Candidate, text: string, from: number): Step {
  let at = from;
  while (at < text.length && candidate.closing < CALL_END.length) {
    if (text[at] !== CALL_END[candidate.closing]) return { state: 'broken', at };
    candidate.closing += 1;
    at += 1;
  }
  return { state: candidate.closing === CALL_END.length ? 'whole' : 'held', at };
}

/** Several calls may stand in one block, one after the other. */
function readEndFence(candidate: Candidate, text: string, from: number): Step {
  const at = endOfRun('`', text, from);
  candidate.closing += at - from;
  if (at === text.length) return { state: 'held', at };
  if (candidate.closing > 0) return { state: candidate.closing >= candidate.fence ? 'whole' : 'broken', at };
  if (text[at] !== '{' && text[at] !== '[') return { state: 'broken', at };
  candidate.reader = new LooseJsonReader();
  candidate.phase = 'value';
  return { state: 'held', at };
}

/** True if nothing but the end of the answer is missing. */
export function endsWell(candidate: Candidate): boolean {
  const { shape, phase, closing, fence } = candidate;
  return shape === 'fence' && phase === 'end' && closing >= fence;
}

const TILDES = /~*/y;

/** Where a run of backticks or tildes ends that begins there. */
export function endOfRun(char: FenceChar, text: string, from: number): number {
  const run = char === '`' ? BACKTICKS : TILDES;
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}

/** How far a block was read, and whether it ended there. */
export interface BlockStep {
  readonly at: number;
  readonly closes: boolean;
}

const FENCE_HEAD = /^[ \t]*(`*|~*)[ \t\r]*$/;

/** Reads a code block to the end of its line, or of the text. It closes with a line of nothing but its own mark. */
export function readFence(fence: Fence, text: string, from: number): BlockStep {
  const lineEnd = text.indexOf('\n', from);
  const part = text.slice(from, lineEnd === -1 ? text.length : lineEnd);
  const head = fence.head === undefined || part.length > MAX_INFO ? undefined : fence.head + part;
  const run = head !== undefined && head.length <= MAX_INFO ? FENCE_HEAD.exec(head)?.[1] : undefined;
  if (lineEnd === -1) {
    fence.head = run === undefined ? undefined : head;
    return { at: text.length, closes: false };
  }
  fence.head = '';
  return {
    at: lineEnd + 1,
    closes: run !== undefined && run.startsWith(fence.char) && run.length >= fence.count,
  };
}

/** Reads thinking to its end, or to that of the text. */
export function readThink(think: Think, text: string, from: number): BlockStep {
  const seen = think.tail + text.slice(from);
  const end = seen.indexOf(THINK_END);
  if (end !== -1) return { at: from + end + THINK_END.length - think.tail.length, closes: true };
  think.tail = seen.slice(1 - THINK_END.length);
  return { at: text.length, closes: false };
}

const INFO_SO_FAR = /^[ \t]*(?:j(?:s(?:on?)?)?)?[ \t\r]*$/i;
const INFO = /^[ \t]*(?:json)?[ \t\r]*$/i;

/** True for what may stand behind the backticks of a block that holds calls: `json`, or nothing. */
export function isFenceInfo(info: string, extent: 'so_far' | 'whole'): boolean {
  return info.length <= MAX_INFO && (extent === 'so_far' ? INFO_SO_FAR : INFO).test(info);
}
