/**
 * What a thousand skills take to load, and what looking for them takes from a request that says nothing of any. Where a rule
 * set has no skills, requests are not even looked at.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDirectory } from '../../proxy/config/index.ts';
import { prepareSkills } from '../../proxy/core/skills/index.ts';
import { median } from '../load/index.ts';
import { turnBody } from '../peers/index.ts';

/** What it takes. */
export interface SkillsResult {
  /** Milliseconds to read and parse all of them. */
  readonly loadMs: number;
  /** Microseconds per request of 37 tools that says nothing of skills. */
  readonly microsPerRequest: number;
}

const SKILLS = 1000;
const SKILL_CHARS = 4096;
const LOADS = 5;
const REQUESTS = 20_000;

/** Loads a directory of its own, which goes afterwards. */
export async function measureSkills(): Promise<SkillsResult> {
  const directory = await mkdtemp(join(tmpdir(), 'toolroll-skills-'));
  try {
    await writeSkills(join(directory, 'skills'));
    const loads: number[] = [];
    let skills = new Map() as Awaited<ReturnType<typeof loadDirectory>>['skills'];
    for (let load = 0; load < LOADS; load += 1) {
      const begun = performance.now();
      ({ skills } = await loadDirectory(directory));
      loads.push(performance.now() - begun);
    }
    if (skills.size !== SKILLS)
      throw new Error(`${String(skills.size)} of ${String(SKILLS)} skills were loaded`);
    const text = turnBody(37, 'json');
    const begun = performance.now();
    for (let request = 0; request < REQUESTS; request += 1) {
      prepareSkills('responses', text, { skills, strategy: 'message', toolName: 'Skill' });
    }
    return { loadMs: median(loads), microsPerRequest: ((performance.now() - begun) * 1000) / REQUESTS };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeSkills(directory: string): Promise<void> {
  await mkdir(directory);
  const line = 'Say what has changed, why it has changed, and what the reader has to do about it now.\n';
  const content = line.repeat(Math.ceil(SKILL_CHARS / line.length)).slice(0, SKILL_CHARS);
  for (let at = 0; at < SKILLS; at += 1) {
    const name = `skill-${String(at)}`;
    await writeFile(
      join(directory, `${name}.md`),
      `---\nname: ${name}\ndescription: Number ${String(at)}.\n---\n${content}`,
    );
  }
}
