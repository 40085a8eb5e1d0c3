/** Faults in the events of a stream, before they are written. */
import { isObject } from '../json-value.ts';
import { number } from '../wire/index.ts';
import type { StreamEvent } from '../wire/index.ts';
import type { Faults } from './parse-faults.ts';

type Bend = (events: readonly StreamEvent[], faults: Faults) => readonly StreamEvent[];

const bends: readonly Bend[] = [
  interleave,
  rotateIds,
  objectArguments,
  errorEvent,
  noTerminal,
  keepalive,
  unknownEvents,
  renumber,
  noIndex,
  noSequence,
];

/** Applies the faults to the events. */
export function bendEvents(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (faults.none) return events;
  return bends.reduce((bent, bend) => bend(bent, faults), events);
}

/** Announces all items in order, lets their content come turn by turn, and finishes them last to first. */
function interleave(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('interleave')) return events;
  const items = new Map<unknown, StreamEvent[]>();
  for (const event of events) {
    const index = event['output_index'];
    if (index !== undefined) items.set(index, [...(items.get(index) ?? []), event]);
  }
  const queues = [...items.values()];
  const added = queues.flatMap((queue) => queue.slice(0, 1));
  const done = queues.flatMap((queue) => queue.slice(-1)).reverse();
  const middles = queues.map((queue) => queue.slice(1, -1));
  const longest = Math.max(0, ...middles.map((queue) => queue.length));
  const mixed: StreamEvent[] = [];
  for (let at = 0; at < longest; at += 1) for (const queue of middles) mixed.push(...queue.slice(at, at + 1));
  return [...events.slice(0, 2), ...added, ...mixed, ...done, ...events.slice(-1)];
}

function rotateIds(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('rotate_ids')) return events;
  return events.map((event, at) => {
    const turned = (id: unknown): string => `${String(id)}_${String(at)}`;
    const item = event['item'];
    if (isObject(item)) return { ...event, item: { ...item, id: turned(item['id']) } };
    return event['item_id'] === undefined ? event : { ...event, item_id: turned(event['item_id']) };
  });
}

function objectArguments(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('object_arguments')) return events;
  return events.map((event) => {
    const item = event['item'];
    if (event.type !== 'response.output_item.done' || !isObject(item)) return event;
    return { ...event, item: withObjectArguments(item) };
  });
}

/** An item whose arguments are the value that the string holds. */
export function withObjectArguments(item: object): object {
  const text: unknown = 'arguments' in item ? item.arguments : undefined;
  return typeof text === 'string' && text !== '' ? { ...item, arguments: JSON.parse(text) as unknown } : item;
}

function errorEvent(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  const at = faults.number('error_event', 'event', 4);
  if (at === undefined) return events;
  const error = {
    type: 'server_error',
    code: 'server_error',
    message: 'The stand-in failed on request.',
    param: null,
  };
  const first = events[0]?.['response'];
  const failed = {
    ...(isObject(first) ? first : {}),
    status: 'failed',
    error: { code: error.code, message: error.message },
  };
  return [...events.slice(0, at), { type: 'error', error }, { type: 'response.failed', response: failed }];
}

function noTerminal(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  return faults.has('no_terminal') ? events.slice(0, -1) : events;
}

function keepalive(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('keepalive')) return events;
  return events.flatMap((event, at) => (at % 3 === 2 ? [event, { type: 'keepalive' }] : [event]));
}

function unknownEvents(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('unknown_events')) return events;
  return [
    ...events.slice(0, 2),
    { type: 'response.stand_in.note', note: { text: 'nobody knows me' } },
    ...events.slice(2),
  ];
}

function renumber(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return number(events.map((event) => without(event, ['sequence_number'])));
}

function noIndex(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  if (!faults.has('no_index')) return events;
  return events.map((event) => without(event, ['output_index', 'content_index', 'summary_index']));
}

function noSequence(events: readonly StreamEvent[], faults: Faults): readonly StreamEvent[] {
  return faults.has('no_sequence') ? events.map((event) => without(event, ['sequence_number'])) : events;
}

function without({ type, ...fields }: StreamEvent, names: readonly string[]): StreamEvent {
  return { type, ...Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) };
}
