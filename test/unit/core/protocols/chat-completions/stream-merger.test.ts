import { chatCall, chatStream, chatTurn, chatUsage } from '../../../../integration/support/chat-wire.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { dataOf, receive } from './chunks.ts';
import { mergeHops } from './merge-hops.ts';

const request = JSON.stringify(chatTurn({ stream: true, stream_options: { include_usage: true } }));
const silent = JSON.stringify(chatTurn({ stream: true }));
const tricky = '北😀e\u0301\n\u2028"\\';
const pick = chatCall('call_tool', { names: ['get_w'] });
const weather = chatCall('get_w', { city: tricky });

function bytes(frames: readonly string[]): Buffer[] {
  return [Buffer.from(frames.join(''))];
}

function merged(first: readonly string[], second: readonly string[] = [], body = request) {
  return mergeHops({ request: body, hops: [bytes(first), bytes(second)] });
}

/** Chunks as other servers write them. */
function raw(...chunks: readonly Json[]): string[] {
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}

function delta(inner: Json, rest: Json = {}): Json {
  return { id: 'c-1', choices: [{ index: 0, delta: inner, finish_reason: null }], ...rest };
}

function finish(reason: string, rest: Json = {}): Json {
  return { id: 'c-1', choices: [{ index: 0, delta: {}, finish_reason: reason }], ...rest };
}

describe('A2: a hidden round leaves no trace', () => {
  const hidden = chatStream({ id: 'chatcmpl-hidden', calls: [pick] });
  const answer = chatStream({ id: 'chatcmpl-2', content: 'Sunny' });

  it('gives the second stream alone, byte for byte but for the sum of the tokens', () => {
    const { text, nexts } = merged(hidden, answer);

    expect(nexts.map(({ kind }) => kind)).toEqual(['hop', 'answer']);
    expect(text).toBe(
      answer.join('').replace(JSON.stringify(chatUsage(100, 10)), JSON.stringify(chatUsage(200, 20))),
    );
  });

  it('has one id, one role, one finish_reason and one [DONE]', () => {
    expect(receive(merged(hidden, answer).text)).toMatchObject({
      content: 'Sunny',
      calls: [],
      ids: ['chatcmpl-2'],
      roles: ['assistant'],
      finishes: ['stop'],
      dones: 1,
    });
  });

  it('gives an app that did not ask for tokens no word of them', () => {
    const { text, requests } = merged(hidden, answer, silent);

    expect(text).not.toContain('usage');
    expect(receive(text)).toMatchObject({ content: 'Sunny', finishes: ['stop'], dones: 1 });
    expect(requests.every((body) => body.endsWith(',"stream_options":{"include_usage":true}}'))).toBe(true);
  });
});

describe('hops that are joined', () => {
  const first = chatStream({ id: 'a', content: 'Let me look. ', calls: [pick] });
  const second = chatStream({ id: 'b', content: 'Here: ', calls: [weather, chatCall('get_w', '{}')] });

  it('are one stream: text of both, calls numbered from 0', () => {
    const { text } = merged(first, second);

    expect(receive(text)).toEqual({
      content: 'Let me look. Here: ',
      reasoning: '',
      calls: [
        { id: 'call_get_w', name: 'get_w', arguments: JSON.stringify({ city: tricky }) },
        { id: 'call_get_w', name: 'get_w', arguments: '{}' },
      ],
      ids: ['a'],
      roles: ['assistant'],
      finishes: ['tool_calls'],
      usages: [chatUsage(200, 20)],
      dones: 1,
      errors: [],
    });
    expect(text).not.toContain('call_tool');
  });

  it('have a call beside the pick first, and say that there are calls', () => {
    const sticky = chatCall('send_mail', { city: 'x' });
    const history = JSON.stringify(
      chatTurn({ stream: true, messages: [{ role: 'assistant', tool_calls: [sticky] }] }),
    );
    const { text } = merged(
      chatStream({ id: 'a', calls: [pick, sticky] }),
      chatStream({ id: 'b', content: 'Done' }),
      history,
    );

    expect(receive(text)).toMatchObject({
      content: 'Done',
      calls: [{ name: 'send_mail' }],
      ids: ['a'],
      roles: ['assistant'],
      finishes: ['tool_calls'],
    });
  });

  it('cut both parts of one chunk where only one may be shown', () => {
    const both = raw(
      delta({ role: 'assistant', content: 'Hm. ', tool_calls: [{ index: 0, ...pick }] }),
      finish('tool_calls'),
    );

    expect(receive(merged(both, chatStream({ content: 'Sunny' })).text)).toMatchObject({
      content: 'Hm. Sunny',
      calls: [],
      ids: ['c-1'],
      roles: ['assistant'],
      finishes: ['stop'],
    });
  });

  it('owe the role that stood beside a hidden call to the first chunk that is given out', () => {
    const late = raw(
      delta({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...pick }] }),
      delta({ tool_calls: [{ index: 1, ...chatCall('call_tool', { names: ['nothing'] }) }] }),
      delta({ refusal: 'No.' }),
      finish('stop'),
    );
    // The pick is hidden, and so is what is said after it.
    expect(receive(merged(late, chatStream({ id: 'b', content: 'x' })).text)).toMatchObject({
      roles: ['assistant'],
      ids: ['b'],
      content: 'x',
    });
  });
});

describe('A7: a stream cut at every byte', () => {
  const hops: Record<string, readonly [readonly string[], readonly string[]]> = {
    'a hidden first hop': [
      chatStream({ id: 'a', calls: [chatCall('call_tool', { names: ['get_w'], why: tricky })] }),
      chatStream({ id: 'b', content: tricky, calls: [weather] }),
    ],
    'joined hops with thinking': [
      chatStream({
        id: 'a',
        content: tricky,
        calls: [pick],
        fields: { reasoning_content: 'hm' },
      }),
      chatStream({ id: 'b', content: tricky, calls: [weather], fields: { reasoning_content: tricky } }),
    ],
    'one direct hop': [chatStream({ content: `${tricky} and more`.repeat(3) }), []],
    'arguments in many pieces': [
      chatStream({ calls: [pick] }),
      raw(
        delta({ role: 'assistant', content: '' }),
        delta({
          tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: 'get_w', arguments: '' } }],
        }),
        ...Array.from('{"city":"Rome 😀"}', (part) =>
          delta(
            { tool_calls: [{ index: 0, function: { arguments: part } }] },
            { usage: null, obfuscation: 'a' },
          ),
        ),
        finish('tool_calls'),
      ),
    ],
  };

  const cases = Object.keys(hops).flatMap((name) => [
    [name, '\n', silent] as const,
    [name, '\r\n', request] as const,
  ]);

  it.each(cases)(
    '%s (line ends %j): gives what the uncut stream gives',
    (name, end, body) => {
      const [first, second] = hops[name]!.map((frames) =>
        Buffer.from(frames.join('').replaceAll('\n\n', end + end)),
      ) as [Buffer, Buffer];
      const whole = mergeHops({ request: body, hops: [[first], [second]] });
      const seen = (text: string): string => JSON.stringify(dataOf(text));
      const strays: string[] = [];
      const compare = (pieces: Buffer[][], what: string): void => {
        const { text } = mergeHops({ request: body, hops: pieces });
        if (text !== whole.text && seen(text) !== seen(whole.text)) strays.push(what);
      };
      for (let at = 1; at < first.length; at += 1) {
        compare([[first.subarray(0, at), first.subarray(at)], [second]], `first at ${String(at)}`);
      }
      for (let at = 1; at < second.length; at += 1) {
        compare([[first], [second.subarray(0, at), second.subarray(at)]], `second at ${String(at)}`);
      }
      compare([singles(first), singles(second)], 'single bytes');

      expect(strays).toEqual([]);
      expect(whole.text).not.toMatch(/\uFFFD|call_tool/);
      expect(receive(whole.text)).toMatchObject({ roles: ['assistant'], dones: 1, errors: [] });
      expect(receive(whole.text).ids).toHaveLength(1);
      expect(receive(whole.text).finishes).toHaveLength(1);
    },
    120_000,
  );

  function singles(all: Buffer): Buffer[] {
    return Array.from(all.keys(), (index) => all.subarray(index, index + 1));
  }
});

describe('A3: a stream that ends before its end', () => {
  const answer = chatStream({ id: 'b', content: 'Hello there' });

  it('is no answer: an error chunk follows, and no finish_reason or [DONE]', () => {
    const { text, nexts } = merged(chatStream({ calls: [pick] }), answer.slice(0, 3));

    expect(nexts.map(({ kind }) => kind)).toEqual(['hop']);
    expect(
      text.endsWith(
        'data: {"error":{"message":"cut","type":"server_error","param":null,"code":"upstream_closed"}}\n\n',
      ),
    ).toBe(true);
    expect(receive(text)).toMatchObject({ finishes: [], dones: 0 });
  });

  it('is none either where only [DONE] came', () => {
    const { text } = merged(chatStream({ calls: [pick] }), [...answer.slice(0, 3), 'data: [DONE]\n\n']);

    expect(receive(text)).toMatchObject({ finishes: [], dones: 0, errors: [{ code: 'upstream_closed' }] });
  });

  it('is whole where only [DONE] is missing, and none is invented', () => {
    const { text } = merged(chatStream({ calls: [pick] }), answer.slice(0, -1));

    expect(receive(text)).toMatchObject({ content: 'Hello there', finishes: ['stop'], dones: 0, errors: [] });
  });

  it('is whole where the last chunk has no blank line', () => {
    const { text } = merged(chatStream({ calls: [pick] }), [...answer.slice(0, -1), 'data: [DONE]']);

    expect(receive(text)).toMatchObject({ finishes: ['stop'], dones: 1, errors: [] });
  });

  it("passes the upstream's own error on, with what comes after it", () => {
    const failing = [
      ...answer.slice(0, 2),
      'data: {"error":{"message":"overloaded"}}\n\n',
      'data: [DONE]\n\n',
    ];
    const { text, errored } = merged(chatStream({ calls: [pick] }), failing);

    expect(errored).toBe(true);
    expect(text).toBe(failing.join(''));
  });
});

describe("vendors' habits", () => {
  const call = { id: 'x', type: 'function', function: { name: 'get_w', arguments: '{"city":"Rome"}' } };
  const expected = {
    calls: [{ id: 'x', name: 'get_w', arguments: '{"city":"Rome"}' }],
    finishes: ['tool_calls'],
  };
  const hidden = chatStream({ calls: [pick] });
  const parts = ['{"city":', '"Rome"}'];

  it.each<[string, string[]]>([
    [
      'empty choices first (Azure)',
      raw(
        { id: '', choices: [], prompt_filter_results: [] },
        delta({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }),
        finish('tool_calls'),
      ),
    ],
    [
      'the id and name in every delta',
      raw(
        ...parts.map((part) =>
          delta({
            role: 'assistant',
            tool_calls: [{ index: 0, ...call, function: { name: 'get_w', arguments: part } }],
          }),
        ),
        finish('tool_calls'),
      ),
    ],
    [
      'arguments as an object',
      raw(
        delta({
          role: 'assistant',
          tool_calls: [{ index: 0, ...call, function: { name: 'get_w', arguments: { city: 'Rome' } } }],
        }),
        finish('tool_calls'),
      ),
    ],
    [
      'no index',
      raw(
        delta({
          role: 'assistant',
          tool_calls: [{ ...call, function: { name: 'get_w', arguments: parts[0] } }],
        }),
        delta({ tool_calls: [{ function: { arguments: parts[1] } }] }),
        finish('tool_calls'),
      ),
    ],
    [
      'the name late',
      raw(
        delta({
          role: 'assistant',
          tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: '', arguments: '' } }],
        }),
        delta({ tool_calls: [{ index: 0, function: { name: 'get_w' } }] }),
        ...parts.map((part) => delta({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
        finish('tool_calls'),
      ),
    ],
    [
      'empty content beside calls',
      raw(
        delta({ role: 'assistant', content: '', tool_calls: [{ index: 0, ...call }] }),
        finish('tool_calls'),
      ),
    ],
    [
      'the calls in the chunk that finishes',
      raw({
        id: 'c-1',
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ],
    [
      'an empty finish_reason until there is one',
      raw(
        {
          id: 'c-1',
          choices: [
            {
              index: 0,
              delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] },
              finish_reason: '',
            },
          ],
        },
        finish('tool_calls'),
      ),
    ],
  ])('%s: hidden, shown and given on as it came', (_, frames) => {
    const shown = merged(hidden, frames);
    expect(shown.text).toBe(frames.join(''));
    const asPick = frames.map((frame) =>
      frame
        .replaceAll('get_w', 'call_tool')
        .replaceAll('city', 'names')
        .replaceAll('\\"Rome\\"', '[\\"get_w\\"]')
        .replaceAll('"Rome"', '["get_w"]'),
    );
    const { text, nexts } = merged(asPick, frames);
    expect(nexts.map(({ kind }) => kind)).toEqual(['hop', 'answer']);
    expect(text).toBe(frames.join(''));
    if (!text.includes('"arguments":{') && !text.includes('"tool_calls":[{"id"'))
      expect(receive(text)).toMatchObject(expected);
  });

  it('several calls with one index are told apart by their ids', () => {
    const two = raw(
      delta({ role: 'assistant', content: 'Hm', tool_calls: [{ index: 0, ...pick }] }),
      delta({ tool_calls: [{ index: 0, ...call, id: 'y' }] }),
      finish('tool_calls'),
    );
    const { nexts } = merged(two, chatStream({ content: 'ok' }));

    expect(nexts.map(({ kind }) => kind)).toEqual(['hop', 'answer']);
    expect(nexts[0]).toMatchObject({ picks: ['get_w'] });
  });

  it('whole calls with neither index nor id are told apart', () => {
    const whole = (name: string, args: string): Json =>
      delta({ tool_calls: [{ type: 'function', function: { name, arguments: args } }] });
    const { nexts } = merged(
      raw(
        whole('call_tool', '{"names":["get_w"]}'),
        whole('call_tool', '{"names":["send_mail"]}'),
        finish('tool_calls'),
      ),
    );

    expect(nexts[0]).toMatchObject({ kind: 'hop', picks: ['get_w', 'send_mail'] });
  });

  it('usage in every chunk: the last one of each hop counts', () => {
    const counted = (id: string): string[] =>
      raw(
        delta({ role: 'assistant', content: id }, { usage: chatUsage(100, 1) }),
        finish('stop', { usage: chatUsage(100, 9) }),
      );
    const { text } = merged(chatStream({ calls: [pick] }), counted('x'));
    expect(receive(text).usages.at(-1)).toEqual(chatUsage(200, 19));
    expect(merged(chatStream({ calls: [pick] }), counted('x'), silent).text).not.toContain('usage');
  });

  it('legacy event lines and comments go on', () => {
    const frames = [
      ': hello\n\n',
      ...chatStream({ content: 'Sunny' }).map((frame) => `event: chunk\n${frame}`),
    ];

    expect(merged(frames).text).toBe(frames.join(''));
  });
});

describe('C6: thinking that an upstream wants back', () => {
  const spec = { selection: { carry: 'picks' as const } };
  const thinking = raw(
    delta({ role: 'assistant', content: null, reasoning_content: 'r"1' }),
    ...['2', '3 ', '😀'].map((part) => delta({ reasoning_content: part })),
    delta({ reasoning_details: [{ a: 1.0 }] }),
    delta({ reasoning_details: [{ b: 2 }] }),
    delta({ tool_calls: [{ index: 0, ...pick, extra_content: { google: { thought_signature: 's' } } }] }),
    finish('tool_calls'),
  );

  it('goes into the second request, and the app sees the answer alone', () => {
    const { text, requests } = mergeHops({
      request,
      spec,
      hops: [
        bytes(thinking),
        bytes(chatStream({ content: 'Sunny', fields: { reasoning_content: 'second' } })),
      ],
    });
    const { messages } = JSON.parse(requests[1] ?? '') as { messages: Json[] };

    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'r"123 😀',
        reasoning_details: [{ a: 1 }, { b: 2 }],
        tool_calls: [{ ...pick, extra_content: { google: { thought_signature: 's' } } }],
      },
      { role: 'tool', tool_call_id: 'call_call_tool', content: expect.stringContaining('get_w') as string },
    ]);
    expect(receive(text)).toMatchObject({ reasoning: 'second', content: 'Sunny', roles: ['assistant'] });
  });
});

describe('what else the stream says', () => {
  const rename = { tools: [{ rename: { from: 'get_w', to: 'weather' } }] };

  it('names come back as the app knows them, whatever the choice', () => {
    const several = JSON.stringify(chatTurn({ stream: true, n: 2 }));
    const frames = raw(
      delta({ role: 'assistant', tool_calls: [{ index: 0, ...chatCall('weather', '{}') }] }),
      {
        id: 'c-1',
        choices: [{ index: 1, delta: { tool_calls: [{ index: 0, ...chatCall('weather', '{}') }] } }],
      },
      finish('tool_calls'),
      { id: 'c-1', choices: [{ index: 1, delta: {}, finish_reason: 'tool_calls' }] },
    );
    const { text } = mergeHops({ request: several, spec: rename, hops: [bytes(frames)] });

    expect(text).toBe(frames.join('').replaceAll('"name":"weather"', '"name":"get_w"'));
  });

  it('words of ours come behind the answer, before its finish_reason', () => {
    const { text } = mergeHops({
      request: silent,
      appended: '<!-- m -->',
      hops: [bytes(chatStream({ content: 'Sunny' }))],
    });
    const data = dataOf(text);

    expect(receive(text)).toMatchObject({
      content: 'Sunny<!-- m -->',
      finishes: ['stop'],
      roles: ['assistant'],
      dones: 1,
    });
    expect(data.at(-3)).toMatchObject({
      choices: [{ delta: { content: '<!-- m -->' }, finish_reason: null }],
    });
    expect(data.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('words of ours come behind those of the chunk that finishes', () => {
    const frames = raw({
      id: 'c-1',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: chatUsage(1, 1),
    });
    const { text } = mergeHops({ request, appended: ' there', hops: [bytes(frames)] });

    expect(receive(text)).toMatchObject({
      content: 'Hi there',
      finishes: ['stop'],
      roles: ['assistant'],
      usages: [chatUsage(1, 1)],
    });
  });

  it('a cut answer keeps its reason', () => {
    const { text, nexts } = merged(chatStream({ calls: [pick], finish: 'length', content: 'Hm' }));

    expect(nexts.map(({ kind }) => kind)).toEqual(['answer']);
    expect(receive(text)).toMatchObject({ finishes: ['length'], calls: [], content: 'Hm', dones: 1 });
  });
});
