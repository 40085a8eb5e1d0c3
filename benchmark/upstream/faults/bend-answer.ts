/** Faults in what the model says. */
import { callOf, fullName, menuOf, sinceQuestion } from '../brain/index.ts';
import type { BrainAnswer, BrainPart, BrainRequest, BrainTool } from '../brain/index.ts';
import { isObject, parseJson, stringsOf } from '../json-value.ts';
import type { Faults } from './parse-faults.ts';

type Bend = (parts: readonly BrainPart[], faults: Faults, request: BrainRequest) => readonly BrainPart[];

/** In the order in which they are applied. */
const bends: readonly Bend[] = [
  wrongPicks,
  twoPicks,
  unseenCall,
  unknownCall,
  mixedCalls,
  badArguments,
  textFirst,
  bigText,
];

/** Applies the faults to an answer. */
export function bendAnswer(answer: BrainAnswer, faults: Faults, request: BrainRequest): BrainAnswer {
  if (faults.none) return answer;
  return { ...answer, parts: bends.reduce((parts, bend) => bend(parts, faults, request), answer.parts) };
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
  const real = request.tools.filter((tool) => menuOf(tool).length === 0);
  const tool = real.find((entry) => fullName(entry) === wanted) ?? real[0];
  if (tool === undefined) return parts;
  const call = callOf(tool, sinceQuestion(request.history).question);
  return faults.value('mixed_calls', 'first', 'no') === 'yes' ? [call, ...parts] : [...parts, call];
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

function bigText(parts: readonly BrainPart[], faults: Faults): readonly BrainPart[] {
  const megabytes = faults.number('big_stream', 'mb', 1);
  if (megabytes === undefined) return parts;
  const line = 'All work and no play makes a long answer, and a long answer shows who reads it.\n';
  return [...parts, { kind: 'text', text: line.repeat(Math.ceil((megabytes * 1_000_000) / line.length)) }];
}
