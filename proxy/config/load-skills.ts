import { createHash } from 'node:crypto';
import type { Skill, SkillMap } from '../core/skills/index.ts';
import { inPlace } from './fault.ts';
import { runInSlices } from './pace.ts';
import type { Steps } from './pace.ts';
import { parseSkill } from './parse-skill.ts';
import type { ParsedSkill } from './parse-skill.ts';
import type { SkillFiles } from './read-skills.ts';
import { skillWarning } from './skill-fault.ts';
import type { SkillFault } from './skill-fault.ts';

/** What a set of skill files comes to: the good ones, and what is wrong with the others. */
export interface LoadedSkills {
  readonly skills: SkillMap;
  readonly faults: readonly SkillFault[];
}

/** One file as it was parsed, by its content. */
interface Parsed {
  readonly hash: string;
  readonly result: ParsedSkill;
}

/** Parses skills and remembers them by content, so that a reload parses only what has changed. */
export class SkillLoader {
  private readonly maxTokens: number;
  private parsed: ReadonlyMap<string, Parsed> = new Map();

  /** @param maxTokens the most tokens that the content of one skill may have */
  constructor(maxTokens: number) {
    this.maxTokens = maxTokens;
  }

  /** Loads a set of files; touches no disk, and gives way to other work every few milliseconds. */
  load(files: SkillFiles): Promise<LoadedSkills> {
    return runInSlices(this.loadInSteps(files));
  }

  private *loadInSteps(files: SkillFiles): Steps<LoadedSkills> {
    const parsed = new Map<string, Parsed>();
    const skills = new Map<string, Skill>();
    const faults: SkillFault[] = [];
    for (const [file, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const hash = createHash('sha256').update(bytes).digest('base64');
      const known = this.parsed.get(file);
      const result =
        known?.hash === hash ? known.result : yield* parseSkill({ file, bytes, maxTokens: this.maxTokens });
      parsed.set(file, { hash, result });
      if ('faults' in result) faults.push(...result.faults);
      else faults.push(...add(skills, result.skill));
      yield;
    }
    this.parsed = parsed;
    return { skills, faults: inPlace(faults) };
  }
}

/** The first file in order has the name; which one that is must not depend on the disk. */
function add(skills: Map<string, Skill>, skill: Skill): SkillFault[] {
  const owner = skills.get(skill.name);
  if (owner === undefined) {
    skills.set(skill.name, skill);
    return [];
  }
  const message = `the name '${skill.name}' is taken by ${owner.source}, which comes first: this one is not used`;
  return [skillWarning(skill.source, message)];
}
