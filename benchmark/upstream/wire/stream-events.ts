/** The events of a streamed response, in OpenAI's order (`openai` 7.59 `ResponseStreamEvent`). */
import type { JsonObject } from '../json-value.ts';
import { cutText } from './cut-text.ts';
import type { OutputItem } from './output-items.ts';
import { responseObject } from './response-object.ts';
import type { ResponseEnd, ResponseHead } from './response-object.ts';

/** One event: its type and its fields. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** All events of a response from `response.created` to the terminal one, numbered. */
export function streamEvents(head: ResponseHead, end: ResponseEnd): readonly StreamEvent[] {
  const running = responseObject(head, { status: 'in_progress', output: [], usage: null });
  const events: StreamEvent[] = [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    ...end.output.flatMap((item, index) => itemEvents(item, index, head.request.lettersPerDelta)),
    { type: `response.${end.status}`, response: responseObject(head, end) },
  ];
  return number(events);
}

/** Numbers events from 0 in their order. */
export function number(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.map(({ type, ...rest }, at) => ({ type, sequence_number: at, ...rest }));
}

function itemEvents(item: OutputItem, index: number, letters: number | undefined): readonly StreamEvent[] {
  const place = { item_id: item.id, output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: opened(item) },
    ...innerEvents(item, place, letters),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** The item as it is announced: in progress, without its content. */
function opened(item: OutputItem): JsonObject {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return item satisfies never;
  }
}

type Place = Readonly<{ item_id: string; output_index: number }>;

function innerEvents(item: OutputItem, place: Place, letters: number | undefined): readonly StreamEvent[] {
  switch (item.type) {
    case 'reasoning':
      return item.summary.flatMap((part, at) => summaryEvents(part.text, { ...place, summary_index: at }));
    case 'message':
      return item.content.flatMap((part, at) =>
        textEvents(part.text, { ...place, content_index: at }, letters),
      );
    case 'function_call':
      return argumentEvents('response.function_call_arguments', item.arguments, {
        place,
        done: { arguments: item.arguments },
      });
    case 'custom_tool_call':
      return argumentEvents('response.custom_tool_call_input', item.input, {
        place,
        done: { input: item.input },
      });
    default:
      return item satisfies never;
  }
}

function summaryEvents(text: string, place: Place & { summary_index: number }): readonly StreamEvent[] {
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
    ...cutText(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } },
  ];
}

function textEvents(
  text: string,
  place: Place & { content_index: number },
  letters: number | undefined,
): readonly StreamEvent[] {
  const part = (inner: string): JsonObject => ({
    type: 'output_text',
    annotations: [],
    logprobs: [],
    text: inner,
  });
  return [
    { type: 'response.content_part.added', ...place, part: part('') },
    ...cutText(text, letters).map((delta) => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: part(text) },
  ];
}

function argumentEvents(
  type: string,
  text: string,
  rest: { readonly place: Place; readonly done: JsonObject },
): readonly StreamEvent[] {
  return [
    ...cutText(text).map((delta) => ({ type: `${type}.delta`, ...rest.place, delta })),
    { type: `${type}.done`, ...rest.place, ...rest.done },
  ];
}
