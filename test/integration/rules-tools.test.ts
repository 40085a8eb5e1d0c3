import { inWords, passTurn, rules } from './rules-setup.ts';
import {
  ask,
  call,
  closing,
  eventsOf,
  field,
  items,
  json,
  outputOf,
  response,
  sse,
  startScript,
  startWith,
  stream,
  terminalOf,
  tool,
  turn,
  twoHops,
} from './support/index.ts';
import type { Json } from './support/index.ts';

const started = closing();

/** The names of the tools in a body, those of a namespace with it. */
function namesIn(body: unknown): string[] {
  const tools = field(body, 'tools');
  return (Array.isArray(tools) ? tools : []).flatMap((each: unknown) => {
    const name = String(field(each, 'name') ?? field(each, 'type'));
    return field(each, 'type') === 'namespace' ? namesIn(each).map((inner) => `${name}.${inner}`) : [name];
  });
}

const declared: Json[] = [
  tool('get_w'),
  tool('del_file'),
  { type: 'custom', name: 'patch', description: 'Patches.' },
  { type: 'namespace', name: 'gh', tools: [tool('lookup'), tool('del_repo')] },
  { type: 'namespace', name: 'jira', tools: [tool('lookup')] },
  { type: 'web_search' },
];

describe('filter', () => {
  it.each([
    [
      'a name',
      { deny: ['get_w'] },
      ['del_file', 'patch', 'gh.lookup', 'gh.del_repo', 'jira.lookup', 'web_search'],
    ],
    [
      'a name in every namespace',
      { deny: ['lookup'] },
      ['get_w', 'del_file', 'patch', 'gh.del_repo', 'web_search'],
    ],
    [
      'a name in one namespace',
      { deny: ['gh.lookup'] },
      ['get_w', 'del_file', 'patch', 'gh.del_repo', 'jira.lookup', 'web_search'],
    ],
    ['a whole namespace', { deny: ['gh.*'] }, ['get_w', 'del_file', 'patch', 'jira.lookup', 'web_search']],
    ['a glob', { deny: ['del_*'] }, ['get_w', 'patch', 'gh.lookup', 'jira.lookup', 'web_search']],
    [
      'a type',
      { deny: ['web_search'] },
      ['get_w', 'del_file', 'patch', 'gh.lookup', 'gh.del_repo', 'jira.lookup'],
    ],
    ['RE2', { deny: ['/^(del|get)_/'] }, ['patch', 'gh.lookup', 'jira.lookup', 'web_search']],
    ['what is allowed', { allow: ['get_w', 'gh.lookup'] }, ['get_w', 'gh.lookup']],
    [
      'what is allowed but for what is denied',
      { allow: ['*'], deny: ['*e*'] },
      ['patch', 'gh.lookup', 'jira.lookup'],
    ],
    ['nothing allowed', { allow: [] }, []],
  ])('takes by %s', async (_, filter, left) => {
    const { sent, answer } = await passTurn(started, {
      spec: rules({ filter }),
      body: turn({ tools: declared }),
    });

    expect(namesIn(JSON.parse(sent[0] ?? ''))).toEqual(left);
    expect(answer.headers['x-toolroll-plan']).toBe('direct');
  });

  it('drops what is said about tools with the last of them, and leaves the history alone (B1, E3)', async () => {
    const history = [
      { role: 'user', content: 'hi' },
      call('get_w', { city: 'Rome' }),
      { type: 'function_call_output', call_id: 'call_get_w', output: '20' },
    ];

    const { sent, answer } = await passTurn(started, {
      spec: rules({ filter: { deny: ['get_w'] } }),
      body: turn({ tools: [tool('get_w')], tool_choice: 'auto', parallel_tool_calls: false, input: history }),
    });

    expect(JSON.parse(sent[0] ?? '')).toEqual({ model: 'm-1', input: history });
    expect(answer.status).toBe(200);
  });

  it("leaves the app's own empty list as it stands (B1)", async () => {
    const body = '{"model":"m","input":"hi","tools":[],"tool_choice":"auto","parallel_tool_calls":false}';

    const { sent } = await passTurn(started, { spec: twoHops({}, rules({ filter: { deny: ['*'] } })), body });

    expect(sent).toEqual([body]);
  });

  it('counts what it did, by rule', async () => {
    const { toolroll } = await passTurn(started, {
      spec: rules({ id: 'no-del', filter: { deny: ['del_*'] } }),
      body: turn({ tools: declared }),
    });

    expect(await toolroll.metric('toolroll_rules_applied_total{rule_set="test",rule="no-del"}')).toBe(1);
  });
});

describe('rename', () => {
  const rename = rules({ rename: { from: 'get_w', to: 'weather' } });
  const history = [
    call('get_w', { city: 'Rome' }),
    { type: 'function_call_output', call_id: 'call_get_w', output: '20' },
    { role: 'user', content: 'And get_w tomorrow?' },
  ];

  it('goes forth in declarations, choice and history, and back in the answer and its echo (E2)', async () => {
    const body = turn({ input: history, tool_choice: { type: 'function', name: 'get_w' } });
    const upstreamTools = [{ ...tool('get_w'), name: 'weather' }, ...items(body, 'tools').slice(1)];

    const { sent, answer } = await passTurn(started, {
      spec: rename,
      body,
      script: [
        json(
          response({
            items: [call('weather', { city: 'get_w' })],
            fields: { tools: upstreamTools, tool_choice: { type: 'function', name: 'weather' } },
          }),
        ),
      ],
    });

    expect(JSON.parse(sent[0] ?? '')).toEqual({
      ...body,
      tools: upstreamTools,
      tool_choice: { type: 'function', name: 'weather' },
      input: [{ ...call('get_w', { city: 'Rome' }), name: 'weather' }, ...history.slice(1)],
    });
    expect(answer.json()).toMatchObject({
      output: [{ type: 'function_call', name: 'get_w', arguments: '{"city":"get_w"}' }],
      tools: body['tools'],
      tool_choice: { type: 'function', name: 'get_w' },
    });
  });

  it('goes back in every event of a stream', async () => {
    const { answer } = await passTurn(started, {
      spec: rename,
      body: turn({ stream: true }),
      script: [sse(stream({ items: [call('weather', { city: 'Rome' }, { id: 'fc_1' })] }))],
    });

    const events = eventsOf(answer.text);
    expect(outputOf(events)).toMatchObject([{ name: 'get_w' }]);
    expect(answer.text).not.toContain('weather');
    expect(events.flatMap(({ data }) => field(data, 'item', 'name') ?? [])).toEqual(['get_w', 'get_w']);
  });

  it('goes forth and back with a menu in between', async () => {
    const { sent, answer } = await passTurn(started, {
      spec: twoHops({}, rename),
      body: turn(),
      script: [
        json(response({ items: [call('call_tool', { names: ['weather'] })] })),
        json(response({ items: [call('weather', { city: 'Rome' })] })),
      ],
    });

    expect(sent[0]).toContain('"enum":["weather","send_mail"');
    expect(namesIn(JSON.parse(sent[1] ?? ''))).toEqual(['weather']);
    expect(answer.json()).toMatchObject({ output: [{ name: 'get_w' }] });
  });

  it('stays inside a namespace, which the app sees with its own names again (B5)', async () => {
    const spaces = [
      { type: 'namespace', name: 'gh', tools: [tool('lookup')] },
      { type: 'namespace', name: 'jira', tools: [tool('lookup')] },
    ];

    const { sent, answer } = await passTurn(started, {
      spec: rules({ rename: { from: 'gh.lookup', to: 'find' } }),
      body: turn({
        tools: spaces,
        stream: true,
        input: [call('lookup', {}, { namespace: 'gh' }), call('lookup', {}, { namespace: 'jira' })],
      }),
      script: [
        sse(
          stream({
            items: [
              call('find', {}, { id: 'fc_1', namespace: 'gh' }),
              call('lookup', {}, { id: 'fc_2', namespace: 'jira' }),
            ],
          }),
        ),
      ],
    });

    const body: unknown = JSON.parse(sent[0] ?? '');
    expect(namesIn(body)).toEqual(['gh.find', 'jira.lookup']);
    expect(field(body, 'input')).toMatchObject([
      { name: 'find', namespace: 'gh' },
      { name: 'lookup', namespace: 'jira' },
    ]);
    expect(outputOf(eventsOf(answer.text))).toMatchObject([
      { name: 'lookup', namespace: 'gh' },
      { name: 'lookup', namespace: 'jira' },
    ]);
  });

  it('with `mapBack: false` gives the app the new name, which it may then use in its history', async () => {
    const spec = twoHops({}, rules({ rename: { from: 'get_w', to: 'weather', mapBack: false } }));

    const { answer, sent } = await passTurn(started, {
      spec,
      body: turn({ input: [call('weather', {}), { role: 'user', content: 'hi' }] }),
      script: [json(response({ items: [call('weather', { city: 'Rome' })] }))],
    });

    // Sticky, since it was called before.
    expect(namesIn(JSON.parse(sent[0] ?? ''))).toEqual(['weather', 'call_tool']);
    expect(answer.json()).toMatchObject({ output: [{ name: 'weather' }] });
  });

  it("makes a name unique that the app's own tool has, and maps each back exactly, in every event (E1)", async () => {
    const { sent, answer } = await passTurn(started, {
      spec: rules({ rename: { from: 'bash', to: 'run' } }),
      body: turn({ tools: [tool('bash'), tool('run')], stream: true }),
      script: [sse(stream({ items: [call('run', {}, { id: 'fc_1' }), call('run_2', {}, { id: 'fc_2' })] }))],
    });

    expect(namesIn(JSON.parse(sent[0] ?? ''))).toEqual(['run_2', 'run']);
    expect(outputOf(eventsOf(answer.text))).toMatchObject([{ name: 'run' }, { name: 'bash' }]);
    expect(answer.text).not.toContain('run_2');
  });

  it('renames in the history what is declared no more', async () => {
    const { sent } = await passTurn(started, {
      spec: rename,
      body: turn({ tools: [tool('a')], input: history }),
    });

    expect(field(JSON.parse(sent[0] ?? ''), 'input', 0, 'name')).toBe('weather');
  });

  it('follows renames one after another, and lets later rules use the new name', async () => {
    const { sent, answer } = await passTurn(started, {
      spec: rules(
        { rename: { from: 'get_w', to: 'weather' } },
        { override: { name: 'weather', description: 'first' } },
        { rename: { from: 'weather', to: 'forecast' } },
        { filter: { deny: ['weather', 'send_mail'] } },
      ),
      body: turn(),
      script: [json(response({ items: [call('forecast', {})] }))],
    });

    const body: unknown = JSON.parse(sent[0] ?? '');
    expect(namesIn(body)).toEqual(['forecast', 'find_file', 'add_event', 'play_song']);
    expect(field(body, 'tools', 0, 'description')).toBe('first');
    expect(answer.json()).toMatchObject({ output: [{ name: 'get_w' }] });
  });

  it('is not done in the background, whose answer is fetched past us; rules by the new name still hold', async () => {
    const { sent } = await passTurn(started, {
      spec: rules(
        { rename: { from: 'get_w', to: 'weather' } },
        { rename: { from: 'send_mail', to: 'post' } },
        { filter: { deny: ['post'] } },
      ),
      body: turn({ background: true }),
    });

    expect(namesIn(JSON.parse(sent[0] ?? ''))).toEqual(['get_w', 'find_file', 'add_event', 'play_song']);
  });
});

describe('override, inject and trim', () => {
  it('replaces what a tool says of itself, of functions alone what only they have', async () => {
    const { sent } = await passTurn(started, {
      spec: rules(
        {
          override: {
            name: 'get_w',
            description: 'New "words"',
            parameters: { type: 'object' },
            strict: true,
          },
        },
        { override: { name: 'patch', description: 'free text', parameters: { type: 'object' } } },
      ),
      body: turn({ tools: declared }),
    });

    const body: unknown = JSON.parse(sent[0] ?? '');
    expect(field(body, 'tools', 0)).toEqual({
      ...tool('get_w'),
      description: 'New "words"',
      parameters: { type: 'object' },
      strict: true,
    });
    expect(field(body, 'tools', 2)).toEqual({ type: 'custom', name: 'patch', description: 'free text' });
  });

  const now = { type: 'function', name: 'now', parameters: { type: 'object' } };

  it.each([
    ['after the tools of the app', [tool('a')], ['a', 'now']],
    ['into an empty list', [], ['now']],
    ['where the app sent none', undefined, ['now']],
    ['where the app sent null', null, ['now']],
    ['not where the app has a tool of that name', [tool('now')], ['now']],
    [
      'though a namespace has one of that name',
      [{ type: 'namespace', name: 'n', tools: [tool('now')] }],
      ['n.now', 'now'],
    ],
  ])('adds a tool %s', async (_, tools, expected) => {
    const { sent } = await passTurn(started, {
      spec: rules({ inject: { tool: now } }),
      body: turn({ tools }),
    });

    expect(namesIn(JSON.parse(sent[0] ?? ''))).toEqual(expected);
  });

  it('treats an injected tool as any other in the rules that follow, and never rolls it up', async () => {
    const { sent } = await passTurn(started, {
      spec: twoHops(
        {},
        rules(
          { inject: { tool: { ...now, description: 'What time it is, by the clock.' } } },
          { inject: { tool: { type: 'function', name: 'later' } } },
          { override: { name: 'now', strict: true } },
          { trim: { descriptionChars: 12 } },
          { filter: { deny: ['later'] } },
        ),
      ),
      body: turn(),
    });

    const body: unknown = JSON.parse(sent[0] ?? '');
    expect(namesIn(body)).toEqual(['call_tool', 'now']);
    expect(field(body, 'tools', 1)).toEqual({ ...now, description: 'What time...', strict: true });
  });

  it('trims the description and those of the parameters, not data that is called so', async () => {
    const parameters = {
      type: 'object',
      description: 'All of the parameters',
      properties: {
        description: {
          type: 'string',
          description: 'The text of the entry',
          default: { description: 'a long default text' },
        },
        tags: { type: 'array', items: { anyOf: [{ description: 'One of many tags' }] } },
      },
    };

    const { sent } = await passTurn(started, {
      spec: rules({ trim: { names: ['a*'], descriptionChars: 8, parameterDescriptionChars: 6 } }),
      body: turn({
        tools: [tool('a1', { description: 'Adds a line', parameters }), tool('b', { parameters })],
      }),
    });

    const body: unknown = JSON.parse(sent[0] ?? '');
    expect(field(body, 'tools', 0)).toMatchObject({
      description: 'Adds...',
      parameters: {
        description: 'All...',
        properties: {
          description: { description: 'The...', default: { description: 'a long default text' } },
          tags: { items: { anyOf: [{ description: 'One...' }] } },
        },
      },
    });
    expect(field(body, 'tools', 1)).toEqual(tool('b', { parameters }));
  });
});

describe('which rule set', () => {
  const ruleSet = (name: string, spec: Json): string =>
    JSON.stringify({ apiVersion: 'toolroll.dev/v1alpha1', kind: 'RuleSet', metadata: { name }, spec });
  const marks = (description: string): Json => rules({ override: { name: 'a', description } });
  const files = {
    '10-off.json': ruleSet('off', { ...marks('off'), mode: 'off', match: { models: ['off-*'] } }),
    '20-team.json': ruleSet('team', {
      ...marks('team'),
      match: { headers: { 'X-Team': ['pay*', '/^ops$/'] } },
    }),
    '30-model.yaml': ruleSet('model', {
      ...marks('model'),
      match: { models: ['m-1', '/^gpt-[45]/'], endpoints: ['responses'] },
    }),
    '40-both.json': ruleSet('both', {
      ...marks('both'),
      match: { models: ['both'], headers: { 'x-a': ['1'], 'x-b': ['*'] } },
    }),
    '90-rest.json': ruleSet('rest', marks('rest')),
  };
  const row = (what: string, model: unknown, headers: Record<string, string>, expected: string) =>
    [what, model, headers, expected] as const;

  it.each([
    row('the first of two that match', 'm-1', { 'x-team': 'payments' }, 'team'),
    row('a header by glob, in any case of its name', 'x', { 'X-TEAM': 'pay' }, 'team'),
    row('a header by RE2', 'x', { 'x-team': 'ops' }, 'team'),
    row('no header of that value', 'm-1', { 'x-team': 'other' }, 'model'),
    row('a model by RE2', 'gpt-5.4', {}, 'model'),
    row('a model and two headers', 'both', { 'x-a': '1', 'x-b': '' }, 'both'),
    row('a model and one of two headers', 'both', { 'x-a': '1' }, 'rest'),
    row('what is left', 'x', {}, 'rest'),
    row('a turn without a model', undefined, {}, 'rest'),
    row('a model that is no text', 5, {}, 'rest'),
    row('one that is off, which ends the search', 'off-1', { 'x-team': 'pay' }, 'as sent'),
  ])('takes %s', async (_, model, headers, expected) => {
    const { sent } = await passTurn(started, {
      files,
      body: turn({ model, tools: [tool('a', { description: 'as sent' })] }),
      headers,
    });

    expect(field(JSON.parse(sent[0] ?? ''), 'tools', 0, 'description')).toBe(expected);
  });
});

describe('tools in an input item (B6)', () => {
  const carrier = (...tools: Json[]): Json => ({
    type: 'additional_tools',
    role: 'developer',
    id: 'at_1',
    tools,
  });
  const user = { role: 'user', content: 'hi' };

  it('are filtered and renamed like others', async () => {
    const { sent, answer } = await passTurn(started, {
      spec: rules({ filter: { deny: ['del*'] } }, { rename: { from: 'get_w', to: 'weather' } }),
      body: { model: 'm', input: [carrier(tool('get_w'), tool('del'), ...declared.slice(3, 4)), user] },
      script: [json(response({ items: [call('weather', {})] }))],
    });

    const input = items(JSON.parse(sent[0] ?? ''), 'input');
    expect(namesIn(input[0])).toEqual(['weather', 'gh.lookup']);
    expect(input[0]).toMatchObject({ id: 'at_1', role: 'developer' });
    expect(answer.json()).toMatchObject({ output: [{ name: 'get_w' }] });
  });

  it('are rolled up where they stand, and revealed there', async () => {
    const { sent, answer } = await passTurn(started, {
      spec: twoHops(),
      body: { model: 'm', input: [carrier(tool('get_w'), tool('send_mail'), tool('find_file')), user] },
      script: [
        json(response({ items: [call('call_tool', { names: ['find_file'] })] })),
        json(response({ items: [call('find_file', {})] })),
      ],
    });

    expect(sent.map((body) => namesIn(field(JSON.parse(body), 'input', 0)))).toEqual([
      ['call_tool'],
      ['find_file'],
    ]);
    expect(sent.map((body) => field(JSON.parse(body), 'tools'))).toEqual([undefined, undefined]);
    expect(answer.json()).toMatchObject({ output: [{ name: 'find_file' }] });
  });

  it('go with their item when none is left', async () => {
    const { sent } = await passTurn(started, {
      spec: rules({ filter: { deny: ['*'] } }),
      body: { model: 'm', tool_choice: 'auto', input: [carrier(tool('get_w')), user] },
    });

    expect(JSON.parse(sent[0] ?? '')).toEqual({ model: 'm', input: [user] });
  });
});

describe('custom tools (B7)', () => {
  it('keep their grammar on the way and their input on the way back', async () => {
    const patch = {
      type: 'custom',
      name: 'patch',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/s' },
    };
    const input = '*** "quoted"\n\\n\ttabs é 😀';
    const made = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'apply', input };

    const { sent, answer } = await passTurn(started, {
      spec: twoHops({}, rules({ rename: { from: 'patch', to: 'apply' } })),
      body: turn({ tools: [patch, tool('get_w')], stream: true }),
      script: [
        sse(stream({ items: [call('call_tool', { names: ['apply'] })] })),
        sse(stream({ id: 'resp_2', items: [made] })),
      ],
    });

    expect(field(JSON.parse(sent[1] ?? ''), 'tools')).toEqual([{ ...patch, name: 'apply' }]);
    const events = eventsOf(answer.text);
    expect(outputOf(events)).toMatchObject([{ name: 'patch', input }]);
    expect(
      events
        .filter(({ type }) => type.endsWith('input.delta'))
        .map(({ data }) => field(data, 'delta'))
        .join(''),
    ).toBe(input);
    expect(terminalOf(events).type).toBe('response.completed');
  });
});

describe('odd schemas (B8)', () => {
  const odd = [
    tool('att', { parameters: { type: 'object', anyOf: [{ required: ['u'] }, { required: ['c'] }] } }),
    tool('now', { parameters: null }),
    tool('cycle', { parameters: { $ref: '#', properties: { self: { $ref: '#' } } } }),
    tool('none', { parameters: undefined }),
    tool('list', { parameters: [] }),
  ];
  const proto =
    '{"type":"function","name":"proto","parameters":{"__proto__":{"type":"object"},"constructor":{}}}';

  it.each([...odd.map((each) => JSON.stringify(each)), proto])(
    'are rolled up and revealed verbatim: %s',
    async (text) => {
      const name = String(field(JSON.parse(text), 'name'));

      const { sent, answer } = await passTurn(started, {
        spec: twoHops({ summaryLimitChars: 60 }),
        body: `{"model":"m","input":"hi","tools":[${JSON.stringify(tool('get_w'))},${text}]}`,
        script: [json(response({ items: [call('call_tool', { names: [name] })] })), inWords],
      });

      expect(sent[1]).toBe(`{"model":"m","input":"hi","tools":[${text}]}`);
      expect(answer.status).toBe(200);
    },
  );

  it('bring the 400 of the upstream back intact', async () => {
    const refusal = '{ "error" : {"message":"Invalid schema for function \'att\'","code":1} }';

    const { answer } = await passTurn(started, {
      spec: twoHops(),
      body: turn({ tools: [tool('get_w'), ...odd] }),
      script: [
        json(response({ items: [call('call_tool', { names: ['att'] })] })),
        json(refusal, { status: 400 }),
      ],
    });

    expect(answer.status).toBe(400);
    expect(answer.text).toBe(refusal);
  });
});

describe('tools that cannot be read', () => {
  it('are left where they stand, and the rest is rolled up', async () => {
    const left = [
      { type: 'function', description: 'no name' },
      { type: 'function', name: '' },
      { name: 'no_type' },
      { type: 'wizardry', name: 'unknown' },
      tool('twice'),
      5,
      tool('twice', { description: 'again' }),
      null,
      { type: 'namespace', name: 'empty', tools: [] },
    ];
    const body = { model: 'm', input: 'hi', tools: [tool('get_w'), ...left, tool('send_mail')] };
    const upstream = await started(startScript([inWords]));
    const toolroll = await started(startWith({ upstream, spec: twoHops() }));

    await ask(toolroll, body);

    const sent = field(upstream.requests[0]?.body, 'tools');
    expect(field(sent, 0, 'name')).toBe('call_tool');
    expect(field(sent, 0, 'parameters', 'properties', 'names', 'items', 'enum')).toEqual([
      'get_w',
      'send_mail',
    ]);
    expect(Array.isArray(sent) ? sent.slice(1) : []).toEqual(left);
  });
});

describe('a key that stands twice', () => {
  const del = JSON.stringify(tool('del'));
  const ok = JSON.stringify(tool('ok'));

  it.each([
    ['at the top', `{"model":"m","tools":[${del}],"tools":[${ok}],"input":"hi"}`],
    ['at the top, the last no list', `{"model":"m","tools":[${del}],"tools":7,"input":"hi"}`],
    ['in an item', `{"input":[{"type":"additional_tools","tools":[${del}],"tools":[${ok}]}]}`],
  ])('brings no denied tool to an upstream that reads the first one: %s', async (_, body) => {
    const { sent } = await passTurn(started, { spec: rules({ filter: { deny: ['del'] } }), body });

    expect(sent).toEqual([body.replace(`"tools":[${del}],`, '')]);
  });
});
