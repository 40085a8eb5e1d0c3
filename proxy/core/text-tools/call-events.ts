import type { NativeCall } from './answer-reader.ts';
import type { EventWriter } from './event-writer.ts';
import { encodeCallItem } from './responses-response.ts';

/** Where a call stands in the answer; no place where the upstream's events have none. */
export interface CallPlace {
  readonly id: string;
  readonly place: number | undefined;
}

/** The events of a whole call, as the Responses API sends them. */
export function writeCall(writer: EventWriter, call: NativeCall, { id, place }: CallPlace): Uint8Array[] {
  const index: Record<string, string> = place === undefined ? {} : { output_index: String(place) };
  const address = { item_id: JSON.stringify(id), ...index };
  const content = JSON.stringify(call.content);
  const [event, key] =
    call.kind === 'custom'
      ? ['response.custom_tool_call_input', 'input']
      : ['response.function_call_arguments', 'arguments'];
  return [
    writer.write('response.output_item.added', { ...index, item: encodeCallItem(call, id, 'in_progress') }),
    writer.write(`${event}.delta`, { ...address, delta: content }),
    writer.write(`${event}.done`, { ...address, [key]: content }),
    writer.write('response.output_item.done', { ...index, item: encodeCallItem(call, id, 'completed') }),
  ];
}
