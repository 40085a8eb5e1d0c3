import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import { ask, call, errorOf, nested, tool } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

const weather = nested(tool('get_weather', 'Current weather for a location.', 'location'));
const hi = [{ role: 'user', content: 'hi' }];
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
    { id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
  ],
};
const result = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'dry' });
const with_ = (...messages: readonly object[]): object => ({ model: 'm', messages: [...hi, ...messages] });
const fn = (rest: object): object => ({
  model: 'm',
  messages: hi,
  tools: [{ type: 'function', function: { name: 'a', parameters: {}, ...rest } }],
});

describe('what OpenAI refuses of a chat is refused in its shape', () => {
  test.each([
    ['no model', { messages: hi }, null, /must provide a model/],
    ['messages that are no list', { model: 'm', messages: 'hi' }, 'messages', /expected an array/],
    ['no message at all', { model: 'm', messages: [] }, 'messages', /empty array/],
    [
      'an unknown role',
      with_({ role: 'robot', content: 'hi' }),
      'messages[1].role',
      /Invalid value: 'robot'/,
    ],
    ['no role', with_({ content: 'hi' }), 'messages[1].role', /Missing required/],
    ['a user without content', with_({ role: 'user', content: null }), 'messages[1].content', /got null/],
    ['an assistant with neither', with_({ role: 'assistant' }), 'messages[1].content', /got null/],
    [
      'a part of another protocol',
      with_({ role: 'user', content: [{ type: 'input_text', text: 'a' }] }),
      'messages[1].content[0].type',
      /Invalid value: 'input_text'/,
    ],
    [
      'an image from the system',
      with_({ role: 'system', content: [{ type: 'image_url' }] }),
      'messages[1].content[0].type',
      /Supported values/,
    ],
    ['no calls in their list', with_({ ...called, tool_calls: [] }), 'messages[1].tool_calls', /empty array/],
    [
      'arguments that are no string',
      with_({
        ...called,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: {} } }],
      }),
      'messages[1].tool_calls[0].function.arguments',
      /expected a string, but got an object/,
    ],
    [
      'calls without any result',
      with_(called),
      'messages.[2].role',
      /did not have response messages: call_1, call_2/,
    ],
    [
      'calls with one result of two',
      with_(called, result('call_2'), ...hi),
      'messages.[3].role',
      /response messages: call_1$/,
    ],
    [
      'a result without its call',
      with_(result('call_1')),
      'messages.[1].role',
      /must be a response to a preceeding/,
    ],
    [
      'a result given twice',
      with_(called, result('call_1'), result('call_2'), result('call_2')),
      'messages.[4].role',
      /preceeding/,
    ],
    [
      'a result without an id',
      with_({ role: 'tool', content: 'a' }),
      'messages[1].tool_call_id',
      /Missing required/,
    ],
    ['an empty list of tools', { model: 'm', messages: hi, tools: [] }, 'tools', /empty array/],
    [
      'a tool of the other protocol',
      { model: 'm', messages: hi, tools: [tool('a', '')] },
      'tools[0].function',
      /Missing required/,
    ],
    ['a tool name too long', fn({ name: 'a'.repeat(65) }), 'tools[0].function.name', /maximum length 64/],
    [
      'an enum without members',
      fn({ parameters: { properties: { x: { enum: [] } } } }),
      'tools[0].function.parameters',
      /non-empty/,
    ],
    [
      'two tools of one name',
      { model: 'm', messages: hi, tools: [weather, weather] },
      'tools[1]',
      /Duplicate/,
    ],
    [
      'a choice without tools',
      { model: 'm', messages: hi, tool_choice: 'auto' },
      'tool_choice',
      /only allowed when 'tools'/,
    ],
    [
      'parallel calls without tools',
      { model: 'm', messages: hi, parallel_tool_calls: true },
      'parallel_tool_calls',
      /only allowed/,
    ],
    ['a choice that is no choice', { ...fn({}), tool_choice: 'maybe' }, 'tool_choice', /Supported values/],
    [
      'a choice of an unknown tool',
      { ...fn({}), tool_choice: { type: 'function', function: { name: 'nope' } } },
      'tool_choice',
      /not found in 'tools' parameter: 'nope'/,
    ],
    [
      'a choice in the shape of the other protocol',
      { ...fn({}), tool_choice: { type: 'function', name: 'a' } },
      'tool_choice.function.name',
      /Missing required/,
    ],
    [
      'an unknown tool among the allowed',
      {
        ...fn({}),
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'nope' } }] },
        },
      },
      'tool_choice',
      /not found/,
    ],
    [
      'stream options without a stream',
      { ...with_(), stream_options: {} },
      'stream_options',
      /only allowed when 'stream'/,
    ],
    ['a cap of nothing', { ...with_(), max_tokens: 0 }, 'max_tokens', />= 1/],
  ])('%s', async (_, body, param, message) => {
    const answer = await ask(upstream, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
    expect(errorOf(answer)['message']).toMatch(message);
  });

  test('no JSON', async () => {
    const answer = await call(upstream, 'POST', '/chat/completions', undefined);
    expect([answer.status, errorOf(answer)['message']]).toEqual([
      400,
      expect.stringContaining('could not parse'),
    ]);
  });
});

test('calls with all their results, in any order, are accepted', async () => {
  expect((await ask(upstream, with_(called, result('call_2'), result('call_1')))).status).toBe(200);
});
