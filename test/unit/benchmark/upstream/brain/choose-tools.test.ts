import { candidatesOf, clausesOf, rank } from '../../../../../benchmark/upstream/brain/choose-tools.ts';
import type { BrainTool } from '../../../../../benchmark/upstream/brain/index.ts';

function tool(name: string, description = '', parameters: BrainTool['parameters'] = null): BrainTool {
  return { kind: 'function', name, description, parameters };
}

function menu(description: string, names: readonly string[]): BrainTool {
  const items = names.length === 0 ? { type: 'string' } : { type: 'string', enum: names };
  return tool('call_tool', description, { properties: { names: { type: 'array', items } } });
}

function best(question: string, tools: readonly BrainTool[]): string | undefined {
  const first = rank(question, candidatesOf(tools))[0];
  return first?.fits === true ? first.candidate.name : undefined;
}

const tools = [
  tool('get_weather', 'Current weather of a city.'),
  tool('mail.sendMessage', 'Delivers a letter to people.'),
  tool('create-invoice', 'Bills a customer.'),
];

test.each([
  ['Will it rain in Oslo?', 'get_weather'],
  ['Please send these messages', 'mail.sendMessage'],
  ['I need an invoicing document', 'create-invoice'],
])('%s is for %s', (question, name) => {
  expect(best(question, tools)).toBe(name);
});

test.each(['Hello!', 'Tell me a joke.', 'Can you create something?'])('%s is for no tool', (question) => {
  expect(best(question, tools)).toBeUndefined();
});

test('a name on a menu is chosen by its name alone, and by its summary where it has one', () => {
  expect(best('Will it rain?', [menu('', ['get_weather', 'other'])])).toBe('get_weather');
  expect(best('Who bills customers?', [menu('- alpha: Bills a customer.\n- beta: Feeds a dog.', [])])).toBe(
    'alpha',
  );
});

test('a menu without an enum is read from its description', () => {
  expect(best('Will it rain?', [menu('Tools: get_stock, get_weather, send_email', [])])).toBe('get_weather');
});

test('a tool that is shown in full is called, not picked from the menu', () => {
  const candidates = candidatesOf([menu('', ['get_weather']), tool('get_weather')]);
  expect(candidates.map((candidate) => candidate.kind)).toEqual(['tool']);
});

test('tools of one name in two namespaces are told apart by the namespace', () => {
  const twins = ['github', 'jira'].map((namespace) => ({
    ...tool('lookup', 'Looks an entry up.'),
    namespace,
  }));
  expect(best('lookup in jira', twins)).toBe('jira.lookup');
});

test('only a question that clearly asks for several things is taken apart', () => {
  expect(clausesOf('What is the weather in Rome and send an email to Bob')).toHaveLength(2);
  expect(clausesOf('What is the weather in Rome and Milan')).toHaveLength(1);
  expect(clausesOf('Send "Check this and send it on. What now?" to Bob')).toHaveLength(1);
});
