import type { Plan } from '../plan/index.ts';
import type { AnswerItem } from '../turn/index.ts';

/** A call that stays inside, with its index in the answer. */
export interface HiddenCall {
  readonly index: number;
  readonly item: Extract<AnswerItem, { kind: 'call' }>;
}

/** What the hidden calls of one hop ask for, taken together. */
export interface Picks {
  /** Keys of the menu, without duplicates, in the order they were asked for. */
  readonly keys: readonly string[];
  /** Whether the meta tool was called at all, as opposed to names that nobody offered. */
  readonly askedForMenu: boolean;
  /** What to answer to each call that named nothing known, by index. */
  readonly answers: ReadonlyMap<number, string>;
}

/**
 * Reads the picks of a hop: what `call_tool` names, and the tools that were called though only their name was shown. The
 * arguments of the latter were guessed, and are thrown away (small models do this in every turn).
 */
export function readPicks(hidden: readonly HiddenCall[], plan: Plan): Picks {
  const keys = new Set<string>();
  const answers = new Map<number, string>();
  let askedForMenu = false;
  for (const { index, item } of hidden) {
    if (plan.menu.has(item.key)) keys.add(item.key);
    if (plan.metaTool === undefined || item.key !== plan.metaTool.definition.name) continue;
    askedForMenu = true;
    const resolution = plan.metaTool.resolve(item.arguments);
    if (resolution.kind === 'reveal') for (const key of resolution.keys) keys.add(key);
    else answers.set(index, resolution.text);
  }
  return { keys: [...keys], askedForMenu, answers };
}
