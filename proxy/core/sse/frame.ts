import { applyEdits } from '../json/index.ts';

/** What a frame says, as far as an event has it. */
export interface SseFields {
  /** The `event:` field, if there is one. */
  readonly event: string | undefined;
  /** The `data:` lines joined by LF, or `undefined` for a frame without data (a comment, a retry time). */
  readonly data: string | undefined;
}

const encoder = new TextEncoder();

const FIELD = /^(event|data)(?::[ ]?(.*))?$/s;

/**
 * The form in which nearly every server writes an event: one `event:` line, one `data:` line, ended by LF. What stands in the
 * lines is left to whoever reads them; a large line is not walked through here.
 */
interface PlainFrame {
  readonly event: string;
  readonly dataStart: number;
  readonly dataEnd: number;
}

const EVENT_PREFIX = 'event: ';
const DATA_PREFIX = '\ndata: ';

function plainFrame(text: string): PlainFrame | undefined {
  if (!text.startsWith(EVENT_PREFIX) || !text.endsWith('\n\n')) return undefined;
  const eventEnd = text.indexOf('\n');
  if (!text.startsWith(DATA_PREFIX, eventEnd)) return undefined;
  const dataEnd = text.length - 2;
  const isOneLine = text.indexOf('\n', eventEnd + 1) === dataEnd && !text.includes('\r');
  if (!isOneLine) return undefined;
  return {
    event: text.slice(EVENT_PREFIX.length, eventEnd),
    dataStart: eventEnd + DATA_PREFIX.length,
    dataEnd,
  };
}

/** Reads the fields of one frame, by the rules of the standard. */
export function parseFrame(text: string): SseFields {
  const plain = plainFrame(text);
  if (plain !== undefined) return { event: plain.event, data: text.slice(plain.dataStart, plain.dataEnd) };
  let event: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const field = FIELD.exec(line);
    if (field === null) continue;
    const value = field[2] ?? '';
    if (field[1] === 'event') event = value;
    else data.push(value);
  }
  return { event, data: data.length > 0 ? data.join('\n') : undefined };
}

/**
 * The frame's text with other data; comments, ids, the event field and the line ends stay.
 *
 * @param data JSON text; it must hold no line end of its own, or it is written as several data lines
 */
export function replaceData(text: string, data: string): string {
  const plain = LINE_END.test(data) ? undefined : plainFrame(text);
  if (plain !== undefined) return text.slice(0, plain.dataStart) + data + text.slice(plain.dataEnd);
  const lineEnd = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const fresh = data
    .split(/\r\n|\n|\r/)
    .map((line) => `data: ${line}`)
    .join(lineEnd);
  let placed = false;
  const lines = text.split(/(\r\n|\n|\r)/);
  let result = '';
  for (let index = 0; index < lines.length; index += 2) {
    const line = lines[index] ?? '';
    const end = lines[index + 1] ?? '';
    if (!/^data(:|$)/.test(line)) result += line + end;
    else if (!placed) {
      result += fresh + end;
      placed = true;
    }
  }
  return result;
}

/** A frame as bytes and as the text that they decode to. */
export interface DecodedFrame {
  readonly raw: Uint8Array;
  readonly text: string;
  /** What {@link parseFrame} found in it. */
  readonly data: string;
}

/** A replacement in a frame's data; see the JSON room. */
interface DataEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The frame with its data edited, in pieces. What stays is the frame's own bytes in nearly every frame, and nothing large is
 * copied or encoded again.
 *
 * @param edits in any order; they must not overlap
 * @param encoded the bytes of an inserted text, for large ones that are inserted again and again
 */
export function editData(
  frame: DecodedFrame,
  edits: readonly DataEdit[],
  encoded: EncodedTexts,
): readonly (string | Uint8Array)[] {
  const { raw, text, data } = frame;
  const plain = plainFrame(text);
  const inserted = plain === undefined ? [] : edits.map((edit) => encoded.of(edit.text));
  // A replacement character stands for bytes that are no UTF-8: how many, the text does not tell.
  if (plain === undefined || inserted.includes(undefined) || text.includes('\uFFFD'))
    return [replaceData(text, applyEdits(data, edits))];
  const ordered = edits
    .map((edit, index) => ({
      start: plain.dataStart + edit.start,
      end: plain.dataStart + edit.end,
      bytes: inserted[index] ?? '',
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const places = bytePlaces(
    frame,
    ordered.flatMap(({ start, end }) => [start, end]),
  );
  const pieces: (string | Uint8Array)[] = [];
  let at = 0;
  ordered.forEach(({ bytes }, index) => {
    pieces.push(raw.subarray(at, places[2 * index]), bytes);
    at = places[2 * index + 1] ?? raw.length;
  });
  pieces.push(raw.subarray(at));
  return pieces.filter((piece) => piece.length > 0);
}

/**
 * Where places in a frame's text are in its bytes. The longest stretch between two of them, which nearly always is the value
 * that gets replaced, is not counted through: it is what the others leave of the whole.
 *
 * @param places in ascending order
 */
function bytePlaces({ raw, text }: DecodedFrame, places: readonly number[]): readonly number[] {
  if (raw.length === text.length) return places;
  const bounds = [0, ...places, text.length];
  const lengths = bounds.slice(1).map((end, index) => end - (bounds[index] ?? 0));
  const longest = lengths.indexOf(Math.max(...lengths));
  const bytes = lengths.map((_, index) =>
    index === longest ? 0 : encoder.encode(text.slice(bounds[index], bounds[index + 1])).length,
  );
  bytes[longest] = raw.length - bytes.reduce((sum, length) => sum + length, 0);
  let at = 0;
  return bytes.slice(0, -1).map((length) => (at += length));
}

/** From here on a text is worth keeping in bytes. */
const LARGE_CHARS = 512;

/** Texts that go into frames; large ones, which come again, are encoded once. */
export class EncodedTexts {
  readonly #known = new Map<string, Uint8Array | undefined>();

  /** `undefined` for a text with line ends, which needs data lines of its own. */
  of(text: string): string | Uint8Array | undefined {
    if (text.length < LARGE_CHARS) return LINE_END.test(text) ? undefined : text;
    if (!this.#known.has(text)) {
      this.#known.set(text, LINE_END.test(text) ? undefined : encoder.encode(text));
    }
    return this.#known.get(text);
  }
}

const LINE_END = /[\r\n]/;

/** A whole event of our own. */
export function formatEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment: every client skips it, and what stands between us and the client sees that the stream is alive. */
export function formatComment(comment: string): string {
  return `: ${comment}\n\n`;
}
