import type { Skill } from './skill.ts';

/** Which skills a turn may load. */
export interface SkillBudget {
  /** In the order asked for. */
  readonly fits: readonly Skill[];
  /** Not loaded: the model is told so, since a skill cut short would be worse than none. */
  readonly over: readonly Skill[];
}

/** What is asked for, and what there is room for. */
export interface SkillDemand {
  readonly requested: readonly Skill[];
  /** What stands in the conversation already and takes room: with the strategy `system`, where one skill replaces another, none. */
  readonly active: readonly Skill[];
  /** The most tokens that the skills of one turn may have together. */
  readonly maxTokensPerTurn: number;
}

/**
 * Says which of the requested skills fit beside the active ones. Each is taken whole or not at all, in order, and a
 * later, smaller one may fit where an earlier one did not. What is active already takes no further room.
 */
export function fitSkills({ requested, active, maxTokensPerTurn }: SkillDemand): SkillBudget {
  const present = new Map(active.map((skill) => [skill.name, skill.tokens]));
  let left = maxTokensPerTurn - [...present.values()].reduce((sum, tokens) => sum + tokens, 0);
  const fits: Skill[] = [];
  const over: Skill[] = [];
  for (const skill of requested) {
    const more = present.has(skill.name) ? 0 : skill.tokens;
    if (more > 0 && more > left) {
      over.push(skill);
      continue;
    }
    left -= more;
    present.set(skill.name, skill.tokens);
    fits.push(skill);
  }
  return { fits, over };
}

/** What the model is told of a skill that does not fit. */
export function overBudgetAnswer({ name, tokens }: Skill, maxTokensPerTurn: number): string {
  return (
    `The skill ${JSON.stringify(name)} was not loaded: with its ${String(tokens)} tokens the skills of this turn would ` +
    `have more than ${String(maxTokensPerTurn)}. Answer with what you have.`
  );
}
