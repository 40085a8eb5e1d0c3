import { inWords, passTurn, rules } from './rules-setup.ts';
import {
  call,
  closing,
  field,
  items,
  json,
  message,
  response,
  tool,
  turn,
  twoHops,
} from './support/index.ts';
import type { Json } from './support/index.ts';

const started = closing();

const pick = (...names: readonly string[]) => json(response({ items: [call('call_tool', { names })] }));
const answerWith = (name: string, args: unknown = {}) => json(response({ items: [call(name, args)] }));

function toolNames(body: string | undefined): unknown[] {
  return items(JSON.parse(body ?? ''), 'tools').map((each) => each['name'] ?? each['type']);
}

/** The meta tool in a body, and the names of its menu. */
function menuIn(body: string | undefined): { readonly metaTool: Json | undefined; readonly names: unknown } {
  const metaTool = items(JSON.parse(body ?? ''), 'tools').find((each) =>
    String(each['name']).startsWith('call_tool'),
  );
  return { metaTool, names: field(metaTool, 'parameters', 'properties', 'names', 'items', 'enum') };
}

describe('the menu', () => {
  it('stands where the first rolled-up tool stood, and names the rest in the order of the app', async () => {
    const { sent } = await passTurn(started, {
      spec: twoHops({ pinned: ['send_*'] }),
      body: turn({
        tools: [tool('send_mail'), { type: 'web_search' }, tool('b'), tool('a'), tool('send_fax')],
      }),
    });

    expect(toolNames(sent[0])).toEqual(['send_mail', 'web_search', 'call_tool', 'send_fax']);
    expect(menuIn(sent[0]).names).toEqual(['b', 'a']);
    expect(menuIn(sent[0]).metaTool).toMatchObject({
      type: 'function',
      strict: false,
      parameters: {
        type: 'object',
        properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 8 } },
        required: ['names'],
        additionalProperties: false,
      },
    });
  });

  it('tells two tools of one name apart by their namespaces, and reveals in place (B5)', async () => {
    const spaces = [
      { type: 'namespace', name: 'mcp__gh', description: 'GitHub', tools: [tool('lookup'), tool('merge')] },
      { type: 'namespace', name: 'mcp__jira', tools: [tool('lookup')] },
    ];
    const made = call('lookup', {}, { namespace: 'mcp__gh' });

    const { sent, answer } = await passTurn(started, {
      spec: twoHops(),
      body: turn({ tools: spaces }),
      script: [pick('mcp__gh.lookup'), json(response({ items: [made] }))],
    });

    expect(menuIn(sent[0]).names).toEqual(['mcp__gh.lookup', 'mcp__gh.merge', 'mcp__jira.lookup']);
    expect(field(JSON.parse(sent[1] ?? ''), 'tools')).toEqual([{ ...spaces[0], tools: [tool('lookup')] }]);
    expect(field(answer.json(), 'output')).toEqual([made]);
  });

  it('is the same text for the same request', async () => {
    const { sent: first } = await passTurn(started, { spec: twoHops(), body: turn() });
    const { sent: second } = await passTurn(started, { spec: twoHops(), body: turn() });

    expect(second).toEqual(first);
  });

  it('lists so many characters of each description beside its name', async () => {
    const { sent } = await passTurn(started, {
      spec: twoHops({ summaryLimitChars: 20 }),
      body: turn({
        tools: [
          tool('a', { description: 'Sends\n\n  a letter by mail to someone.' }),
          tool('b', { description: '' }),
          { type: 'custom', name: 'c', description: 'Short.' },
        ],
      }),
    });

    const description = String(menuIn(sent[0]).metaTool?.['description']);
    expect(description).toContain('\nThe tools:\n- a: Sends a letter...\n- b\n- c: Short.');
  });

  it('of over 500 names stands in the description, without an enum', async () => {
    const many = Array.from({ length: 501 }, (_, index) => ({ type: 'function', name: `t${String(index)}` }));

    const { sent } = await passTurn(started, {
      spec: twoHops(),
      body: turn({ tools: many }),
      script: [pick('t500'), inWords],
    });

    const { metaTool, names } = menuIn(sent[0]);
    expect(names).toBeUndefined();
    expect(String(metaTool?.['description'])).toContain('- t0\n- t1\n');
    expect(toolNames(sent[1])).toEqual(['t500']);
  });

  it.each([
    ['declares it', [tool('call_tool'), tool('b'), tool('c')], []],
    [
      'declares it in a namespace',
      [{ type: 'namespace', name: 'n', tools: [tool('call_tool')] }, tool('b')],
      [],
    ],
    ['has called it before', [tool('a'), tool('b')], [call('call_tool', {})]],
    [
      'declares it unreadably',
      ['{"type":"function","name":"call_tool","name":"z"}', tool('a'), tool('b')],
      [],
    ],
  ])('goes by another name where the app %s', async (_, declared, history) => {
    const tools = declared.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(',');

    const { sent } = await passTurn(started, {
      spec: twoHops(),
      body: `{"model":"m","tools":[${tools}],"input":${JSON.stringify([...history, { role: 'user', content: 'hi' }])}}`,
    });

    expect(
      menuIn((sent[0] ?? '').replace('"name":"call_tool","name":"z"', '"name":"z"')).metaTool?.['name'],
    ).toBe('call_tool_2');
  });
});

describe('the catalogue', () => {
  const declared = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) => tool(name));

  it.each([
    ['pinned', { pinned: ['a1', '/^b/'] }, ['a1', 'call_tool', 'b1', 'b2']],
    ['not included', { catalogue: { include: ['a*'] } }, ['call_tool', 'b1', 'b2', 'c1']],
    ['excluded', { catalogue: { exclude: ['*1'] } }, ['a1', 'call_tool', 'b1', 'c1']],
  ])('leaves out what is %s', async (_, selection, shown) => {
    const { sent } = await passTurn(started, { spec: twoHops(selection), body: turn({ tools: declared }) });

    expect(toolNames(sent[0])).toEqual(shown);
  });

  it('holds what the file lists by the names of the app, where one is given', async () => {
    const spec = twoHops({ catalogue: { file: 'known.json' } }, rules({ rename: { from: 'a2', to: 'z9' } }));
    const { sent } = await passTurn(started, {
      files: {
        'rules.json': JSON.stringify({
          apiVersion: 'toolroll.dev/v1alpha1',
          kind: 'RuleSet',
          metadata: { name: 'test' },
          spec,
        }),
        'known.json': JSON.stringify([tool('a1'), tool('a2'), tool('elsewhere')]),
      },
      body: turn({ tools: declared }),
    });

    expect(toolNames(sent[0])).toEqual(['call_tool', 'b1', 'b2', 'c1']);
    expect(menuIn(sent[0]).names).toEqual(['a1', 'z9']);
  });

  it.each([
    ['pinned', { pinned: ['a1'] }],
    ['pinned by its new name', { pinned: ['z9'] }],
    ['excluded', { catalogue: { exclude: ['a1'] } }],
    ['not included', { catalogue: { include: ['b*', 'c1', 'a2'] } }],
  ])('knows a renamed tool by the name that the app gave it: %s', async (_, selection) => {
    const { sent } = await passTurn(started, {
      spec: twoHops(selection, rules({ rename: { from: 'a1', to: 'z9' } })),
      body: turn({ tools: declared }),
    });

    expect(toolNames(sent[0])).toEqual(['z9', 'call_tool']);
  });

  it('shows from the first hop on what was called before in the conversation, denied and unknown ones apart', async () => {
    const history = [
      call('b1', {}),
      { type: 'function_call_output', call_id: 'call_b1', output: '' },
      call('gone', {}),
      { type: 'custom_tool_call', name: 'a2', input: '', call_id: 'x' },
      call('lookup', {}, { namespace: 'n' }),
    ];

    const { sent } = await passTurn(started, {
      spec: twoHops({}, rules({ filter: { deny: ['a2'] } })),
      body: turn({
        tools: [...declared, { type: 'namespace', name: 'n', tools: [tool('lookup'), tool('b2')] }],
        input: history,
      }),
    });

    expect(toolNames(sent[0])).toEqual(['call_tool', 'b1', 'n']);
    expect(menuIn(sent[0]).names).toEqual(['a1', 'b2', 'c1', 'n.b2']);
  });

  it('never holds a tool that the upstream runs, nor one of a type that is not known', async () => {
    const hosted = [
      'file_search',
      'web_search',
      'web_search_preview',
      'computer_use_preview',
      'mcp',
      'code_interpreter',
      'image_generation',
      'local_shell',
      'shell',
      'apply_patch',
      'of_the_future',
    ].map((type) => ({ type }));

    const { sent } = await passTurn(started, {
      spec: twoHops({ catalogue: { include: ['*'] } }),
      body: turn({ tools: [tool('a'), ...hosted, tool('b')] }),
    });

    expect(toolNames(sent[0])).toEqual(['call_tool', ...hosted.map(({ type }) => type)]);
  });

  it.each([
    ['fewer tools than minTools', { minTools: 6 }, 'few_tools'],
    ['fewer tokens than minToolTokens', { minToolTokens: 3_000 }, 'few_tool_tokens'],
    ['the tokens of `auto`, which are not reached', { minToolTokens: 'auto' }, 'few_tool_tokens'],
    ['everything pinned', { pinned: ['*'] }, 'few_tools'],
    ['strategy off', { strategy: 'off' }, 'selection_off'],
  ])('is not rolled up with %s, and the record says why', async (_, selection, reason) => {
    const { sent, answer, toolroll } = await passTurn(started, {
      spec: twoHops(selection),
      body: turn({ tools: declared }),
    });

    expect(toolNames(sent[0])).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
    expect(answer.headers['x-toolroll-plan']).toBe('direct');
    expect(field(await toolroll.audit(), 'events', 0, 'reasons')).toEqual([reason]);
  });

  it('is rolled up with exactly minTools tools', async () => {
    const { answer } = await passTurn(started, {
      spec: twoHops({ minTools: 5 }),
      body: turn({ tools: declared }),
    });

    expect(answer.headers['x-toolroll-plan']).toBe('two_hop');
  });
});

describe('a hop that picks (E6)', () => {
  const spec = twoHops({ maxRounds: 2 }, rules({ filter: { deny: ['del'] } }));
  const body = turn({ tools: [tool('get_w'), tool('send_mail'), tool('del')] });

  it('(a) a denied name is never revealed, and is no name of the menu', async () => {
    const { sent } = await passTurn(started, {
      spec,
      body,
      script: [pick('del', 'get_w'), answerWith('get_w')],
    });

    expect(menuIn(sent[0]).names).toEqual(['get_w', 'send_mail']);
    expect(toolNames(sent[1])).toEqual(['get_w']);
    expect(sent.join()).not.toContain('"name":"del"');
  });

  it('(a) a denied name alone is answered with the closest ones, and asked again', async () => {
    const { sent } = await passTurn(started, {
      spec,
      body,
      script: [pick('del'), pick('get_w'), answerWith('get_w')],
    });

    const again = items(JSON.parse(sent[1] ?? ''), 'input');
    expect(again.map(({ type }) => type)).toEqual([undefined, 'function_call', 'function_call_output']);
    expect(String(again[2]?.['output'])).toContain(
      'There is no tool "del". The closest names: get_w, send_mail.',
    );
    expect(toolNames(sent[2])).toEqual(['get_w']);
  });

  it('(b) a call of a tool that the menu named is a pick, its arguments thrown away', async () => {
    const { sent, answer } = await passTurn(started, {
      spec,
      body,
      script: [answerWith('get_w', { guessed: 1 }), answerWith('get_w', { city: 'Rome' })],
    });

    expect(toolNames(sent[1])).toEqual(['get_w']);
    expect(JSON.stringify(answer.json())).not.toContain('guessed');
  });

  it.each([
    ['(c) an unknown name', pick('nope')],
    ['(d) broken arguments', json(response({ items: [call('call_tool', '{"names":["get_w"')] }))],
    ['(d) no names', json(response({ items: [call('call_tool', '{}')] }))],
  ])('%s is asked again at most maxRounds times, then everything is shown', async (_, bad) => {
    const { sent, answer } = await passTurn(started, { spec, body, script: [bad, bad, answerWith('get_w')] });

    expect(sent.map((each) => toolNames(each))).toEqual([
      ['call_tool'],
      ['call_tool'],
      ['get_w', 'send_mail'],
    ]);
    expect(answer.json()).toMatchObject({ output: [{ name: 'get_w' }] });
    expect(answer.text).not.toContain('call_tool');
  });

  it('(c) ends in a 422 where the rules say so', async () => {
    const { answer } = await passTurn(started, {
      spec: twoHops({ maxRounds: 1, onExhausted: { error: 422 } }),
      body,
      script: [pick('nope')],
    });

    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({
      error: { code: 'selection_exhausted', type: 'invalid_request_error' },
    });
  });

  it('(e) another pick after the reveal ends, whatever the model goes on to say', async () => {
    const { sent, answer } = await passTurn(started, {
      spec,
      body,
      script: Array.from({ length: 10 }, () => pick('get_w')),
    });

    expect(sent.length).toBeLessThanOrEqual(4);
    expect(answer.text).not.toContain('"call_tool"');
    expect(toolNames(sent.at(-1))).not.toContain('call_tool');
  });

  it('takes a name with blanks around it, a single name for a list, and each name once', async () => {
    const single = json(response({ items: [call('call_tool', { names: ' get_w ' })] }));
    const { sent } = await passTurn(started, { spec, body, script: [single, inWords] });
    const { sent: twice } = await passTurn(started, {
      spec,
      body,
      script: [pick('send_mail', 'get_w', ' send_mail'), json(response({ items: [message('ok')] }))],
    });

    expect(toolNames(sent[1])).toEqual(['get_w']);
    expect(toolNames(twice[1])).toEqual(['get_w', 'send_mail']);
  });
});
