import { passTurn, rules } from './rules-setup.ts';
import {
  ask,
  call,
  closing,
  field,
  json,
  message,
  response,
  startScript,
  startWith,
  tool,
  turn,
  twoHops,
} from './support/index.ts';
import type { Json } from './support/index.ts';

const started = closing();

const named = (name: string): Json => ({ type: 'function', name });
const allowed = (mode: string, ...names: readonly string[]): Json => ({
  type: 'allowed_tools',
  mode,
  tools: names.map(named),
});

/** Rules under which `a` goes by `x`, `del` is denied, and everything is rolled up. */
const spec = twoHops({}, rules({ filter: { deny: ['del'] } }, { rename: { from: 'a', to: 'x' } }));
const declared = [tool('a'), tool('b'), tool('c'), tool('del'), { type: 'web_search' }];

/** What a hop showed: the names of its tools, those in the menu, and its choice. */
interface Shown {
  readonly tools: readonly unknown[] | undefined;
  readonly menu?: readonly unknown[];
  readonly choice?: unknown;
}

function shownIn(body: unknown): Shown {
  const tools = field(body, 'tools');
  if (!Array.isArray(tools)) return { tools: undefined };
  const names = tools.map((each: unknown) => field(each, 'name') ?? field(each, 'type'));
  const menu: unknown = tools.flatMap(
    (each: unknown) => field(each, 'parameters', 'properties', 'names', 'items', 'enum') ?? [],
  );
  const choice = field(body, 'tool_choice');
  return {
    tools: names,
    ...(Array.isArray(menu) && menu.length > 0 ? { menu: menu as unknown[] } : {}),
    ...(choice === undefined ? {} : { choice }),
  };
}

const menuShown = { tools: ['call_tool', 'web_search'], menu: ['x', 'b', 'c'] };
const allShown = { tools: ['x', 'b', 'c', 'web_search'] };
const mixed = {
  type: 'allowed_tools',
  mode: 'auto',
  tools: [named('b'), { type: 'web_search' }, { type: 'mcp', name: 'del' }],
};

/** Each choice, what the first hop shows, and the plan. */
const table: readonly (readonly [string, unknown, Shown, string])[] = [
  ['left out', undefined, menuShown, 'two_hop'],
  ['null', null, { ...menuShown, choice: null }, 'two_hop'],
  ['auto', 'auto', { ...menuShown, choice: 'auto' }, 'two_hop'],
  ['required', 'required', { ...menuShown, choice: 'required' }, 'two_hop'],
  ['none', 'none', { ...allShown, choice: 'none' }, 'direct'],
  ['a tool by name (B2)', named('b'), { tools: ['b', 'web_search'], choice: named('b') }, 'two_hop'],
  ['a renamed tool', named('a'), { tools: ['x', 'web_search'], choice: named('x') }, 'two_hop'],
  ['a name that is not declared', named('zzz'), { ...allShown, choice: named('zzz') }, 'direct'],
  ['the name that only the upstream knows', named('x'), { ...allShown, choice: named('x') }, 'direct'],
  [
    'allowed, one of them renamed (B3)',
    allowed('auto', 'a', 'b'),
    { tools: ['call_tool', 'web_search'], menu: ['x', 'b'], choice: { ...allowed('auto', 'call_tool') } },
    'two_hop',
  ],
  [
    'allowed and required (B3)',
    allowed('required', 'a'),
    { tools: ['call_tool', 'web_search'], menu: ['x'], choice: allowed('required', 'call_tool') },
    'two_hop',
  ],
  [
    'allowed, one of them denied',
    allowed('required', 'b', 'del'),
    { tools: ['call_tool', 'web_search'], menu: ['b'], choice: allowed('required', 'call_tool') },
    'two_hop',
  ],
  ['allowed, all of them denied', allowed('auto', 'del'), { ...allShown, choice: 'none' }, 'direct'],
  [
    'allowed, hosted ones among them',
    mixed,
    {
      tools: ['call_tool', 'web_search'],
      menu: ['b'],
      choice: { ...mixed, tools: [{ type: 'web_search' }, { type: 'mcp', name: 'del' }, named('call_tool')] },
    },
    'two_hop',
  ],
  ['a hosted tool', { type: 'web_search' }, { ...allShown, choice: { type: 'web_search' } }, 'direct'],
  [
    'an MCP server',
    { type: 'mcp', server_label: 's', name: 'del' },
    { ...allShown, choice: { type: 'mcp', server_label: 's', name: 'del' } },
    'direct',
  ],
  ['a word that is none', 'maybe', { ...allShown, choice: 'maybe' }, 'direct'],
  ['an empty object', {}, { ...allShown, choice: {} }, 'direct'],
  ['a list', [], { ...allShown, choice: [] }, 'direct'],
];

describe('tool_choice', () => {
  it.each(table)('is kept to where it is %s', async (_, choice, shown, plan) => {
    const { sent, answer } = await passTurn(started, {
      spec,
      body: turn({ tools: declared, tool_choice: choice }),
    });

    expect(shownIn(JSON.parse(sent[0] ?? ''))).toEqual(shown);
    expect(answer.headers['x-toolroll-plan']).toBe(plan);
  });

  it.each([
    ['a function', named('del')],
    ['the only allowed one, required', allowed('required', 'del')],
  ])('that forces a denied tool is refused by name of the rule: %s (E4)', async (_, choice) => {
    const { sent, answer, toolroll } = await passTurn(started, {
      spec,
      body: turn({ tools: declared, tool_choice: choice }),
    });

    expect(sent).toEqual([]);
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual({
      error: {
        message: "tool_choice forces 'del', which rule 'filter-0' of rule set 'test' denies.",
        type: 'invalid_request_error',
        param: 'tool_choice',
        code: 'tool_denied',
      },
    });
    expect(await toolroll.metric('toolroll_requests_refused_total{code="tool_denied"}')).toBe(1);
  });

  it('that forces a denied hosted tool is refused too', async () => {
    const { answer } = await passTurn(started, {
      spec: rules({ filter: { deny: ['web_search'] } }),
      body: turn({ tools: declared, tool_choice: { type: 'web_search' } }),
    });

    expect(answer.status).toBe(400);
  });

  it('required stays so on the second hop, and the answer echoes what the app sent', async () => {
    const { sent, answer } = await passTurn(started, {
      spec,
      body: turn({ tools: declared, tool_choice: 'required' }),
      script: [
        json(response({ items: [call('call_tool', { names: ['x'] })] })),
        json(response({ items: [call('x', {})], fields: { tool_choice: 'required', tools: [] } })),
      ],
    });

    expect(sent.map((body) => field(JSON.parse(body), 'tool_choice'))).toEqual(['required', 'required']);
    expect(answer.json()).toMatchObject({
      output: [{ name: 'a' }],
      tool_choice: 'required',
      tools: declared,
    });
  });

  it('allowed lists on the second hop what was picked, and the answer echoes the list of the app', async () => {
    const choice = allowed('auto', 'a', 'b');

    const { sent, answer } = await passTurn(started, {
      spec,
      body: turn({ tools: declared, tool_choice: choice }),
      script: [
        json(response({ items: [call('call_tool', { names: ['x'] })] })),
        json(response({ items: [call('x', {})], fields: { tool_choice: allowed('auto', 'x'), tools: [] } })),
      ],
    });

    expect(shownIn(JSON.parse(sent[1] ?? ''))).toEqual({
      tools: ['x', 'web_search'],
      choice: allowed('auto', 'x'),
    });
    expect(answer.json()).toMatchObject({ output: [{ name: 'a' }], tool_choice: choice });
  });

  it('allowed lets nothing else be picked (B3)', async () => {
    const { sent, answer } = await passTurn(started, {
      spec,
      body: turn({ tools: declared, tool_choice: allowed('required', 'a') }),
      script: [
        json(response({ items: [call('call_tool', { names: ['b', 'x'] })] })),
        json(response({ items: [call('x', {})] })),
      ],
    });

    expect(shownIn(JSON.parse(sent[1] ?? ''))).toEqual({
      tools: ['x', 'web_search'],
      choice: allowed('required', 'x'),
    });
    expect(answer.json()).toMatchObject({ output: [{ name: 'a' }] });
  });

  it('of a tool that is the only one left shows it alone', async () => {
    const { sent } = await passTurn(started, {
      spec: rules({ filter: { deny: ['b'] } }),
      body: turn({ tools: [tool('a'), tool('b')], tool_choice: named('a') }),
    });

    expect(shownIn(JSON.parse(sent[0] ?? ''))).toEqual({ tools: ['a'], choice: named('a') });
  });
});

describe('parallel_tool_calls (B4)', () => {
  const hop1 = json(
    response({
      items: [
        call('call_tool', { names: ['get_w'] }, { id: 'fc_1' }),
        call('call_tool', { names: ['send_mail'] }, { id: 'fc_2' }),
      ],
    }),
  );

  it.each([true, false])(
    '%s goes along on both hops, and both picks are revealed in one',
    async (parallel) => {
      const { sent } = await passTurn(started, {
        spec: twoHops(),
        body: turn({ parallel_tool_calls: parallel }),
        script: [hop1, json(response({ items: [message('ok')] }))],
      });

      expect(sent.map((body) => field(JSON.parse(body), 'parallel_tool_calls'))).toEqual([
        parallel,
        parallel,
      ]);
      expect(shownIn(JSON.parse(sent[1] ?? '')).tools).toEqual(['get_w', 'send_mail']);
    },
  );

  it('false: a call of a shown tool beside a pick is the one call of the answer', async () => {
    const upstream = await started(
      startScript([
        json(response({ items: [call('get_w', {}), call('call_tool', { names: ['send_mail'] })] })),
      ]),
    );
    const toolroll = await started(startWith({ upstream, spec: twoHops({ pinned: ['get_w'] }) }));

    const answer = await ask(toolroll, turn({ parallel_tool_calls: false }));

    expect(answer.json()).toMatchObject({ output: [{ name: 'get_w' }] });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('what only one hop can do', () => {
  it.each<[string, Json]>([
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['conversation', { conversation: 'conv_1' }],
    ['truncation', { truncation: 'auto' }],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['prewarm', { prompt_cache_options: { prewarm: true } }],
    ['tool_search', { tools: [...declared, { type: 'tool_search' }] }],
    ['defer_loading', { tools: [...declared, tool('d', { defer_loading: true })] }],
    ['programmatic_tool_calling', { tools: [...declared, { type: 'programmatic_tool_calling' }] }],
  ])('%s: rules apply, and nothing is rolled up', async (_, fields) => {
    const { sent, answer } = await passTurn(started, { spec, body: turn({ tools: declared, ...fields }) });

    const { tools } = shownIn(JSON.parse(sent[0] ?? ''));
    expect(tools).not.toContain('del');
    expect(tools).toEqual(expect.arrayContaining(['b', 'c', 'web_search']));
    expect(tools).not.toContain('call_tool');
    expect(answer.headers).toMatchObject({ 'x-toolroll-plan': 'direct', 'x-toolroll-hops': '1' });
  });
});
