/** What an answer of `POST /v1/chat/completions` must look like, whatever it says. */
import { field } from '../integration/support/json.ts';
import type { Json } from '../integration/support/json.ts';
import { dataOf, objectsAt, textOr, wireEvents } from './read-wire.ts';
import { callFaults } from './wire-calls.ts';

/** What is wrong with a whole answer. */
export function chatJsonFaults(text: string): readonly string[] {
  const body: unknown = JSON.parse(text);
  const choices = objectsAt(body, 'choices');
  const message = field(choices[0], 'message');
  const content = field(message, 'content');
  const calls = objectsAt(message, 'tool_calls');
  const finish = textOr(field(choices[0], 'finish_reason'));
  const ids = calls.map(({ id }) => textOr(id));
  return [
    ...(field(body, 'object') === 'chat.completion' ? [] : [`object is ${show(field(body, 'object'))}`]),
    ...(textOr(field(body, 'id')) === '' ? ['no id'] : []),
    ...(choices.length === 1 ? [] : [`${String(choices.length)} choices`]),
    ...(field(message, 'role') === 'assistant' ? [] : [`role is ${show(field(message, 'role'))}`]),
    ...(content === null || typeof content === 'string' ? [] : [`content is ${show(content)}`]),
    ...finishFaults(finish, calls.length),
    ...calls.flatMap(({ type }) => (type === 'function' ? [] : [`a call of type ${show(type)}`])),
    ...callFaults(
      calls.map(({ function: called }, at) => ({
        id: ids[at] ?? '',
        name: textOr(field(called, 'name')),
        arguments: field(called, 'arguments'),
      })),
      finish === 'length',
    ),
  ];
}

/** What is wrong with a stream. @param wantsUsage whether the request asked for the usage chunk */
export function chatStreamFaults(text: string, { wantsUsage }: { readonly wantsUsage: boolean }) {
  const events = wireEvents(text);
  const chunks = dataOf(events);
  const choices = chunks.flatMap((chunk) => objectsAt(chunk, 'choices'));
  const deltas = choices.map((choice) => field(choice, 'delta'));
  const finishes = choices.flatMap(({ finish_reason: reason }) => (reason == null ? [] : [textOr(reason)]));
  const parts = deltas.flatMap((delta) => objectsAt(delta, 'tool_calls'));
  const ids = new Set(chunks.map(({ id }) => textOr(id)));
  const bare = chunks.filter((chunk) => objectsAt(chunk, 'choices').length === 0);
  const usages = chunks.filter(({ usage }) => usage != null).length;
  return [
    ...exactly(events.filter(({ data }) => data === undefined).length, '[DONE]'),
    ...(events.at(-1)?.data === undefined ? [] : ['[DONE] is not the last event']),
    ...chunks.flatMap(({ error }) => (error === undefined ? [] : [`an error inside: ${show(error)}`])),
    ...(ids.size === 1 && !ids.has('') ? [] : [`chunk ids ${[...ids].map(show).join(' ')}`]),
    ...chunks.flatMap(({ object }) =>
      object === 'chat.completion.chunk' ? [] : [`a chunk with object ${show(object)}`],
    ),
    ...exactly(deltas.filter((delta) => field(delta, 'role') != null).length, 'role'),
    ...exactly(finishes.length, 'finish_reason'),
    ...finishFaults(finishes[0] ?? '', new Set(parts.map(({ index }) => index)).size),
    ...(wantsUsage ? exactly(usages, 'usage') : bare.length > 0 ? ['a chunk without a choice'] : []),
    ...partFaults(parts, finishes[0] === 'length'),
  ];
}

function finishFaults(finish: string, calls: number): readonly string[] {
  if (!['stop', 'tool_calls', 'length'].includes(finish)) return [`finish_reason is ${show(finish)}`];
  if (finish === 'length' || (finish === 'tool_calls') === calls > 0) return [];
  return [`finish_reason is ${finish} with ${String(calls)} calls`];
}

/** The parts of streamed calls: each call opens with id, type and name, and has the next index. */
function partFaults(parts: readonly Json[], isCut: boolean): readonly string[] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  const faults: string[] = [];
  for (const part of parts) {
    const index = Number(part['index']);
    const piece = field(part, 'function', 'arguments');
    const known = calls[index];
    if (known === undefined) {
      if (index !== calls.length) faults.push(`call ${show(part['index'])} after ${String(calls.length)}`);
      if (part['type'] !== 'function') faults.push(`a call opens with type ${show(part['type'])}`);
      const name = textOr(field(part, 'function', 'name'));
      calls.push({ id: textOr(part['id']), name, arguments: textOr(piece) });
      continue;
    }
    if (part['id'] != null && part['id'] !== known.id) faults.push(`call ${String(index)} changes its id`);
    known.arguments += textOr(piece);
  }
  return [...faults, ...callFaults(calls, isCut)];
}

function exactly(count: number, what: string): readonly string[] {
  return count === 1 ? [] : [`${String(count)} times ${what}`];
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
