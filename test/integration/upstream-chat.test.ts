/** The stand-in upstream's chat completions as a client meets them: one server, real requests. */
import OpenAI from 'openai';
import { menuOf, questions, tools } from '../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../benchmark/upstream/index.ts';
import type { Upstream } from '../../benchmark/upstream/index.ts';
import { isObject, objectsOf, parseJson } from '../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../benchmark/upstream/json-value.ts';
import {
  ask,
  callsOf,
  chatCallsOf,
  deltasOf,
  eventsOf,
  messageOf,
  nested,
  outputOf,
  saidIn,
  tool,
} from '../unit/benchmark/upstream/ask.ts';

let upstream: Upstream;

beforeEach(async () => {
  upstream = await startUpstream();
});

afterEach(async () => {
  await upstream.close();
});

// Matchers are typed `any`; what they stand for here is not looked into.
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const some = (kind: typeof String | typeof Number): unknown => expect.any(kind);
const holding = (text: string): unknown => expect.stringContaining(text);

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const user = (content: unknown): object => ({ role: 'user', content });
const rain = {
  model: 'm',
  messages: [user('Will it rain in Oslo?')],
  tools: [nested(weather), nested(mail)],
};
const both = 'What is the weather in Oslo and send an email to bob@example.com';
const namesOf = (answer: Parameters<typeof chatCallsOf>[0]): readonly unknown[] =>
  chatCallsOf(answer).map((each) => each['name']);
const choicesOf = (answer: { readonly body: JsonObject }): readonly JsonObject[] =>
  objectsOf(answer.body['choices']);

test.each(questions)(
  '$question is called for with the same arguments as in a response',
  async ({ question }) => {
    const response = await ask(upstream, { model: 'm', input: question, tools });
    const chat = await ask(upstream, {
      model: 'm',
      messages: [user(question)],
      tools: tools.map((each) => nested({ ...each })),
    });
    expect(chatCallsOf(chat)).toEqual(
      outputOf(response).map((item) => ({ name: item['name'], arguments: item['arguments'] })),
    );
  },
);

test('a menu is picked from', async () => {
  const menu = nested({ ...menuOf(tools) });
  const answer = await ask(upstream, { ...rain, tools: [menu] });
  expect(chatCallsOf(answer)).toEqual([
    { name: 'call_tool', arguments: '{"names":["get_weather_forecast"]}' },
  ]);
  expect(upstream.requests.at(-1)).toMatchObject({ kind: 'turn', hop: 1, status: 200 });
});

describe('an answer as JSON', () => {
  test('of a call is complete', async () => {
    const { body } = await ask(upstream, rain);
    expect(body).toEqual({
      id: like(/^chatcmpl-[0-9a-f]+$/),
      object: 'chat.completion',
      created: some(Number),
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            annotations: [],
            tool_calls: [
              {
                id: like(/^call_[0-9a-f]+$/),
                type: 'function',
                function: { name: 'get_weather', arguments: '{"location":"Oslo"}' },
              },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: body['usage'],
      service_tier: 'default',
      system_fingerprint: some(String),
    });
    const usage = isObject(body['usage']) ? body['usage'] : {};
    expect(usage['prompt_tokens_details']).toEqual({ cached_tokens: 0, audio_tokens: 0 });
    expect(usage['total_tokens']).toBe(Number(usage['prompt_tokens']) + Number(usage['completion_tokens']));
    expect(upstream.requests[0]?.usage?.input_tokens).toBe(usage['prompt_tokens']);
  });

  test('of words has no calls and stops', async () => {
    const answer = await ask(upstream, { model: 'm', messages: [user('hello')] });
    expect(choicesOf(answer)[0]).toMatchObject({
      message: { content: 'Hello, how are you?' },
      finish_reason: 'stop',
    });
    expect(messageOf(answer)).not.toHaveProperty('tool_calls');
  });

  test('comes as often as asked for, each with ids of its own', async () => {
    const answer = await ask(upstream, { ...rain, n: 3 });
    expect(choicesOf(answer).map((choice) => choice['index'])).toEqual([0, 1, 2]);
    expect(new Set(answer.text.match(/call_[0-9a-f]+/g)).size).toBe(3);
  });

  test.each(['max_tokens', 'max_completion_tokens'])('over %s is cut and says so', async (field) => {
    const words = await ask(upstream, {
      model: 'm',
      messages: [user('Tell me of the sea. '.repeat(20))],
      [field]: 16,
    });
    expect(choicesOf(words)[0]).toMatchObject({ finish_reason: 'length' });
    expect(words.body['usage']).toMatchObject({ completion_tokens: 16 });
    const cut = await ask(upstream, { ...rain, [field]: 12 });
    expect(choicesOf(cut)[0]).toMatchObject({ finish_reason: 'length', message: { tool_calls: [{}] } });
    expect(parseJson(String(chatCallsOf(cut)[0]?.['arguments']))).toBeUndefined();
  });

  test('has the form that was asked for', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const answer = await ask(upstream, {
      model: 'm',
      messages: [user('I live in Oslo')],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    });
    expect(messageOf(answer)['content']).toBe('{"city":"Oslo"}');
  });
});

describe('a stream', () => {
  const shape = (text: string): readonly unknown[] => {
    const frames = text.split('\n\n');
    expect(frames.pop()).toBe('');
    return frames.map((frame) => {
      expect(frame.startsWith('data: ')).toBe(true);
      const chunk = parseJson(frame.slice('data: '.length));
      if (!isObject(chunk)) return frame;
      const [choice] = objectsOf(chunk['choices']);
      return choice === undefined
        ? { usage: 'counts' }
        : { delta: choice['delta'], finish: choice['finish_reason'] };
    });
  };

  test('of words is the role, the words, the finish and [DONE], in this order', async () => {
    const { text, headers } = await ask(upstream, { model: 'm', messages: [user('hello')], stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(shape(text)).toEqual([
      { delta: { role: 'assistant', content: '', refusal: null }, finish: null },
      ...['Hello', ', how', ' are ', 'you?'].map((content) => ({ delta: { content }, finish: null })),
      { delta: {}, finish: 'stop' },
      'data: [DONE]',
    ]);
    expect(text).not.toContain('usage');
  });

  test('of calls opens each with its name before its arguments, and brings the usage asked for', async () => {
    const request = {
      ...rain,
      messages: [user(both)],
      stream: true,
      stream_options: { include_usage: true },
    };
    const { text } = await ask(upstream, request);
    const opened = (index: number, name: string): object => ({
      delta: {
        tool_calls: [{ index, id: like(/^call_/), type: 'function', function: { name, arguments: '' } }],
      },
      finish: null,
    });
    const piece = (index: number, args: string): object => ({
      delta: { tool_calls: [{ index, function: { arguments: args } }] },
      finish: null,
    });
    const sequence = shape(text);
    expect(sequence.slice(0, 4)).toEqual([
      { delta: { role: 'assistant', content: null, refusal: null }, finish: null },
      opened(0, 'get_weather'),
      piece(0, '{"location":'),
      piece(0, '"Oslo"}'),
    ]);
    expect(sequence[4]).toEqual(opened(1, 'send_email'));
    expect(sequence.slice(-3)).toEqual([
      { delta: {}, finish: 'tool_calls' },
      { usage: 'counts' },
      'data: [DONE]',
    ]);
    const chunks = eventsOf(text);
    expect(new Set(chunks.map((chunk) => chunk['id'])).size).toBe(1);
    expect(chunks.slice(0, -1).every((chunk) => chunk['usage'] === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens_details: {} } });
  });

  test('of several choices marks each with its index', async () => {
    const { text } = await ask(upstream, { ...rain, n: 2, stream: true });
    const finishes = eventsOf(text)
      .flatMap((chunk) => objectsOf(chunk['choices']))
      .filter((choice) => choice['finish_reason'] !== null);
    expect(finishes.map((choice) => choice['index'])).toEqual([0, 1]);
  });

  test('cuts no character in two', async () => {
    const { text } = await ask(upstream, { model: 'm', stream: true, messages: [user('😀北京'.repeat(40))] });
    expect(text).not.toMatch(/\\ud[89a-f]/i);
    expect(saidIn(text, 'content')).toContain('😀北京'.repeat(40));
  });
});

test('the official client reads a JSON answer and a stream of the same request alike', async () => {
  const client = new OpenAI({ baseURL: upstream.url, apiKey: 'sk-test' });
  const parameters = { type: 'object', properties: { location: { type: 'string' } } };
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: both }],
    tools: [
      { type: 'function' as const, function: { name: 'get_weather', description: 'Weather.', parameters } },
      {
        type: 'function' as const,
        function: { name: 'send_email', description: 'Sends an email.', parameters },
      },
    ],
  };
  const whole = await client.chat.completions.create(request);
  const options = { stream_options: { include_usage: true } };
  const streamed = await client.chat.completions.stream({ ...request, ...options }).finalChatCompletion();
  const callsIn = (message: OpenAI.ChatCompletionMessage | undefined): unknown =>
    message?.tool_calls?.map((each) =>
      each.type === 'function' ? [each.function.name, each.function.arguments] : each,
    );
  expect(callsIn(whole.choices[0]?.message)).toEqual([
    ['get_weather', holding('Oslo')],
    ['send_email', some(String)],
  ]);
  expect(callsIn(streamed.choices[0]?.message)).toEqual(callsIn(whole.choices[0]?.message));
  expect(streamed.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
});

describe('what the caller demands', () => {
  const named = (name: string): object => ({ type: 'function', function: { name } });
  const allowed = (mode: string): object => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [named('send_email')] },
  });

  test.each([
    ['none', 'none', 'Will it rain in Oslo?', []],
    ['required', 'required', 'hello', ['get_weather']],
    ['a named function', named('send_email'), 'Will it rain in Oslo?', ['send_email']],
    ['allowed tools', allowed('required'), 'Will it rain in Oslo?', ['send_email']],
    ['allowed tools that do not fit', allowed('auto'), 'Will it rain in Oslo?', []],
    ['auto with two wishes', 'auto', both, ['get_weather', 'send_email']],
  ])('tool_choice %s', async (_, choice, question, names) => {
    const answer = await ask(upstream, { ...rain, messages: [user(question)], tool_choice: choice });
    expect(namesOf(answer)).toEqual(names);
  });

  test('without parallel calls two wishes are called one after the other, then answered', async () => {
    const request = { ...rain, parallel_tool_calls: false };
    const messages: unknown[] = [user(both)];
    for (const name of ['get_weather', 'send_email']) {
      const answer = await ask(upstream, { ...request, messages });
      expect(namesOf(answer)).toEqual([name]);
      const id = objectsOf(messageOf(answer)['tool_calls'])[0]?.['id'];
      messages.push(messageOf(answer), { role: 'tool', tool_call_id: id, content: `${name}: done` });
    }
    const last = messageOf(await ask(upstream, { ...request, messages }));
    expect(last['content']).toContain('get_weather: done send_email: done');
  });

  test('custom tools get text, in JSON and in a stream', async () => {
    const request = {
      model: 'm',
      messages: [user('patch the file')],
      tools: [{ type: 'custom', custom: { name: 'patch' } }],
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
    };
    expect(messageOf(await ask(upstream, request))['tool_calls']).toEqual([
      { id: some(String), type: 'custom', custom: { name: 'patch', input: 'patch the file' } },
    ]);
    const pieces = deltasOf((await ask(upstream, { ...request, stream: true })).text).flatMap((delta) =>
      objectsOf(delta['tool_calls']).map((piece) => piece['custom']),
    );
    expect(pieces).toEqual([{ name: 'patch', input: '' }, { input: 'patch the fi' }, { input: 'le' }]);
  });

  test('functions of old are called in function_call', async () => {
    const functions = [nested(weather)['function']];
    const request = { model: 'm', messages: rain.messages, functions };
    const answer = await ask(upstream, request);
    expect(choicesOf(answer)[0]).toMatchObject({
      message: { function_call: { name: 'get_weather' } },
      finish_reason: 'function_call',
    });
    const result = { role: 'function', name: 'get_weather', content: 'drizzle' };
    const after = await ask(upstream, {
      ...request,
      messages: [...rain.messages, messageOf(answer), result],
    });
    expect(messageOf(after)['content']).toContain('drizzle');
  });

  test('parts, images and the developer role are read', async () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ];
    const messages = [{ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }, user(parts)];
    expect(messageOf(await ask(upstream, { model: 'm', messages }))['content']).toContain('an image');
  });
});

describe('usage', () => {
  const usageOf = async (body: object): Promise<JsonObject> => {
    const usage = (await ask(upstream, body)).body['usage'];
    return isObject(usage) ? usage : {};
  };

  test('a repeated prompt is cached but for its end, other tools start anew', async () => {
    const cached = async (body: object): Promise<number> => {
      const details = (await usageOf(body))['prompt_tokens_details'];
      return Number(isObject(details) ? details['cached_tokens'] : NaN);
    };
    const many = tools.map((each) => nested({ ...each }));
    const request = { ...rain, tools: many };
    const total = Number((await usageOf(request))['prompt_tokens']);
    expect(total - (await cached(request))).toBeLessThan(128 + 16);
    expect(await cached({ ...request, tools: [...many].reverse() })).toBe(0);
  });

  test('reasoning counts as output, more of it with more effort', async () => {
    const low = await usageOf({ ...rain, reasoning_effort: 'low' });
    const high = await usageOf({ ...rain, reasoning_effort: 'high' });
    expect(low['completion_tokens_details']).not.toMatchObject({ reasoning_tokens: 0 });
    expect(Number(high['completion_tokens'])).toBeGreaterThan(Number(low['completion_tokens']));
    expect((await usageOf(rain))['completion_tokens_details']).toMatchObject({ reasoning_tokens: 0 });
  });
});

test('responses are served as before', async () => {
  expect(
    callsOf(await ask(upstream, { model: 'm', input: 'Will it rain in Oslo?', tools: [weather] })),
  ).toEqual(['get_weather']);
});
