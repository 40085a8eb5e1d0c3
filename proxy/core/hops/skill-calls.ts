import type { Plan } from '../plan/index.ts';
import type { EndedHop } from './next-hop.ts';

/** What the calls of the `Skill` tool in one hop ask for, taken together. */
export interface SkillCalls {
  /** True if there is anything to follow. */
  readonly isAsked: boolean;
  /** Names of skills, without duplicates, in the order they were asked for. */
  readonly names: readonly string[];
  /** What to answer to each call that named no skill, or one too many, by index. */
  readonly answers: ReadonlyMap<number, string>;
  /** Indexes of calls that nothing follows from. */
  readonly ignored: ReadonlySet<number>;
}

/**
 * Reads the skills that a hop asks for. Where the app's own tool was called first, the app has the turn.
 *
 * @param loaded names of the skills that earlier hops of the turn have loaded
 */
export function readSkillCalls(ended: EndedHop, plan: Plan, loaded: readonly string[]): SkillCalls {
  const { skillTool } = plan;
  const calls = ended.hidden.filter(({ item }) => item.key === skillTool?.definition.name);
  const firstShown = Math.min(
    ...[...ended.items].flatMap(([index, { item, isShown }]) =>
      isShown && item.kind === 'call' ? [index] : [],
    ),
  );
  const ignored = new Set(calls.flatMap(({ index }) => (index > firstShown ? [index] : [])));
  const names = new Set<string>();
  const answers = new Map<number, string>();
  const followed = calls.filter(({ index }) => !ignored.has(index));
  for (const { index, item } of followed) {
    const resolution = skillTool?.resolve(item.arguments, [...loaded, ...names]);
    if (resolution === undefined) continue;
    if (resolution.kind === 'answer') answers.set(index, resolution.text);
    else for (const name of resolution.names) names.add(name);
  }
  return { isAsked: followed.length > 0, names: [...names], answers, ignored };
}
