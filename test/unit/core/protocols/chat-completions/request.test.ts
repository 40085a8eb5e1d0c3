import fc from 'fast-check';

import { hopChanges, HopMachine } from '../../../../../proxy/core/hops/index.ts';
import { parseJson } from '../../../../../proxy/core/json/index.ts';
import { planTurn } from '../../../../../proxy/core/plan/index.ts';
import { chatAdapter } from '../../../../../proxy/core/protocols/index.ts';
import { compileRuleSet } from '../../../../../proxy/core/rules/index.ts';
import type { RequestChanges } from '../../../../../proxy/core/turn/index.ts';
import type { RuleSetSpec } from '../../../../../schemas/generated/ruleset.ts';
import { chatCall, chatTurn, nested } from '../../../../integration/support/chat-wire.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { tool } from '../../../../integration/support/turn.ts';
import { jsonText } from '../../json/json-texts.ts';

const nothing: RequestChanges = {
  tools: [],
  added: [],
  toolChoice: { kind: 'keep' },
  historyNames: new Map(),
  carried: [],
  reasoning: 'keep',
  encryptedReasoning: 'as_sent',
};

function decode(text: string) {
  const decoded = chatAdapter.decodeRequest(text);
  if (decoded.kind !== 'turn') throw new Error(decoded.reason);
  return decoded.turn;
}

function recoded(text: string, changes: Partial<RequestChanges> = {}): string {
  return chatAdapter.encodeRequest(decode(text), { ...nothing, ...changes });
}

function recodedBody(body: Json, changes: Partial<RequestChanges>): Json {
  return JSON.parse(recoded(JSON.stringify(body), changes)) as Json;
}

/** What the first hop sends under rules. */
function underRules(body: Json, spec: RuleSetSpec): Json {
  const { ruleSet, faults } = compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec,
  });
  expect(faults).toEqual([]);
  const turn = decode(JSON.stringify(body));
  const plan = planTurn(turn, ruleSet);
  const { hop } = new HopMachine({ plan, parallelToolCalls: true, isValidCall: () => false });
  return JSON.parse(chatAdapter.encodeRequest(turn, hopChanges(turn, plan, hop))) as Json;
}

const twoHops = { strategy: 'two_hop', minTools: 2, minToolTokens: 0 } as const;
const reference = (name: string): Json => ({ type: 'function', function: { name } });

/** A tool as apps send them, and as they should not. */
const toolText = fc.oneof(
  fc.constantFrom(
    '{"type":"function","function":{"name":"get_w","parameters":{"type":"object"}}}',
    '{ "function" : { "name" : "b" , "parameters": null, "x": 1.0 } , "type" : "function" }',
    '{"type":"custom","custom":{"name":"patch","format":{"type":"grammar","grammar":{"definition":"\\u002f"}}}}',
    '{"type":"web_search"}',
    '{"type":"function","name":"flat"}',
    '{"type":"function","function":{"name":"a","name":"b"}}',
  ),
  jsonText,
);

const messageText = fc.oneof(
  jsonText,
  fc.constantFrom(
    '{"role":"user","content":"hi"}',
    '{"role":"assistant","tool_calls":[ {"id":"c","type":"function","function":{"name":"get_w","arguments":"{}"}} , 5]}',
    '{"role":"tool","tool_call_id":"c","name":"get_w","content":"\\u00e9"}',
  ),
);

const memberText = fc.oneof(
  fc.array(toolText, { maxLength: 4 }).map((tools) => `"tools":[${tools.join(' ,\n')}]`),
  fc.array(messageText, { maxLength: 3 }).map((messages) => `"messages":[${messages.join(', ')}]`),
  fc.constantFrom(
    '"model":"m"',
    '"tool_choice":"auto"',
    '"stream":false',
    '"n":1',
    '"seed":12345678901234567890',
  ),
  jsonText.map((value) => `"tool_choice":${value}`),
  jsonText.map((value) => `"unknown": ${value}`),
);

/** Bodies without a key of ours twice: those are the one thing that decoding may not leave alone. */
const bodyText = fc
  .uniqueArray(memberText, { maxLength: 6, selector: (member) => member.slice(0, member.indexOf('":')) })
  .map((members) => `{ ${members.join(' ,')} }`);

describe('a request that nothing changes', () => {
  it('is encoded to its own text, for any body', () => {
    fc.assert(
      fc.property(bodyText, (text) => {
        const decoded = chatAdapter.decodeRequest(text);
        fc.pre(decoded.kind === 'turn' && !decoded.turn.hasDuplicateKeys);
        expect(recoded(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('stays valid JSON when every tool is left out, calls are renamed and something is carried, for any body', () => {
    fc.assert(
      fc.property(bodyText, (text) => {
        const decoded = chatAdapter.decodeRequest(text);
        fc.pre(decoded.kind === 'turn');
        const { turn } = decoded;
        const encoded = recoded(text, {
          tools: turn.toolList.tools.map(() => null),
          historyNames: new Map([['get_w', 'weather']]),
          carried: [{ kind: 'output', callId: 'c', custom: false, text: 'done' }],
        });
        const again = decode(encoded);

        expect(again.toolList.tools).toEqual([]);
        expect(again.calledKeys.has('get_w')).toBe(false);
        expect(again.messages?.at(-1)).toEqual(
          turn.messages && { role: 'tool', tool_call_id: 'c', content: 'done' },
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['5', 'not_an_object'],
    ['{"a":', 'not_json'],
    ['{"messages":[]} x', 'not_json'],
    ['{"tools":5}', 'tools_not_an_array'],
    ['{"messages":[],"functions":[{"name":"a"}]}', 'legacy_functions'],
    ['{"messages":[],"function_call":"auto"}', 'legacy_functions'],
  ])('%s is no turn', (text, reason) => {
    expect(chatAdapter.decodeRequest(text)).toEqual({ kind: 'not_a_turn', reason });
  });

  it('is a turn where legacy functions stand beside tools, so that rules reach those', () => {
    const text = JSON.stringify(chatTurn({ functions: [{ name: 'a' }] }));

    expect(decode(text).toolList.tools).toHaveLength(5);
    expect(recoded(text)).toBe(text);
  });

  it('loses the earlier of two equal keys, which no rule has read', () => {
    expect(recoded('{"tools":5,"model":"a","tools":[],"model":"b"}')).toBe('{"tools":[],"model":"b"}');
  });
});

describe('the tools of a request', () => {
  const kindsOf = (...tools: unknown[]): unknown[] =>
    decode(JSON.stringify({ tools })).toolList.tools.map(({ kind, key, candidates }) => [
      kind,
      key,
      ...candidates,
    ]);

  it('are functions and free-text tools where type and nested object agree', () => {
    expect(
      kindsOf(
        nested(tool('a')),
        { type: 'custom', custom: { name: 'patch' } },
        { type: 'web_search', name: 'w' },
      ),
    ).toEqual([
      ['function', 'a'],
      ['custom', 'patch'],
      ['hosted', 'web_search', 'w'],
    ]);
  });

  it.each<[Json, ...string[]]>([
    [tool('flat'), 'function', 'flat'],
    [{ type: 'custom', function: { name: 'a' } }, 'custom', 'a'],
    [{ type: 'mcp', function: { name: 'a' } }, 'mcp', 'a'],
    [{ type: 'function', function: { name: 'a' }, custom: { name: 'b' } }, 'function', 'a', 'b'],
    [{ type: 'function', name: 'b', function: { name: 'a' } }, 'function', 'b', 'a'],
    [{ function: { name: 'a' } }, 'a'],
  ])('%j is none that can be read, but deny rules reach its names', (value, ...names) => {
    expect(kindsOf(value)).toEqual([['unreadable', '', ...names]]);
    expect(
      underRules(
        { messages: [], tools: [value, nested(tool('other'))] },
        { tools: [{ filter: { deny: [names.at(-1) ?? ''] } }] },
      ),
    ).toEqual({ messages: [], tools: [nested(tool('other'))] });
  });

  it.each<unknown>([
    { type: 'namespace', name: 'crm', tools: [tool('a')] },
    [nested(tool('a'))],
    [[{ functions: [{ name: 'a' }] }]],
  ])('%j has tools inside, and deny rules reach them', (value) => {
    expect(
      underRules(
        { messages: [], tools: [value, nested(tool('other'))] },
        { tools: [{ filter: { deny: ['a'] } }] },
      ),
    ).toEqual({ messages: [], tools: [nested(tool('other'))] });
  });

  it('have their definition in the nested object', () => {
    const text = '{ "function" : {"name":"a","description":"long words"}, "type":"function", "x": 1.0 }';
    const [declared] = decode(`{"tools":[${text}]}`).toolList.tools;

    expect(text.slice(declared?.definition.start, declared?.definition.end)).toBe(
      '{"name":"a","description":"long words"}',
    );
  });

  it('are edited where they are defined', () => {
    const spec: RuleSetSpec = {
      tools: [{ rename: { from: 'a', to: 'b' } }, { override: { name: 'b', description: 'new' } }],
    };

    expect(underRules({ tools: [nested(tool('a'))] }, spec)).toEqual({
      tools: [nested(tool('b', { description: 'new' }))],
    });
  });

  it('are the same object for the same text', () => {
    const text = JSON.stringify(chatTurn());

    expect(decode(text).toolList).toBe(decode(` ${text}`).toolList);
  });

  it('B1: an empty list and its choice stay; a list that rules emptied goes with all that speaks of it', () => {
    const empty = '{"model":"m","messages":[],"tools":[],"tool_choice":"auto","parallel_tool_calls":false}';
    expect(recoded(empty)).toBe(empty);
    expect(
      underRules(chatTurn({ tool_choice: 'auto', parallel_tool_calls: false }), {
        tools: [{ filter: { deny: ['*'] } }],
      }),
    ).toEqual({ model: 'm-1', messages: chatTurn()['messages'] });
  });

  it('are joined by ours, whatever shape a rule has them in', () => {
    const flat = { type: 'custom', name: 'p', format: { type: 'grammar', syntax: 'lark', definition: 'x' } };
    const declarations = [tool('mine'), flat, nested(tool('n')), { type: 'web_search' }].map((each) => ({
      kind: 'declaration' as const,
      text: JSON.stringify(each),
    }));
    const definition = { name: 'call_tool', description: 'd', parameters: '{"x":1.0}' };

    const { tools } = recodedBody(
      { tools: [nested(tool('a')), nested(tool('b'))] },
      { tools: [undefined, null], added: [{ kind: 'definition', definition, before: 1 }, ...declarations] },
    );
    const ours = { type: 'function', function: { ...definition, parameters: { x: 1 }, strict: false } };
    const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } };
    const rest = [
      nested(tool('mine')),
      { type: 'custom', custom: { name: 'p', format: grammar } },
      nested(tool('n')),
      { type: 'web_search' },
    ];
    expect(tools).toHaveLength(6);
    expect(tools).toEqual(expect.arrayContaining([nested(tool('a')), ours, ...rest]));
    expect(recodedBody({ messages: [] }, { added: declarations })).toEqual({ messages: [], tools: rest });
  });
});

describe('tool_choice', () => {
  const choiceOf = (choice: unknown) => decode(JSON.stringify({ tool_choice: choice })).toolChoice;

  it('is read in the shapes of this API', () => {
    expect(choiceOf('required')).toEqual({ kind: 'required' });
    expect(choiceOf(reference('a'))).toEqual({ kind: 'named', key: 'a' });
    expect(choiceOf({ type: 'custom', custom: { name: 'p' } })).toEqual({ kind: 'named', key: 'p' });
    expect(choiceOf({ type: 'web_search' })).toEqual({ kind: 'hosted', type: 'web_search' });
    for (const odd of [
      'any',
      { type: 'function', name: 'a' },
      { type: 'custom', function: { name: 'a' } },
      5,
    ]) {
      expect(choiceOf(odd)).toEqual({ kind: 'unreadable' });
    }
  });

  it('B2: a named one keeps its shape, and the tool is shown at once', () => {
    const spec: RuleSetSpec = { selection: twoHops, tools: [{ rename: { from: 'get_w', to: 'w' } }] };
    const sent = underRules(chatTurn({ tool_choice: { ...reference('get_w'), x: 1 } }), spec);

    expect(sent['tool_choice']).toEqual({ ...reference('w'), x: 1 });
    expect(sent['tools']).toEqual([nested(tool('w', { description: 'Does what get_w says.' }))]);
  });

  it('B3: only allowed tools stand in the menu, beside which the choice names the menu', () => {
    const allowed = { mode: 'required', tools: [reference('get_w'), reference('send_mail')] };
    const spec: RuleSetSpec = { selection: twoHops, tools: [{ rename: { from: 'get_w', to: 'x' } }] };
    const sent = underRules(
      chatTurn({ tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }),
      spec,
    );

    expect(JSON.stringify(sent['tools'])).toContain('"enum":["x","send_mail"]');
    expect(sent['tool_choice']).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [reference('call_tool')] },
    });
    const direct = underRules(chatTurn({ tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }), {
      ...spec,
      selection: { strategy: 'off' },
    });
    expect(direct['tool_choice']).toMatchObject({
      allowed_tools: { tools: [reference('x'), reference('send_mail')] },
    });
  });
});

describe('the history', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        chatCall('get_w', '{}'),
        { type: 'custom', id: 'p', custom: { name: 'patch', input: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_get_w', name: 'get_w', content: 'sun' },
    { role: 'user', name: 'get_w', content: 'get_w' },
  ];

  it('tells which tools were called', () => {
    expect([...decode(JSON.stringify({ messages })).calledKeys]).toEqual(['get_w', 'patch']);
  });

  it('E2: has its calls renamed with their tools, and nothing else', () => {
    const text = JSON.stringify({ messages });
    const encoded = recoded(text, { historyNames: new Map([['get_w', 'weather']]) });

    expect(encoded).toBe(
      text
        .replace('"function":{"name":"get_w"', '"function":{"name":"weather"')
        .replace(
          '"tool_call_id":"call_get_w","name":"get_w"',
          '"tool_call_id":"call_get_w","name":"weather"',
        ),
    );
  });

  it('goes on with what a hop carries: one message for the items of one answer', () => {
    const first = JSON.stringify(chatCall('call_tool', '{}'));
    const { messages: sent } = recodedBody(
      { messages },
      {
        carried: [
          { kind: 'item', text: '{"reasoning_content":"r","reasoning_details":[{"x":1}]}' },
          { kind: 'item', text: '{"content":"words"}' },
          { kind: 'item', text: first },
          { kind: 'item', text: JSON.stringify(chatCall('get_w', '{}')) },
          { kind: 'output', callId: 'call_call_tool', custom: false, text: 'shown' },
          { kind: 'output', callId: 'call_get_w', custom: true, text: 'later' },
          { kind: 'item', text: first },
          { kind: 'user_message', text: 'and?' },
        ],
      },
    );

    expect(sent).toEqual([
      ...messages,
      {
        role: 'assistant',
        content: 'words',
        reasoning_content: 'r',
        reasoning_details: [{ x: 1 }],
        tool_calls: [chatCall('call_tool', '{}'), chatCall('get_w', '{}')],
      },
      { role: 'tool', tool_call_id: 'call_call_tool', content: 'shown' },
      { role: 'tool', tool_call_id: 'call_get_w', content: 'later' },
      { role: 'assistant', content: null, tool_calls: [chatCall('call_tool', '{}')] },
      { role: 'user', content: 'and?' },
    ]);
  });
});

describe('what else a hop says', () => {
  it('several choices are one hop', () => {
    expect(decode('{"n":2}').oneHopReason).toBe('several_choices');
    expect(decode('{"n":1}').oneHopReason).toBeUndefined();
  });

  it('a stream is asked for its usage, beside what the app asked of it', () => {
    expect(recoded('{"stream":true,"stream_options":{"x":1.0}}')).toBe(
      '{"stream":true,"stream_options":{"x":1.0,"include_usage":true}}',
    );
    const asked = '{"stream":true,"stream_options":{ "include_usage" : true }}';
    expect(recoded(asked)).toBe(asked);
  });

  it('thinking is switched off in the way that the upstream knows', () => {
    expect(recoded('{"reasoning_effort":"high"}', { reasoning: 'effort' })).toBe(
      '{"reasoning_effort":"none"}',
    );
    expect(recoded('{}', { reasoning: 'enable_thinking' })).toBe('{"enable_thinking":false}');
    expect(
      parseJson(recoded('{"chat_template_kwargs":{"x":1}}', { reasoning: 'chat_template_kwargs' })),
    ).toEqual({
      chat_template_kwargs: { x: 1, enable_thinking: false },
    });
  });
});
