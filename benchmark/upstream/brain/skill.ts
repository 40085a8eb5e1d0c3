/**
 * Skills: the tool `Skill`, whose one parameter `command` names a skill, and skill contents that stand in a
 * conversation. A content is wrapped as `[SKILL_INJECTION:NAME]…[/SKILL_INJECTION]` in a user message, or as
 * `[SKILL_CONTENT]…[/SKILL_CONTENT]` in a system text.
 */
import { isObject, parseJson, stringOr, stringsOf } from '../json-value.ts';
import type { BrainTool, HistoryEntry } from './contract.ts';
import type { MenuEntry } from './menu.ts';

/** A skill's content that stands in the conversation. */
export interface LoadedSkill {
  /** Undefined where the wrapping does not say it. */
  readonly name: string | undefined;
  readonly content: string;
  /** Index of the history entry that holds it. */
  readonly at: number;
}

const seen = new WeakMap<BrainTool, readonly MenuEntry[]>();

/** The skills that a tool lists; none where it is no `Skill` tool. */
export function skillsOf(tool: BrainTool): readonly MenuEntry[] {
  const known = seen.get(tool);
  if (known !== undefined) return known;
  const entries = readSkills(tool);
  seen.set(tool, entries);
  return entries;
}

function readSkills(tool: BrainTool): readonly MenuEntry[] {
  const properties = tool.parameters?.['properties'];
  const command = isObject(properties) ? properties['command'] : undefined;
  if (!tool.name.startsWith('Skill') || !isObject(command)) return [];
  const summaries = readList(`${tool.description}\n${stringOr(command['description'], '')}`);
  const listed = stringsOf(command['enum']);
  const names = listed.length > 0 ? listed : [...summaries.keys()];
  return names.map((name) => ({ name, summary: summaries.get(name) ?? '' }));
}

/** Reads `- name: description` lines; names may be of any script. */
function readList(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = /^\s*[-*•]\s+[`"']?([\p{L}\p{M}\p{N}_. -]+?)[`"']?\s*[:：]\s*(.*)$/u.exec(line);
    if (entry?.[1] !== undefined) found.set(entry[1], entry[2] ?? '');
  }
  return found;
}

/** The skill that a call asks for; undefined where it is no call of a `Skill` tool. */
export function skillCalled(entry: HistoryEntry): string | undefined {
  if (entry.kind !== 'call' || !entry.name.startsWith('Skill')) return undefined;
  const value = parseJson(entry.arguments);
  return isObject(value) && typeof value['command'] === 'string' ? value['command'] : undefined;
}

const wrappings = [
  /\[SKILL_INJECTION(?::([^\]\n]*))?\]([\s\S]*?)\[\/SKILL_INJECTION\]/gu,
  /\[SKILL_CONTENT(?::([^\]\n]*))?\]([\s\S]*?)\[\/SKILL_CONTENT\]/gu,
];

/** The contents that stand in the conversation, in order. What an assistant says is none. */
export function loadedSkills(history: readonly HistoryEntry[]): readonly LoadedSkill[] {
  return history.flatMap((entry, at) => {
    if (entry.kind !== 'message' || entry.role === 'assistant') return [];
    return wrappings.flatMap((wrapping) =>
      [...entry.text.matchAll(wrapping)].map((match) => {
        const name = match[1]?.trim();
        return { name: name === '' ? undefined : name, content: (match[2] ?? '').trim(), at };
      }),
    );
  });
}

/** True for a user message that brings a skill and says nothing of the user's own. */
export function isInjection(text: string): boolean {
  return /^\s*\[SKILL_INJECTION[:\]]/u.test(text);
}

/** The first line of a content. */
export function firstLine(content: string): string {
  return content.split('\n', 1)[0]?.trim() ?? '';
}
