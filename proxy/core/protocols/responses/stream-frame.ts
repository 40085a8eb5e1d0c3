import type { ObjectScan } from '../../json/index.ts';
import type { AnswerItem } from '../../turn/index.ts';

/** An output item as a stream tells of it. */
export interface StreamedItem {
  /** Which item of the hop it is, counted by {@link ItemPlaces}: not always what `output_index` says. */
  readonly index: number;
  readonly item: AnswerItem;
  /** Its own text on the wire. */
  readonly own: string;
  readonly id: string | undefined;
}

/** An event that carries the response object. */
export interface ResponseEvent {
  readonly text: string;
  readonly data: string;
  /** The event's members. */
  readonly scan: ObjectScan;
  /** The members of its `response`, at their places in `data`. */
  readonly response: ObjectScan;
}

/** What a frame is to the encoder. `text` is the frame, `data` the JSON in it. */
export type ResponsesFrame =
  /** `response.created`, `.queued`, `.in_progress`: carries the response object. */
  | ({ readonly kind: 'lifecycle' } & ResponseEvent)
  /** The beginning or end of an item. */
  | ({
      readonly kind: 'item';
      readonly phase: 'opened' | 'closed';
      readonly text: string;
      readonly data: string;
    } & StreamedItem)
  /** An item that the stream never closed, as its last event has it. No event of the upstream: nothing to pass on. */
  | ({ readonly kind: 'late' } & StreamedItem)
  /** Anything else that belongs to an item: deltas, content parts, annotations. */
  | { readonly kind: 'part'; readonly text: string; readonly data: string; readonly index: number }
  | ({ readonly kind: 'terminal' } & ResponseEvent)
  /** An `error` event. */
  | { readonly kind: 'error'; readonly text: string; readonly data: string }
  /** An event that belongs to no item, known to us or not. */
  | { readonly kind: 'event'; readonly text: string; readonly data: string }
  /** Comments, retry times, `[DONE]`. */
  | { readonly kind: 'other' };

/** A frame that carries an event of the upstream. */
export type EventFrame = Extract<ResponsesFrame, { readonly data: string }>;

/** True if that event says so itself, by its `event:` line or in its data. */
export function statesType(
  { text, data }: { readonly text: string; readonly data: string },
  type: string,
): boolean {
  return (
    text.includes(`event: ${type}\n`) ||
    new RegExp(`"type"\\s*:\\s*"${type.replaceAll('.', '\\.')}"`).test(data)
  );
}
