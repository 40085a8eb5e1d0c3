/** Models without tools of their own, over both protocols. */
import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import { objectsOf } from '../../../../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../../../../benchmark/upstream/json-value.ts';
import { menuOf } from '../../../../../benchmark/scenarios/index.ts';
import { ask, deltasOf, errorOf, eventsOf, messageOf, nested, outputOf, tool } from '../ask.ts';
import type { Answer } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

type Said = readonly [role: string, text: string];
/** A conversation and what is sent with it, in no protocol yet. */
interface Talk {
  readonly model?: string;
  readonly said: readonly Said[];
  readonly tools?: readonly JsonObject[];
  readonly rest?: object;
}

/** Both protocols: how a talk is sent, and where its words come back. */
const protocols = [
  [
    'chat',
    ({ model = 'text-7b', said, tools, rest }: Talk) => ({
      model,
      messages: said.map(([role, content]) => ({ role, content })),
      ...(tools === undefined ? {} : { tools: tools.map(nested) }),
      ...rest,
    }),
    (answer: Answer) => String(messageOf(answer)['content']),
  ],
  [
    'responses',
    ({ model = 'text-7b', said, tools, rest }: Talk) => ({
      model,
      input: said.map(([role, content]) => ({ role, content })),
      ...(tools === undefined ? {} : { tools }),
      ...rest,
    }),
    (answer: Answer) => String(objectsOf(outputOf(answer).at(-1)?.['content'])[0]?.['text']),
  ],
] as const;

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const described = ({ name, description, parameters }: JsonObject): string =>
  JSON.stringify({ name, description, parameters });
const told = (...tools: readonly JsonObject[]): string =>
  [
    'You can call these tools. To call one, write <tool_call>{"name": …, "arguments": {…}}</tool_call>.',
    ...tools.map(described),
  ].join('\n');
const rain: Said = ['user', 'Will it rain in Oslo?'];
const call = '<tool_call>{"name":"get_weather","arguments":{"location":"Oslo"}}</tool_call>';
const systems: readonly Said[] = [
  ['system', 'Be kind.'],
  ['system', told(weather, mail)],
];

describe.each(protocols)('in %s', (_, encode, wordsOf) => {
  const say = async (talk: Talk, fault?: string): Promise<string> =>
    wordsOf(await ask(upstream, encode(talk), fault));

  test('tools that are sent are ignored without a word', async () => {
    expect(await say({ said: [rain], tools: [weather] })).toMatch(/^You asked: Will it rain/);
  });

  test('tools that are described are called in words', async () => {
    expect(await say({ said: [...systems, rain] })).toBe(`I will use a tool for that.\n${call}`);
  });

  test('descriptions in the form of the API, among other braces, are read', async () => {
    const api = JSON.stringify({ tools: [{ type: 'function', function: { ...weather, type: undefined } }] });
    const text = `Write <tool_call>{"name": NAME}</tool_call>. Of { these } "}": ${api}`;
    expect(await say({ said: [['developer', text], rain] })).toContain(call);
  });

  test('a description without a word of tags is no offer', async () => {
    expect(await say({ said: [['system', described(weather)], rain] })).toMatch(/^You asked/);
  });

  test('a model of fenced JSON writes that, whatever it is told', async () => {
    const fenced = '```json\n{"name":"get_weather","arguments":{"location":"Oslo"}}\n```';
    expect(await say({ model: 'text-json-7b', said: [...systems, rain] })).toContain(fenced);
  });

  test('two wishes are two calls, one where no more is allowed', async () => {
    const both: Said = ['user', 'What is the weather in Oslo and send an email to bob@example.com'];
    expect((await say({ said: [...systems, both] })).match(/<tool_call>/g)).toHaveLength(2);
    for (const words of ['Answer with at most one tool call.', 'Call one tool at most in an answer.']) {
      const one: Said = ['system', `${told(weather, mail)}\n${words}`];
      expect((await say({ said: [one, both] })).match(/<tool_call>/g)).toHaveLength(1);
    }
  });

  test('a demand in words is met', async () => {
    const must = (words: string): readonly Said[] => [
      ['system', `${told(weather, mail)}\n${words}`],
      ['user', 'hello'],
    ];
    expect(await say({ said: must('You must call the tool `send_email`.') })).toContain(
      '"name":"send_email"',
    );
    expect(await say({ said: must('You must call one of the tools.') })).toContain('<tool_call>');
    expect(await say({ said: must('') })).not.toContain('<tool_call>');
  });

  test('a menu is picked from, and its answer is no result', async () => {
    const menu = { ...menuOf([{ name: 'get_weather' }, { name: 'send_email' }]) };
    const system: Said = ['system', told(menu)];
    const pick = '<tool_call>{"name":"call_tool","arguments":{"names":["get_weather"]}}</tool_call>';
    expect(await say({ said: [system, rain] })).toContain(pick);
    const shown: Said = ['user', '<tool_response name="call_tool">Shown below.</tool_response>'];
    expect(
      await say({ said: [['system', told(menu, weather)], rain, ['assistant', pick], shown] }),
    ).toContain(call);
  });

  test('results in what the user says are answered in words that hold them', async () => {
    const results: Said = ['user', '<tool_response name="get_weather">\n12 degrees\n</tool_response>'];
    const said = [...systems, rain, ['assistant', call], results] as const;
    expect(await say({ said })).toBe('Here is what I found: 12 degrees');
    const more: Said = ['user', `${results[1]}\nSend an email to bob@example.com`];
    expect(await say({ said: [...said.slice(0, -1), more] })).toContain('"name":"send_email"');
  });

  test.each([
    ['an unknown name', '{"name":"get_wether","arguments":{}}', 'There is no tool get_wether. Try again.'],
    ['arguments against the schema', '{"name":"get_weather","arguments":{}}', 'The arguments are invalid.'],
    ['broken JSON', '{"name":"get_weather","arguments":', 'This is not valid JSON.'],
  ])(
    'a call sent back for %s is made once more, and its fault strikes once',
    async (_case, bad, complaint) => {
      const wrong: Said = ['assistant', `<tool_call>${bad}</tool_call>`];
      const said = [...systems, rain, wrong, ['user', complaint]] as const;
      expect(await say({ said })).toContain(call);
      expect(await say({ said }, 'unknown_call;attempt=1')).toContain(call);
      expect(await say({ said }, 'unknown_call;attempt=2')).toContain('tool_nobody_offered');
      expect(await say({ said: [...systems, rain] }, 'unknown_call;attempt=1')).toContain(
        'tool_nobody_offered',
      );
    },
  );

  test('a call sent back is not taken as made where calls come one by one', async () => {
    const one: Said = ['system', `${told(weather, mail)}\nCall one tool at most in an answer.`];
    const both: Said = ['user', 'What is the weather in Oslo and send an email to bob@example.com'];
    const sunny: Said = ['user', '<tool_response>sunny</tool_response>'];
    const wrong: Said = ['assistant', '<tool_call>{"name":"send_email","arguments":{}}</tool_call>'];
    const complaint: Said = ['user', '<tool_response>The arguments are invalid.</tool_response>'];
    const said = [one, both, ['assistant', call], sunny, wrong, complaint] as const;
    expect(await say({ said })).toContain('"name":"send_email"');
  });

  test.each([
    ['two users in a row', [rain, rain]],
    ['two assistants in a row', [rain, ['assistant', 'a'], ['assistant', 'b'], rain]],
  ] as const)('%s are refused', async (_case, said) => {
    const answer = await ask(upstream, encode({ said }));
    expect([answer.status, errorOf(answer)['message']]).toEqual([
      400,
      expect.stringContaining('must alternate'),
    ]);
    expect((await ask(upstream, encode({ model: 'gpt', said }))).status).toBe(200);
  });

  test('a strict one takes one system message, at the beginning, and a user first', async () => {
    const status = async (model: string, ...said: readonly Said[]): Promise<number> =>
      (await ask(upstream, encode({ model, said }))).status;
    expect(await status('text-7b', ...systems, rain)).toBe(200);
    expect(await status('text-strict-7b', ...systems, rain)).toBe(400);
    expect(await status('text-strict-7b', ...systems.slice(1), rain)).toBe(200);
    expect(await status('text-json-strict-7b', rain, ...systems.slice(1))).toBe(400);
    expect(await status('text-strict-7b', ['assistant', 'hi'], rain)).toBe(400);
  });

  test('a call is streamed in small pieces that make the same words', async () => {
    const talk = { said: [...systems, rain] };
    const { text } = await ask(upstream, encode({ ...talk, rest: { stream: true } }));
    const pieces = [
      ...deltasOf(text).map((delta) => delta['content']),
      ...eventsOf(text)
        .filter((event) => event['type'] === 'response.output_text.delta')
        .map((event) => event['delta']),
    ].filter((piece) => typeof piece === 'string');
    expect(pieces.join('')).toBe(await say(talk));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan('<tool_call>'.length / 2);
  });

  test.each([
    ['unknown_call;name=nope', '<tool_call>{"name":"nope","arguments":{}}</tool_call>'],
    ['against_schema', '<tool_call>{"name":"get_weather","arguments":{"location":12345}}</tool_call>'],
    ['malformed_call', '"arguments":{"location":"Oslo"},}</tool_call>'],
    ['malformed_call;slip=raw_newline', '{"location":"Oslo\n"}}</tool_call>'],
    [
      'malformed_call;slip=python',
      "<tool_call>{'name':'get_weather','arguments':{'location':'Oslo'}}</tool_call>",
    ],
    ['malformed_call;slip=quotes', '"arguments":{"location":"the "real" Oslo"}}</tool_call>'],
    ['malformed_call;slip=half', '<tool_call>{"name":"get_weather","argu</tool_call>'],
    ['bad_arguments', '"arguments":{"location":"Oslo}</tool_call>'],
    ['think_block', '<think>I could write <tool_call>{"name":"decoy","arguments":{}}</tool_call> here'],
  ])('%s', async (fault, words) => {
    expect(await say({ said: [...systems, rain] }, fault)).toContain(words);
  });

  test('cut_call breaks off inside the call and says so', async () => {
    const answer = await ask(upstream, encode({ said: [...systems, rain] }), 'cut_call');
    expect(wordsOf(answer)).toMatch(/<tool_call>\{"name":"get_weather","arguments":\{"location$/);
    expect(answer.text).toMatch(/"finish_reason":"length"|"status":"incomplete"/);
  });
});

test('calls, and results in a role of their own, are refused', async () => {
  const calls = [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }];
  const user = { role: 'user', content: 'hi' };
  const result = { role: 'tool', tool_call_id: 'c', content: 'a' };
  const chat = [user, { role: 'assistant', content: 'x', tool_calls: calls }, result];
  expect((await ask(upstream, { model: 'text-7b', messages: chat })).status).toBe(400);
  expect((await ask(upstream, { model: 'm', messages: chat })).status).toBe(200);
  const input = [
    user,
    { type: 'function_call', call_id: 'c', name: 'get_weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'a' },
  ];
  expect((await ask(upstream, { model: 'text-7b', input })).status).toBe(400);
  expect((await ask(upstream, { model: 'm', input })).status).toBe(200);
});

test('instructions are a system text too', async () => {
  const answer = await ask(upstream, { model: 'text-7b', instructions: told(weather), input: rain[1] });
  expect(answer.text).toContain('<tool_call>');
});

test('an unknown slip is refused, so that a test cannot ask for nothing', async () => {
  const answer = await ask(upstream, { model: 'text-7b', input: 'hi' }, 'malformed_call;slip=nope');
  expect([answer.status, errorOf(answer)['message']]).toEqual([400, expect.stringContaining('Unknown slip')]);
});
