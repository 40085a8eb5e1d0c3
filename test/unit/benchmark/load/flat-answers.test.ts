import { answerFlat } from '../../../../benchmark/load/flat-answers.ts';
import { isObject, objectsOf, parseJson, stringOr } from '../../../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../../../benchmark/upstream/json-value.ts';

const weather = { name: 'get_weather', parameters: {} };
const menu = {
  name: 'call_tool',
  parameters: { type: 'object', properties: { names: { items: { enum: ['get_weather', 'b'] } } } },
};

const flat = (...functions: readonly object[]): object => ({
  model: 'm',
  input: 'hi',
  tools: functions.map((each) => ({ type: 'function', ...each })),
});
const nested = (...functions: readonly object[]): object => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: functions.map((each) => ({ type: 'function', function: each })),
});

function textOf(body: object): string {
  return Buffer.concat([...answerFlat(JSON.stringify(body)).pieces]).toString();
}

function jsonOf(body: object): JsonObject {
  const value = parseJson(textOf(body));
  return isObject(value) ? value : {};
}

function chunksOf(body: object): readonly JsonObject[] {
  return textOf({ ...body, stream: true })
    .split('\n\n')
    .map((frame) => parseJson(frame.slice(frame.indexOf('data: ') + 'data: '.length)))
    .filter(isObject);
}

function messageOf(body: object): JsonObject {
  const message = objectsOf(jsonOf(body)['choices'])[0]?.['message'];
  return isObject(message) ? message : {};
}

test('a chat says and calls what a response does', () => {
  const [message, call] = objectsOf(jsonOf(flat(weather))['output']);
  expect(messageOf(nested(weather))).toMatchObject({
    content: objectsOf(message?.['content'])[0]?.['text'],
    tool_calls: [{ function: { name: 'get_weather', arguments: call?.['arguments'] } }],
  });
});

test('a chat picks the first name of a call_tool as a response does', () => {
  const picked = { name: 'call_tool', arguments: '{"names":["get_weather"]}' };
  expect(jsonOf(flat(menu, weather))).toMatchObject({ output: [picked] });
  expect(messageOf(nested(menu, weather))).toMatchObject({
    content: null,
    tool_calls: [{ function: picked }],
  });
});

test('a streamed chat has the deltas of a streamed response, and says the same as its JSON', () => {
  const deltas = chunksOf(flat(weather)).filter((event) => String(event['type']).endsWith('.delta'));
  const inner = chunksOf(nested(weather)).map((chunk) => objectsOf(chunk['choices'])[0]?.['delta']);
  const around = ['role', 'name of the call', 'finish'];
  expect(inner).toHaveLength(deltas.length + around.length);
  const words = inner.map((delta) => (isObject(delta) ? stringOr(delta['content'], '') : '')).join('');
  expect(words).toBe(messageOf(nested(weather))['content']);
});

test('a streamed chat ends in [DONE], with the usage before it where it was asked for', () => {
  const last = (options: object): JsonObject | undefined =>
    chunksOf({ ...nested(weather), ...options }).at(-1);
  expect(textOf({ ...nested(weather), stream: true }).endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  expect(last({})).not.toHaveProperty('usage');
  expect(last({ stream_options: { include_usage: true } })).toMatchObject({
    choices: [],
    usage: { total_tokens: 608 },
  });
});

test('a chat without tools is answered in words', () => {
  expect(jsonOf({ model: 'm', messages: [] })).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
});
