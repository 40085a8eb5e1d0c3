import { createTextTransport } from '../../../../proxy/core/text-tools/index.ts';
import type { TextToolsSettings } from '../../../../proxy/core/text-tools/index.ts';
import { customOf, GET_W, toolOf } from './wire.ts';
import type { Wire } from './wire.ts';

interface Message {
  readonly role: string;
  readonly type?: string;
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: unknown;
  readonly reasoning_content?: string;
}

interface Sent {
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
  readonly instructions?: string;
}

interface EncodeOptions {
  readonly format?: TextToolsSettings['format'];
  readonly placement?: TextToolsSettings['placement'];
}

function encodeText(protocol: Wire, body: string, options: EncodeOptions = {}): string {
  const settings = { format: options.format ?? 'xml', placement: options.placement ?? 'own' } as const;
  return createTextTransport({
    protocol,
    settings,
    attempt: 'last',
    newId: () => '0'.repeat(24),
  }).encodeRequest(body);
}

function encode(protocol: Wire, body: object, options: EncodeOptions = {}): Sent {
  return JSON.parse(encodeText(protocol, JSON.stringify(body), options)) as Sent;
}

function textOf(message: Message | undefined): string {
  const content = message?.content;
  if (content == null || typeof content === 'string') return content ?? '';
  return content.map((part) => part.text ?? `[${part.type}]`).join('|');
}

/** The words about tools that a request comes to, wherever they stand. */
function toldBy(protocol: Wire, fields: object): string {
  const sent = encode(protocol, {
    ...(protocol === 'chat' ? { messages: [] } : { input: [] }),
    tools: [GET_W, { name: 'b' }, { name: 'c' }].map((tool) => toolOf(protocol, tool)),
    ...fields,
  });
  return textOf((sent.messages ?? sent.input)?.[0]);
}

const CALL = '<tool_call>\n{"name": "get_w", "arguments": {"city":"Rome"}}\n</tool_call>';

describe.each<Wire>(['chat', 'responses'])('tools told in words to %s', (protocol) => {
  it('are named with what they do and the schema as it was sent', () => {
    const text = toldBy(protocol, {});
    expect(text).toContain(
      '{"name":"get_w","description":"The weather of a city.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}',
    );
    expect(text).toContain('{"name":"b","parameters":{"type":"object","properties":{}}}');
    expect(text).toContain('<tool_call>');
    expect(toldBy(protocol, {})).toBe(text);
  });

  it('take free text as one argument where they are custom', () => {
    const patch = customOf(protocol, {
      name: 'patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'x' },
    });
    expect(toldBy(protocol, { tools: [patch] })).toMatch(
      /"name":"patch","parameters":\{"type":"object","properties":\{"input":.*lark/,
    );
  });

  it.each([
    ['required', 'required', /must call at least one tool/, ['get_w', 'b', 'c']],
    ['a named tool', 'named', /must call the tool b/, ['b']],
    ['allowed tools', 'allowed', /may call only: b, c/, ['b', 'c']],
    ['one of the allowed tools', 'allowed_required', /must call one of these tools: b, c/, ['b', 'c']],
    ['auto', 'auto', /no tool is needed, answer without/, ['get_w', 'b', 'c']],
  ])('are chosen from as tool_choice says: %s', (_what, choice, words, names) => {
    const reference = (name: string): object =>
      protocol === 'chat' ? { type: 'function', function: { name } } : { type: 'function', name };
    const allowed = (mode: string): object => {
      const own = { mode, tools: [reference('b'), reference('c')] };
      return protocol === 'chat'
        ? { type: 'allowed_tools', allowed_tools: own }
        : { type: 'allowed_tools', ...own };
    };
    const choices: Record<string, unknown> = {
      named: reference('b'),
      allowed: allowed('auto'),
      allowed_required: allowed('required'),
    };
    const text = toldBy(protocol, { tool_choice: choices[choice] ?? choice });
    expect(text).toMatch(words);
    const described = [...text.matchAll(/^\{"name":"(\w+)"/gm)].map((match) => match[1]);
    expect(described).toEqual(names);
  });

  it('are not told of for a choice of none, nor where there are none', () => {
    const question = protocol === 'chat' ? '"messages":[{"role":"user","content":"hi"}]' : '"input":"hi"';
    const tools = JSON.stringify([toolOf(protocol, GET_W)]);
    const without = `{"model":"m", ${question}}`;
    expect(encodeText(protocol, `{"model":"m", "tools":${tools}, "tool_choice":"none", ${question}}`)).toBe(
      without,
    );
    expect(encodeText(protocol, `{"model":"m", ${question}}`)).toBe(without);
  });

  it('are called one at a time where the app wants no more', () => {
    expect(toldBy(protocol, { parallel_tool_calls: false })).toContain('one tool at most');
    expect(toldBy(protocol, {})).toContain('several tools');
  });

  it('leave every other byte of the request alone', () => {
    const question =
      protocol === 'chat'
        ? '"messages" : [ {"role":"user","content":"caf\\u00e9","x":1.0} ]'
        : '"input" : [ {"role":"user","content":"caf\\u00e9","x":1.0} ]';
    const tools = JSON.stringify([toolOf(protocol, GET_W)]);
    const sent = encodeText(
      protocol,
      `{ "a":12345678901234567890, ${question} , "tools":${tools},"tool_choice":"auto" , "z" : 1e2 }`,
    );
    expect(sent).toMatch(
      /^\{ "a":12345678901234567890, "(messages|input)" : \[ \{.*\},\{"role":"user","content":"caf\\u00e9","x":1.0\} \] , "z" : 1e2 \}$/,
    );
  });

  it.each(['', 'nonsense', '[1]', '{"messages":3,"input":4}'])(
    'leave alone what is no request: %s',
    (body) => {
      expect(encodeText(protocol, body)).toBe(body);
    },
  );
});

describe('the messages of a chat', () => {
  const tools = [toolOf('chat', GET_W)];
  const call = (id: string, name = 'get_w', text = '{"city":"Rome"}'): object => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  });

  it.each([
    [
      'behind the system message',
      [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ],
      1,
    ],
    [
      'behind the developer message',
      [
        { role: 'developer', content: 's' },
        { role: 'user', content: 'u' },
      ],
      1,
    ],
    ['first where there is none', [{ role: 'user', content: 'u' }], 0],
  ])('have the tools in a system message of their own, %s', (_where, messages, index) => {
    const sent = encode('chat', { messages, tools }).messages ?? [];
    expect(sent).toHaveLength(messages.length + 1);
    expect(sent[index]?.role).toBe('system');
    expect(textOf(sent[index])).toContain('get_w');
    expect(sent.filter((_, place) => place !== index)).toEqual(messages);
  });

  it.each([
    ['text', 'Be brief.', /^Be brief\.\n\n# Tools/],
    ['parts', [{ type: 'text', text: 'Be brief.' }], /^Be brief\.\|# Tools/],
  ])('have the tools at the end of the system message if told so: %s', (_what, content, words) => {
    const messages = [
      { role: 'system', content },
      { role: 'user', content: 'u' },
    ];
    const sent = encode('chat', { messages, tools }, { placement: 'append' }).messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(textOf(sent[0])).toMatch(words);
    const alone =
      encode('chat', { messages: messages.slice(1), tools }, { placement: 'append' }).messages ?? [];
    expect(alone.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('D11: become text turns that alternate', () => {
    const history = [
      { role: 'user', content: 'Rome and Oslo?' },
      { role: 'assistant', content: null, tool_calls: [call('c1'), call('c2', 'get_w', '')] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'rain' }] },
    ];
    const expectedCalls = `${CALL}\n<tool_call>\n{"name": "get_w", "arguments": {}}\n</tool_call>`;
    for (const leading of [[], [{ role: 'system', content: 's' }]]) {
      const sent = encode('chat', { messages: [...leading, ...history], tools }).messages ?? [];
      const turns = sent.filter(({ role }) => role !== 'system');
      expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(turns[1]).toEqual({ role: 'assistant', content: expectedCalls });
      expect(textOf(turns[2])).toBe(
        '<tool_response name="get_w">\nsunny\n</tool_response>|<tool_response name="get_w">\n|rain|\n</tool_response>',
      );
    }
  });

  it('join a result with the question that follows it, and answers that come together', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'Let me see.', reasoning_content: 'r', tool_calls: [call('c1')] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'user', content: 'And tomorrow?', name: 'ann' },
      { role: 'assistant', content: 'Rain.' },
    ];
    const sent = encode('chat', { messages }).messages ?? [];
    expect(sent).toEqual([
      messages[0],
      messages[1],
      {
        role: 'assistant',
        content: [
          { type: 'text', text: `Let me see.\n${CALL}` },
          { type: 'text', text: 'Hm.' },
        ],
        reasoning_content: 'r',
      },
      {
        role: 'user',
        content: '<tool_response name="get_w">\nsunny\n</tool_response>\nAnd tomorrow?',
        name: 'ann',
      },
      messages[6],
    ]);
  });

  it('show past calls in the form that the model is asked for', () => {
    const messages = [
      {
        role: 'assistant',
        content: '',
        tool_calls: [call('c1'), { id: 'c2', type: 'custom', custom: { name: 'patch', input: 'a\n"b"' } }],
      },
    ];
    const [said] = encode('chat', { messages }, { format: 'json' }).messages ?? [];
    expect(textOf(said)).toBe(
      '```json\n{"name": "get_w", "arguments": {"city":"Rome"}}\n```\n```json\n{"name": "patch", "arguments": {"input":"a\\n\\"b\\""}}\n```',
    );
  });
});

describe('the input of a response', () => {
  const tools = [toolOf('responses', GET_W)];

  it('becomes items where it was text, after a developer message with the tools', () => {
    const sent = encode('responses', { input: 'hi', instructions: 'Be brief.', tools });
    expect(sent.input?.map(({ role }) => role)).toEqual(['developer', 'user']);
    expect(sent.input?.[1]?.content).toBe('hi');
    expect(sent.instructions).toBe('Be brief.');
  });

  it('has the tools after its own system and developer messages', () => {
    const input = [
      { role: 'system', content: 's' },
      { role: 'developer', content: 'd' },
      { role: 'user', content: 'u' },
    ];
    const sent = encode('responses', { input, tools });
    expect(sent.input?.map(({ role }) => role)).toEqual(['system', 'developer', 'developer', 'user']);
    const appended = encode('responses', { input, tools }, { placement: 'append' });
    expect(appended.input?.map(({ role }) => role)).toEqual(['system', 'developer', 'user']);
    expect(textOf(appended.input?.[1])).toMatch(/^d\n\n# Tools/);
  });

  it('leaves the tools to the instructions where they are to be appended and there are some', () => {
    const sent = encode(
      'responses',
      { input: 'hi', instructions: 'Be brief.', tools },
      { placement: 'append' },
    );
    expect(sent.input).toBe('hi');
    expect(sent.instructions).toMatch(/^Be brief\.\n\n# Tools/);
  });

  it('D11: becomes text turns that alternate; reasoning stays', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
    const input = [
      { role: 'user', content: 'Rome?' },
      reasoning,
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        content: [{ type: 'output_text', text: 'Let me see.' }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'get_w', arguments: '{"city":"Rome"}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', namespace: 'ns', input: 'x' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
      { role: 'user', content: 'And now?' },
    ];
    const sent = encode('responses', { input }).input ?? [];
    expect(sent).toEqual([
      input[0],
      reasoning,
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        content: [
          { type: 'output_text', text: 'Let me see.' },
          { type: 'output_text', text: CALL },
          {
            type: 'output_text',
            text: '<tool_call>\n{"name": "ns.patch", "arguments": {"input":"x"}}\n</tool_call>',
          },
        ],
      },
      {
        type: 'message',
        role: 'user',
        content:
          '<tool_response name="get_w">\nsunny\n</tool_response>\n<tool_response name="ns.patch">\ndone\n</tool_response>\nAnd now?',
      },
    ]);
  });

  it('brings tools of its own, and those of a namespace', () => {
    const own = {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'look' }] }],
    };
    const sent = encode('responses', { input: [own, { role: 'user', content: 'hi' }] });
    expect(sent.input?.map(({ role }) => role)).toEqual(['developer', 'user']);
    expect(textOf(sent.input?.[0])).toContain('"name":"ns.look"');
  });
});
