/** What a frame says, as far as an event has it. */
export interface SseFields {
  /** The `event:` field, if there is one. */
  readonly event: string | undefined;
  /** The `data:` lines joined by LF, or `undefined` for a frame without data (a comment, a retry time). */
  readonly data: string | undefined;
}

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
  const plain = /[\r\n]/.test(data) ? undefined : plainFrame(text);
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

/** A whole event of our own. */
export function formatEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment: every client skips it, and what stands between us and the client sees that the stream is alive. */
export function formatComment(comment: string): string {
  return `: ${comment}\n\n`;
}
