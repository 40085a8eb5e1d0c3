import { createTextTransport, TextScanner } from '../../../../proxy/core/text-tools/index.ts';
import {
  bytes,
  customOf,
  eventsOf,
  GET_W,
  itemsOf,
  jsonAnswer,
  open,
  run,
  streamAnswer,
  sumOfChat,
  sumOfItems,
  toolOf,
} from './wire.ts';
import type { ChatChunk, OpenOptions, ResponsesEvent, ResponsesItem, Sum, Wire } from './wire.ts';

const PROTOCOLS: readonly Wire[] = ['chat', 'responses'];

const tagged = (name: string, text: string): string =>
  `<tool_call>{"name":${JSON.stringify(name)},"arguments":${text}}</tool_call>`;
const ROME = tagged('get_w', '{"city":"Rome"}');

interface Read extends Sum {
  readonly rejections: readonly string[];
  readonly unreadable: number;
  readonly callIds: readonly string[];
}

/** What an answer comes to in JSON; a stream has to come to the same. */
function read(text: string, options: OpenOptions): Read {
  const { protocol } = options;
  const whole = open(options);
  const answer = whole.decodeResponse(jsonAnswer(protocol, text));
  const streamed = open(options);
  const out = run(streamed, [bytes(streamAnswer(protocol, text.match(/[^]{1,3}/gu) ?? []).join(''))]);
  const sums =
    protocol === 'chat'
      ? [sumOfChat([JSON.parse(answer) as ChatChunk]), sumOfChat(eventsOf<ChatChunk>(out))]
      : [
          sumOfItems((JSON.parse(answer) as { output: ResponsesItem[] }).output),
          sumOfItems(itemsOf(eventsOf<ResponsesEvent>(out))),
        ];
  expect(sums[1]).toEqual(sums[0]);
  expect([...streamed.rejections.values()]).toEqual([...whole.rejections.values()]);
  expect(streamed.unreadable).toBe(whole.unreadable);
  const callIds = [...new Set(answer.match(/call_[0-9a-f]{24}/g) ?? [])];
  return { ...sums[0]!, rejections: [...whole.rejections.values()], unreadable: whole.unreadable, callIds };
}

describe.each(PROTOCOLS)('calls in an answer of %s', (protocol) => {
  const tools = [toolOf(protocol, GET_W), toolOf(protocol, { name: 'send_mail' })];

  it('that fit are calls, with ids of their own', () => {
    const { calls, rejections, callIds } = read(ROME + ROME, { protocol, tools });
    expect(calls).toEqual([
      ['get_w', '{"city":"Rome"}'],
      ['get_w', '{"city":"Rome"}'],
    ]);
    expect(rejections).toEqual([]);
    expect(callIds).toHaveLength(2);
  });

  it('are handed on with what is wrong with them as long as somebody asks again', () => {
    const text = `Hm. ${tagged('getw', '{}')}${tagged('get_w', '{"town":1}')}${ROME}`;
    const answer = read(text, { protocol, tools, attempt: 'more_follow' });
    expect(answer.calls.map(([name]) => name)).toEqual(['getw', 'get_w', 'get_w']);
    expect(answer.rejections).toHaveLength(2);
    expect(answer.rejections[0]).toMatch(/no tool "getw".*closest names: get_w, /);
    expect(answer.rejections[1]).toContain('city');
    expect(answer.unreadable).toBe(0);
  });

  it('that cannot run stay text when nobody asks again', () => {
    const wrong = `Hm. ${tagged('getw', '{}')} and ${tagged('get_w', '{"town":1}')}`;
    const answer = read(wrong + ROME, { protocol, tools, attempt: 'last' });
    expect(answer.text).toBe(wrong);
    expect(answer.calls).toEqual([['get_w', '{"city":"Rome"}']]);
    expect(answer.rejections).toEqual([]);
  });

  it('keep the id under which they were rejected', () => {
    const transport = open({ protocol, tools, attempt: 'more_follow' });
    const answer = transport.decodeResponse(jsonAnswer(protocol, tagged('nope', '{}')));
    const [id] = [...transport.rejections.keys()];
    expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(answer).toContain(`"${id!}"`);
  });

  it('of names that mean something elsewhere pass unjudged', () => {
    const transport = createTextTransport({
      protocol,
      settings: { format: 'xml', placement: 'own' },
      attempt: 'last',
      newId: () => 'f'.repeat(24),
      knownNames: new Set(['rolled_up']),
    });
    transport.encodeRequest(JSON.stringify({ tools, messages: [], input: [] }));
    expect(transport.decodeResponse(jsonAnswer(protocol, tagged('rolled_up', '{"x":1}')))).toContain(
      '"name":"rolled_up"',
    );
    expect(transport.rejections.size).toBe(0);
  });

  it('are not refused for a schema that nobody can read', () => {
    const odd = [
      { name: 'a', parameters: { type: 'object', properties: { x: { $ref: '#/nowhere' } } } },
      { name: 'b', parameters: null },
      { name: 'c', parameters: { type: 7, properties: 'x', pattern: '(' } },
    ].map((tool) => toolOf(protocol, tool));
    const answer = read(['a', 'b', 'c'].map((name) => tagged(name, '{"x":1}')).join(''), {
      protocol,
      tools: odd,
    });
    expect(answer.calls.map(([name]) => name)).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('of custom tools come with their input as it is', () => {
    const patch = [customOf(protocol, { name: 'patch' })];
    const answer = read(tagged('patch', '{"input":"a\\n\\"b\\""}'), { protocol, tools: patch });
    expect(answer.calls).toEqual([['patch', 'a\n"b"']]);
    const wrong = read(tagged('patch', '{"text":"a"}'), { protocol, tools: patch, attempt: 'more_follow' });
    expect(wrong.rejections).toEqual([expect.stringContaining('"input"')]);
  });

  it('are one at most where the app wants no more', () => {
    const answer = read(ROME + ROME, { protocol, tools, request: { parallel_tool_calls: false } });
    expect(answer.calls).toHaveLength(1);
    expect(answer.text).toBe(ROME);
  });

  it('are those that tool_choice allows', () => {
    const choice =
      protocol === 'chat'
        ? { type: 'function', function: { name: 'send_mail' } }
        : { type: 'function', name: 'send_mail' };
    const answer = read(ROME + tagged('send_mail', '{}'), {
      protocol,
      tools,
      request: { tool_choice: choice },
    });
    expect(answer.calls).toEqual([['send_mail', '{}']]);
    expect(read(ROME, { protocol, tools, request: { tool_choice: 'none' } }).text).toBe(ROME);
  });

  it.each([
    ['D6b', '<tool_call>{"name":"get_w","arguments":{"city":"He said "hi""}}</tool_call>'],
    ['D9', 'ok <tool_call>{"name":"get_w","arguments":{"city":"abc'],
  ])('that cannot be read stay text and are counted: %s', (_case, text) => {
    const answer = read(text, { protocol, tools, attempt: 'more_follow' });
    expect(answer).toMatchObject({ text, calls: [], unreadable: 1, rejections: [] });
  });
});

describe('a chat stream', () => {
  const tools = [toolOf('chat', GET_W)];

  it('D9: ends as it was cut, with all that was held', () => {
    const text = 'ok <tool_call>{"name":"get_w","arguments":{"city":"abc';
    const transport = open({ protocol: 'chat', tools });
    const stream = transport.createStream();
    const [role, held, finish, ...rest] = streamAnswer('chat', [text], 'length').map((frame) =>
      Buffer.concat([...stream.push(bytes(frame))]).toString(),
    );
    expect(sumOfChat(eventsOf<ChatChunk>(role! + held!)).text).toBe('ok ');
    expect(sumOfChat(eventsOf<ChatChunk>(role! + held! + finish! + rest.join('')))).toEqual({
      text,
      calls: [],
      finish: 'length',
    });
  });

  it('says its role once and first, and its finish, its usage and its end once and last', () => {
    const out = run(open({ protocol: 'chat', tools }), [bytes(streamAnswer('chat', [ROME]).join(''))]);
    const chunks = eventsOf<ChatChunk>(out);
    expect(chunks.map(({ choices: [choice] }) => Object.keys(choice?.delta ?? {}))).toEqual([
      ['role', 'content'],
      ['tool_calls'],
      ['tool_calls'],
      [],
      [],
    ]);
    expect(chunks.map(({ choices: [choice] }) => choice?.finish_reason)).toEqual([
      null,
      null,
      null,
      'tool_calls',
      undefined,
    ]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.at(-1)?.usage).toEqual({ total_tokens: 3 });
    expect(out.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(chunks[1]?.choices[0]?.delta.tool_calls).toEqual([
      {
        index: 0,
        id: expect.stringMatching(/^call_/) as string,
        type: 'function',
        function: { name: 'get_w', arguments: '' },
      },
    ]);
  });

  it('has not ended where a server says nothing yet, in whatever way', () => {
    const frames = streamAnswer('chat', ROME.match(/[^]{1,3}/gu) ?? []).map((frame) =>
      frame.replace('"finish_reason":null', '"finish_reason":""'),
    );
    expect(frames.join('')).toContain('"finish_reason":""');
    const out = run(open({ protocol: 'chat', tools }), [bytes(frames.join(''))]);
    expect(sumOfChat(eventsOf<ChatChunk>(out))).toEqual({
      text: '',
      calls: [['get_w', '{"city":"Rome"}']],
      finish: 'tool_calls',
    });
  });

  it('that comes in one chunk is taken apart', () => {
    const chunk = {
      id: 'c',
      choices: [{ index: 0, delta: { role: 'assistant', content: `Hi ${ROME} bye` }, finish_reason: 'stop' }],
      usage: { total_tokens: 9 },
    };
    const chunks = eventsOf<ChatChunk>(
      run(open({ protocol: 'chat', tools }), [bytes(`data: ${JSON.stringify(chunk)}\n\n`)]),
    );
    expect(sumOfChat(chunks)).toEqual({
      text: 'Hi  bye',
      calls: [['get_w', '{"city":"Rome"}']],
      finish: 'tool_calls',
    });
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant' });
    expect(chunks.filter(({ choices: [choice] }) => choice?.delta.role !== undefined)).toHaveLength(1);
    expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(1);
  });

  it('keeps what vendors add, and calls that the upstream makes itself', () => {
    const frames = [
      {
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', reasoning_content: 'hm', content: null },
            finish_reason: null,
          },
        ],
      },
      { choices: [{ index: 0, delta: { content: ROME, reasoning_content: 'x' }, finish_reason: null }] },
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                { index: 0, id: 'n', type: 'function', function: { name: 'native', arguments: '' } },
              ],
            },
            finish_reason: null,
          },
        ],
      },
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
            finish_reason: null,
          },
        ],
      },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    const out = run(open({ protocol: 'chat', tools }), [bytes(frames.join(''))]);
    expect(out.startsWith(frames[0]!)).toBe(true);
    expect(out).toContain('"reasoning_content":"x"');
    expect(sumOfChat(eventsOf<ChatChunk>(out))).toEqual({
      text: '',
      calls: [
        ['get_w', '{"city":"Rome"}'],
        ['native', '{}'],
      ],
      finish: 'tool_calls',
    });
  });

  it('reads each of several choices by itself', () => {
    const deltas = ['<tool_call>{"name":"get_w",', '"arguments":{"city":"Rome"}}</tool_call>'];
    const chunks = deltas.flatMap((content) =>
      [0, 1].map((index) => ({ choices: [{ index, delta: { content }, finish_reason: null }] })),
    );
    const out = run(open({ protocol: 'chat', tools }), [
      bytes(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')),
    ]);
    const of = (index: number): Sum =>
      sumOfChat(eventsOf<ChatChunk>(out).filter(({ choices: [choice] }) => choice?.index === index));
    expect(of(0)).toEqual(of(1));
    expect(of(0).calls).toEqual([['get_w', '{"city":"Rome"}']]);
  });

  it('that breaks off gives what it held', () => {
    const frames = streamAnswer('chat', ['a <tool_call>{"na']).slice(0, 2);
    expect(
      sumOfChat(eventsOf<ChatChunk>(run(open({ protocol: 'chat', tools }), [bytes(frames.join(''))]))).text,
    ).toBe('a <tool_call>{"na');
  });
});

describe('a chat answer', () => {
  it('keeps every byte that need not change', () => {
    const answer =
      '{ "id":"x", "n":1.0, "choices":[ {"index":0,"message":{"role":"assistant","content":"<tool_call>{\\"name\\":\\"now\\"}</tool_call>","tool_calls":null,"v":1e3},"finish_reason":"length"} ] ,"z":12345678901234567890}';
    expect(open({ protocol: 'chat' }).decodeResponse(answer)).toBe(
      `{ "id":"x", "n":1.0, "choices":[ {"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_${'0'.repeat(24)}","type":"function","function":{"name":"now","arguments":"{}"}}],"v":1e3},"finish_reason":"length"} ] ,"z":12345678901234567890}`,
    );
  });

  it.each([
    ['stop', 'tool_calls'],
    ['eos_token', 'tool_calls'],
    ['stop_sequence', 'tool_calls'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['error', 'error'],
  ])('with calls that ends with %s ends with %s, in a stream too', (given, told) => {
    const answer = jsonAnswer('chat', ROME).replace('"stop"', JSON.stringify(given));
    const whole = JSON.parse(open({ protocol: 'chat' }).decodeResponse(answer)) as ChatChunk;
    expect(whole.choices[0]?.finish_reason).toBe(told);
    const out = run(open({ protocol: 'chat' }), [bytes(streamAnswer('chat', [ROME], given).join(''))]);
    expect(sumOfChat(eventsOf<ChatChunk>(out)).finish).toBe(told);
  });

  it.each(['', 'nonsense', '{"error":{"message":"no"}}', '{"choices":[{"message":{"content":null}},3]}'])(
    'that has nothing to read stays: %s',
    (answer) => {
      expect(open({ protocol: 'chat' }).decodeResponse(answer)).toBe(answer);
    },
  );
});

describe('a stream of responses', () => {
  const tools = [toolOf('responses', GET_W)];
  const transport = (): ReturnType<typeof open> => open({ protocol: 'responses', tools });

  it('has messages and calls in the order of the text', () => {
    const out = run(transport(), [bytes(streamAnswer('responses', [`One ${ROME} two ${ROME}`]).join(''))]);
    const events = eventsOf<ResponsesEvent>(out);
    const items = itemsOf(events);
    expect(items.map(({ type }) => type)).toEqual(['message', 'function_call', 'message', 'function_call']);
    expect(items.map(({ id }) => id?.replace(/[0-9a-f]{24}/, '#'))).toEqual([
      'msg_1',
      'fc_#',
      'msg_#',
      'fc_#',
    ]);
    expect(items.every(({ status }) => status === 'completed')).toBe(true);
    expect(events.at(-1)?.response?.output).toEqual(items);
    expect(events.at(-1)?.response?.tools).toEqual(tools);
    const frames = out.split('\n\n').filter(Boolean);
    expect(frames.map((frame) => /^event: (.*)$/m.exec(frame)?.[1])).toEqual(events.map(({ type }) => type));
  });

  it('numbers what follows, and leaves out nothing of it', () => {
    const frames = streamAnswer('responses', [ROME]);
    const call = { type: 'function_call', id: 'fc_n', call_id: 'n', name: 'native', arguments: '{}' };
    const native = ['response.output_item.added', 'response.output_item.done'].map(
      (type) => `data: ${JSON.stringify({ type, output_index: 1, item: call, sequence_number: 8 })}\n\n`,
    );
    const last = frames.pop()!;
    const final = last.replace(
      /"output":\[(.*)\]\}/,
      (_all, own: string) => `"output":[${own},${JSON.stringify(call)}]}`,
    );
    const events = eventsOf<ResponsesEvent>(
      run(transport(), [bytes([...frames, ...native, final].join(''))]),
    );
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(itemsOf(events).map(({ name }) => name)).toEqual(['get_w', 'native']);
    expect(events.at(-1)?.response?.output?.map(({ name }) => name)).toEqual(['get_w', 'native']);
  });

  it('passes an item that overtakes held text under the next place', () => {
    const [created, progress, added, part, delta, ...rest] = streamAnswer('responses', ['<tool_cal']);
    const call = { type: 'function_call', id: 'fc_n', call_id: 'n', name: 'native', arguments: '{}' };
    const native = ['response.output_item.added', 'response.output_item.done'].map(
      (type) => `data: ${JSON.stringify({ type, output_index: 1, item: call, sequence_number: 5 })}\n\n`,
    );
    const events = eventsOf<ResponsesEvent>(
      run(transport(), [bytes([created, progress, added, part, delta, ...native, ...rest].join(''))]),
    );
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(itemsOf(events).map(({ type }) => type)).toEqual(['function_call', 'message']);
    expect(sumOfItems(itemsOf(events)).text).toBe('<tool_cal');
  });

  it('of a server that numbers nothing gets no numbers', () => {
    const bare = streamAnswer('responses', ['Hi ', ROME]).map((frame) =>
      frame
        .replace(/,"sequence_number":\d+/, '')
        .replace(/"output_index":\d+,?/, '')
        .replace(/,"content_index":\d+/, ''),
    );
    const events = eventsOf<ResponsesEvent>(run(transport(), [bytes(bare.join(''))]));
    expect(
      events.some((event) => event.sequence_number !== undefined || event.output_index !== undefined),
    ).toBe(false);
    const done = events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item!] : []));
    expect(sumOfItems(done)).toEqual({
      text: 'Hi ',
      calls: [['get_w', '{"city":"Rome"}']],
      finish: undefined,
    });
    expect(events.at(-1)?.response?.output).toEqual(done);
  });

  it('of a server that leaves out events, or deltas, comes to the same', () => {
    const frames = streamAnswer('responses', [`Hi ${ROME}`]);
    const expected = { text: 'Hi ', calls: [['get_w', '{"city":"Rome"}']], finish: undefined };
    for (const left of [
      /output_text\.delta/,
      /output_text\.(delta|done)/,
      /output_text\.(delta|done)|content_part/,
      /\.done/,
      /response\.output|content_part/,
    ]) {
      const out = run(transport(), [
        bytes(frames.filter((frame) => !left.test(frame.split('\n')[0]!)).join('')),
      ]);
      expect(sumOfItems(eventsOf<ResponsesEvent>(out).at(-1)?.response?.output ?? [])).toEqual(expected);
    }
  });

  it('that breaks off gives what it held', () => {
    const frames = streamAnswer('responses', ['a <tool_call>{"na']).slice(0, 5);
    const events = eventsOf<ResponsesEvent>(run(transport(), [bytes(frames.join(''))]));
    expect(events.map(({ delta }) => delta ?? '').join('')).toBe('a <tool_call>{"na');
  });

  it('names the namespace of a tool that has one', () => {
    const spaced = [{ type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'look' }] }];
    const out = run(open({ protocol: 'responses', tools: spaced }), [
      bytes(streamAnswer('responses', [tagged('ns.look', '{}')]).join('')),
    ]);
    expect(itemsOf(eventsOf<ResponsesEvent>(out))).toEqual([
      expect.objectContaining({ name: 'look', namespace: 'ns' }),
    ]);
  });
});

describe('a long answer', () => {
  /** How many characters of the answer are held when all of it has come. */
  function heldOf(text: string): number {
    const scanner = new TextScanner({ format: 'any', judge: () => 'calls' });
    let said = 0;
    for (let at = 0; at < text.length; at += 4096) {
      for (const event of scanner.push(text.slice(at, at + 4096)))
        said += event.kind === 'text' ? event.text.length : 0;
    }
    return text.length - said;
  }

  it('of beginnings of calls is not held', () => {
    expect(heldOf('<tool_call'.repeat(100_000))).toBeLessThan(11);
    expect(heldOf('<tool_call>x'.repeat(80_000))).toBeLessThan(12);
    expect(heldOf('```'.repeat(300_000))).toBe(0);
    expect(heldOf('{"a":1}\n'.repeat(100_000))).toBeLessThan(9);
  });

  it('of one call that never ends is held no longer than a call can be', () => {
    const text = `<tool_call>{"name":"a","arguments":{"t":"${'x'.repeat(3_000_000)}`;
    expect(heldOf(text)).toBe(0);
  });

  it('of calls that never end, each in another, comes to an end', () => {
    const scanner = new TextScanner({ format: 'any', judge: () => 'calls' });
    const text =
      '<tool_call>{"\\"</tool_call>\\'.repeat(60_000) +
      '\n{"a":\n'.repeat(60_000) +
      '```\n{"a":"'.repeat(60_000);
    const events = [...scanner.push(text), ...scanner.end()];
    expect(events.map((event) => (event.kind === 'text' ? event.text : '')).join('')).toBe(text);
  });
});
