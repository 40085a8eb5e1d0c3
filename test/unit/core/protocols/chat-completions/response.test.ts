import fc from 'fast-check';

import { chatAdapter } from '../../../../../proxy/core/protocols/index.ts';
import type { ResponseRewrite } from '../../../../../proxy/core/protocols/index.ts';
import { chatCall, chatTurn, chatUsage, completion } from '../../../../integration/support/chat-wire.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { jsonText } from '../../json/json-texts.ts';
import { mergeJson } from './merge-hops.ts';

function decode(text: string) {
  const decoded = chatAdapter.decodeResponse(text);
  if (decoded === undefined) throw new TypeError('no answer');
  return decoded;
}

function encoded(text: string, rewrite: Partial<ResponseRewrite> = {}): string {
  const decoded = decode(text);
  return chatAdapter.encodeResponse(decoded, {
    shown: new Set(decoded.items.keys()),
    earlier: [],
    echo: {},
    names: { backward: new Map(), isDeclared: () => false },
    usage: [],
    appended: undefined,
    ...rewrite,
  });
}

const memberText = fc
  .tuple(
    fc.constantFrom('role', 'content', 'tool_calls', 'refusal', 'reasoning_content', 'x'),
    fc.oneof(
      jsonText,
      fc.constant('[{"id":"c","type":"function","function":{"name":"a","arguments":{"n":1.0}}}, 5]'),
    ),
  )
  .map(([key, value]) => `"${key}" : ${value}`);

const answerText = fc
  .tuple(fc.array(memberText, { maxLength: 6 }), jsonText, jsonText)
  .map(
    ([members, finish, other]) =>
      `{"choices":[ {"message":{${members.join(' , ')}},"finish_reason":${finish}} ,${other}], "usage":${other} }`,
  );

/** Some servers give content as a list of parts. */
function wordsOf(content: unknown): unknown {
  return Array.isArray(content) ? content.map((part: Json) => part['text']).join('') : content;
}

describe('an answer that nothing changes', () => {
  it('is encoded to its own text, for any answer', () => {
    fc.assert(
      fc.property(answerText, (text) => {
        expect(encoded(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('stays valid JSON where calls are hidden, hops are joined and words are added, for any answer', () => {
    const earlier = decode(JSON.stringify(completion({ content: 'a', calls: [chatCall('e', '{}')] }))).items;
    fc.assert(
      fc.property(answerText, fc.boolean(), (text, joins) => {
        const result = encoded(text, {
          shown: new Set(),
          earlier: joins ? earlier : [],
          appended: ' end',
          usage: [chatUsage(1, 1), chatUsage(2, 2)],
        });

        const body = JSON.parse(result) as { usage: Json; choices: { message: Json }[] };
        expect(body.usage).toEqual(chatUsage(3, 3));
        expect(wordsOf(body.choices[0]?.message['content'])).toBe(joins ? 'a end' : ' end');
      }),
      { numRuns: 300 },
    );
  });

  it('joins hops by the last of two members of one key', () => {
    const earlier = decode(JSON.stringify(completion({ content: 'a' }))).items;
    const text = '{"choices":[{"message":{"content":"lost","content":"b"},"finish_reason":"stop"}]}';
    const body = JSON.parse(encoded(text, { earlier })) as { choices: { message: Json }[] };
    expect(body.choices[0]?.message['content']).toBe('ab');
  });

  it.each(['5', '', '[]', '{"a":1} x'])('%j is no answer', (text) => {
    expect(chatAdapter.decodeResponse(text)).toBeUndefined();
  });
});

describe('what an answer says', () => {
  it('is its thinking, its words and its calls', () => {
    const text =
      '{"choices":[{"message":{"role":"assistant","content":"\\u00e9","reasoning_content":"r","refusal":null,' +
      '"tool_calls":[{"id":"c","function":{"name":"a","arguments":{"x": 1.0}}},{"type":"custom","id":"d","custom":{"name":"p","input":"i"}}]}}]}';

    expect(decode(text).items).toEqual([
      { item: { kind: 'reasoning' }, text: '{"reasoning_content":"r"}' },
      { item: { kind: 'message' }, text: '{"content":"\\u00e9"}' },
      {
        item: {
          kind: 'call',
          name: 'a',
          key: 'a',
          namespace: undefined,
          arguments: '{"x":1}',
          callId: 'c',
          custom: false,
        },
        text: '{"id":"c","function":{"name":"a","arguments":{"x": 1.0}}}',
      },
      {
        item: {
          kind: 'call',
          name: 'p',
          key: 'p',
          namespace: undefined,
          arguments: 'i',
          callId: 'd',
          custom: true,
        },
        text: '{"type":"custom","id":"d","custom":{"name":"p","input":"i"}}',
      },
    ]);
  });

  it.each([null, '', []])('has no words where content is %j', (content) => {
    expect(decode(JSON.stringify({ choices: [{ message: { content } }] })).items).toEqual([]);
  });

  it.each([
    ['stop', 'completed'],
    ['tool_calls', 'completed'],
    ['length', 'incomplete'],
    ['content_filter', 'incomplete'],
  ])('%s means %s', (finish, status) => {
    expect(decode(JSON.stringify(completion({ content: 'x', finish }))).status).toBe(status);
  });

  it('counts its tokens', () => {
    expect(chatAdapter.readUsage(chatUsage(100, 10, { cached: 40 }))).toEqual({
      inputTokens: 100,
      cachedTokens: 40,
      outputTokens: 10,
    });
    expect(chatAdapter.readUsage({ prompt_tokens: 'x', prompt_cache_hit_tokens: 7 })).toEqual({
      inputTokens: 0,
      cachedTokens: 7,
      outputTokens: 0,
    });
  });
});

describe('two hops in JSON', () => {
  const request = JSON.stringify(chatTurn());
  const pick = chatCall('call_tool', { names: ['get_w'] });
  const merged = (first: Json, second: Json = completion({ content: 'Sunny' }), rest = {}) => {
    const { text, ...others } = mergeJson({
      request,
      hops: [JSON.stringify(first), JSON.stringify(second)],
      ...rest,
    });
    return { text, body: JSON.parse(text) as Json, ...others };
  };

  it('are the second answer with the tokens of both', () => {
    const { body } = merged(
      completion({ calls: [pick], usage: chatUsage(100, 10, { cached: 40, thought: 4 }) }),
    );

    expect(body).toEqual(
      completion({ content: 'Sunny', usage: chatUsage(200, 20, { cached: 40, thought: 4 }) }),
    );
  });

  it('have the words, thoughts and calls of the first before those of the second', () => {
    const sticky = chatCall('send_mail', '{}', { index: 1 });
    const history = chatTurn({ messages: [{ role: 'assistant', tool_calls: [sticky] }] });
    const { body } = merged(
      completion({ content: 'Hm. ', fields: { reasoning_content: 'a' }, calls: [pick, sticky] }),
      completion({ content: 'Sunny', fields: { reasoning_content: 'b' } }),
      { request: JSON.stringify(history), appended: '<!-- m -->' },
    );

    expect(body).toMatchObject({
      choices: [
        {
          message: {
            content: 'Hm. Sunny<!-- m -->',
            reasoning_content: 'ab',
            tool_calls: [{ ...sticky, index: 0 }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it('say stop where every call of the last one stays inside, and keep a cut answer cut', () => {
    const decoded = JSON.stringify(completion({ content: 'x', calls: [pick] }));
    const { choices } = JSON.parse(encoded(decoded, { shown: new Set([0]) })) as Json;

    expect(choices).toEqual([
      expect.objectContaining({
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'x', refusal: null },
      }),
    ]);
    expect(merged(completion({ content: 'x', calls: [pick], finish: 'length' })).body).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: 'x' } }],
    });
  });

  it('C6: thinking that an upstream wants back goes into the second request as it came', () => {
    const { requests, body } = merged(
      completion({ calls: [pick], fields: { reasoning_content: 'r', reasoning: null } }),
      undefined,
      { spec: { selection: { carry: 'picks' } } },
    );
    const { messages } = JSON.parse(requests[1] ?? '') as { messages: Json[] };

    expect(messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'r',
      tool_calls: [pick],
    });
    expect(JSON.stringify(body)).not.toContain('reasoning_content');
  });

  it('names come back in every choice', () => {
    const choice = { message: { tool_calls: [chatCall('weather', '{}')] } };
    const several = { choices: [choice, choice] };
    const { text } = mergeJson({
      request: JSON.stringify(chatTurn({ n: 2 })),
      spec: { tools: [{ rename: { from: 'get_w', to: 'weather' } }] },
      hops: [JSON.stringify(several)],
    });

    expect(text).toBe(JSON.stringify(several).replaceAll('"name":"weather"', '"name":"get_w"'));
  });
});
