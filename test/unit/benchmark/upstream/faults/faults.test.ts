/** Every fault mode does what it says, on the wire. */
import { connect } from 'node:net';
import { faultModes } from '../../../../../benchmark/upstream/faults/parse-faults.ts';
import { menuOf } from '../../../../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import type { JsonObject } from '../../../../../benchmark/upstream/json-value.ts';
import { isObject, objectsOf } from '../../../../../benchmark/upstream/json-value.ts';
import {
  argumentsOf,
  ask,
  callsOf,
  chatCallsOf,
  deltasOf,
  errorOf,
  eventsOf,
  messageOf,
  nested,
  outputOf,
  saidIn,
  tool,
} from '../ask.ts';
import type { Answer } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const clock = tool('get_clock', 'Time of day.', 'zone');
const turn = { model: 'm', input: 'Will it rain in Oslo?', tools: [weather] };
const menu = {
  ...turn,
  tools: [menuOf([weather, { name: 'send_email' }].map((entry) => ({ name: String(entry.name) }))), clock],
};
const stream = { ...turn, stream: true };

const skill = tool('Skill', 'Loads a skill.\n- haiku: Writes poems.', 'command');
const chat = {
  model: 'm',
  messages: [{ role: 'user', content: turn.input }],
  tools: [nested(weather), nested(clock)],
};
const chatStream = { ...chat, stream: true };
const finishOf = (chunk: JsonObject | undefined): unknown =>
  objectsOf(chunk?.['choices'])[0]?.['finish_reason'];
const callPiecesOf = (chunks: readonly JsonObject[]): readonly JsonObject[] =>
  chunks
    .flatMap((chunk) => objectsOf(chunk['choices']))
    .flatMap(({ delta }) => objectsOf(isObject(delta) ? delta['tool_calls'] : undefined));

const dataOf = (text: string): readonly string[] => text.match(/^data: .*$/gm) ?? [];
const typesOf = (events: readonly JsonObject[]): readonly unknown[] => events.map((event) => event['type']);
const named =
  (...names: readonly string[]) =>
  (answer: Answer): void => {
    expect(callsOf(answer)).toEqual(names);
  };
const picks =
  (...names: readonly (readonly string[])[]) =>
  (answer: Answer): void => {
    const calls = outputOf(answer).filter((item) => item['name'] === 'call_tool');
    expect(calls.map((item) => argumentsOf(item)['names'])).toEqual(names);
  };
const indexes = (events: readonly JsonObject[], type: string): readonly unknown[] =>
  events
    .filter((event) => event['type'] === `response.output_item.${type}`)
    .map((event) => event['output_index']);

type Look = (answer: Answer, events: readonly JsonObject[]) => void;

/** What each mode leaves behind. */
const effects: readonly (readonly [keyof typeof faultModes, string, object, Look])[] = [
  [
    'rate_limit',
    ';retry_after=7',
    turn,
    (answer) => {
      expect([answer.status, answer.headers.get('retry-after'), errorOf(answer)['code']]).toEqual([
        429,
        '7',
        'rate_limit_exceeded',
      ]);
    },
  ],
  [
    'server_error',
    ';status=503',
    turn,
    (answer) => {
      expect([answer.status, errorOf(answer)['type']]).toEqual([503, 'server_error']);
    },
  ],
  [
    'malformed_json',
    '',
    turn,
    (answer) => {
      expect([answer.status, answer.body]).toEqual([200, {}]);
    },
  ],
  [
    'malformed_json',
    ';event=3',
    stream,
    (answer, events) => {
      expect(events.length).toBe(dataOf(answer.text).length - 1);
    },
  ],
  [
    'gzip',
    '',
    turn,
    (answer) => {
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      named('get_weather')(answer);
    },
  ],
  [
    'gzip',
    ';encoding=br',
    stream,
    (answer, events) => {
      expect(answer.headers.get('content-encoding')).toBe('br');
      expect(typesOf(events).at(-1)).toBe('response.completed');
    },
  ],
  [
    'no_usage',
    '',
    turn,
    (answer) => {
      expect(answer.body['usage']).toBeNull();
    },
  ],
  ['wrong_picks', '', menu, picks(['no_such_tool'])],
  ['wrong_picks', ';names=a|b', menu, picks(['a', 'b'])],
  [
    'bad_arguments',
    '',
    turn,
    (answer) => {
      expect(() => {
        JSON.parse(String(outputOf(answer)[0]?.['arguments']));
      }).toThrow();
    },
  ],
  ['unseen_call', '', menu, named('get_weather')],
  ['unknown_call', '', turn, named('tool_nobody_offered')],
  [
    'unknown_call',
    ';name=x;arguments=%7B%22a%22%3A1%7D',
    turn,
    (answer) => {
      expect(argumentsOf(outputOf(answer)[0])).toEqual({ a: 1 });
    },
  ],
  ['mixed_calls', '', menu, named('call_tool', 'get_clock')],
  ['mixed_calls', ';first=yes', menu, named('get_clock', 'call_tool')],
  [
    'text_first',
    ';text=Hm',
    menu,
    (answer) => {
      expect(outputOf(answer)[0]).toMatchObject({ type: 'message', content: [{ text: 'Hm' }] });
      named('call_tool')(answer);
    },
  ],
  ['two_picks', '', menu, picks(['get_weather'], ['send_email'])],
  [
    'interleave',
    '',
    { ...stream, reasoning: { summary: 'auto' } },
    (_, events) => {
      expect(indexes(events, 'added')).toEqual([0, 1]);
      expect(indexes(events, 'done')).toEqual([1, 0]);
      expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_event, at) => at));
    },
  ],
  [
    'no_event_lines',
    '',
    stream,
    (answer, events) => {
      expect(answer.text).not.toContain('event: ');
      expect(typesOf(events).at(-1)).toBe('response.completed');
    },
  ],
  [
    'crlf',
    '',
    stream,
    (answer) => {
      expect(answer.text.replaceAll('\r\n', '')).not.toContain('\n');
    },
  ],
  [
    'keepalive',
    '',
    stream,
    (answer, events) => {
      expect(answer.text).toContain(': keepalive\n\n');
      expect(typesOf(events)).toContain('keepalive');
    },
  ],
  [
    'no_index',
    '',
    stream,
    (_, events) => {
      expect(events.some((event) => 'output_index' in event)).toBe(false);
    },
  ],
  [
    'no_sequence',
    '',
    stream,
    (_, events) => {
      expect(events.some((event) => 'sequence_number' in event)).toBe(false);
    },
  ],
  [
    'rotate_ids',
    '',
    stream,
    (_, events) => {
      const ids = events
        .flatMap((event) => (isObject(event['item']) ? [event['item']['id']] : [event['item_id']]))
        .filter((id) => id !== undefined);
      expect(new Set(ids).size).toBe(ids.length);
    },
  ],
  [
    'unknown_events',
    '',
    stream,
    (_, events) => {
      expect(typesOf(events)).toContain('response.stand_in.note');
    },
  ],
  [
    'no_terminal',
    '',
    stream,
    (_, events) => {
      expect(typesOf(events).at(-1)).toBe('response.output_item.done');
    },
  ],
  [
    'error_event',
    ';event=3',
    stream,
    (_, events) => {
      expect(typesOf(events).slice(3)).toEqual(['error', 'response.failed']);
    },
  ],
  [
    'done_marker',
    '',
    stream,
    (answer) => {
      expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
    },
  ],
  [
    'big_stream',
    ';mb=2',
    stream,
    (answer) => {
      expect(answer.text.length).toBeGreaterThan(2_000_000);
    },
  ],
  [
    'object_arguments',
    '',
    turn,
    (answer) => {
      expect(outputOf(answer)[0]?.['arguments']).toEqual({ location: 'Oslo' });
    },
  ],
  [
    'object_arguments',
    '',
    stream,
    (_, events) => {
      const done = events.find((event) => event['type'] === 'response.output_item.done');
      expect(objectsOf([done?.['item']])[0]?.['arguments']).toEqual({ location: 'Oslo' });
    },
  ],
  [
    'against_schema',
    '',
    turn,
    (answer) => {
      expect(argumentsOf(outputOf(answer)[0])).toEqual({ location: 12_345 });
    },
  ],
  [
    'cut_call',
    '',
    turn,
    (answer) => {
      expect(answer.body['status']).toBe('incomplete');
      expect(outputOf(answer)[0]).toMatchObject({ status: 'incomplete', arguments: '{"location' });
    },
  ],
  [
    'cut_call',
    '',
    chat,
    (answer) => {
      expect(objectsOf(answer.body['choices'])[0]).toMatchObject({ finish_reason: 'length' });
      expect(chatCallsOf(answer)).toEqual([{ name: 'get_weather', arguments: '{"location' }]);
    },
  ],
  [
    'wrong_skill',
    '',
    { ...turn, tools: [weather, skill] },
    (answer) => {
      expect(outputOf(answer)).toMatchObject([
        { name: 'get_weather' },
        { name: 'Skill', arguments: '{"command":"no_such_skill"}' },
      ]);
    },
  ],
  [
    'think_block',
    '',
    chat,
    (answer) => {
      expect(messageOf(answer)['content']).toMatch(/^<think>.*<tool_call>.*<\/think>\n$/);
      expect(chatCallsOf(answer)).toHaveLength(1);
    },
  ],
  [
    'malformed_call',
    ';slip=half',
    { model: 'text-7b', instructions: `<tool_call> ${JSON.stringify(weather)}`, input: turn.input },
    (answer) => {
      expect(answer.text).toContain('"argu</tool_call>'.replaceAll('"', String.raw`\"`));
    },
  ],
  [
    'no_done',
    '',
    chatStream,
    (answer, chunks) => {
      expect(answer.text).not.toContain('[DONE]');
      expect(finishOf(chunks.at(-1))).toBe('tool_calls');
    },
  ],
  [
    'usage_repeated',
    '',
    chatStream,
    (_, chunks) => {
      expect(chunks.every((chunk) => isObject(chunk['usage']))).toBe(true);
    },
  ],
  [
    'whole_calls',
    '',
    {
      ...chatStream,
      messages: [{ role: 'user', content: 'What is the weather in Oslo and show the clock of the zone' }],
    },
    (_, chunks) => {
      const calls = callPiecesOf(chunks);
      expect(calls).toMatchObject([
        { index: 0, function: { arguments: '{"location":"Oslo"}' } },
        { index: 1 },
      ]);
    },
  ],
  [
    'reasoning_content',
    '',
    chat,
    (answer) => {
      expect(messageOf(answer)['reasoning_content']).toContain('get_weather');
    },
  ],
  [
    'reasoning_content',
    '',
    chatStream,
    (answer) => {
      const [role, ...rest] = deltasOf(answer.text);
      expect(role).toMatchObject({ role: 'assistant' });
      expect(rest[0]).toHaveProperty('reasoning_content');
      expect(saidIn(answer.text, 'reasoning_content')).toContain('get_weather');
    },
  ],
  [
    'cut',
    ';event=3;end=eof',
    stream,
    (answer, events) => {
      expect(events).toHaveLength(3);
      expect(answer.text.endsWith('\n\n')).toBe(false);
    },
  ],
];

test.each(effects)('%s%s', async (mode, values, body, look) => {
  const answer = await ask(upstream, body, `${mode}${values}`);
  look(answer, eventsOf(answer.text));
});

/** Modes that end the socket: whether the answer had begun when it ended. */
const broken: readonly (readonly [keyof typeof faultModes, string, object, boolean])[] = [
  ['reset', '', turn, false],
  ['reset', ';at=event;event=3', stream, true],
  ['cut', '', turn, true],
  ['cut', ';event=3', stream, true],
];

test.each(broken)('%s%s ends the connection before the answer does', async (mode, values, body, begun) => {
  const text = JSON.stringify(body);
  const head = `POST /v1/responses HTTP/1.1\r\nhost: a\r\nx-stand-in-fault: ${mode}${values}\r\ncontent-length: ${String(text.length)}\r\n\r\n`;
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
  expect(received).not.toMatch(/"status":"completed".*\}$|\r\n0\r\n\r\n$/);
});

test('every mode has an effect that is looked at', () => {
  const looked = new Set([...effects, ...broken, ...waiting].map(([mode]) => mode));
  expect([...looked].sort()).toEqual(Object.keys(faultModes).sort());
});

test('a fault strikes its hop only, and the next request is well again', async () => {
  named('get_weather')(await ask(upstream, turn, 'server_error;hop=1'));
  expect((await ask(upstream, menu, 'server_error;hop=1')).status).toBe(500);
  named('call_tool')(await ask(upstream, menu));
});

test('faults can be set for all requests and taken back', async () => {
  upstream.setFault('server_error');
  expect((await ask(upstream, turn)).status).toBe(500);
  upstream.setFault(undefined);
  expect((await ask(upstream, turn)).status).toBe(200);
});

/** Modes that make the caller wait: whether the answer has begun meanwhile. */
const waiting = [
  ['delay', 0],
  ['slow_events', 200],
] as const;

test.each(waiting)('during %s a caller can go away, which is noted', async (mode, status) => {
  const gone = new AbortController();
  const earlier = upstream.requests.length;
  const answer = fetch(`${upstream.url}/responses`, {
    method: 'POST',
    body: JSON.stringify(stream),
    headers: { 'x-stand-in-fault': `${mode};ms=60000` },
    signal: gone.signal,
  }).then((response) => response.text());
  await until(
    () => upstream.requests[earlier]?.hop !== undefined && upstream.requests[earlier].status === status,
  );
  gone.abort();
  await expect(answer).rejects.toThrow(/abort/);
  await until(() => upstream.requests[earlier]?.outcome === 'aborted');
  expect(upstream.requests[earlier]?.status).toBe(status);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
