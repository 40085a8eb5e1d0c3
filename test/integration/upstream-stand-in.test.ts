/** The stand-in upstream as a client meets it: one server, real requests. */
import OpenAI from 'openai';
import {
  chineseQuestions,
  chineseTools,
  makeTools,
  menuOf,
  questions,
  tools,
} from '../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../benchmark/upstream/index.ts';
import type { Upstream } from '../../benchmark/upstream/index.ts';
import { isObject, objectsOf, stringsOf } from '../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../benchmark/upstream/json-value.ts';
import { argumentsOf, ask, call, callsOf, eventsOf, outputOf, tool } from '../unit/benchmark/upstream/ask.ts';

let upstream: Upstream;

beforeEach(async () => {
  upstream = await startUpstream();
});

afterEach(async () => {
  await upstream.close();
});

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const rain = { model: 'm', input: 'Will it rain in Oslo?', tools: [weather, mail] };

describe('questions over the 37 tools', () => {
  test.each(questions)('$question is answered with $tool', async ({ question, tool: name, says }) => {
    const answer = await ask(upstream, { model: 'm', input: question, tools });
    expect(callsOf(answer)).toEqual([name]);
    expect(argumentsOf(outputOf(answer)[0])).toMatchObject(says);
  });

  test.each(questions)('$question is answered over a menu of names, then among the picked', async (row) => {
    const first = await ask(upstream, { model: 'm', input: row.question, tools: [menuOf(tools)] });
    expect(callsOf(first)).toEqual(['call_tool']);
    const names = stringsOf(argumentsOf(outputOf(first)[0])['names']);
    expect(names).toEqual([row.tool]);
    const picked = tools.filter((entry) => names.includes(entry.name));
    const second = await ask(upstream, { model: 'm', input: row.question, tools: picked });
    expect(callsOf(second)).toEqual([row.tool]);
  });

  test.each(questions)('$question is answered among 200 tools as well', async ({ question, tool: name }) => {
    expect(callsOf(await ask(upstream, { model: 'm', input: question, tools: makeTools(200) }))).toEqual([
      name,
    ]);
  });

  test.each(chineseQuestions)('$question is answered with $tool', async ({ question, tool: name }) => {
    expect(callsOf(await ask(upstream, { model: 'm', input: question, tools: chineseTools }))).toEqual([
      name,
    ]);
  });
});

test('the official client reads a JSON answer and a stream of the same request alike', async () => {
  const client = new OpenAI({ baseURL: upstream.url, apiKey: 'sk-test' });
  const request = {
    model: 'm',
    input: rain.input,
    tools: [
      {
        ...weather,
        type: 'function' as const,
        name: 'get_weather',
        strict: false,
        parameters: { type: 'object', properties: { location: { type: 'string' } } },
      },
    ],
  };
  const whole = await client.responses.create(request);
  const streamed = await client.responses.stream(request).finalResponse();
  const strip = (items: readonly object[]): unknown[] =>
    items.map((item) => ({ ...item, id: '', call_id: '', parsed_arguments: null }));
  expect(strip(streamed.output)).toEqual(strip(whole.output));
  expect(streamed.usage?.output_tokens).toBe(whole.usage?.output_tokens);
});

describe('a stream', () => {
  const order = (events: readonly JsonObject[]): readonly string[] =>
    events.map((event) => String(event['type'])).filter((type, at, all) => type !== all[at - 1]);

  test.each([
    [
      'text',
      { input: 'hello there' },
      [
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
      ],
    ],
    [
      'a call',
      rain,
      [
        'output_item.added',
        'function_call_arguments.delta',
        'function_call_arguments.done',
        'output_item.done',
      ],
    ],
    [
      'a custom call',
      { input: 'patch the file', tools: [{ type: 'custom', name: 'patch' }], tool_choice: 'required' },
      [
        'output_item.added',
        'custom_tool_call_input.delta',
        'custom_tool_call_input.done',
        'output_item.done',
      ],
    ],
    [
      'reasoning before text',
      { input: 'hello', reasoning: { summary: 'auto' } },
      [
        'output_item.added',
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
        'output_item.done',
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
      ],
    ],
  ])('of %s has its events in order, numbered without gaps', async (_, request, inner) => {
    const { text, headers } = await ask(upstream, { model: 'm', stream: true, ...request });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(text);
    const expected = ['created', 'in_progress', ...inner, 'completed'].map((type) => `response.${type}`);
    expect(order(events)).toEqual(expected);
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_event, at) => at));
    expect(text.match(/^event: (.*)$/gm)).toEqual(events.map((event) => `event: ${String(event['type'])}`));
  });

  test('its deltas make the whole, and its last event carries what JSON would have', async () => {
    const events = eventsOf((await ask(upstream, { ...rain, stream: true })).text);
    const deltas = events.filter((event) => event['type'] === 'response.function_call_arguments.delta');
    expect(deltas.length).toBeGreaterThan(1);
    const last = events.at(-1)?.['response'];
    const item = objectsOf(isObject(last) ? last['output'] : undefined)[0];
    expect(deltas.map((event) => event['delta']).join('')).toBe(item?.['arguments']);
    expect(last).toMatchObject({
      status: 'completed',
      tools: [{ name: 'get_weather' }, { name: 'send_email' }],
    });
  });

  test('cuts no character in two', async () => {
    const { text } = await ask(upstream, {
      model: 'm',
      stream: true,
      input: `You are ${'😀北京'.repeat(40)}`,
    });
    expect(text).not.toMatch(/\\ud[89a-f]/i);
    const deltas = eventsOf(text).filter((event) => event['type'] === 'response.output_text.delta');
    expect(deltas.map((event) => event['delta']).join('')).toContain('😀北京'.repeat(40));
  });
});

describe('usage', () => {
  const usageOf = async (body: object): Promise<JsonObject> => {
    const usage = (await ask(upstream, body)).body['usage'];
    return isObject(usage) ? usage : {};
  };

  test('counts input as the counting endpoint does, and adds up', async () => {
    const counted = await call(upstream, 'POST', '/responses/input_tokens', rain);
    const usage = await usageOf(rain);
    expect(usage['input_tokens']).toBe(counted.body['input_tokens']);
    expect(usage['total_tokens']).toBe(Number(usage['input_tokens']) + Number(usage['output_tokens']));
  });

  test('a repeated request is cached but for its end, other tools start anew, tools added later do not', async () => {
    const cached = async (body: object): Promise<number> => {
      const details = (await usageOf(body))['input_tokens_details'];
      return Number(isObject(details) ? details['cached_tokens'] : NaN);
    };
    const request = { model: 'm', input: 'Will it rain in Oslo?', tools };
    const total = Number((await usageOf(request))['input_tokens']);
    expect(total - (await cached(request))).toBeLessThan(128 + 16);
    expect(await cached({ ...request, tools: [...tools].reverse() })).toBe(0);
    const added = { type: 'additional_tools', role: 'developer', tools: [mail] };
    expect(
      await cached({ ...request, input: [{ role: 'user', content: request.input }, added] }),
    ).toBeGreaterThan(5_000);
  });

  test('reasoning counts as output, more of it with more effort', async () => {
    const low = await usageOf({ ...rain, reasoning: { effort: 'low' } });
    const high = await usageOf({ ...rain, reasoning: { effort: 'high' } });
    expect(Number(high['output_tokens'])).toBeGreaterThan(Number(low['output_tokens']));
  });
});

describe('what the caller demands', () => {
  const both = 'What is the weather in Oslo and send an email to bob@example.com';

  test.each([
    ['none', 'none', rain.input, []],
    ['required', 'required', 'hello', ['get_weather']],
    ['a named function', { type: 'function', name: 'send_email' }, rain.input, ['send_email']],
    [
      'allowed tools',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'send_email' }] },
      rain.input,
      ['send_email'],
    ],
    [
      'allowed tools that do not fit',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'send_email' }] },
      rain.input,
      [],
    ],
    ['auto with two wishes', 'auto', both, ['get_weather', 'send_email']],
  ])('tool_choice %s', async (_, choice, input, names) => {
    expect(callsOf(await ask(upstream, { ...rain, input, tool_choice: choice }))).toEqual(names);
  });

  test('without parallel calls two wishes are called one after the other', async () => {
    const request = { ...rain, input: both, parallel_tool_calls: false };
    const first = await ask(upstream, request);
    expect(callsOf(first)).toEqual(['get_weather']);
    const output = {
      type: 'function_call_output',
      call_id: outputOf(first)[0]?.['call_id'],
      output: 'sunny',
    };
    const second = await ask(upstream, {
      ...request,
      input: [{ role: 'user', content: both }, ...outputOf(first), output],
    });
    expect(callsOf(second)).toEqual(['send_email']);
  });

  test('namespaces come back beside the name, custom tools get text, added tools are in sight', async () => {
    const namespaced = [
      { type: 'namespace', name: 'gh', description: '', tools: [tool('lookup', 'Looks up an issue.')] },
    ];
    expect(
      outputOf(await ask(upstream, { model: 'm', input: 'lookup the issue', tools: namespaced }))[0],
    ).toMatchObject({ name: 'lookup', namespace: 'gh' });
    const custom = [{ type: 'custom', name: 'apply_patch_text' }];
    expect(
      outputOf(
        await ask(upstream, { model: 'm', input: 'patch it', tools: custom, tool_choice: 'required' }),
      )[0],
    ).toMatchObject({ type: 'custom_tool_call', input: 'patch it' });
    const added = [
      { type: 'additional_tools', role: 'developer', tools: [weather] },
      { role: 'user', content: rain.input },
    ];
    expect(callsOf(await ask(upstream, { model: 'm', input: added }))).toEqual(['get_weather']);
  });

  test('an answer over max_output_tokens is cut and says so', async () => {
    const answer = await ask(upstream, {
      model: 'm',
      input: 'Tell me about the sea. '.repeat(20),
      max_output_tokens: 16,
    });
    expect(answer.body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(answer.body['usage']).toMatchObject({ output_tokens: 16 });
  });

  test('a text format with a schema is answered in that form', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, sure: { type: 'boolean' } },
      required: ['city', 'sure'],
    };
    const answer = await ask(upstream, {
      model: 'm',
      input: 'I live in Oslo',
      text: { format: { type: 'json_schema', name: 'a', schema } },
    });
    const text = String(objectsOf(outputOf(answer)[0]?.['content'])[0]?.['text']);
    expect(JSON.parse(text)).toEqual({ city: 'Oslo', sure: true });
  });

  test('tool outputs are answered in words that hold them', async () => {
    const first = await ask(upstream, rain);
    const output = {
      type: 'function_call_output',
      call_id: outputOf(first)[0]?.['call_id'],
      output: '12 degrees, drizzle',
    };
    const second = await ask(upstream, { ...rain, previous_response_id: first.body['id'], input: [output] });
    expect(second.text).toContain('12 degrees, drizzle');
    expect(callsOf(second)).toEqual([]);
  });
});

test('every answer carries the headers of the OpenAI API, and every request is noted', async () => {
  const answer = await ask(upstream, rain);
  for (const name of [
    'x-request-id',
    'openai-processing-ms',
    'openai-version',
    'x-ratelimit-remaining-tokens',
  ]) {
    expect(answer.headers.get(name)).toBeTruthy();
  }
  await ask(upstream, { model: 'm', input: 'hi', tools: [menuOf(tools)] });
  expect(upstream.requests).toMatchObject([
    { kind: 'turn', hop: 2, status: 200, bodyText: JSON.stringify(rain), usage: answer.body['usage'] },
    { kind: 'turn', hop: 1 },
  ]);
});

test('the same request has the same answer, whatever came before', async () => {
  const first = await ask(upstream, rain);
  await ask(upstream, { ...rain, input: 'Send an email to bob@example.com' });
  const again = await ask(upstream, rain);
  expect(argumentsOf(outputOf(again)[0])).toEqual(argumentsOf(outputOf(first)[0]));
  expect(again.body['id']).not.toBe(first.body['id']);
});
