import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import { ask, call, errorOf, tool } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const rain = { model: 'm', input: 'Will it rain in Oslo?', tools: [weather, mail] };

describe('what OpenAI refuses is refused in its shape', () => {
  const fn = (rest: object): object => ({
    model: 'm',
    input: 'hi',
    tools: [{ type: 'function', name: 'a', parameters: {}, ...rest }],
  });

  test.each([
    ['no JSON', '{"model":', null, /could not parse/],
    ['a list for a body', [], null, /expected an object/],
    ['no model', { input: 'hi' }, 'model', /Missing required parameter: 'model'/],
    ['no input', { model: 'm' }, 'input', /Missing required parameter: 'input'/],
    ['a model that is a number', { model: 1, input: 'hi' }, 'model', /expected a string, but got an integer/],
    [
      'an item of unknown type',
      { model: 'm', input: [{ type: 'nope' }] },
      'input[0]',
      /Invalid value: 'nope'/,
    ],
    [
      'a message without content',
      { model: 'm', input: [{ role: 'user' }] },
      'input[0].content',
      /Missing required parameter/,
    ],
    ['tools that are no list', { model: 'm', input: 'hi', tools: {} }, 'tools', /expected an array/],
    ['a tool without a name', fn({ name: undefined }), 'tools[0].name', /Missing required/],
    ['a tool name with a space', fn({ name: 'a b' }), 'tools[0].name', /does not match pattern/],
    ['a tool name too long', fn({ name: 'a'.repeat(129) }), 'tools[0].name', /too long/],
    ['a tool type nobody knows', fn({ type: 'gadget' }), 'tools[0].type', /Supported values/],
    [
      'two tools of one name',
      { model: 'm', input: 'hi', tools: [weather, weather] },
      'tools[1]',
      /Duplicate/,
    ],
    [
      'an enum without members',
      fn({ parameters: { properties: { x: { enum: [] } } } }),
      'tools[0].parameters',
      /non-empty/,
    ],
    [
      'a choice of an unknown tool',
      { ...rain, tool_choice: { type: 'function', name: 'nope' } },
      'tool_choice',
      /not found in 'tools'/,
    ],
    ['a choice that is no choice', { ...rain, tool_choice: 'maybe' }, 'tool_choice', /Supported values/],
    [
      'a cap below the least',
      { model: 'm', input: 'hi', max_output_tokens: 1 },
      'max_output_tokens',
      />= 16/,
    ],
    [
      'an unknown previous response',
      { model: 'm', input: 'hi', previous_response_id: 'resp_x' },
      'previous_response_id',
      /not found/,
    ],
    [
      'an output without its call',
      { model: 'm', input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
      'input',
      /No tool call found/,
    ],
  ])('%s', async (_, body, param, message) => {
    const answer = await ask(upstream, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
    expect(errorOf(answer)['message']).toMatch(message);
  });

  test('an unknown URL is a 404', async () => {
    const answer = await call(upstream, 'GET', '/nowhere');
    expect([answer.status, errorOf(answer)['message']]).toEqual([404, 'Invalid URL (GET /v1/nowhere)']);
  });
});
