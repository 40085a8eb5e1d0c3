import fc from 'fast-check';
import { clearSkills, endingMarkers, marker, prepareSkills } from '../../../../proxy/core/skills/index.ts';
import type { PreparedSkills, PrepareOptions } from '../../../../proxy/core/skills/index.ts';
import { objectText } from '../json/json-texts.ts';
import { skillsNamed } from './skills-for.ts';

type Protocol = Parameters<typeof prepareSkills>[0];

const skills = skillsNamed('pdf', 'français', '技能');
const message: PrepareOptions = { skills, strategy: 'message', toolName: 'Skill' };
const system: PrepareOptions = { ...message, strategy: 'system' };

/** Prepares a body and gives what came of it, the text parsed. */
function prepared(
  protocol: Protocol,
  body: object,
  options: PrepareOptions = message,
): Omit<PreparedSkills, 'text'> & { body: unknown } {
  const { text, ...rest } = prepareSkills(protocol, JSON.stringify(body), options);
  return { body: JSON.parse(text), ...rest };
}

const user = (content: string): object => ({ role: 'user', content });
const said = (content: unknown): object => ({ role: 'assistant', content });

/** The user message that brings a skill, as it is written down in the contract. */
const injection = (name: string): string =>
  `[SKILL_INJECTION:${name}]\nHow to ${name}.\n[/SKILL_INJECTION]\nAnswer the request above from this content.`;
const result = (name: string): string =>
  `The skill "${name}" is loaded. Its content follows in the next message.`;

const chatCall = (name: string, number: number): object => ({
  id: `call_skill_${String(number)}`,
  type: 'function',
  function: { name: 'Skill', arguments: `{"command":"${name}"}` },
});
const chatChain = (name: string, number: number): object[] => [
  { role: 'assistant', content: null, tool_calls: [chatCall(name, number)] },
  { role: 'tool', tool_call_id: `call_skill_${String(number)}`, content: result(name) },
  user(injection(name)),
];
const itemCall = (name: string, number: number): object => ({
  type: 'function_call',
  call_id: `call_skill_${String(number)}`,
  name: 'Skill',
  arguments: `{"command":"${name}"}`,
});
const itemOutput = (name: string, number: number): object => ({
  type: 'function_call_output',
  call_id: `call_skill_${String(number)}`,
  output: result(name),
});
const itemUser = (content: string): object => ({ type: 'message', role: 'user', content });
const itemChain = (name: string, number: number): object[] => [
  itemCall(name, number),
  itemOutput(name, number),
  itemUser(injection(name)),
];

describe('a request without skills', () => {
  it.each(['chat', 'responses'] as const)('of %s comes back as the same string', (protocol) => {
    fc.assert(
      fc.property(objectText, fc.constantFrom(message, system), (text, options) => {
        const { text: same, ...rest } = prepareSkills(protocol, text, options);
        expect(same).toBe(text);
        expect(rest).toMatchObject({
          changed: false,
          active: [],
          missing: [],
          fieldErrors: [],
          fellBack: false,
        });
      }),
    );
  });

  it.each([
    ['is no JSON', '{"strategy": "message", nope'],
    ['is no object', '["@skill:"]'],
    ['has more behind its object', '{"strategy":"message"} {}'],
    ['has a broken message', '{"messages":[{"role":"assistant","content":"<!-- @skill:pdf -->",}]} @'],
    ['has a marker in a user message', '{"messages":[{"role":"user","content":"<!-- @skill:pdf -->"}]}'],
    [
      'has a property of our name in a tool',
      '{"messages":[],"tools":[{"a":{"strategy":{"type":"string"}}}]}',
    ],
    ['has a placeholder and the strategy message', '{"messages":[{"role":"system","content":"{{SKILL}}"}]}'],
  ])('that %s comes back as it is', (_, text) => {
    expect(prepareSkills('chat', text, message)).toMatchObject({ text, changed: false, fields: {} });
  });
});

describe('fields of ours', () => {
  it('are taken out, wherever they stand and however often', () => {
    const text =
      '{ "strategy":"system", "model":"m", "n":1.0,"strateg\\u0079":"message","include_skill_tool":false }';

    expect(prepareSkills('chat', text, message)).toMatchObject({
      text: '{ "model":"m", "n":1.0 }',
      changed: true,
      fields: { strategy: 'message', includeSkillTool: false },
      fieldErrors: [],
    });
  });

  it('count as not sent where they are null', () => {
    const { body, fields } = prepared('responses', { strategy: null, include_skill_tool: null, input: 'hi' });

    expect(body).toEqual({ input: 'hi' });
    expect(fields).toEqual({});
  });

  it('are reported where they have a value that they cannot have', () => {
    expect(prepared('chat', { strategy: 'loud', include_skill_tool: 'yes' }).fieldErrors).toEqual([
      { param: 'strategy', message: "strategy must be 'message' or 'system'." },
      { param: 'include_skill_tool', message: 'include_skill_tool must be true or false.' },
    ]);
  });

  it('go before what the rules say', () => {
    const body = { strategy: 'system', messages: [{ role: 'system', content: 'A {{SKILL}} B' }] };

    expect(prepared('chat', body).body).toEqual({ messages: [{ role: 'system', content: 'A  B' }] });
  });
});

describe('a conversation over three turns, with a follow-up and a switch of skills', () => {
  const first = [{ role: 'system', content: 'Be brief.' }, user('Read a.pdf')];
  const second = [...first, said(`Done.${endingMarkers(['pdf'])}`), user('And b.pdf?')];
  const third = [...second, said('Done too.'), user('En français')];
  const fourth = [...third, said(`Voilà.${endingMarkers(['français'])}`), user('Merci')];

  it('goes upstream in chat with each skill before the first answer that used it', () => {
    expect(prepared('chat', { messages: first }, { ...message, loading: ['pdf'] })).toEqual({
      body: { messages: [...first, ...chatChain('pdf', 1)] },
      changed: true,
      active: [],
      last: undefined,
      fields: {},
      fieldErrors: [],
      missing: [],
      place: 'message',
      echo: {},
      fellBack: false,
    });
    const afterFirst = [...first, ...chatChain('pdf', 1), said('Done.')];
    expect(prepared('chat', { messages: second })).toMatchObject({
      body: { messages: [...afterFirst, user('And b.pdf?')] },
      active: ['pdf'],
      last: 'pdf',
    });
    const afterSecond = [...afterFirst, user('And b.pdf?'), said('Done too.'), user('En français')];
    expect(prepared('chat', { messages: third }, { ...message, loading: ['français'] }).body).toEqual({
      messages: [...afterSecond, ...chatChain('français', 2)],
    });
    expect(prepared('chat', { messages: fourth })).toMatchObject({
      body: { messages: [...afterSecond, ...chatChain('français', 2), said('Voilà.'), user('Merci')] },
      active: ['pdf', 'français'],
      last: 'français',
    });
  });

  it('goes upstream in responses the same way', () => {
    const afterFirst = [...first, ...itemChain('pdf', 1), said('Done.')];
    const afterSecond = [...afterFirst, user('And b.pdf?'), said('Done too.'), user('En français')];

    expect(prepared('responses', { input: first }, { ...message, loading: ['pdf'] }).body).toEqual({
      input: [...first, ...itemChain('pdf', 1)],
    });
    expect(prepared('responses', { input: second }).body).toEqual({
      input: [...afterFirst, user('And b.pdf?')],
    });
    expect(prepared('responses', { input: fourth }).body).toEqual({
      input: [...afterSecond, ...itemChain('français', 2), said('Voilà.'), user('Merci')],
    });
  });

  it('keeps the one current skill in the system text with that strategy', () => {
    const withPlace = (messages: readonly object[]): object => ({
      messages: [{ role: 'system', content: 'Be brief.\n{{SKILL}}' }, ...messages.slice(1)],
    });
    const systemOf = (messages: readonly object[], loading: readonly string[] = []): unknown => {
      const { body, fellBack } = prepared('chat', withPlace(messages), { ...system, loading });
      expect(fellBack).toBe(false);
      return body;
    };
    const holding = (name: string, rest: readonly object[]): object => ({
      messages: [
        { role: 'system', content: `Be brief.\n[SKILL_CONTENT]\nHow to ${name}.\n[/SKILL_CONTENT]` },
        ...rest,
      ],
    });

    expect(systemOf(first)).toEqual({
      messages: [{ role: 'system', content: 'Be brief.\n' }, user('Read a.pdf')],
    });
    expect(systemOf(first, ['pdf'])).toEqual(holding('pdf', [user('Read a.pdf')]));
    const clean = [user('Read a.pdf'), said('Done.'), user('And b.pdf?')];
    expect(systemOf(second)).toEqual(holding('pdf', clean));
    const switched = [...clean, said('Done too.'), user('En français')];
    expect(systemOf(third, ['français'])).toEqual(holding('français', switched));
    expect(systemOf(fourth)).toEqual(holding('français', [...switched, said('Voilà.'), user('Merci')]));
  });
});

describe('markers in the history', () => {
  it('are taken out of every part of an answer, escapes and all, and the rest keeps its spelling', () => {
    const text =
      '{"big":12345678901234567890,"messages":[ {"role":"assistant", "content":[{"type":"text","text":"\\u00e9 ' +
      '\\u003c!-- \\u0040s\\u006bill:pdf --\\u003e"},{"type":"output_text","text":"b <!-- @skill:pdf -->"}],"x":1.0} ]}';
    const { text: clean } = prepareSkills('chat', text, { ...message, skills: new Map() });

    expect(clean).toBe(
      '{"big":12345678901234567890,"messages":[ {"role":"assistant", "content":[{"type":"text","text":"é "},' +
        '{"type":"output_text","text":"b "}],"x":1.0} ]}',
    );
  });

  it('are taken out of a key that stands twice', () => {
    const text = '{"messages":[{"role":"assistant","content":"a<!-- @skill:x -->","content":"b"}]}';

    expect(prepareSkills('chat', text, message).text).toBe(
      '{"messages":[{"role":"assistant","content":"a","content":"b"}]}',
    );
  });

  it('of a skill that is no longer loaded bring nothing back, and are told', () => {
    const { body, missing, active, last } = prepared('chat', {
      messages: [user('q'), said(`a${marker('gone')}`), said(`b${marker('pdf')}${marker('gone')}`)],
    });

    expect(body).toEqual({ messages: [user('q'), said('a'), ...chatChain('pdf', 1), said('b')] });
    expect({ missing, active, last }).toEqual({ missing: ['gone'], active: ['pdf'], last: 'pdf' });
  });

  it('name a skill in whatever form the app writes it (I4)', () => {
    const { active } = prepared('chat', { messages: [said(`a${marker('franc\u0327ais')}`)] });

    expect(active).toEqual(['français']);
  });

  it.each(['../../etc/passwd', '__proto__', 'constructor'])(
    'cannot reach beyond the loaded map: %s (I5)',
    (name) => {
      const { body, missing } = prepared('chat', { messages: [said(`a${marker(name)}`)] });

      expect(body).toEqual({ messages: [said('a')] });
      expect(missing).toEqual([name]);
    },
  );

  it('tell which skill was used last, where one is taken up again', () => {
    const messages = ['pdf', '技能', 'pdf'].map((name) => said(`a${marker(name)}`));
    const { active, last, body } = prepared('chat', { messages });

    expect({ active, last }).toEqual({ active: ['pdf', '技能'], last: 'pdf' });
    expect(body).toEqual({
      messages: [...chatChain('pdf', 1), said('a'), ...chatChain('技能', 2), said('a'), said('a')],
    });
  });

  it('of several skills in one answer give one message with several calls in chat', () => {
    const { body } = prepared('chat', { messages: [user('q'), said(`a${endingMarkers(['pdf', '技能'])}`)] });

    expect(body).toEqual({
      messages: [
        user('q'),
        { role: 'assistant', content: null, tool_calls: [chatCall('pdf', 1), chatCall('技能', 2)] },
        { role: 'tool', tool_call_id: 'call_skill_1', content: result('pdf') },
        { role: 'tool', tool_call_id: 'call_skill_2', content: result('技能') },
        user(
          '[SKILL_INJECTION:pdf]\nHow to pdf.\n[/SKILL_INJECTION]\n' +
            '[SKILL_INJECTION:技能]\nHow to 技能.\n[/SKILL_INJECTION]\n' +
            'Answer the request above from this content.',
        ),
        said('a'),
      ],
    });
  });

  it('of several skills give several items in responses, before the reasoning and the calls of that answer', () => {
    const input = [
      user('q'),
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { role: 'assistant', content: [{ type: 'output_text', text: `a${endingMarkers(['pdf', '技能'])}` }] },
    ];
    const { body } = prepared('responses', { input });

    expect(body).toMatchObject({
      input: [
        user('q'),
        itemCall('pdf', 1),
        itemCall('技能', 2),
        itemOutput('pdf', 1),
        itemOutput('技能', 2),
        { type: 'message', role: 'user' },
        { type: 'reasoning' },
        { type: 'function_call' },
        { role: 'assistant', content: [{ text: 'a' }] },
      ],
    });
  });
});

describe('skills that the model has asked for in this turn', () => {
  it('come behind an input that is a text, and one that is not there', () => {
    const loading = { ...message, loading: ['pdf'] };

    expect(prepareSkills('responses', '{"input":"h\\u00e9","n":1.0}', loading).text).toBe(
      `{"input":[{"type":"message","role":"user","content":"h\\u00e9"},${itemChain('pdf', 1)
        .map((item) => JSON.stringify(item))
        .join(',')}],"n":1.0}`,
    );
    expect(prepared('responses', { previous_response_id: 'r' }, loading).body).toEqual({
      previous_response_id: 'r',
      input: itemChain('pdf', 1),
    });
  });

  it('are told where they are not loaded', () => {
    const { missing, changed } = prepared('chat', { messages: [] }, { ...message, loading: ['nope'] });

    expect({ missing, changed }).toEqual({ missing: ['nope'], changed: false });
  });
});

describe('the strategy system', () => {
  it('finds its place in instructions and in parts of a developer message', () => {
    const content = '[SKILL_CONTENT]\nHow to pdf.\n[/SKILL_CONTENT]';
    const input = [
      { role: 'developer', content: [{ type: 'input_text', text: 'D {{SKILL}}' }] },
      said(`a${marker('pdf')}`),
    ];

    expect(prepared('responses', { instructions: '{{SKILL}} $& {{SKILL}}', input }, system).body).toEqual({
      instructions: `${content} $& ${content}`,
      input: [{ role: 'developer', content: [{ type: 'input_text', text: `D ${content}` }] }, said('a')],
    });
  });

  it('leaves a placeholder alone that does not lead', () => {
    const messages = [user('{{SKILL}}'), { role: 'system', content: '{{SKILL}}' }];

    expect(prepared('chat', { messages }, system)).toMatchObject({ body: { messages }, fellBack: false });
  });

  it('falls back to a message where the system text has no place, and says so', () => {
    const messages = [{ role: 'system', content: 'S' }, user('q'), said(`a${marker('pdf')}`)];

    expect(prepared('chat', { messages }, system)).toMatchObject({
      body: { messages: [{ role: 'system', content: 'S' }, user('q'), ...chatChain('pdf', 1), said('a')] },
      place: 'message',
      fellBack: true,
    });
    expect(prepared('chat', { messages: [user('q')] }, { ...system, loading: ['pdf'] })).toMatchObject({
      body: { messages: [user('q'), ...chatChain('pdf', 1)] },
      fellBack: true,
    });
  });
});

describe('clearing a conversation', () => {
  const history = fc.array(
    fc.oneof(
      fc.constantFrom(user('q'), { role: 'tool', tool_call_id: 'call_1', content: 'ok' }),
      fc
        .array(fc.constantFrom('pdf', 'français', 'gone'), { maxLength: 2 })
        .map((names) => said(`a${endingMarkers(names)}`)),
    ),
    { maxLength: 8 },
  );

  it.each([
    ['chat', 'messages'],
    ['responses', 'input'],
  ] as const)('undoes what preparing it for %s has put in', (protocol, key) => {
    fc.assert(
      fc.property(history, fc.subarray(['pdf', '技能']), fc.boolean(), (list, loading, leads) => {
        const lead = leads ? [{ role: 'system', content: 'S {{SKILL}}' }] : [];
        const text = `{ "${key}": ${JSON.stringify([...lead, ...list], null, 1)}, "n": 1.0 }`;
        const plain = { kind: 'cleared', text: stripped(text) };
        for (const options of [message, loading.length > 0 ? system : message]) {
          const { text: upstream } = prepareSkills(protocol, text, { ...options, loading });
          expect(clearSkills(upstream)).toEqual(plain);
        }
        expect(clearSkills(text)).toEqual(plain);
      }),
    );

    function stripped(text: string): string {
      return text.replaceAll(/(?:\\n\\n)<!-- @skill:[^ ]+ -->/g, '');
    }
  });

  it('keeps what an answer says, and calls of the app beside ours', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { role: 'assistant', content: 'Let me see.', tool_calls: [chatCall('pdf', 1)] },
      { role: 'assistant', content: null, tool_calls: [call, chatCall('pdf', 2)] },
      { role: 'user', content: [{ type: 'text', text: injection('pdf') }] },
      user('What is [SKILL_INJECTION:pdf]?'),
    ];
    const cleared = clearSkills(JSON.stringify({ messages }));

    expect(cleared.kind === 'cleared' && JSON.parse(cleared.text)).toEqual({
      messages: [
        { role: 'assistant', content: 'Let me see.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        user('What is [SKILL_INJECTION:pdf]?'),
      ],
    });
  });

  it('leaves an input that is a text', () => {
    expect(clearSkills('{"input": "hi" }')).toEqual({ kind: 'cleared', text: '{"input": "hi" }' });
  });

  it.each([
    ['nope', undefined],
    ['[]', undefined],
    ['{}', undefined],
    ['{"messages":[],"input":[]}', undefined],
    ['{"messages":"hi"}', 'messages'],
    ['{"input":7}', 'input'],
  ])('says what is wrong with %s', (text, param) => {
    expect(clearSkills(text)).toMatchObject({ kind: 'unreadable', param });
  });
});
