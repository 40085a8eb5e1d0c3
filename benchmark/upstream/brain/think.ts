/** The brain: from a request to an answer. Pure; the same request has the same answer. */
import { parseJson } from '../json-value.ts';
import { candidatesOf, clausesOf, fullName, rank } from './choose-tools.ts';
import type { Candidate } from './choose-tools.ts';
import { composeText } from './compose-text.ts';
import type { BrainAnswer, BrainPart, BrainRequest, BrainTool, HistoryEntry } from './contract.ts';
import { fillArguments, pickArguments } from './fill-arguments.ts';
import { isPick } from './menu.ts';

/** What happened since the user last spoke. */
interface Since {
  readonly question: string;
  readonly calls: readonly string[];
  readonly outputs: readonly string[];
  /** How often a menu was picked from. */
  readonly picks: number;
}

interface Wish {
  readonly candidate: Candidate;
  readonly clause: string;
}

/** Answers a request. */
export function think(request: BrainRequest): BrainAnswer {
  const since = sinceQuestion(request.history);
  const wishes = wishesOf(request, since);
  const parts = partsOf(wishes);
  if (parts.length === 0) {
    const text = composeText(request, since.question, since.outputs);
    return { thought: `No tool is needed here; answering in words.`, parts: [{ kind: 'text', text }] };
  }
  const names = wishes.map((wish) => wish.candidate.name).join(', ');
  return { thought: `The user needs ${names}; calling it with what was said.`, parts };
}

/** Reads back to the last user message; picks from a menu and their answers are no results. */
export function sinceQuestion(history: readonly HistoryEntry[]): Since {
  const at = history.findLastIndex((entry) => entry.kind === 'message' && entry.role === 'user');
  const said = history[at];
  const question = said?.kind === 'message' ? said.text : '';
  const picks = new Set<string>();
  const calls: string[] = [];
  const outputs: string[] = [];
  for (const entry of history.slice(at + 1)) {
    if (entry.kind === 'call') {
      if (isPick(parseJson(entry.arguments))) picks.add(entry.callId);
      else calls.push(entry.name);
    }
    if (entry.kind === 'output' && !picks.has(entry.callId)) outputs.push(entry.text);
  }
  return { question, calls, outputs, picks: picks.size };
}

function wishesOf(request: BrainRequest, since: Since): readonly Wish[] {
  const { demand } = request;
  if (demand.mode === 'none') return [];
  const candidates = candidatesOf(request.tools);
  if (demand.mode === 'named') return namedWish(request.tools, demand.name, since.question);
  const allowed = demand.allowed;
  const open =
    allowed === undefined ? candidates : candidates.filter((candidate) => isAllowed(candidate, allowed));
  if (since.outputs.length > 0 && demand.mode !== 'required')
    return restWishes(open, request.parallel, since);
  const wishes = freeWishes(open, since.question);
  if (wishes.length > 0) return request.parallel ? wishes : wishes.slice(0, 1);
  const best = demand.mode === 'required' ? rank(since.question, open)[0] : undefined;
  return best === undefined ? [] : [{ candidate: best.candidate, clause: since.question }];
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
