import { isJsonArray, isJsonObject } from '../../../../../proxy/core/json/index.ts';
import type { Json } from '../../../../integration/support/json.ts';

/** The frames of a stream: the data of each, in order; `[DONE]` as text. */
export function dataOf(stream: string): (Json | string)[] {
  return stream
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as Json)));
}

/** The message that a client puts together out of a stream, and what it minds about the stream. */
export interface Received {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly ids: readonly unknown[];
  readonly roles: readonly unknown[];
  readonly finishes: readonly unknown[];
  readonly usages: readonly unknown[];
  readonly dones: number;
  readonly errors: readonly unknown[];
}

export function receive(stream: string): Received {
  const data = dataOf(stream);
  const chunks = data.filter(isJsonObject);
  const choices = chunks.flatMap(({ choices }) => (isJsonArray(choices) ? choices.filter(isJsonObject) : []));
  const deltas = choices.flatMap(({ delta }) => (isJsonObject(delta) ? [delta] : []));
  const texts = (key: string): string =>
    deltas.map((delta) => (typeof delta[key] === 'string' ? delta[key] : '')).join('');
  return {
    content: texts('content'),
    reasoning: texts('reasoning_content'),
    calls: receiveCalls(deltas),
    ids: [...new Set(chunks.flatMap(({ id }) => (id === undefined ? [] : [id])))],
    roles: deltas.flatMap(({ role }) => role ?? []),
    finishes: choices.flatMap(({ finish_reason: finish }) =>
      finish == null || finish === '' ? [] : [finish],
    ),
    usages: chunks.flatMap(({ usage }) => usage ?? []),
    dones: data.filter((each) => each === '[DONE]').length,
    errors: chunks.flatMap(({ error }) => error ?? []),
  };
}

function textIn(value: Json, key: string): string {
  return typeof value[key] === 'string' ? value[key] : '';
}

function receiveCalls(deltas: readonly Json[]): Received['calls'] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const { tool_calls: list } of deltas) {
    for (const delta of isJsonArray(list) ? list.filter(isJsonObject) : []) {
      const index = Number(delta['index']);
      const call = (calls[index] ??= { id: '', name: '', arguments: '' });
      call.id ||= textIn(delta, 'id');
      const inner = isJsonObject(delta['function']) ? delta['function'] : {};
      call.name ||= textIn(inner, 'name');
      call.arguments += textIn(inner, 'arguments');
    }
  }
  return calls;
}
