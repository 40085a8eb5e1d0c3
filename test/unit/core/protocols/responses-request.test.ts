import fc from 'fast-check';

import {
  isJsonArray,
  isJsonObject,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../../../proxy/core/json/index.ts';
import { hopChanges, HopMachine } from '../../../../proxy/core/hops/index.ts';
import { planTurn } from '../../../../proxy/core/plan/index.ts';
import { responsesAdapter } from '../../../../proxy/core/protocols/index.ts';
import { compileRuleSet } from '../../../../proxy/core/rules/index.ts';
import type { RuleSetSpec } from '../../../../schemas/generated/ruleset.ts';
import type { RequestChanges } from '../../../../proxy/core/turn/index.ts';
import { jsonText } from '../json/json-texts.ts';

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
  const decoded = responsesAdapter.decodeRequest(text);
  if (decoded.kind !== 'turn') throw new Error(decoded.reason);
  return decoded.turn;
}

function recoded(text: string, changes: Partial<RequestChanges> = {}): string {
  return responsesAdapter.encodeRequest(decode(text), { ...nothing, ...changes });
}

/** What the first hop sends under rules. */
function underRules(text: string, spec: RuleSetSpec): string {
  const { ruleSet, faults } = compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec,
  });
  expect(faults).toEqual([]);
  const turn = decode(text);
  const plan = planTurn(turn, ruleSet);
  const { hop } = new HopMachine({ plan, parallelToolCalls: true, isValidCall: () => false });
  return responsesAdapter.encodeRequest(turn, hopChanges(turn, plan, hop));
}

/** A JSON text as a parser reads it that takes the first, or the last, of equal keys. */
function readWith(wins: 'first' | 'last', text: string): unknown {
  const [start] = text.trimStart();
  if (start === '[') return scanArray(text).elements.map((span) => readWith(wins, sliceSpan(text, span)));
  if (start !== '{') return parseJson(text);
  const members = scanObject(text).members.map(({ key, value }): [string, unknown] => [
    key,
    readWith(wins, sliceSpan(text, value)),
  ]);
  return Object.fromEntries(wins === 'first' ? members.toReversed() : members);
}

/** The names of all tools that an upstream would find in a body. */
function toolNames(value: unknown): unknown[] {
  const { name, type, tools, input } = isJsonObject(value) ? value : {};
  const items = (isJsonArray(input) ? input : []).filter(
    (item) => isJsonObject(item) && item['type'] === 'additional_tools',
  );
  const inner = type === 'message' || !isJsonArray(tools) ? [] : tools;
  return [name, ...[...inner, ...items].flatMap(toolNames)];
}

/** A tool as apps send them, and as they should not. */
const toolText = fc.oneof(
  fc.constantFrom(
    '{"type":"function","name":"get_w","parameters":{"type":"object"}}',
    '{ "type" : "function", "name" : "b" , "parameters": null, "x": 1.0 }',
    '{"type":"custom","name":"patch","format":{"type":"grammar","definition":"\\u002f"}}',
    '{"type":"namespace","name":"ns","tools":[ {"type":"function","name":"b"} , 5 ]}',
    '{"type":"web_search"}',
    '{"name":"a","type":"function","name":"b"}',
  ),
  jsonText,
);

const listText = fc
  .tuple(fc.array(toolText, { maxLength: 4 }), fc.constantFrom(',', ' ,\n'))
  .map(([tools, comma]) => `[${tools.join(comma)}]`);

const itemText = fc.oneof(
  jsonText,
  listText.map((tools) => `{"type":"additional_tools","role":"developer","tools":${tools}}`),
  fc.constantFrom(
    '{"role":"user","content":"hi"}',
    '{"type":"function_call","call_id":"c","name":"get_w","arguments":"{}"}',
  ),
);

const memberText = fc.oneof(
  listText.map((tools) => `"tools":${tools}`),
  fc.array(itemText, { maxLength: 3 }).map((items) => `"input":[${items.join(', ')}]`),
  fc.constantFrom('"model":"m"', '"tool_choice":"auto"', '"stream":false', '"input":"hi"', '"include":null'),
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
        const decoded = responsesAdapter.decodeRequest(text);
        fc.pre(decoded.kind === 'turn' && !decoded.turn.hasDuplicateKeys);
        expect(recoded(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('stays valid JSON when every tool is left out and something is carried, for any body', () => {
    fc.assert(
      fc.property(bodyText, (text) => {
        const decoded = responsesAdapter.decodeRequest(text);
        fc.pre(decoded.kind === 'turn');
        const { tools } = decode(text).toolList;
        const encoded = recoded(text, {
          tools: tools.map(() => null),
          carried: [{ kind: 'output', callId: 'c', custom: false, text: 'done' }],
          encryptedReasoning: 'add',
        });

        expect(parseJson(encoded)).toMatchObject({
          include: expect.arrayContaining(['reasoning.encrypted_content']) as unknown,
        });
        expect(decode(encoded).toolList.tools).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '5',
    '"a"',
    'null',
    'true',
    '[]',
    '{"tools":{}}',
    '{"tools":5,"input":"hi"}',
    '',
    '{',
    '\uFEFF{}',
  ])('is no turn of ours where it is %s', (text) => {
    expect(responsesAdapter.decodeRequest(text).kind).toBe('not_a_turn');
  });

  it('is a turn without tools where `tools` is null', () => {
    expect(decode('{"tools":null,"input":"hi"}').toolList.tools).toEqual([]);
  });
});

describe('the same tools in another place', () => {
  const inject: RuleSetSpec = { tools: [{ inject: { tool: { type: 'web_search' } } }] };

  it('are not taken for one another: none, an empty list, two lists that read like one', () => {
    const empty = '{"model":"m","tools":[],"input":"hi"}';
    const none = '{"model":"m","input":"hi"}';
    const added = '{"model":"m","tools":[{"type":"web_search"}],"input":"hi"}';
    const appended = '{"model":"m","input":"hi","tools":[{"type":"web_search"}]}';

    expect([empty, none, empty, none].map((text) => underRules(text, inject))).toEqual([
      added,
      appended,
      added,
      appended,
    ]);

    const carrier = '{"type":"additional_tools","tools":["x"]}';
    const two = `{"input":[${carrier},${carrier}]}`;
    const one = String.raw`{"tools":["[\"x\"]","[\"x\"]"]}`;
    expect(decode(two).toolList.arrays).toHaveLength(2);
    expect(decode(one).toolList.arrays).toHaveLength(1);
  });

  it('give the same list while they are remembered, so that what was derived from them is kept', () => {
    const list = decode('{"tools":[{"type":"function","name":"same"}],"input":"a"}').toolList;

    expect(decode('{"input":"b","tools":[{"type":"function","name":"same"}]}').toolList).toBe(list);
  });
});

describe('keys that stand twice', () => {
  const deny: RuleSetSpec = { tools: [{ filter: { deny: ['del'] } }] };
  const del = '{"type":"function","name":"del"}';
  const ok = '{"type":"function","name":"ok"}';

  it.each([
    ['a top-level `tools` before the last', `{"tools":[${del}],"tools":[${ok}]}`],
    ['a top-level `tools` spelled with an escape', `{"t\\u006fols":[${del}],"tools":[${ok}]}`],
    ['a last `tools` that is no array', `{"tools":[${del}],"tools":5}`],
    ['a last `tools` that is null', `{"tools":[${del}],"tools":null}`],
    ['a first `input`', `{"input":[{"type":"additional_tools","tools":[${del}]}],"input":"hi"}`],
    [
      'the `tools` of an input item',
      `{"input":[{"type":"additional_tools","tools":[${del}],"tools":[${ok}]}]}`,
    ],
    [
      'the type of an input item',
      `{"input":[{"type":"additional_tools","tools":[${del}],"type":"message"}]}`,
    ],
    [
      'the type of an input item, spelled with an escape',
      `{"input":[{"type":"additional\\u005Ftools","tools":[${del}],"type":"message"}]}`,
    ],
    ['the `tools` of a namespace', `{"tools":[{"type":"namespace","name":"n","tools":[],"tools":[${del}]}]}`],
    [
      'the first `tools` of a namespace',
      `{"tools":[{"type":"namespace","name":"n","tools":[${del}],"tools":[]}]}`,
    ],
    ['the name of a tool', '{"tools":[{"type":"function","name":"del","name":"ok"}]}'],
    ['the last name of a tool', '{"tools":[{"type":"function","name":"ok","name":"del"}]}'],
    ['the type of a tool', '{"tools":[{"type":"web_search","type":"function","name":"del"}]}'],
  ])('let no denied tool through: %s', (_, text) => {
    const sent = underRules(text, deny);

    expect(toolNames(readWith('first', sent))).not.toContain('del');
    expect(toolNames(readWith('last', sent))).not.toContain('del');
    expect(parseJson(sent)).toBeDefined();
  });

  it('survive where we do not read them', () => {
    const text =
      '{"x":1,"tools":[{"type":"function","name":"del"},{"type":"function","name":"ok","y":1,"y":2}],"x":1.0}';

    expect(underRules(text, deny)).toBe(
      '{"x":1,"tools":[{"type":"function","name":"ok","y":1,"y":2}],"x":1.0}',
    );
  });

  it('do not slow decoding down, however many there are', () => {
    const text = `{${'"model":1,'.repeat(200_000)}${'"x":1,'.repeat(200_000)}"input":"hi"}`;

    expect(recoded(text)).toBe(`{"model":1,${'"x":1,'.repeat(200_000)}"input":"hi"}`);
  });
});

describe('tools in odd places', () => {
  const deny: RuleSetSpec = { tools: [{ filter: { deny: ['del'] } }] };
  const del = '{"type":"function","name":"del","parameters":{}}';

  it.each([
    ['a namespace', `{"type":"namespace","name":"n","tools":[${del}]}`],
    ['a namespace without a name', `{"type":"namespace","tools":[${del}]}`],
    [
      'a namespace in a namespace',
      `{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m","tools":[${del}]}]}`,
    ],
    ['the shape of the chat API', '{"type":"function","function":{"name":"del"}}'],
    ['a tool without a type', '{"name":"del"}'],
    ['a list in the list', `[${del}]`],
    ['a type that is not known to us', '{"type":"wizardry","name":"del"}'],
    ['a name spelled with an escape', '{"type":"function","name":"d\\u0065l"}'],
  ])('are denied in %s', (_, text) => {
    expect(underRules(`{"tools":[${text},{"type":"function","name":"ok"}]}`, deny)).toBe(
      '{"tools":[{"type":"function","name":"ok"}]}',
    );
  });

  it('are denied in the result of a tool search, which stays for its call', () => {
    const text = `{"input":[{"type":"tool_search_output","call_id":"c","tools":[${del}]}]}`;

    expect(underRules(text, deny)).toBe('{"input":[{"type":"tool_search_output","call_id":"c","tools":[]}]}');
  });

  it('leave nothing about tools behind when the last of them is denied, in an item and at the top', () => {
    const item = `{"type":"additional_tools","role":"developer","tools":[${del}]}`;

    expect(
      underRules(
        `{"tools":[],"tool_choice":"auto","parallel_tool_calls":false,"input":[${item}, "x"]}`,
        deny,
      ),
    ).toBe('{"input":["x"]}');
    expect(underRules(`{"tool_choice":"auto","input":[${item}]}`, deny)).toBe('{"input":[]}');
  });

  it('keep what is said about tools while one remains elsewhere', () => {
    const item = `{"type":"additional_tools","tools":[{"type":"function","name":"ok"}]}`;

    expect(underRules(`{"tools":[${del}],"tool_choice":"auto","input":[${item}]}`, deny)).toBe(
      `{"tool_choice":"auto","input":[${item}]}`,
    );
  });
});

describe('tool_choice', () => {
  it.each([
    ['left out', '{}', { kind: 'unset' }],
    ['null', '{"tool_choice":null}', { kind: 'unset' }],
    ['auto', '{"tool_choice":"auto"}', { kind: 'auto' }],
    ['none', '{"tool_choice":"none"}', { kind: 'none' }],
    ['required', '{"tool_choice":"required"}', { kind: 'required' }],
    ['a function', '{"tool_choice":{"type":"function","name":"a"}}', { kind: 'named', key: 'a' }],
    ['a custom tool', '{"tool_choice":{"type":"custom","name":"a"}}', { kind: 'named', key: 'a' }],
    [
      'a function of a namespace',
      '{"tool_choice":{"type":"function","name":"a","namespace":"n"}}',
      { kind: 'named', key: 'n.a' },
    ],
    ['a hosted tool', '{"tool_choice":{"type":"web_search"}}', { kind: 'hosted', type: 'web_search' }],
    [
      'an MCP server',
      '{"tool_choice":{"type":"mcp","server_label":"s","name":"a"}}',
      { kind: 'hosted', type: 'mcp' },
    ],
    ['a word that is none', '{"tool_choice":"sometimes"}', { kind: 'unreadable' }],
    ['a number', '{"tool_choice":5}', { kind: 'unreadable' }],
    ['a list', '{"tool_choice":[]}', { kind: 'unreadable' }],
    ['an empty object', '{"tool_choice":{}}', { kind: 'unreadable' }],
    [
      "the chat API's shape",
      '{"tool_choice":{"type":"function","function":{"name":"a"}}}',
      { kind: 'unreadable' },
    ],
    [
      'allowed tools without a mode',
      '{"tool_choice":{"type":"allowed_tools","tools":[]}}',
      { kind: 'unreadable' },
    ],
    [
      'allowed tools of every kind',
      '{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a"},{"type":"mcp","name":"a"},5]}}',
      {
        kind: 'allowed',
        mode: 'auto',
        entries: [
          { key: 'a', text: '{"type":"function","name":"a"}' },
          { key: 'mcp', text: '{"type":"mcp","name":"a"}' },
          { key: '', text: '5' },
        ],
      },
    ],
  ])('is read where it is %s', (_, text, expected) => {
    expect(decode(text).toolChoice).toEqual(expected);
  });
});

describe('the history', () => {
  it('is renamed in place, call by call, and a namespace that repeats the name goes along', () => {
    const text =
      '{"input":[{"type":"function_call","name":"a","arguments":"{\\"n\\":1.0}"},' +
      '{"type":"custom_tool_call","name":"a","namespace":"a"},{"type":"function_call","name":"a","namespace":"n"},' +
      '{"type":"mcp_call","name":"a"},{"role":"user","content":"a"}]}';

    expect(recoded(text, { historyNames: new Map([['a', 'b']]) })).toBe(
      '{"input":[{"type":"function_call","name":"b","arguments":"{\\"n\\":1.0}"},' +
        '{"type":"custom_tool_call","name":"b","namespace":"b"},{"type":"function_call","name":"a","namespace":"n"},' +
        '{"type":"mcp_call","name":"a"},{"role":"user","content":"a"}]}',
    );
  });
});

describe('what only one hop can do', () => {
  it.each([
    ['"background":true', 'background'],
    ['"prompt":{"id":"p"}', 'prompt_template'],
    ['"conversation":"c"', 'conversation'],
    ['"truncation":"auto"', 'truncation'],
    ['"context_management":[{"type":"compaction"}]', 'context_management'],
    ['"prompt_cache_options":{"prewarm":true}', 'cache_prewarm'],
    ['"tools":[{"type":"tool_search"}]', 'tool_search'],
    ['"input":[{"type":"tool_search_output","tools":[]}]', 'tool_search'],
    ['"tools":[{"type":"function","name":"a","defer_loading":true}]', 'deferred_tools'],
    [
      '"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a","defer_loading":true}]}]',
      'deferred_tools',
    ],
    ['"tools":[{"type":"programmatic_tool_calling"}]', 'programmatic_tool_calling'],
    ['"background":false,"prompt":null,"conversation":null,"truncation":"disabled"', undefined],
  ])('%s', (member, reason) => {
    expect(decode(`{${member}}`).oneHopReason).toBe(reason);
  });
});
