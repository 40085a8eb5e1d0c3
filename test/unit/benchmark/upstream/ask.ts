/** Talks to a stand-in as plainly as possible: what was sent and what came back, nothing between. */
import { isObject, objectsOf, parseJson, stringOr } from '../../../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../../../benchmark/upstream/json-value.ts';
import type { Upstream } from '../../../../benchmark/upstream/index.ts';

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

/** Posts a turn, to the chat's endpoint where the body has `messages`; `fault` goes into the header. */
export async function ask(upstream: Upstream, body: unknown, fault?: string): Promise<Answer> {
  const path = isObject(body) && body['messages'] !== undefined ? 'chat/completions' : 'responses';
  const response = await fetch(`${upstream.url}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(fault === undefined ? {} : { 'x-stand-in-fault': fault }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const value = parseJson(text);
  return { status: response.status, headers: response.headers, text, body: isObject(value) ? value : {} };
}

/** Any other request. */
export async function call(
  upstream: Upstream,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${upstream.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value = parseJson(text);
  return { status: response.status, headers: response.headers, text, body: isObject(value) ? value : {} };
}

/** The output items of an answer. */
export function outputOf(answer: Answer): readonly JsonObject[] {
  return objectsOf(answer.body['output']);
}

/** The message of a chat's first choice. */
export function messageOf(answer: Answer): JsonObject {
  const message = objectsOf(answer.body['choices'])[0]?.['message'];
  return isObject(message) ? message : {};
}

/** The calls in a chat's first choice: names and arguments. */
export function chatCallsOf(answer: Answer): readonly JsonObject[] {
  return objectsOf(messageOf(answer)['tool_calls']).map((call) => {
    const inner = call['function'] ?? call['custom'];
    return isObject(inner) ? inner : {};
  });
}

/** The deltas of a chat's stream, in order, whatever the choice. */
export function deltasOf(text: string): readonly JsonObject[] {
  return eventsOf(text)
    .flatMap((chunk) => objectsOf(chunk['choices']))
    .map((choice) => choice['delta'])
    .filter(isObject);
}

/** What the deltas of a chat's stream say in one of their fields. */
export function saidIn(text: string, field: string): string {
  return deltasOf(text)
    .map((delta) => stringOr(delta[field], ''))
    .join('');
}

/** A function tool as a chat has it. */
export function nested({ type, ...inner }: JsonObject): JsonObject {
  return { type, [String(type)]: inner };
}

/** Names of the tools that an answer calls. */
export function callsOf(answer: Answer): readonly unknown[] {
  return outputOf(answer)
    .filter((item) => item['type'] !== 'message' && item['type'] !== 'reasoning')
    .map((item) => item['name']);
}

/** Arguments of an output item. */
export function argumentsOf(item: JsonObject | undefined): JsonObject {
  const value = parseJson(String(item?.['arguments']));
  return isObject(value) ? value : {};
}

/** The message of an OpenAI-shaped error. */
export function errorOf(answer: Answer): JsonObject {
  const error = answer.body['error'];
  return isObject(error) ? error : {};
}

/** The data of every event of a stream. */
export function eventsOf(text: string): readonly JsonObject[] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .flatMap((frame) => frame.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => parseJson(line.slice('data: '.length)))
    .filter(isObject);
}

/** A function tool with string parameters, all required. */
export function tool(name: string, description: string, ...parameters: readonly string[]): JsonObject {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return {
    type: 'function',
    name,
    description,
    parameters: { type: 'object', properties, required: parameters },
  };
}
