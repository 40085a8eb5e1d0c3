import type { Skill, SkillMap } from '../../../../proxy/core/skills/index.ts';

/** A skill whose content says whose it is. */
export function skillNamed(name: string, content = `How to ${name}.`): Skill {
  return { name, description: `For ${name}.`, content, tokens: 10, source: `skills/${name}.md` };
}

/** Loaded skills of these names. */
export function skillsNamed(...names: string[]): SkillMap {
  return new Map(names.map((name) => [name, skillNamed(name)]));
}
