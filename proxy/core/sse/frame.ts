/** What a frame says, as far as an event has it. */
export interface SseFields {
  /** The `event:` field, if there is one. */
  readonly event: string | undefined;
  /** The `data:` lines joined by LF, or `undefined` for a frame without data (a comment, a retry time). */
  readonly data: string | undefined;
}

const FIELD = /^(event|data)(?::[ ]?(.*))?$/s;

/** Reads the fields of one frame, by the rules of the standard. */
export function parseFrame(text: string): SseFields {
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
