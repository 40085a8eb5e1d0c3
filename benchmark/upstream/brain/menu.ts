/**
 * Menu tools: a function whose `names` parameter takes names of other tools. The names stand in the enum of its
 * items or, where there is none, in the description.
 */
import { isObject, stringOr, stringsOf } from '../json-value.ts';
import type { BrainTool } from './contract.ts';

/** One line of a menu. */
export interface MenuEntry {
  readonly name: string;
  readonly summary: string;
}

const seen = new WeakMap<BrainTool, readonly MenuEntry[]>();

/** The entries of a menu tool; none where the tool is no menu. */
export function menuOf(tool: BrainTool): readonly MenuEntry[] {
  const known = seen.get(tool);
  if (known !== undefined) return known;
  const entries = readMenu(tool);
  seen.set(tool, entries);
  return entries;
}

function readMenu(tool: BrainTool): readonly MenuEntry[] {
  const properties = tool.parameters?.['properties'];
  const names = isObject(properties) ? properties['names'] : undefined;
  if (!isObject(names) || names['type'] !== 'array') return [];
  const summaries = readDescription(`${tool.description}\n${stringOr(names['description'], '')}`);
  const items = names['items'];
  const listed = isObject(items) ? stringsOf(items['enum']) : [];
  const all = listed.length > 0 ? listed : [...summaries.keys()];
  return all.map((name) => ({ name, summary: summaries.get(name) ?? '' }));
}

/** Reads `- name: summary` lines, lines of a name alone, and lists of names set apart by commas. */
function readDescription(description: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of description.split('\n')) {
    const entry = /^\s*(?:[-*•]\s*)?`?([\w.-]{2,128})`?\s*(?:[:–—]\s*(.*))?$/u.exec(line);
    if (entry?.[1] !== undefined && isName(entry[1], line)) {
      found.set(entry[1], entry[2] ?? '');
      continue;
    }
    const list = line.slice(line.indexOf(':') + 1).split(',');
    const names = list.map((part) => part.trim().replace(/[`.]$/g, '').replace(/^`/, ''));
    if (names.length > 1 && names.every((name) => /^[\w.-]{2,128}$/.test(name))) {
      for (const name of names) found.set(name, '');
    }
  }
  return found;
}

/** A line of one plain word is a name only where it is set like an entry. */
function isName(name: string, line: string): boolean {
  return /[_.-]/.test(name) || /^\s*[-*•`]/u.test(line);
}

/** True where a call's arguments are picks from a menu. */
export function isPick(argumentsValue: unknown): boolean {
  return (
    isObject(argumentsValue) &&
    Object.keys(argumentsValue).length === 1 &&
    Array.isArray(argumentsValue['names'])
  );
}
