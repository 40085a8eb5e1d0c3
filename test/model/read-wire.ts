/** Reads what an answer says out of its bytes, without asking whether it is well formed. */
import { createParser } from 'eventsource-parser';
import { field, objectOf } from '../integration/support/json.ts';
import type { Json } from '../integration/support/json.ts';
import type { Answer, Api, Call, Way } from './talk.ts';

/** One event of a stream. */
export interface WireEvent {
  /** The `event:` line. */
  readonly name: string | undefined;
  /** Undefined for `[DONE]`. */
  readonly data: Json | undefined;
}

/** All events of a stream, `[DONE]` too. @throws SyntaxError or TypeError where one is no JSON object */
export function wireEvents(text: string): readonly WireEvent[] {
  const events: WireEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      events.push({ name: event, data: data === '[DONE]' ? undefined : objectOf(JSON.parse(data)) });
    },
  });
  parser.feed(text);
  return events;
}

/** What an answer says. @throws SyntaxError or TypeError where it cannot be read */
export function readAnswer(text: string, { api, shape }: Way): Answer {
  if (shape === 'json') return answerOf(JSON.parse(text), api);
  return answerOfEvents(dataOf(wireEvents(text)), api);
}

/** The events' data, `[DONE]` left out. */
export function dataOf(events: readonly WireEvent[]): readonly Json[] {
  return events.flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** What a whole answer says. */
export function answerOf(body: unknown, api: Api): Answer {
  return api === 'chat' ? chatAnswer(body) : responsesAnswer(body);
}

/** What the events of a stream say, `[DONE]` left out. */
export function answerOfEvents(events: readonly Json[], api: Api): Answer {
  return api === 'chat' ? chatStream(events) : responsesAnswer(events.findLast(isTerminal)?.['response']);
}

/** The objects of an array at a path; none where there is no array. */
export function objectsAt(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found.map(objectOf) : [];
}

function chatAnswer(body: unknown): Answer {
  const message = field(body, 'choices', 0, 'message');
  return {
    text: textOr(field(message, 'content')),
    calls: objectsAt(message, 'tool_calls').map(chatCall),
    end: textOr(field(body, 'choices', 0, 'finish_reason')),
  };
}

function chatCall(call: Json): Call {
  const { name, arguments: text } = objectOf(call['function']);
  return { id: textOr(call['id']), name: textOr(name), arguments: textOr(text) };
}

function chatStream(chunks: readonly Json[]): Answer {
  const choices = chunks.flatMap((chunk) => objectsAt(chunk, 'choices'));
  const calls: Call[] = [];
  for (const part of choices.flatMap((choice) => objectsAt(choice, 'delta', 'tool_calls'))) {
    const index = Number(part['index']);
    const known = calls[index] ?? { id: '', name: '', arguments: '' };
    calls[index] = {
      id: known.id || textOr(part['id']),
      name: known.name + textOr(field(part, 'function', 'name')),
      arguments: known.arguments + textOr(field(part, 'function', 'arguments')),
    };
  }
  return {
    text: choices.map((choice) => textOr(field(choice, 'delta', 'content'))).join(''),
    calls,
    end: textOr(choices.map((choice) => choice['finish_reason']).find((reason) => reason != null)),
  };
}

/** True for an event that ends a stream of the Responses API. */
export function isTerminal({ type }: Json): boolean {
  return /^response\.(completed|incomplete|failed)$/.test(textOr(type));
}

function responsesAnswer(response: unknown): Answer {
  const output = objectsAt(response, 'output');
  return {
    text: output
      .filter(({ type }) => type === 'message')
      .flatMap((item) => objectsAt(item, 'content'))
      .map(({ text }) => textOr(text))
      .join(''),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: textOr(item['call_id']),
        name: textOr(item['name']),
        arguments: textOr(item['arguments']),
      })),
    end: textOr(field(response, 'status')),
  };
}

/** A string, or none. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
