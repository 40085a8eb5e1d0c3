/** Faults in what the model says. */
import { callOf, fullName, menuOf, sinceQuestion, skillsOf, validates } from '../brain/index.ts';
import type { BrainAnswer, BrainPart, BrainRequest, BrainTool } from '../brain/index.ts';
import { isObject, parseJson, stringsOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { Faults } from './parse-faults.ts';

type Bend = (parts: readonly BrainPart[], faults: Faults, request: BrainRequest) => readonly BrainPart[];

/** In the order in which they are applied. */
const bends: readonly Bend[] = [
  wrongPicks,
  twoPicks,
  unseenCall,
  unknownCall,
  mixedCalls,
  wrongSkill,
  againstSchema,
  badArguments,
  textFirst,
  thinkBlock,
  bigText,
];

/** Applies the faults to an answer. */
export function bendAnswer(answer: BrainAnswer, faults: Faults, request: BrainRequest): BrainAnswer {
  if (faults.none) return answer;
  const parts = bends.reduce((bent, bend) => bend(bent, faults, request), answer.parts);
  return faults.has('cut_call') ? brokenOff({ ...answer, parts }) : { ...answer, parts };
}

/** The answer as far as the middle of its last call; an answer without a call stays as it is. */
function brokenOff(answer: BrainAnswer): BrainAnswer {
  const at = answer.parts.findLastIndex((part) => part.kind !== 'text');
  const last = answer.parts[at];
  if (last === undefined || last.kind === 'text') return answer;
  const half = (text: string): string => text.slice(0, Math.ceil(text.length / 2));
  const cut: BrainPart =
    last.kind === 'call'
      ? { ...last, arguments: half(last.arguments) }
      : { ...last, input: half(last.input) };
  return { ...answer, parts: [...answer.parts.slice(0, at), cut], broken: true };
}

function menuIn(request: BrainRequest): BrainTool | undefined {
  return request.tools.find((tool) => menuOf(tool).length > 0);
}

function isMenuCall(part: BrainPart, request: BrainRequest): boolean {
  const menu = menuIn(request);
  return part.kind === 'call' && part.name === menu?.name && part.namespace === menu.namespace;
}

function pickOf(menu: BrainTool, names: readonly string[]): BrainPart {
  return { kind: 'call', name: menu.name, arguments: JSON.stringify({ names }) };
}

function picksIn(part: BrainPart): readonly string[] {
  const value = part.kind === 'call' ? parseJson(part.arguments) : undefined;
  return isObject(value) ? stringsOf(value['names']) : [];
}

/** The picks are wrong even where the model would not have picked at all. */
function wrongPicks(
  parts: readonly BrainPart[],
  faults: Faults,
  request: BrainRequest,
): readonly BrainPart[] {
  const names = faults.value('wrong_picks', 'names', 'no_such_tool');
  const menu = menuIn(request);
  if (names === undefined || menu === undefined) return parts;
  const wrong = pickOf(menu, names.split('|'));
  if (!parts.some((part) => isMenuCall(part, request))) return [wrong];
  return parts.map((part) => (isMenuCall(part, request) ? wrong : part));
}

function twoPicks(parts: readonly BrainPart[], faults: Faults, request: BrainRequest): readonly BrainPart[] {
  const names = faults.value('two_picks', 'names', '');
  const menu = menuIn(request);
  if (names === undefined || menu === undefined) return parts;
  const picked = parts.flatMap(picksIn);
  const next = menuOf(menu).find((entry) => !picked.includes(entry.name))?.name;
  const second = names === '' ? [next ?? menuOf(menu)[0]?.name ?? ''] : names.split('|');
  return [...parts.filter((part) => part.kind !== 'text'), pickOf(menu, second)];
}

function unseenCall(
  parts: readonly BrainPart[],
  faults: Faults,
  request: BrainRequest,
): readonly BrainPart[] {
  if (!faults.has('unseen_call')) return parts;
  const guess = JSON.stringify({ query: sinceQuestion(request.history).question });
  return parts.flatMap((part) =>
    isMenuCall(part, request)
      ? picksIn(part).map((name): BrainPart => ({ kind: 'call', name, arguments: guess }))
      : [part],
  );
}

function unknownCall(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  const name = faults.value('unknown_call', 'name', 'tool_nobody_offered');
  if (name === undefined) return parts;
  const call: BrainPart = {
    kind: 'call',
    name,
    arguments: faults.value('unknown_call', 'arguments', '{}') ?? '{}',
  };
  const calls = parts.filter((part) => part.kind !== 'text');
  return calls.length === 0 ? [call] : calls.map(() => call);
}

function mixedCalls(
  parts: readonly BrainPart[],
  faults: Faults,
  request: BrainRequest,
): readonly BrainPart[] {
  const wanted = faults.value('mixed_calls', 'tool', '');
  if (wanted === undefined) return parts;
  const real = request.tools.filter((tool) => menuOf(tool).length === 0 && skillsOf(tool).length === 0);
  const tool = real.find((entry) => fullName(entry) === wanted) ?? real[0];
  if (tool === undefined) return parts;
  const call = callOf(tool, sinceQuestion(request.history).question);
  return faults.value('mixed_calls', 'first', 'no') === 'yes' ? [call, ...parts] : [...parts, call];
}

function wrongSkill(
  parts: readonly BrainPart[],
  faults: Faults,
  request: BrainRequest,
): readonly BrainPart[] {
  const command = faults.value('wrong_skill', 'name', 'no_such_skill');
  const lister = request.tools.find((tool) => skillsOf(tool).length > 0);
  if (command === undefined || lister === undefined) return parts;
  const isSkill = (part: BrainPart): boolean => part.kind === 'call' && part.name === lister.name;
  const others = parts.filter((part) => part.kind !== 'text' && !isSkill(part));
  return [...others, { kind: 'call', name: lister.name, arguments: JSON.stringify({ command }) }];
}

function againstSchema(
  parts: readonly BrainPart[],
  faults: Faults,
  request: BrainRequest,
): readonly BrainPart[] {
  if (!faults.has('against_schema')) return parts;
  return parts.map((part) => {
    const tool = request.tools.find((entry) => part.kind === 'call' && entry.name === part.name);
    if (part.kind !== 'call' || tool?.parameters == null) return part;
    return { ...part, arguments: JSON.stringify(misfit(tool.parameters, parseJson(part.arguments))) };
  });
}

/** Arguments that the schema does not take; an object that it never declared where it takes everything else. */
function misfit(schema: JsonObject, value: unknown): JsonObject {
  const given = isObject(value) ? value : {};
  const [first = 'undeclared'] = Object.keys(given);
  const tries = [{ ...given, [first]: 12_345 }, { ...given, [first]: { no: 'such value' } }, {}];
  return tries.find((entry) => !validates(schema, entry)) ?? { undeclared: true };
}

function badArguments(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  if (!faults.has('bad_arguments')) return parts;
  return parts.map((part) =>
    part.kind === 'call' ? { ...part, arguments: part.arguments.slice(0, -2) } : part,
  );
}

function textFirst(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  const text = faults.value('text_first', 'text', 'Let me look for the right tool first.');
  return text === undefined ? parts : [{ kind: 'text', text }, ...parts];
}

function thinkBlock(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  if (!faults.has('think_block')) return parts;
  const decoy = '<tool_call>{"name":"decoy","arguments":{}}</tool_call>';
  const text = `<think>I could write ${decoy} here, but that would be no call.</think>\n`;
  const [first, ...rest] = parts;
  if (first?.kind === 'text') return [{ ...first, text: text + first.text }, ...rest];
  return [{ kind: 'text', text }, ...parts];
}

function bigText(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  const megabytes = faults.number('big_stream', 'mb', 1);
  if (megabytes === undefined) return parts;
  const line = 'All work and no play makes a long answer, and a long answer shows who reads it.\n';
  return [...parts, { kind: 'text', text: line.repeat(Math.ceil((megabytes * 1_000_000) / line.length)) }];
}
