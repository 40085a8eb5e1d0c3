import path from 'node:path';
import { pinnedDirectory } from './hold-still.ts';
import { readDirectory } from './read-directory.ts';
import type { DirectoryContent } from './read-directory.ts';
import { readSkills } from './read-skills.ts';
import type { SkillContent } from './read-skills.ts';
import { skillWarning } from './skill-fault.ts';

/** Where configuration is read from. */
export interface ConfigPlaces {
  readonly rulesDirectory: string;
  /** Left out: `skills/` inside the rules directory, which need not exist. */
  readonly skillsDirectory?: string | undefined;
}

/** Everything on disk that one revision consists of. */
export interface ConfigContent {
  readonly rules: DirectoryContent;
  readonly skills: SkillContent;
}

/** How often both are read again where the volume that holds them is swapped in between. */
const attempts = 8;

/** The directory that skills are read from. */
export function skillsDirectoryOf({ rulesDirectory, skillsDirectory }: ConfigPlaces): string {
  return skillsDirectory ?? path.join(rulesDirectory, 'skills');
}

/** Reads rules and skills; where one ConfigMap volume holds both, of one and the same revision. */
export async function readConfig(places: ConfigPlaces): Promise<ConfigContent> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await pin(places.rulesDirectory);
    const rules = await readDirectory(places.rulesDirectory);
    const skills = await readSkills(skillsDirectoryOf(places));
    if (before === (await pin(places.rulesDirectory)) || attempt === attempts) {
      return { rules, skills: expected(skills, places) };
    }
  }
}

/** A directory that was named has to be there. */
function expected(skills: SkillContent, { skillsDirectory }: ConfigPlaces): SkillContent {
  if (skills.state !== 'missing' || skillsDirectory === undefined) return skills;
  return { ...skills, faults: [skillWarning('skills', 'the directory of skills does not exist')] };
}

/** What cannot be resolved is told by the readers. */
function pin(directory: string): Promise<string | undefined> {
  return pinnedDirectory(directory).catch(() => undefined);
}
