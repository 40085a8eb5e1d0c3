/** Which tools answer a question: the words of the question against the words of every tool in sight. */
import { isObject, stringOr } from '../json-value.ts';
import type { BrainTool } from './contract.ts';
import { menuOf } from './menu.ts';
import { skillsOf } from './skill.ts';
import { isWeak, questionWords, wordsOf } from './words.ts';

/** Something that may be chosen: a tool in sight, a name on the menu of one, or a skill that one lists. */
export interface Candidate {
  readonly kind: 'tool' | 'menu' | 'skill';
  readonly tool: BrainTool;
  readonly name: string;
}

/** A candidate and how well it fits. */
export interface Scored {
  readonly candidate: Candidate;
  readonly score: number;
  /** Good enough to be called without being forced to. */
  readonly fits: boolean;
}

interface Profile {
  readonly candidate: Candidate;
  readonly weights: ReadonlyMap<string, number>;
}

interface Pool {
  readonly profiles: readonly Profile[];
  readonly frequency: ReadonlyMap<string, number>;
}

const nameWeight = 3;
const descriptionWeight = 1;
const parameterWeight = 0.6;

/** Tools, menu names and skills that may be chosen; a name that is shown in full is not taken from the menu. */
export function candidatesOf(tools: readonly BrainTool[]): readonly Candidate[] {
  const shown: Candidate[] = [];
  const menus: BrainTool[] = [];
  const skills: Candidate[] = [];
  for (const tool of tools) {
    const listedSkills = skillsOf(tool);
    if (menuOf(tool).length > 0) menus.push(tool);
    else if (listedSkills.length > 0)
      skills.push(...listedSkills.map(({ name }): Candidate => ({ kind: 'skill', tool, name })));
    else shown.push({ kind: 'tool', tool, name: fullName(tool) });
  }
  const names = new Set(shown.map((candidate) => candidate.name));
  const listed = menus.flatMap((tool) =>
    menuOf(tool)
      .filter((entry) => !names.has(entry.name))
      .map((entry): Candidate => ({ kind: 'menu', tool, name: entry.name })),
  );
  return [...shown, ...listed, ...skills];
}

/** `namespace.name`, or the name alone. */
export function fullName(tool: BrainTool): string {
  return tool.namespace === undefined ? tool.name : `${tool.namespace}.${tool.name}`;
}

/** All candidates, best first; ties keep the caller's order. */
export function rank(question: string, candidates: readonly Candidate[]): readonly Scored[] {
  const asked = questionWords(question);
  const pool = poolOf(candidates);
  return pool.profiles.map((profile) => score(profile, asked, pool)).sort((a, b) => b.score - a.score);
}

const pools = new WeakMap<readonly Candidate[], Pool>();

function poolOf(candidates: readonly Candidate[]): Pool {
  const known = pools.get(candidates);
  if (known !== undefined) return known;
  const profiles = candidates.map(profileOf);
  const frequency = new Map<string, number>();
  for (const profile of profiles) {
    for (const word of profile.weights.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const pool = { profiles, frequency };
  pools.set(candidates, pool);
  return pool;
}

function profileOf(candidate: Candidate): Profile {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  add(candidate.name, nameWeight);
  if (candidate.kind !== 'tool') {
    const entries = candidate.kind === 'menu' ? menuOf(candidate.tool) : skillsOf(candidate.tool);
    const entry = entries.find(({ name }) => name === candidate.name);
    add(entry?.summary ?? '', descriptionWeight);
  } else {
    add(candidate.tool.description, descriptionWeight);
    addParameters(candidate.tool, (text) => {
      add(text, parameterWeight);
    });
  }
  return { candidate, weights };
}

function addParameters(tool: BrainTool, add: (text: string) => void): void {
  const properties = tool.parameters?.['properties'];
  if (!isObject(properties)) return;
  for (const [name, schema] of Object.entries(properties)) {
    add(name);
    if (isObject(schema)) add(stringOr(schema['description'], ''));
  }
}

function score(profile: Profile, asked: ReadonlyMap<string, number>, pool: Pool): Scored {
  let total = 0;
  let named = false;
  let hits = 0;
  for (const [word, importance] of asked) {
    const weight = profile.weights.get(word);
    if (weight === undefined) continue;
    const count = pool.frequency.get(word) ?? 0;
    const rarity = Math.log(1 + (pool.profiles.length - count + 0.5) / (count + 0.5));
    total += importance * weight * (isWeak(word) ? 0.5 : 1) * (0.2 + rarity);
    if (isWeak(word)) hits += 0.5;
    else hits += 1;
    if (weight === nameWeight && !isWeak(word)) named = true;
  }
  return { candidate: profile.candidate, score: total, fits: named || hits >= 2 };
}

const askingWords =
  /^(?:please\s+)?(?:what|which|who|when|where|how|will|is|are|can|could|does|do|send|create|add|find|search|list|show|get|give|tell|book|check|convert|translate|schedule|set|turn|play|track|open|close|cancel|remind|make|look|order|write|run|start|stop|call|email|text|calculate|summari[sz]e|transfer|pay|update|delete|assign|merge|deploy|fetch|read)\b/i;

/** The clauses of a question that each ask for something; the whole question where it asks for one thing. */
export function clausesOf(question: string): readonly string[] {
  const bare = question.replace(/"[^"]*"|“[^”]*”/g, (quote) => quote.replaceAll(/[.,;?!]|\band\b/gi, ' '));
  const parts = bare
    .split(/[?;!\n]+|\.\s+|,?\s+(?:and|then|also)\s+(?:then\s+|also\s+)?/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => askingWords.test(part)) ? parts : [question];
}
