/** What must hold of the requests that the server got. */
import { field } from '../integration/support/json.ts';
import type { Evidence } from './check-turn.ts';
import { objectsAt } from './read-wire.ts';
import { skill } from './rule-sets.ts';

/** What is wrong with the requests of a turn's hops. */
export function sentFaults(evidence: Evidence): readonly string[] {
  const sent = (evidence.record.contents?.hops ?? []).map(({ request }) => request);
  // What is forwarded as it came is not kept.
  if (sent.length === 0 && evidence.rules !== 'native') return ['the record holds no requests'];
  return sent.flatMap((request, index) =>
    oneFaults(evidence, request, index).map((fault) => `hop ${String(index + 1)} was sent ${fault}`),
  );
}

function oneFaults(evidence: Evidence, request: string, index: number): readonly string[] {
  const { rules, question } = evidence;
  const body: unknown = JSON.parse(request);
  return [
    ...(request.includes('@skill:') ? ['a marker'] : []),
    ...(field(body, 'model') === undefined ? ['no model'] : []),
    ...(rules.startsWith('text') ? textFaults(evidence, body, request) : []),
    ...(rules === 'two-hop' && index === 0 && !toolNames(body).includes('call_tool') ? ['no call_tool'] : []),
    ...(rules === 'native' && toolNames(body).length !== question.talk.tools.length ? ['other tools'] : []),
    ...(/skill/.test(rules) ? skillFaults(evidence, body, index) : []),
  ];
}

/** No tools, no messages about tools, and the tools in words. */
function textFaults({ rules, question }: Evidence, body: unknown, request: string): readonly string[] {
  const fields = ['tools', 'tool_choice', 'parallel_tool_calls'].filter(
    (name) => field(body, name) !== undefined,
  );
  const said = [...objectsAt(body, 'messages'), ...objectsList(field(body, 'input'))];
  const wanted = rules === 'text' ? question.talk.tools.map(({ name }) => name) : [];
  return [
    ...fields,
    ...said.flatMap(({ role, type, tool_calls: calls }) =>
      role === 'tool' || calls !== undefined || String(type).startsWith('function_call')
        ? [`a ${String(role ?? type)} of tools`]
        : [],
    ),
    ...wanted.flatMap((name) => (request.includes(name) ? [] : [`no word of ${name}`])),
  ];
}

function objectsList(input: unknown) {
  return objectsAt({ input }, 'input');
}

/** What was used before is put back: in a message before its answer, or in the system text. */
function skillFaults({ rules, turn }: Evidence, body: unknown, index: number): readonly string[] {
  const isOffered =
    rules === 'text-skill' ? JSON.stringify(body).includes('Skill') : toolNames(body).includes('Skill');
  const offers = index > 0 || isOffered ? [] : ['no Skill'];
  const system = String(field(body, 'instructions') ?? field(body, 'messages', 0, 'content'));
  if (rules === 'skill-system') {
    const holds = system.includes('[SKILL_CONTENT]') && system.includes(skill.content);
    return [
      ...offers,
      ...(system.includes('{{SKILL}}') ? ['{{SKILL}}'] : []),
      ...(turn > 0 && !holds ? ['a system text without the skill'] : []),
    ];
  }
  const said = [...objectsAt(body, 'messages'), ...objectsList(field(body, 'input'))];
  const texts = said.map(({ content }) => JSON.stringify(content ?? ''));
  const injected = texts.findIndex((text) => text.includes(`[SKILL_INJECTION:${skill.name}]`));
  // The last one: a call that became words is an assistant's message too.
  const answered = said.findLastIndex(({ role, content }) => role === 'assistant' && Boolean(content));
  const isPlaced = injected !== -1 && injected < answered && said[injected]?.['role'] === 'user';
  return [...offers, ...(turn > 0 && !isPlaced ? ['no injection before the first answer'] : [])];
}

function toolNames(body: unknown): readonly unknown[] {
  return objectsAt(body, 'tools').map((tool) => tool['name'] ?? field(tool, 'function', 'name'));
}
