import { think } from '../../../../../benchmark/upstream/brain/index.ts';
import type { BrainRequest, BrainTool, HistoryEntry } from '../../../../../benchmark/upstream/brain/index.ts';

const skills = [
  ['haiku', 'Write a haiku poem of three lines.'],
  ['invoice-style', 'How invoices are laid out and numbered.'],
  ['融资', '公司融资计划书的写法'],
] as const;
const listed = skills.map(([name, summary]) => `- ${name}: ${summary}`).join('\n');

function skillTool(listing: 'enum' | 'description'): BrainTool {
  const command =
    listing === 'enum' ? { type: 'string', enum: skills.map(([name]) => name) } : { type: 'string' };
  const parameters = { type: 'object', properties: { command }, required: ['command'] };
  return { kind: 'function', name: 'Skill', description: `Loads a skill.\n${listed}`, parameters };
}

const weather: BrainTool = {
  kind: 'function',
  name: 'get_weather',
  description: 'Current weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const menu: BrainTool = {
  kind: 'function',
  name: 'call_tool',
  description: 'Shows tools.',
  parameters: {
    properties: { names: { type: 'array', items: { enum: ['send_email', 'get_stock_price'] } } },
  },
};

const said = (role: string, text: string): HistoryEntry => ({ kind: 'message', role, text, images: 0 });
const injected = (name: string, content: string): HistoryEntry =>
  said(
    'user',
    `[SKILL_INJECTION:${name}]\n${content}\n[/SKILL_INJECTION]\nAnswer the request above from this content.`,
  );
const calling = (command: string, output: string): readonly HistoryEntry[] => [
  { kind: 'call', callId: 'c', name: 'Skill', arguments: JSON.stringify({ command }) },
  { kind: 'output', callId: 'c', text: output },
];

function ask(
  history: readonly HistoryEntry[],
  tools: readonly BrainTool[],
  rest: Partial<BrainRequest> = {},
): unknown {
  const request: BrainRequest = {
    tools,
    demand: { mode: 'auto' },
    parallel: true,
    history,
    form: { kind: 'text' },
    ...rest,
  };
  return think(request).parts.map((part) =>
    part.kind === 'text'
      ? part.text
      : [part.name, part.kind === 'call' ? JSON.parse(part.arguments) : part.input],
  );
}

const poem = said('user', 'Write a haiku about autumn');
const tool = skillTool('enum');

test.each(['enum', 'description'] as const)('a skill listed in the %s is called where it fits', (listing) => {
  expect(ask([poem], [skillTool(listing), weather])).toEqual([['Skill', { command: 'haiku' }]]);
});

test('names of any script are read from the description', () => {
  expect(ask([said('user', '帮我写融资计划')], [skillTool('description')])).toEqual([
    ['Skill', { command: '融资' }],
  ]);
});

test('a tool that fits better is called in its place', () => {
  expect(ask([said('user', 'What is the weather in Oslo?')], [tool, weather])).toEqual([
    ['get_weather', { city: 'Oslo' }],
  ]);
});

test('a skill and a pick from a menu are asked for together where both fit', () => {
  expect(
    ask([said('user', 'Write a haiku of autumn and send an email to bob@example.com')], [tool, menu]),
  ).toEqual([
    ['Skill', { command: 'haiku' }],
    ['call_tool', { names: ['send_email'] }],
  ]);
});

test('two skills are two calls', () => {
  expect(ask([said('user', 'Write a haiku and check the invoice style')], [tool])).toEqual([
    ['Skill', { command: 'haiku' }],
    ['Skill', { command: 'invoice-style' }],
  ]);
});

describe('a content that stands in the conversation', () => {
  const content = '# Haiku: five, seven, five\nNo rhymes.';
  const quote: unknown = expect.stringMatching(
    /^As the skill says: "# Haiku: five, seven, five" You asked: /,
  );

  test('is quoted after its injection, and the skill is not called again', () => {
    expect(
      ask([poem, ...calling('haiku', 'The skill is loaded.'), injected('haiku', content)], [tool]),
    ).toEqual([quote]);
  });

  test('is quoted from a system text', () => {
    const system = said('system', `Be kind. [SKILL_CONTENT]\n${content}\n[/SKILL_CONTENT]`);
    expect(ask([system, poem], [tool])).toEqual([quote]);
  });

  test('is quoted in a follow-up that fits it or nothing', () => {
    const earlier = [
      poem,
      ...calling('haiku', 'loaded'),
      injected('haiku', content),
      said('assistant', 'Leaves'),
    ];
    expect(ask([...earlier, said('user', 'Another haiku, about snow')], [tool])).toEqual([quote]);
    expect(ask([...earlier, said('user', 'Shorter?')], [tool])).toEqual([quote]);
  });

  test('gives way to another skill that fits', () => {
    const earlier = [poem, injected('haiku', content), said('assistant', 'Leaves')];
    const history = [...earlier, said('user', 'How are invoices numbered?')];
    expect(ask(history, [tool])).toEqual([['Skill', { command: 'invoice-style' }]]);
    expect(ask([...history, injected('invoice-style', 'Number them.')], [tool])).toEqual([
      expect.stringMatching(/^As the skill says: "Number them\."/),
    ]);
  });

  test('counts for nothing in what the assistant says', () => {
    const forged = said('assistant', `[SKILL_INJECTION:haiku]${content}[/SKILL_INJECTION]`);
    expect(ask([said('user', 'hello'), forged, poem], [tool])).toEqual([['Skill', { command: 'haiku' }]]);
  });

  test('leaves the tools that the question needs', () => {
    const question = said('user', 'Write a haiku and send an email to bob@example.com');
    const mail: BrainTool = { ...weather, name: 'send_email', description: 'Sends an email.' };
    expect(ask([question, injected('haiku', content)], [tool, mail])).toEqual([
      ['send_email', expect.anything()],
    ]);
  });
});

test('a call of a skill that nobody listed is made right, one answered by the app is used as a result', () => {
  expect(ask([poem, ...calling('haikus', 'No such skill.')], [tool])).toEqual([
    ['Skill', { command: 'haiku' }],
  ]);
  expect(ask([poem, ...calling('haiku', 'Five, seven, five.')], [tool])).toEqual([
    'Here is what I found: Five, seven, five.',
  ]);
});

test('a demand for the tool by its name loads the best skill', () => {
  const rest: Partial<BrainRequest> = { demand: { mode: 'named', name: 'Skill' } };
  expect(ask([said('user', 'invoices please')], [tool], rest)).toEqual([
    ['Skill', { command: 'invoice-style' }],
  ]);
});
