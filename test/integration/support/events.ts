import { createParser } from 'eventsource-parser';
import { field, items, objectOf } from './json.ts';
import type { Json } from './json.ts';

/** One event as a client reads it. */
export interface SentEvent {
  /** The `type` of its data. */
  readonly type: string;
  /** Its `event:` line. */
  readonly event: string | undefined;
  readonly data: Json;
}

/** The events of a stream, read by a parser that is not ours. `[DONE]` is left out. */
export function eventsOf(text: string): SentEvent[] {
  const events: SentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data === '[DONE]') return;
      const body = objectOf(JSON.parse(data));
      events.push({ type: String(body['type']), event, data: body });
    },
  });
  // After a CR the parser waits for the LF that may belong to it.
  parser.feed(text.endsWith('\r') ? `${text}\n` : text);
  return events;
}

const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The one event that ends the stream. @throws Error if there is none or there are several */
export function terminalOf(events: readonly SentEvent[]): SentEvent {
  const found = events.filter(({ type }) => TERMINAL.has(type));
  const [only] = found;
  if (found.length !== 1 || only === undefined) {
    throw new Error(`${String(found.length)} terminal events in ${events.map(({ type }) => type).join(' ')}`);
  }
  return only;
}

/** The items of the terminal event's response. */
export function outputOf(events: readonly SentEvent[]): Json[] {
  return items(terminalOf(events).data, 'response', 'output');
}

/** All text deltas of a stream, joined. */
export function textOf(events: readonly SentEvent[]): string {
  return events
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(({ data }) => String(field(data, 'delta')))
    .join('');
}
