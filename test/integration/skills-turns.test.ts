import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import OpenAI from 'openai';
import { hear } from '../conformance/heard.ts';
import type { Heard } from '../conformance/heard.ts';
import { wire } from '../conformance/words.ts';
import type { CallSaid, Combination, Hop } from '../conformance/words.ts';
import { chatCall, chatTurn, completion } from './support/chat-wire.ts';
import {
  ask,
  closing,
  eventsOf,
  field,
  gate,
  items,
  message,
  openTurn,
  outputOf,
  reasoning,
  call,
  json,
  response,
  sse,
  startScript,
  startWith,
  stream,
  textOf,
  turn,
  twoHops,
} from './support/index.ts';
import type { Answered, Json, RunningToolroll, ScriptedUpstream } from './support/index.ts';

const started = closing();
let skillsDir = '';

beforeAll(async () => {
  skillsDir = await mkdtemp(join(tmpdir(), 'toolroll-skills-'));
  const words = Array.from({ length: 60 }, (_, index) => `Word ${String(index)}.`).join(' ');
  for (const name of ['release', 'review', '融资', 'français']) {
    await mkdir(join(skillsDir, name));
    await writeFile(
      join(skillsDir, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: How we ${name}.\n---\nThe ${name} handbook. ${words}\n`,
    );
  }
});

afterAll(async () => {
  await rm(skillsDir, { recursive: true });
});

const skill = (command: string): CallSaid => ({ name: 'Skill', args: { command } });
const rome: CallSaid = { name: 'get_w', args: { city: 'Rome' } };

const combinations: readonly Combination[] = (['responses', 'chat'] as const).flatMap((protocol) =>
  (['json', 'stream'] as const).map((format) => ({ protocol, transport: 'native', format })),
);

interface Played {
  readonly answer: Answered;
  readonly heard: Heard;
  readonly upstream: ScriptedUpstream;
  readonly toolroll: RunningToolroll;
  /** What the upstream got, hop by hop. */
  readonly sent: readonly Json[];
}

interface Playing {
  readonly hops: readonly Hop[];
  readonly skills?: Json;
  readonly spec?: Json;
  readonly fields?: Json;
}

async function play(
  combination: Combination,
  { hops, skills = {}, spec = {}, fields = {} }: Playing,
): Promise<Played> {
  const upstream = await started(startScript(hops.map((hop, index) => wire(hop, combination, index))));
  const toolroll = await started(startWith({ upstream, spec: { skills, ...spec }, options: { skillsDir } }));
  const isChat = combination.protocol === 'chat';
  const body = { ...(isChat ? chatTurn() : turn()), ...fields };
  const answer = await ask(
    toolroll,
    { ...body, ...(combination.format === 'stream' ? { stream: true } : {}) },
    { path: isChat ? '/v1/chat/completions' : '/v1/responses' },
  );
  return {
    answer,
    heard: hear(answer, combination),
    upstream,
    toolroll,
    sent: upstream.requests.map(({ body: got }) => got as Json),
  };
}

function historyOf(body: Json | undefined): Json[] {
  return items(body, body?.['messages'] === undefined ? 'input' : 'messages');
}

describe.each(combinations)('a skill turn over $protocol, $format', (combination) => {
  const isChat = combination.protocol === 'chat';
  const conversation = (...messages: readonly Json[]): Json => ({
    [isChat ? 'messages' : 'input']: messages,
  });
  const asks = (content: unknown): Json => ({ role: 'user', content });
  const says = (content: unknown): Json => ({ role: 'assistant', content });

  it.each<[string, Json, Pick<Combination, 'transport'>]>([
    ['natively', {}, { transport: 'native' }],
    ['in words', { textTools: { models: ['m-*'] } }, { transport: 'text' }],
    ['beside a menu', twoHops(), { transport: 'native' }],
  ])('comes to an end where the model calls Skill for ever, %s', async (_, spec, rest) => {
    const { upstream } = await play(
      { ...combination, ...rest },
      {
        hops: Array.from({ length: 40 }, (_hop, index) => ({
          calls: [skill(index % 2 ? 'release' : 'nope')],
        })),
        spec,
      },
    );

    expect(upstream.requests.length).toBeLessThan(12);
  });

  it.each(['../../etc/passwd', '/proc/self/environ', '__proto__', 'constructor', '', 'x'.repeat(1e6)])(
    'answers the name %.20s with what there is',
    async (name) => {
      const { heard, sent } = await play(combination, {
        hops: [{ calls: [skill(name)] }, { text: 'Without.' }],
      });

      expect(heard).toMatchObject({ status: 200, text: 'Without.', calls: [] });
      expect(JSON.stringify(historyOf(sent[1]))).toMatch(/There is no skill|No name was given/);
    },
  );

  it('keeps the budget of a turn over all its hops', async () => {
    const { heard, sent } = await play(combination, {
      hops: [{ calls: [skill('release')] }, { calls: [skill('review')] }, { text: 'One.' }],
      skills: { maxTokensPerTurn: 300 },
    });

    expect(heard.text).toBe('One.\n\n<!-- @skill:release -->');
    expect(JSON.stringify(sent[2])).toContain('was not loaded');
    expect(JSON.stringify(sent[2])).not.toContain('The review handbook');
  });

  it.each([
    ['a field with a good value', { strategy: 'system', include_skill_tool: false }],
    ['a field of null', { strategy: null, include_skill_tool: null }],
  ])('never sends the upstream %s', async (_, fields) => {
    const { sent, heard } = await play(combination, {
      hops: [{ text: 'Hi.' }],
      fields,
      skills: { tool: false },
    });

    expect(heard.text).toBe('Hi.');
    expect(Object.keys(sent[0]!)).not.toEqual(expect.arrayContaining(['strategy']));
    expect(Object.keys(sent[0]!)).not.toEqual(expect.arrayContaining(['include_skill_tool']));
  });

  it('never sends the upstream a field that stands twice or in escapes', async () => {
    const upstream = await started(startScript([wire({ text: 'Hi.' }, combination, 0)]));
    const toolroll = await started(
      startWith({ upstream, spec: { skills: { tool: false } }, options: { skillsDir } }),
    );
    const body = JSON.stringify(isChat ? chatTurn() : turn());
    const more = '"strategy":"message","str\\u0061tegy":"system","include_skill\\u005ftool":false}';
    const { status } = await ask(toolroll, `${body.slice(0, -1)},${more}`, {
      path: isChat ? '/v1/chat/completions' : '/v1/responses',
    });

    expect(status).toBe(200);
    expect(upstream.requests[0]?.bodyText).not.toMatch(/strategy|str\\u|include_skill/);
  });

  it.each([{ strategy: 'both' }, { include_skill_tool: 'yes' }, { strategy: 7 }])(
    'refuses %j',
    async (fields) => {
      const { answer, upstream } = await play(combination, { hops: [{ text: 'Hi.' }], fields });

      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({
        error: { param: Object.keys(fields)[0], code: 'invalid_request' },
      });
      expect(upstream.requests).toEqual([]);
    },
  );

  it('remembers over three turns: first use, follow-up, switch', async () => {
    const first = await play(combination, { hops: [{ calls: [skill('release')] }, { text: 'Tag it.' }] });
    expect(first.heard.text).toBe('Tag it.\n\n<!-- @skill:release -->');
    const second = await play(combination, {
      hops: [{ text: 'Then push.' }],
      fields: conversation(asks('How?'), says(first.heard.text), asks('And then?')),
    });
    expect(second.heard.text).toBe('Then push.');
    expect(JSON.stringify(second.sent[0])).toContain('The release handbook');
    expect(JSON.stringify(second.sent[0])).not.toContain('@skill:');
    const third = await play(combination, {
      hops: [{ calls: [skill('review')] }, { text: 'Look.' }],
      fields: conversation(
        asks('How?'),
        says(first.heard.text),
        asks('And?'),
        says('Then push.'),
        asks('Review?'),
      ),
    });
    expect(third.heard.text).toBe('Look.\n\n<!-- @skill:review -->');
    expect(JSON.stringify(third.sent[1])).toMatch(/The release handbook.*The review handbook/);
  });

  it('has one skill at a time in the system text', async () => {
    const fields = conversation(
      { role: 'system', content: 'Be brief. {{SKILL}}' },
      asks('How?'),
      says('Tag it.\n\n<!-- @skill:release -->'),
      asks('Review?'),
    );
    const { heard, sent } = await play(combination, {
      hops: [{ calls: [skill('review')] }, { text: 'Look.' }],
      fields,
      skills: { strategy: 'system', maxTokensPerTurn: 300 },
    });

    expect(heard.text).toBe('Look.\n\n<!-- @skill:review -->');
    expect(JSON.stringify(sent[0])).toContain('The release handbook');
    expect(JSON.stringify(sent[1])).toContain('The review handbook');
    expect(JSON.stringify(sent[1])).not.toContain('The release handbook');
  });

  it('counts what stands in the conversation where the system text has no place for it', async () => {
    const { sent, heard, toolroll } = await play(combination, {
      hops: [{ calls: [skill('review')] }, { text: 'Look.' }],
      fields: conversation(asks('How?'), says('Tag it.\n\n<!-- @skill:release -->'), asks('Review?')),
      skills: { strategy: 'system', maxTokensPerTurn: 300 },
    });

    expect(JSON.stringify(sent[1])).toContain('was not loaded');
    expect(heard.text).toBe('Look.');
    expect(JSON.stringify(await toolroll.audit())).toContain('"fellBack":true');
  });

  it('tells operators of a first skill that found no place in the system text', async () => {
    const { toolroll, heard } = await play(combination, {
      hops: [{ calls: [skill('review')] }, { text: 'Look.' }],
      skills: { strategy: 'system' },
    });

    expect(heard.text).toBe('Look.\n\n<!-- @skill:review -->');
    expect(JSON.stringify(await toolroll.audit())).toContain('"fellBack":true');
    expect(await toolroll.metric(`toolroll_hops_total{protocol="${combination.protocol}",kind="skill"`)).toBe(
      1,
    );
  });

  it('loads names however they are composed', async () => {
    const { heard } = await play(combination, {
      hops: [{ calls: [skill('français'.normalize('NFD')), skill('融资')] }, { text: 'Oui.' }],
    });

    expect(heard.text).toBe('Oui.\n\n<!-- @skill:français -->\n\n<!-- @skill:融资 -->');
  });

  it('ends no data with a note, since the app would not be able to read it', async () => {
    const format = { type: 'json_schema', name: 'answer', schema: { type: 'object' } };
    const { heard } = await play(combination, {
      hops: [{ calls: [skill('release')] }, { text: '{"a":1}' }],
      fields: isChat
        ? { response_format: { type: 'json_schema', json_schema: format } }
        : { text: { format } },
    });

    expect(heard.text).toBe('{"a":1}');
  });

  it('sends no message that held nothing but notes', async () => {
    const first = await play(combination, { hops: [{ calls: [skill('release')] }, { calls: [rome] }] });
    expect(first.heard).toMatchObject({ calls: [rome] });
    if (isChat) return;
    const output =
      combination.format === 'json'
        ? items(first.answer.json(), 'output')
        : outputOf(eventsOf(first.answer.text));
    const callOf = output.find(({ type }) => type === 'function_call');
    const second = await play(combination, {
      hops: [{ text: 'Sunny.' }],
      fields: conversation(asks('How?'), ...output, {
        type: 'function_call_output',
        call_id: callOf?.['call_id'],
        output: '20°',
      }),
    });
    expect(historyOf(second.sent[0]).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'function_call',
      'function_call_output',
      'message',
      'function_call',
      'function_call_output',
    ]);
  });

  it.each<[string, readonly CallSaid[], Partial<Heard>]>([
    ['Skill, then a call', [skill('release'), rome], { text: 'Done.\n\n<!-- @skill:release -->', calls: [] }],
    ['a call, then Skill', [rome, skill('release')], { text: '', calls: [rome] }],
  ])('follows %s', async (_, calls, expected) => {
    const { heard } = await play(combination, { hops: [{ calls }, { text: 'Done.' }] });

    expect(heard).toMatchObject(expected);
  });

  it('leaves an app with a Skill tool of its own alone', async () => {
    const own = { type: 'function', name: 'Skill', description: 'Mine.', parameters: { type: 'object' } };
    const { type, ...definition } = own;
    const { heard, sent } = await play(combination, {
      hops: [{ calls: [skill('release')] }],
      fields: { tools: [isChat ? { type, function: definition } : own], include_skill_tool: true },
    });

    expect(heard.calls).toEqual([skill('release')]);
    expect(items(sent[0], 'tools')).toHaveLength(1);
  });

  it('offers only what the rules name', async () => {
    const { heard, sent } = await play(combination, {
      hops: [{ calls: [skill('review')] }, { text: 'Without.' }],
      skills: { names: ['rel*'] },
    });

    expect(heard.text).toBe('Without.');
    expect(JSON.stringify(sent)).not.toContain('The review handbook');
  });

  it('takes markers out wherever an answer has them, in time', async () => {
    const many = '<!-- @skill:gone -->'.repeat(20_000);
    const { sent, toolroll } = await play(combination, {
      hops: [{ text: 'Hi.' }],
      fields: conversation(
        asks('a <!-- @skill:release --> b'),
        says([
          { type: isChat ? 'text' : 'output_text', text: `x${many}` },
          { type: isChat ? 'text' : 'output_text', text: 'y\n\n<!-- @skill:release -->z <!-- @skill:' },
        ]),
        asks('And?'),
      ),
    });
    const history = historyOf(sent[0]);

    expect(history[0]).toMatchObject({ content: 'a <!-- @skill:release --> b' });
    expect(history.at(-2)).toMatchObject({ content: [{ text: 'x' }, { text: 'yz <!-- @skill:' }] });
    expect(JSON.stringify(history)).toContain('The release handbook');
    expect(JSON.stringify(await toolroll.audit())).toContain('"missing":["gone"]');
  });

  it('tells of an upstream that fails once words were shown', async () => {
    const { heard, answer } = await play(combination, {
      hops: [
        { text: 'Let me see. ', calls: [skill('release')] },
        { status: 500, body: { error: { message: 'no' } } },
      ],
    });

    expect(heard.end).toBe('error');
    if (combination.format === 'stream') expect(answer.text).toContain('Let me see.'.slice(0, 3));
  });
});

describe('over responses', () => {
  const start = async (hops: readonly (readonly Json[])[], format: string, style = {}) => {
    const upstream = await started(
      startScript(
        hops.map((output, index) => {
          const parts = { id: `resp_${String(index)}`, items: output };
          return format === 'json' ? json(response(parts)) : sse(stream({ ...parts, style }));
        }),
      ),
    );
    const toolroll = await started(startWith({ upstream, spec: { skills: {} }, options: { skillsDir } }));
    const answer = await ask(toolroll, turn({ stream: format === 'stream' }));
    return {
      output: format === 'json' ? items(answer.json(), 'output') : outputOf(eventsOf(answer.text)),
      answer,
    };
  };

  it.each(['json', 'stream'])('gives no thinking without what it led to, %s', async (format) => {
    const { output } = await start(
      [
        [reasoning('rs_1'), call('Skill', { command: 'release' })],
        [reasoning('rs_2'), message('Tag it.', { id: 'msg_2' })],
      ],
      format,
    );

    expect(output.map(({ id }) => id)).toEqual(['rs_2', 'msg_2']);
  });

  it.each([
    ['no numbers', { without: ['sequence_number', 'output_index'] }],
    ['no event lines', { noEventLines: true }],
    ['CRLF', { lineEnd: '\r\n' as const }],
  ])('streams the note with %s', async (_, style) => {
    const { output, answer } = await start(
      [[call('Skill', { command: 'release' })], [message('Tag it.', { id: 'msg_2' })]],
      'stream',
      style,
    );

    expect(field(output, 0, 'content', 0, 'text')).toBe('Tag it.\n\n<!-- @skill:release -->');
    expect(textOf(eventsOf(answer.text))).toBe('Tag it.\n\n<!-- @skill:release -->');
  });

  it.each(['json', 'stream'])('echoes the instructions that the app sent, %s', async (format) => {
    const instructions = 'Be brief. {{SKILL}}';
    const upstream = await started(
      startScript((request, index) => {
        const parts = {
          items: [index === 0 ? call('Skill', { command: 'release' }) : message('Hi.')],
          fields: { instructions: field(request.body, 'instructions') },
        };
        return format === 'json' ? json(response(parts)) : sse(stream(parts));
      }),
    );
    const toolroll = await started(
      startWith({ upstream, spec: { skills: { strategy: 'system' } }, options: { skillsDir } }),
    );
    const answer = await ask(toolroll, turn({ stream: format === 'stream', instructions }));

    expect(upstream.requests[1]?.bodyText).toContain('The release handbook');
    expect(answer.text).not.toContain('handbook');
    expect(answer.text).toContain(JSON.stringify(instructions));
  });

  it('asks again with the same previous response, and leaves the fields of ours out', async () => {
    const { sent, heard } = await play(
      { protocol: 'responses', transport: 'native', format: 'json' },
      {
        hops: [{ calls: [skill('release')] }, { text: 'Tag it.' }],
        fields: { previous_response_id: 'resp_0', store: false, strategy: 'message' },
      },
    );

    expect(heard.text).toBe('Tag it.\n\n<!-- @skill:release -->');
    for (const body of sent) expect(body).toMatchObject({ previous_response_id: 'resp_0', store: false });
    for (const body of sent) expect(body).not.toHaveProperty('strategy');
  });

  it.each([{ conversation: 'conv_1' }, { background: true }])(
    'offers no skills where there cannot be a second hop: %j',
    async (fields) => {
      const { sent, answer } = await play(
        { protocol: 'responses', transport: 'native', format: 'json' },
        { hops: [{ text: 'Hi.' }], fields: { ...fields, include_skill_tool: true } },
      );

      expect(answer.status).toBe(200);
      expect(JSON.stringify(sent)).not.toMatch(/Skill|include_skill_tool/);
    },
  );

  it('gives a conversation back without messages that held nothing but notes', async () => {
    const upstream = await started(startScript([]));
    const toolroll = await started(startWith({ upstream, spec: { skills: {} }, options: { skillsDir } }));
    const input = [
      { role: 'user', content: 'How?' },
      call('get_w', { city: 'Rome' }),
      message('\n\n<!-- @skill:release -->', { id: 'msg_toolroll' }),
      message('Sunny.\n\n<!-- @skill:gone -->'),
    ];
    const cleared = await ask(toolroll, { input }, { path: '/v1/skills/clear' });

    expect(cleared.json()).toEqual({ input: [input[0], input[1], message('Sunny.')] });
  });
});

describe('with the official client', () => {
  const hops: readonly Hop[] = [{ text: 'Let me see. ', calls: [skill('release')] }, { text: 'Tag it.' }];
  const start = async (protocol: Combination['protocol']): Promise<OpenAI> => {
    const combination: Combination = { protocol, transport: 'native', format: 'stream' };
    const upstream = await started(startScript(hops.map((hop, index) => wire(hop, combination, index))));
    const toolroll = await started(startWith({ upstream, spec: { skills: {} }, options: { skillsDir } }));
    return new OpenAI({ apiKey: 'k', baseURL: `${toolroll.proxyUrl}/v1`, maxRetries: 0 });
  };

  it('streams responses whose end is what was streamed', async () => {
    const client = await start('responses');
    const running = client.responses.stream({ model: 'm-1', input: 'How?' });
    let said = '';
    running.on('response.output_text.delta', ({ delta }) => {
      said += delta;
    });
    const final = await running.finalResponse();

    expect(final.output_text).toBe('Let me see. Tag it.\n\n<!-- @skill:release -->');
    expect(said).toBe(final.output_text);
  });

  it('streams chat completions whose end is what was streamed', async () => {
    const client = await start('chat');
    const running = client.chat.completions.stream({
      model: 'm-1',
      messages: [{ role: 'user', content: 'How?' }],
    });
    let said = '';
    running.on('content', (delta) => {
      said += delta;
    });
    const final = await running.finalChatCompletion();

    expect(final.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Let me see. Tag it.\n\n<!-- @skill:release -->' },
    });
    expect(said).toBe(final.choices[0]?.message.content);
  });
});

describe('skills that change', () => {
  const skillFile = (words: string): string => `---\nname: plan\ndescription: How we plan.\n---\n${words}\n`;

  it.each(['json', 'stream'] as const)('are what they were when the turn began, %s', async (format) => {
    const combination: Combination = { protocol: 'chat', transport: 'native', format };
    const directory = await mkdtemp(join(tmpdir(), 'toolroll-skills-'));
    await writeFile(join(directory, 'plan.md'), skillFile('The old way.'));
    const held = gate();
    const upstream = await started(
      startScript((_, index) =>
        index === 0
          ? { ...wire({ calls: [skill('plan')] }, combination, 0), before: [{ until: held.opened }] }
          : wire({ text: 'Done.' }, combination, index),
      ),
    );
    const toolroll = await started(
      startWith({ upstream, spec: { skills: {} }, options: { skillsDir: directory } }),
    );
    const path = '/v1/chat/completions';
    const body = { ...chatTurn(), ...(format === 'stream' ? { stream: true } : {}) };
    const running = ask(toolroll, body, { path });
    await upstream.received(1);
    await rm(join(directory, 'plan.md'));
    await writeFile(join(directory, 'other.md'), skillFile('The new way.').replace('plan', 'other'));
    expect((await ask(toolroll, '', { path: '/v1/skills/reload' })).text).toContain('"other"');
    held.open();

    expect(hear(await running, combination).text).toBe('Done.\n\n<!-- @skill:plan -->');
    expect(upstream.requests[1]?.bodyText).toContain('The old way.');
    const messages = [
      { role: 'assistant', content: 'Done.\n\n<!-- @skill:plan -->' },
      { role: 'user', content: 'And?' },
    ];
    await ask(toolroll, { ...body, messages }, { path });
    expect(upstream.requests[2]?.body).toMatchObject({ messages: [{ content: 'Done.' }, {}] });
    await rm(directory, { recursive: true });
  });
});

it('starts no second hop for an app that has gone', async () => {
  const combination: Combination = { protocol: 'responses', transport: 'native', format: 'stream' };
  const held = gate();
  const first = wire({ text: 'Let me see. ', calls: [skill('release')] }, combination, 0);
  const upstream = await started(
    startScript([
      { ...first, steps: [...first.steps.slice(0, 5), { until: held.opened }, ...first.steps.slice(5)] },
    ]),
  );
  const toolroll = await started(startWith({ upstream, spec: { skills: {} }, options: { skillsDir } }));
  const app = openTurn(toolroll, turn({ stream: true }));
  await app.until((text) => text.includes('Let'));
  app.leave();
  await upstream.requests[0]?.over;
  held.open();
  while (!JSON.stringify(await toolroll.audit()).includes('client_closed')) await setImmediate();

  expect(upstream.requests).toHaveLength(1);
});

it('gives no thinking of a hop that stays inside, in chat completions', async () => {
  const upstream = await started(
    startScript((_, index) =>
      json(
        completion({
          content: index === 0 ? null : 'Tag it.',
          calls: index === 0 ? [chatCall('Skill', { command: 'release' })] : [],
          fields: { reasoning_content: `thought ${String(index)}` },
        }),
      ),
    ),
  );
  const toolroll = await started(startWith({ upstream, spec: { skills: {} }, options: { skillsDir } }));
  const answer = await ask(toolroll, chatTurn(), { path: '/v1/chat/completions' });

  expect(field(answer.json(), 'choices', 0, 'message')).toMatchObject({
    content: 'Tag it.\n\n<!-- @skill:release -->',
    reasoning_content: 'thought 1',
  });
});
