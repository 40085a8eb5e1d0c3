/** The fault modes of responses, asked for on a chat: what comes nearest, on the wire. */
import { connect } from 'node:net';
import { menuOf } from '../../../../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import { isObject, objectsOf, parseJson } from '../../../../../benchmark/upstream/json-value.ts';
import type { JsonObject } from '../../../../../benchmark/upstream/json-value.ts';
import { ask, chatCallsOf, deltasOf, errorOf, eventsOf, messageOf, nested, tool } from '../ask.ts';
import type { Answer } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const clock = tool('get_clock', 'Time of day.', 'zone');
const user = (content: string): object => ({ role: 'user', content });
const turn = {
  model: 'm',
  messages: [user('Will it rain in Oslo?')],
  tools: [nested(weather), nested(mail)],
};
const stream = { ...turn, stream: true };
const both = {
  ...stream,
  messages: [user('What is the weather in Oslo and send an email to bob@example.com')],
};
const menu = {
  ...turn,
  tools: [nested({ ...menuOf([{ name: 'get_weather' }, { name: 'send_email' }]) }), nested(clock)],
};

const last = (answer: Answer): string => answer.text.trimEnd().split('\n\n').at(-1) ?? '';
const piecesOf = (text: string): readonly JsonObject[] =>
  deltasOf(text).flatMap((delta) => objectsOf(delta['tool_calls']));
const finishesOf = (chunks: readonly JsonObject[]): readonly unknown[] =>
  chunks
    .flatMap((chunk) => objectsOf(chunk['choices']))
    .map((choice) => choice['finish_reason'])
    .filter((reason) => reason !== null);
const calling =
  (...names: readonly string[]) =>
  (answer: Answer): void => {
    expect(chatCallsOf(answer).map((call) => call['name'])).toEqual(names);
  };
const picking =
  (...names: readonly (readonly string[])[]) =>
  (answer: Answer): void => {
    const picks = chatCallsOf(answer).filter((call) => call['name'] === 'call_tool');
    expect(picks.map((call) => parseJson(String(call['arguments'])))).toEqual(
      names.map((each) => ({ names: each })),
    );
  };

const effects: readonly (readonly [
  string,
  object,
  (answer: Answer, chunks: readonly JsonObject[]) => void,
])[] = [
  [
    'rate_limit;retry_after=7',
    stream,
    (answer) => {
      expect([answer.status, answer.headers.get('retry-after'), errorOf(answer)['code']]).toEqual([
        429,
        '7',
        'rate_limit_exceeded',
      ]);
    },
  ],
  [
    'server_error;status=503',
    turn,
    (answer) => {
      expect([answer.status, errorOf(answer)['type']]).toEqual([503, 'server_error']);
    },
  ],
  [
    'malformed_json',
    turn,
    (answer) => {
      expect([answer.status, answer.body]).toEqual([200, {}]);
    },
  ],
  [
    'malformed_json;event=2',
    stream,
    (answer) => {
      const broken = answer.text
        .split('\n\n')
        .filter((frame) => frame.startsWith('data: {') && !frame.endsWith('}'));
      expect(broken).toHaveLength(1);
      expect(last(answer)).toBe('data: [DONE]');
    },
  ],
  [
    'gzip',
    stream,
    (answer) => {
      expect([answer.headers.get('content-encoding'), last(answer)]).toEqual(['gzip', 'data: [DONE]']);
    },
  ],
  [
    'no_usage',
    turn,
    (answer) => {
      expect(answer.body).not.toHaveProperty('usage');
    },
  ],
  [
    'no_usage',
    { ...stream, stream_options: { include_usage: true } },
    (answer) => {
      expect(answer.text).not.toContain('usage');
    },
  ],
  ['wrong_picks', menu, picking(['no_such_tool'])],
  ['two_picks', menu, picking(['get_weather'], ['send_email'])],
  ['unseen_call', menu, calling('get_weather')],
  ['mixed_calls;first=yes', menu, calling('get_clock', 'call_tool')],
  ['unknown_call', turn, calling('tool_nobody_offered')],
  [
    'bad_arguments',
    turn,
    (answer) => {
      expect(parseJson(String(chatCallsOf(answer)[0]?.['arguments']))).toBeUndefined();
    },
  ],
  [
    'text_first;text=Hm',
    turn,
    (answer) => {
      expect(messageOf(answer)['content']).toBe('Hm');
      calling('get_weather')(answer);
    },
  ],
  [
    'interleave',
    both,
    (answer) => {
      const indexes = piecesOf(answer.text).map((piece) => piece['index']);
      expect(indexes.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
      const sent = piecesOf(answer.text).map((piece) => piece['function']);
      expect(sent.slice(0, 2)).toMatchObject([{ name: 'get_weather' }, { name: 'send_email' }]);
    },
  ],
  [
    'crlf',
    stream,
    (answer) => {
      expect(answer.text.replaceAll('\r\n', '')).not.toContain('\n');
    },
  ],
  [
    'keepalive',
    stream,
    (answer) => {
      expect(answer.text).toContain(': keepalive\n\n');
      expect(last(answer)).toBe('data: [DONE]');
    },
  ],
  [
    'no_index',
    stream,
    (answer) => {
      expect(piecesOf(answer.text).some((piece) => 'index' in piece)).toBe(false);
    },
  ],
  [
    'rotate_ids',
    stream,
    (_, chunks) => {
      expect(new Set(chunks.map((chunk) => chunk['id'])).size).toBe(chunks.length);
    },
  ],
  [
    'unknown_events',
    stream,
    (_, chunks) => {
      expect(chunks[0]).toMatchObject({ choices: [], stand_in_note: {} });
    },
  ],
  [
    'no_terminal',
    stream,
    (answer, chunks) => {
      expect(finishesOf(chunks)).toEqual([]);
      expect(answer.text).not.toContain('[DONE]');
    },
  ],
  [
    'error_event;event=2',
    stream,
    (answer, chunks) => {
      expect(chunks).toHaveLength(3);
      expect(chunks[2]).toMatchObject({ error: { code: 'server_error' } });
      expect(answer.text).not.toContain('[DONE]');
    },
  ],
  [
    'big_stream;mb=2',
    stream,
    (answer) => {
      expect(answer.text.length).toBeGreaterThan(2_000_000);
    },
  ],
  [
    'object_arguments',
    turn,
    (answer) => {
      expect(chatCallsOf(answer)[0]?.['arguments']).toEqual({ location: 'Oslo' });
    },
  ],
  [
    'object_arguments',
    stream,
    (answer) => {
      expect(piecesOf(answer.text)).toMatchObject([{ function: { arguments: { location: 'Oslo' } } }]);
    },
  ],
  [
    'cut;event=3;end=eof',
    stream,
    (answer, chunks) => {
      expect(chunks).toHaveLength(3);
      expect(answer.text.endsWith('\n\n')).toBe(false);
    },
  ],
];

test.each(effects)('%s', async (fault, body, look) => {
  const answer = await ask(upstream, body, fault);
  look(answer, eventsOf(answer.text));
});

test.each([
  ['reset', turn, false],
  ['reset;at=event;event=3', stream, true],
  ['cut', turn, true],
  ['cut;event=3', stream, true],
] as const)('%s ends the connection before the answer does', async (fault, body, begun) => {
  const text = JSON.stringify(body);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-stand-in-fault: ${fault}\r\ncontent-length: ${String(text.length)}\r\n\r\n`;
  const received = await new Promise<string>((resolve) => {
    const socket = connect(upstream.port, '127.0.0.1');
    let all = '';
    socket.on('data', (data) => (all += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(all);
    });
    socket.write(head + text);
  });
  expect(received.startsWith('HTTP/1.1 200')).toBe(begun);
  expect(received).not.toContain('finish_reason":"tool_calls"');
});

test('a server that wants its thoughts back refuses calls that come without them', async () => {
  const fault = 'reasoning_content;demand=yes';
  const first = await ask(upstream, turn, fault);
  const message = messageOf(first);
  const id = objectsOf(message['tool_calls'])[0]?.['id'];
  const result = { role: 'tool', tool_call_id: id, content: 'dry' };
  const follow = async (assistant: JsonObject): Promise<number> =>
    (await ask(upstream, { ...turn, messages: [...turn.messages, assistant, result] }, fault)).status;
  const { reasoning_content: thought, ...bare } = message;
  expect(typeof thought).toBe('string');
  expect([await follow(message), await follow(bare)]).toEqual([200, 400]);
});

test('a fault of a skill strikes while it is still to be loaded', async () => {
  const skill = tool('Skill', 'Loads a skill.\n- haiku: Writes poems.', 'command');
  const poem = { model: 'm', messages: [user('Write a haiku')], tools: [nested(skill)] };
  const loaded = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'Skill', arguments: '{"command":"haiku"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: 'Loaded.' },
    user('[SKILL_INJECTION:haiku]\nThree lines.\n[/SKILL_INJECTION]\nAnswer from it.'),
  ];
  const second = { ...poem, messages: [...poem.messages, ...loaded] };
  expect((await ask(upstream, poem, 'server_error;hop=1')).status).toBe(500);
  expect((await ask(upstream, second, 'server_error;hop=1')).status).toBe(200);
  expect((await ask(upstream, second, 'server_error;hop=2')).status).toBe(500);
  expect(upstream.requests.slice(-3).map((request) => request.hop)).toEqual([1, 2, 2]);
  const wrong = await ask(upstream, poem, 'wrong_skill;round=1');
  expect(isObject(parseJson(String(chatCallsOf(wrong)[0]?.['arguments'])))).toBe(true);
  expect(wrong.text).toContain('no_such_skill');
});
