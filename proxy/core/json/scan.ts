/**
 * Where values stand in a JSON text.
 *
 * The scanner finds ends and does not judge values: whoever reads a value parses it, and text that is no JSON stays none.
 * It does not recurse into values, so depth costs nothing, and each character is looked at a bounded number of times.
 */

/** A half-open range of UTF-16 positions in a text: `text.slice(start, end)` is the value. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One `"key": value` of an object. Duplicate keys give several members, in the order of the text. */
export interface Member {
  /** The key with its escapes resolved. */
  readonly key: string;
  /** Where the key's opening quote stands. */
  readonly keyStart: number;
  readonly value: Span;
}

/** An object's members and where it stands. */
export interface ObjectScan {
  readonly span: Span;
  readonly members: readonly Member[];
  /** The object of the member that was descended into, if there is one. */
  readonly inner?: ObjectScan;
}

/** Where large values were seen lately, so that their ends are known without a look at them. */
export interface KnownValues {
  /** The end of the value at that position, or `undefined` if it is not a known one. */
  endAt(text: string, start: number): number | undefined;
}

/** How an object is scanned. */
export interface ScanOptions {
  /** Members whose value may be a known one, mostly the tools: large, and the same text turn after turn. */
  readonly known?: { readonly key: string; readonly values: KnownValues };
  /** A member whose object is scanned in the same pass, for its members to be found too. */
  readonly descend?: { readonly key: string; readonly options?: ScanOptions };
}

/** An array's elements and where it stands. */
export interface ArrayScan {
  readonly span: Span;
  readonly elements: readonly Span[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds the members of the object that starts at or after `from` (white space is skipped).
 *
 * @throws SyntaxError if no object stands there, or if what stands between its members is no JSON; values are not judged
 */
export function scanObject(text: string, from = 0, options: ScanOptions = {}): ObjectScan {
  const start = skipSpace(text, from);
  expect(text, start, OPEN_BRACE);
  const members: Member[] = [];
  let inner: ObjectScan | undefined;
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return { span: { start, end: at + 1 }, members };
  for (;;) {
    const keyStart = at;
    expect(text, keyStart, QUOTE);
    const keyEnd = skipString(text, keyStart);
    const colon = skipSpace(text, keyEnd);
    expect(text, colon, COLON);
    const key = readKey(text, keyStart, keyEnd);
    const valueStart = skipSpace(text, colon + 1);
    if (options.descend?.key === key && text.charCodeAt(valueStart) === OPEN_BRACE) {
      inner = scanObject(text, valueStart, options.descend.options);
      members.push({ key, keyStart, value: inner.span });
    } else {
      const end = endOfMember(
        text,
        valueStart,
        options.known?.key === key ? options.known.values : undefined,
      );
      members.push({ key, keyStart, value: { start: valueStart, end } });
    }
    at = skipSpace(text, members.at(-1)?.value.end ?? at);
    if (text.charCodeAt(at) !== COMMA) break;
    at = skipSpace(text, at + 1);
  }
  expect(text, at, CLOSE_BRACE);
  const span = { start, end: at + 1 };
  return inner === undefined ? { span, members } : { span, members, inner };
}

function expect(text: string, at: number, code: number): void {
  if (text.charCodeAt(at) === code) return;
  throw new SyntaxError(`expected ${String.fromCharCode(code)} at ${String(at)}`);
}

function endOfMember(text: string, start: number, known: KnownValues | undefined): number {
  const knownEnd = known?.endAt(text, start);
  if (knownEnd !== undefined) return knownEnd;
  const end = skipValue(text, start);
  if (end === start) throw new SyntaxError(`expected a value at ${String(start)}`);
  return end;
}

/** The end of the whole text's one value, if nothing but white space follows it. */
export function endsAt(text: string, end: number): boolean {
  return skipSpace(text, end) === text.length;
}

/**
 * Finds the elements of the array that starts at or after `from` (white space is skipped).
 *
 * @param text JSON that `JSON.parse` has accepted
 * @throws TypeError if no array stands there
 */
export function scanArray(text: string, from = 0): ArrayScan {
  const start = skipSpace(text, from);
  if (text.charCodeAt(start) !== OPEN_BRACKET) throw new TypeError(`no array at ${String(start)}`);
  const elements: Span[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return { span: { start, end: at + 1 }, elements };
}

/**
 * The last member of that key, since the last of several is the one that `JSON.parse` keeps.
 */
export function lastMember(scan: ObjectScan, key: string): Member | undefined {
  return scan.members.findLast((member) => member.key === key);
}

/**
 * The string values of every member of that key, at any depth, in the order of the text. Linear, whatever the depth.
 *
 * @param text JSON that `JSON.parse` has accepted
 */
export function stringMembers(text: string, key: string): string[] {
  const found: string[] = [];
  let at = text.indexOf('"');
  while (at !== -1) {
    const end = skipString(text, at);
    const colon = skipSpace(text, end);
    const value = skipSpace(text, colon + 1);
    const isMember = text.charCodeAt(colon) === COLON && text.charCodeAt(value) === QUOTE;
    if (isMember && readKey(text, at, end) === key) found.push(readKey(text, value, skipString(text, value)));
    at = text.indexOf('"', end);
  }
  return found;
}

/** The text of a span. */
export function sliceSpan(text: string, span: Span): string {
  return text.slice(span.start, span.end);
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  const key: unknown = JSON.parse(text.slice(start, end));
  return String(key);
}

function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(text, start);
  return skipScalar(text, start);
}

function skipNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    at += 1;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return at;
}

/** `indexOf` is the engine's own search, so a 40 MB image in a string is passed at memory speed. */
function skipString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - 1 - at) % 2 === 1;
}

function skipScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
  return at;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COLON || code <= 0x20;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
