import { loadFiles, revisionOf } from './load-files.ts';
import type { LoadedRules } from './load-files.ts';
import { SkillLoader } from './load-skills.ts';
import { readConfig } from './read-config.ts';
import type { SkillMap } from '../core/skills/index.ts';
import type { SkillFault } from './skill-fault.ts';

/** What a directory comes to: rules, and the skills beside them. */
export interface LoadedDirectory extends LoadedRules {
  readonly skills: SkillMap;
  /** What is wrong with other skills; rules serve nevertheless. */
  readonly skillFaults: readonly SkillFault[];
}

/** Where skills are, and what they may be. */
export interface SkillSettings {
  /** Left out: `skills/` inside the rules directory. */
  readonly skillsDirectory?: string | undefined;
  /** The most tokens that one skill may have; 10,000 if left out. */
  readonly skillMaxTokens?: number;
}

/** The default of {@link SkillSettings.skillMaxTokens}. */
export const defaultSkillMaxTokens = 10_000;

/**
 * Loads a rules directory once, as the server does: read without mixing revisions, parse, check, compile.
 *
 * A missing directory and one without rule files are valid and `empty`.
 */
export async function loadDirectory(
  directory: string,
  { skillsDirectory, skillMaxTokens = defaultSkillMaxTokens }: SkillSettings = {},
): Promise<LoadedDirectory> {
  const { rules, skills } = await readConfig({ rulesDirectory: directory, skillsDirectory });
  const loaded = await loadFiles(rules.files);
  const loadedSkills = await new SkillLoader(skillMaxTokens).load(skills.files);
  const whole = {
    ...loaded,
    revision: revisionOf(new Map([...rules.files, ...skills.files])),
    skills: loadedSkills.skills,
    skillFaults: [...skills.faults, ...loadedSkills.faults],
  };
  if (rules.faults.length === 0) return whole;
  return { ...whole, ruleSets: [], faults: [...rules.faults, ...loaded.faults], empty: false };
}
