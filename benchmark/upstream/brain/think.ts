/** The brain: from a request to an answer. Pure; the same request has the same answer. */
import { parseJson } from '../json-value.ts';
import { candidatesOf, clausesOf, fullName, rank } from './choose-tools.ts';
import type { Candidate } from './choose-tools.ts';
import { composeText } from './compose-text.ts';
import type { BrainAnswer, BrainPart, BrainRequest, BrainTool, HistoryEntry } from './contract.ts';
import { fillArguments, pickArguments } from './fill-arguments.ts';
import { isPick } from './menu.ts';
import { isInjection, loadedSkills, skillCalled, skillsOf } from './skill.ts';
import type { LoadedSkill } from './skill.ts';

/** What happened since the user last spoke. */
interface Since {
  readonly question: string;
  readonly calls: readonly string[];
  readonly outputs: readonly string[];
  /** How often a menu was picked from. */
  readonly picks: number;
  /** Skills that were called for, by whatever name, and what the calls were answered with. */
  readonly skills: readonly { readonly name: string; readonly output: string | undefined }[];
  /** Where the user's words stand in the history. */
  readonly at: number;
}

interface Wish {
  readonly candidate: Candidate;
  readonly clause: string;
}

/** Answers a request. */
export function think(request: BrainRequest): BrainAnswer {
  const asked = sinceQuestion(request.history);
  const since = { ...asked, outputs: [...asked.outputs, ...skillOutputs(request, asked)] };
  const wishes = wishesOf(request, since);
  const parts = partsOf(wishes);
  if (parts.length === 0) {
    const text = composeText(request, { ...since, skills: skillsToFollow(request.history, since) });
    return { thought: `No tool is needed here; answering in words.`, parts: [{ kind: 'text', text }] };
  }
  const names = wishes.map((wish) => wish.candidate.name).join(', ');
  return { thought: `The user needs ${names}; calling it with what was said.`, parts };
}

/** What calls of listed skills were answered with, where no content stands in a message of its own. */
function skillOutputs(request: BrainRequest, { skills }: Since): readonly string[] {
  if (loadedSkills(request.history).length > 0) return [];
  return listedOf(request.tools, skills).flatMap(({ output }) => output ?? []);
}

/** Those of the called skills that a tool in sight lists. */
function listedOf(tools: readonly BrainTool[], called: Since['skills']): Since['skills'] {
  const names = new Set(tools.flatMap(skillsOf).map(({ name }) => name.normalize('NFC')));
  return called.filter(({ name }) => names.has(name.normalize('NFC')));
}

/** True where a skill that a tool lists was loaded since the user spoke. */
export function loadsSkill({ history, tools }: BrainRequest): boolean {
  const since = sinceQuestion(history);
  return listedOf(tools, since.skills).length > 0 || loadedSkills(history).some(({ at }) => at > since.at);
}

/** The skills loaded since the user spoke; else the last one that stands anywhere. */
function skillsToFollow(history: readonly HistoryEntry[], since: Since): readonly LoadedSkill[] {
  const loaded = loadedSkills(history);
  const fresh = loaded.filter(({ at }) => at > since.at);
  return fresh.length > 0 ? fresh : loaded.slice(-1);
}

/**
 * Reads back to the last user message that is the user's own; picks from a menu and calls of skills are no calls, and
 * their answers are no results.
 */
export function sinceQuestion(history: readonly HistoryEntry[]): Since {
  const at = history.findLastIndex(
    (entry) => entry.kind === 'message' && entry.role === 'user' && !isInjection(entry.text),
  );
  const said = history[at];
  const question = said?.kind === 'message' ? said.text : '';
  const picks = new Set<string>();
  const calls: string[] = [];
  const outputs: string[] = [];
  const skills = new Map<string, { readonly name: string; readonly output: string | undefined }>();
  for (const entry of history.slice(at + 1)) {
    const skill = skillCalled(entry);
    if (entry.kind === 'call') {
      if (isPick(parseJson(entry.arguments))) picks.add(entry.callId);
      else if (skill === undefined) calls.push(entry.name);
      else skills.set(entry.callId, { name: skill, output: undefined });
    }
    if (entry.kind !== 'output' || picks.has(entry.callId)) continue;
    const loading = skills.get(entry.callId);
    if (loading === undefined) outputs.push(entry.text);
    else skills.set(entry.callId, { ...loading, output: entry.text });
  }
  return { question, calls, outputs, picks: picks.size, skills: [...skills.values()], at };
}

function wishesOf(request: BrainRequest, since: Since): readonly Wish[] {
  const { demand } = request;
  if (demand.mode === 'none') return [];
  const candidates = candidatesOf(request.tools);
  if (demand.mode === 'named') return namedWish(request.tools, demand.name, since.question);
  const allowed = demand.allowed;
  const open =
    allowed === undefined ? candidates : candidates.filter((candidate) => isAllowed(candidate, allowed));
  const known = knownSkills(request.history, candidates, since);
  if (since.outputs.length > 0 && demand.mode !== 'required')
    return restWishes(open, request.parallel, since).filter((wish) => !isKnown(wish.candidate, known));
  const wishes = freeWishes(open, since.question).filter((wish) => !isKnown(wish.candidate, known));
  if (wishes.length > 0) return request.parallel ? wishes : wishes.slice(0, 1);
  const left = open.filter((candidate) => !isKnown(candidate, known));
  const best = demand.mode === 'required' ? rank(since.question, left)[0] : undefined;
  return best === undefined ? [] : [{ candidate: best.candidate, clause: since.question }];
}

/**
 * Names of the skills that were called for since the user spoke or whose content stands in the conversation; a content
 * without a name is that of the skill whose listing it fits best.
 */
function knownSkills(
  history: readonly HistoryEntry[],
  candidates: readonly Candidate[],
  since: Since,
): ReadonlySet<string> {
  const listed = candidates.filter(({ kind }) => kind === 'skill');
  if (listed.length === 0) return new Set();
  const loaded = loadedSkills(history).map(
    ({ name, content }) => name ?? rank(content, listed)[0]?.candidate.name ?? '',
  );
  return new Set([...since.skills.map(({ name }) => name), ...loaded].map((name) => name.normalize('NFC')));
}

function isKnown(candidate: Candidate, known: ReadonlySet<string>): boolean {
  return candidate.kind === 'skill' && known.has(candidate.name.normalize('NFC'));
}

function isAllowed(candidate: Candidate, allowed: ReadonlySet<string>): boolean {
  return allowed.has(candidate.name) || allowed.has(candidate.tool.name);
}

function namedWish(tools: readonly BrainTool[], name: string, clause: string): readonly Wish[] {
  const tool = tools.find((entry) => entry.name === name || fullName(entry) === name);
  if (tool === undefined) return [];
  const listed = candidatesOf([tool]);
  const best = rank(clause, listed)[0];
  return best === undefined ? [] : [{ candidate: best.candidate, clause }];
}

/** After results: what was asked for and not called yet, where calls may only come one by one. */
function restWishes(candidates: readonly Candidate[], parallel: boolean, since: Since): readonly Wish[] {
  if (parallel) return [];
  const wishes = freeWishes(candidates, since.question);
  if (wishes.length < 2) return [];
  return wishes.filter((wish) => !since.calls.includes(wish.candidate.tool.name)).slice(0, 1);
}

/** The best fit for each thing that the question asks for. */
function freeWishes(candidates: readonly Candidate[], question: string): readonly Wish[] {
  const wishes: Wish[] = [];
  for (const clause of clausesOf(question)) {
    const best = rank(clause, candidates)[0];
    if (best?.fits !== true || wishes.some((wish) => wish.candidate === best.candidate)) continue;
    wishes.push({ candidate: best.candidate, clause });
  }
  return wishes;
}

/** Calls for the wishes; those that stand on one menu are picked in one call. */
function partsOf(wishes: readonly Wish[]): readonly BrainPart[] {
  const parts: BrainPart[] = [];
  const picked = new Set<BrainTool>();
  for (const wish of wishes) {
    const { candidate } = wish;
    if (candidate.kind === 'tool') {
      parts.push(callOf(candidate.tool, wish.clause));
    } else if (candidate.kind === 'skill') {
      const command = JSON.stringify({ command: candidate.name });
      parts.push({ kind: 'call', ...namesOf(candidate.tool), arguments: command });
    } else if (!picked.has(candidate.tool)) {
      picked.add(candidate.tool);
      const names = wishes
        .filter((other) => other.candidate.tool === candidate.tool)
        .map((other) => other.candidate.name);
      parts.push({ kind: 'call', ...namesOf(candidate.tool), arguments: pickArguments(names) });
    }
  }
  return parts;
}

/** A call of a tool with what the clause says. */
export function callOf(tool: BrainTool, clause: string): BrainPart {
  if (tool.kind === 'custom') return { kind: 'custom', ...namesOf(tool), input: clause };
  return {
    kind: 'call',
    ...namesOf(tool),
    arguments: JSON.stringify(fillArguments(tool.parameters, clause)),
  };
}

function namesOf(tool: BrainTool): { name: string; namespace?: string } {
  return tool.namespace === undefined ? { name: tool.name } : { name: tool.name, namespace: tool.namespace };
}
