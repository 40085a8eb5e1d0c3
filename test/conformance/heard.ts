import { createParser } from 'eventsource-parser';
import { field, items, objectOf } from '../integration/support/json.ts';
import type { Answered, Json } from '../integration/support/index.ts';
import { eventsOf, terminalOf } from '../integration/support/index.ts';
import type { Combination } from './words.ts';

/** What the app hears, in no API's words. */
export interface Heard {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /** How it ended: `stop`, `calls`, `error`. */
  readonly end: 'stop' | 'calls' | 'error';
}

/** Reads an answer as an app of that API does. @throws where the answer breaks the API's own rules */
export function hear(answer: Answered, { protocol, format }: Combination): Heard {
  const { status } = answer;
  if (status !== 200) return { status, text: '', calls: [], end: 'error' };
  if (protocol === 'chat')
    return { status, ...(format === 'json' ? chat(answer.json()) : chatStreamed(answer.text)) };
  return { status, ...(format === 'json' ? responses(answer.json()) : responsesStreamed(answer.text)) };
}

type Words = Omit<Heard, 'status'>;

function chat(body: unknown): Words {
  const message = field(body, 'choices', 0, 'message');
  const calls = field(message, 'tool_calls') === undefined ? [] : items(message, 'tool_calls');
  const finish = field(body, 'choices', 0, 'finish_reason');
  if ((finish === 'tool_calls') !== calls.length > 0)
    throw new Error(`${String(finish)} with ${String(calls.length)} calls`);
  return {
    text: stringOr(field(message, 'content')),
    calls: calls.map((call) => readCall(field(call, 'function'))),
    end: finish === 'tool_calls' ? 'calls' : 'stop',
  };
}

/** Joins the chunks as the official client does, and looks at what no client forgives. */
function chatStreamed(text: string): Words {
  const chunks: Json[] = [];
  let done = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') done += 1;
      else chunks.push(objectOf(JSON.parse(data)));
    },
  });
  parser.feed(text);
  const errors = chunks.filter((chunk) => chunk['error'] !== undefined);
  const deltas = chunks.flatMap((chunk) => (Array.isArray(chunk['choices']) ? items(chunk, 'choices') : []));
  const finishes = deltas.flatMap(({ finish_reason }) =>
    typeof finish_reason === 'string' ? [finish_reason] : [],
  );
  const roles = deltas.filter(({ delta }) => field(delta, 'role') !== undefined);
  const ids = new Set(chunks.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
  if (ids.size > 1) throw new Error(`chunk ids ${[...ids].join(' ')}`);
  if (roles.length > 1) throw new Error(`${String(roles.length)} roles`);
  if (chunks.some((chunk) => field(chunk, 'choices', 0) === undefined && chunk['error'] === undefined)) {
    throw new Error('a chunk without a choice, though usage was not asked for');
  }
  if (errors.length === 0 && (done !== 1 || finishes.length !== 1)) {
    throw new Error(`${String(done)} ends and ${String(finishes.length)} finish reasons`);
  }
  const calls = joinCalls(deltas);
  return {
    text: deltas.map(({ delta }) => stringOr(field(delta, 'content'))).join(''),
    calls: calls.map(readCall),
    end: errors.length > 0 ? 'error' : finishes[0] === 'tool_calls' ? 'calls' : 'stop',
  };
}

function joinCalls(deltas: readonly Json[]): { name: string; arguments: string }[] {
  const calls: { name: string; arguments: string }[] = [];
  for (const { delta } of deltas) {
    const parts = field(delta, 'tool_calls') === undefined ? [] : items(delta, 'tool_calls');
    for (const part of parts) {
      const index = Number(part['index']);
      if (index > calls.length) throw new Error(`tool call ${String(index)} after ${String(calls.length)}`);
      const known = calls[index] ?? { name: '', arguments: '' };
      known.name ||= stringOr(field(part, 'function', 'name'));
      known.arguments += stringOr(field(part, 'function', 'arguments'));
      calls[index] = known;
    }
  }
  return calls;
}

function responses(body: unknown): Words {
  const output = items(body, 'output');
  const calls = output.filter(({ type }) => type === 'function_call').map(readCall);
  const text = output
    .filter(({ type }) => type === 'message')
    .map((item) => String(field(item, 'content', 0, 'text')))
    .join('');
  return { text, calls, end: calls.length > 0 ? 'calls' : 'stop' };
}

function responsesStreamed(text: string): Words {
  const events = eventsOf(text);
  events.forEach(({ data }, index) => {
    if (data['sequence_number'] !== index)
      throw new Error(`event ${String(index)} is ${String(data['sequence_number'])}`);
  });
  const last = terminalOf(events);
  const words = responses(field(last.data, 'response'));
  const streamed = events.flatMap(({ type, data }) =>
    type === 'response.output_text.delta' ? [String(data['delta'])] : [],
  );
  // What was cut off in the middle is no item of a failed response.
  if (last.type === 'response.failed') return { ...words, end: 'error' };
  if (streamed.join('') !== words.text)
    throw new Error(`streamed ${streamed.join('')}, ended with ${words.text}`);
  return words;
}

function readCall(value: unknown): { name: string; args: unknown } {
  const text = String(field(value, 'arguments'));
  return { name: String(field(value, 'name')), args: parsed(text) };
}

function stringOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
