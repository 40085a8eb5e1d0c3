/** What the app must never see. */
import { endingMarkers, marker } from '../../proxy/core/skills/index.ts';
import type { Evidence } from './check-turn.ts';
import { readAnswer } from './read-wire.ts';
import { skill } from './rule-sets.ts';
import type { Answer } from './talk.ts';

/** Words of ours; a model may say them by itself, having read them. */
const ourWords = ['call_tool', '[SKILL_INJECTION:', '[SKILL_CONTENT]', '{{SKILL}}'];

/** Names of ours where JSON has a name; inside a string its quotes would be escaped. */
const ourName = /(?<!\\)"name"\s*:\s*"(?:call_tool|Skill)(?:_\d+)?"/;

/** What of ours got into the answer. */
export function leakFaults(evidence: Evidence): readonly string[] {
  const { question, got, record } = evidence;
  const answer = readAnswer(got.body, question);
  const modelSaid = (record.contents?.hops ?? []).map(({ response }) => response).join('\n');
  const modelWords = (record.contents?.hops ?? [])
    .map(({ response }) => answerIn(response, evidence).text)
    .join('\n');
  return [
    ...(ourName.test(got.body) ? [`a name of ours: ${String(ourName.exec(got.body)?.[0])}`] : []),
    ...ourWords.flatMap((word) =>
      answer.text.includes(word) && !modelSaid.includes(word) && !modelWords.includes(word)
        ? [`${word} in the text`]
        : [],
    ),
    ...markerFaults(evidence, answer.text),
    ...textCallFaults(evidence),
  ];
}

function answerIn(response: string, { question }: Evidence): Answer {
  try {
    return readAnswer(response, question);
  } catch {
    return { text: '', calls: [], end: '' };
  }
}

/** The note of a skill ends the answer of the turn that loaded it, and stands nowhere else. */
function markerFaults({ record }: Evidence, text: string): readonly string[] {
  const loaded = record.skills?.loaded ?? [];
  const count = text.split('<!-- @skill:').length - 1;
  if (loaded.length === 0) return count === 0 ? [] : [`a marker, though no skill was loaded`];
  if (count === 1 && text.endsWith(endingMarkers([skill.name]))) return [];
  return [`${String(count)} markers, expected ${marker(skill.name)} at the end`];
}

/** Calls that came as text are real ones, of tools that there are, and leave no tag behind. */
function textCallFaults(evidence: Evidence): readonly string[] {
  const { rules, question, got, record } = evidence;
  if (!rules.startsWith('text')) return [];
  const { text, calls } = readAnswer(got.body, question);
  // A server may call natively what it was never offered; that is its own.
  const native = (record.contents?.hops ?? []).flatMap(({ response }) => answerIn(response, evidence).calls);
  const names = new Set([...question.talk.tools, ...native].map(({ name }) => name));
  const said = text.replace(/<think>[\s\S]*?<\/think>/g, '');
  const isAllRead = record.unreadableCalls === undefined && record.hops.every(({ kind }) => kind !== 'retry');
  return [
    ...calls.flatMap(({ name }) => (names.has(name) ? [] : [`a call of ${name}, which there is not`])),
    ...calls.flatMap(({ id }) =>
      id.startsWith('call_') || native.some((call) => call.id === id) ? [] : [`a call with id ${id}`],
    ),
    ...(calls.length > 0 && isAllRead && said.includes('<tool_call>')
      ? ['<tool_call> beside converted calls']
      : []),
  ];
}
