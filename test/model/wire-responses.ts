/** What an answer of `POST /v1/responses` must look like, whatever it says. */
import { field } from '../integration/support/json.ts';
import type { Json } from '../integration/support/json.ts';
import { answerOf, dataOf, isTerminal, objectsAt, textOr, wireEvents } from './read-wire.ts';
import { callFaults } from './wire-calls.ts';

/** What is wrong with a whole answer. */
export function responsesJsonFaults(text: string): readonly string[] {
  return responseFaults(JSON.parse(text));
}

/**
 * What is wrong with a stream. Servers may leave `sequence_number` and `output_index` out, but then of every event of
 * that type.
 */
export function responsesStreamFaults(text: string): readonly string[] {
  const all = wireEvents(text);
  const events = dataOf(all);
  const created = events.filter(({ type }) => type === 'response.created');
  const terminals = events.filter(isTerminal);
  const final = terminals[0]?.['response'];
  const ids = new Set([...created, ...terminals].map((event) => textOr(field(event, 'response', 'id'))));
  return [
    ...all.flatMap(({ name, data }) =>
      name === undefined || data === undefined || name === data['type']
        ? []
        : [`event: ${name} with type ${show(data['type'])}`],
    ),
    ...(created.length === 1 && events[0]?.['type'] === 'response.created'
      ? []
      : [`${String(created.length)} response.created, first is ${show(events[0]?.['type'])}`]),
    ...(terminals.length === 1 ? [] : [`${String(terminals.length)} terminal events`]),
    ...(events.length > 0 && isTerminal(events.at(-1) ?? {}) ? [] : ['the last event is not terminal']),
    ...(ids.size === 1 ? [] : [`response ids ${[...ids].join(' ')}`]),
    ...sequenceFaults(events),
    ...deltaFaults(events, final),
    ...itemFaults(events, final),
    ...responseFaults(final),
  ];
}

function responseFaults(body: unknown): readonly string[] {
  const status = textOr(field(body, 'status'));
  const output = objectsAt(body, 'output');
  const calls = output.filter(({ type }) => type === 'function_call');
  const messages = output.filter(({ type }) => type === 'message');
  return [
    ...(field(body, 'object') === 'response' ? [] : [`object is ${show(field(body, 'object'))}`]),
    ...(textOr(field(body, 'id')) === '' ? ['no id'] : []),
    ...(['completed', 'incomplete'].includes(status) ? [] : [`status is ${show(status)}`]),
    ...(field(body, 'error') == null ? [] : [`error ${show(field(body, 'error'))}`]),
    // A model that ran out of tokens inside a call of ours has said nothing.
    ...(output.length > 0 || status === 'incomplete' ? [] : ['no output']),
    ...messages.flatMap(({ role }) => (role === 'assistant' ? [] : [`role is ${show(role)}`])),
    ...callFaults(
      calls.map((item) => ({
        id: textOr(item['call_id']),
        name: textOr(item['name']),
        arguments: item['arguments'],
      })),
      status === 'incomplete',
    ),
  ];
}

function sequenceFaults(events: readonly Json[]): readonly string[] {
  const numbers = events.map((event) => event['sequence_number']);
  if (numbers.every((number) => number === undefined)) return [];
  const at = numbers.findIndex((number, index) => number !== index);
  return at === -1 ? [] : [`event ${String(at)} has sequence_number ${show(numbers[at])}`];
}

/** What streams is what ends. */
function deltaFaults(events: readonly Json[], final: unknown): readonly string[] {
  const joined = (type: string): string =>
    events
      .filter((event) => event['type'] === type)
      .map(({ delta }) => textOr(delta))
      .join('');
  const { text, calls } = answerOf(final, 'responses');
  const argumentsText = calls.map((call) => call.arguments).join('');
  const streamedText = joined('response.output_text.delta');
  const streamedArguments = joined('response.function_call_arguments.delta');
  return [
    ...(streamedText === text ? [] : [`streamed ${show(streamedText)}, ended with ${show(text)}`]),
    ...(streamedArguments === argumentsText
      ? []
      : [`streamed arguments ${show(streamedArguments)}, ended with ${show(argumentsText)}`]),
  ];
}

/** Each item is begun and ended once, under one id, and stands in the final response. */
function itemFaults(events: readonly Json[], final: unknown): readonly string[] {
  const idsOf = (type: string): string =>
    events
      .filter((event) => event['type'] === type)
      .map((event) => textOr(field(event, 'item', 'id')))
      .join(' ');
  const ended = objectsAt(final, 'output')
    .map(({ id }) => textOr(id))
    .join(' ');
  return ['response.output_item.added', 'response.output_item.done'].flatMap((type) =>
    idsOf(type) === ended ? [] : [`${type} of [${idsOf(type)}], ended with [${ended}]`],
  );
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
