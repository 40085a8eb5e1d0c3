import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './file-error.ts';
import { isConfigMap, neverStill, pinnedDirectory, readWhileStill } from './hold-still.ts';
import { revisionOf } from './load-files.ts';
import { readBounded } from './read-file.ts';
import { skillError, skillWarning } from './skill-fault.ts';
import type { SkillFault } from './skill-fault.ts';

/**
 * The files of skills by name. Names begin with `skills/` wherever the directory stands, so that the same skills give the
 * same revision and are told from rule files.
 */
export type SkillFiles = ReadonlyMap<string, Uint8Array>;

/** What stands in the directory of skills, read so that no two revisions are mixed. */
export interface SkillContent {
  readonly files: SkillFiles;
  /** Links that lead nowhere, and files that cannot be read. */
  readonly faults: readonly SkillFault[];
  /** `missing`: the directory does not exist. `unreadable`: nothing can be said of what is in it. */
  readonly state: 'read' | 'missing' | 'unreadable';
}

/** How the files of skills are named. */
const prefix = 'skills';
/** How many files are open at once: few, since a process may have no more than a thousand. */
const filesAtOnce = 32;

/**
 * Reads the skills of a directory: `*.md` directly in it, and `SKILL.md` in each directory in it. Links are followed, as a
 * ConfigMap volume consists of them; one that leads nowhere or in a circle is a warning.
 */
export async function readSkills(directory: string): Promise<SkillContent> {
  try {
    return (await readWhileStill(() => readSettled(directory))) ?? unreadable(neverStill);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { files: new Map(), faults: [], state: 'missing' };
    return unreadable(`the directory cannot be read: ${errorCode(error)}`);
  }
}

function unreadable(message: string): SkillContent {
  return { files: new Map(), faults: [skillError(prefix, message)], state: 'unreadable' };
}

/** A ConfigMap volume is read where `..data` points to; any other directory twice, until both readings agree. */
async function readSettled(directory: string): Promise<SkillContent | 'changed'> {
  const mapped = await isConfigMap(directory);
  const place = mapped ? await pinnedDirectory(directory) : await realpath(directory);
  if (place === undefined) return 'changed';
  const first = await readOnce(directory, place);
  const still = mapped ? await pinnedDirectory(directory) : await realpath(directory);
  if (first === 'changed' || still !== place) return 'changed';
  if (mapped) return first;
  const second = await readOnce(directory, place);
  return second !== 'changed' && agree(first, second) ? second : 'changed';
}

function agree(one: SkillContent, other: SkillContent): boolean {
  return (
    revisionOf(one.files) === revisionOf(other.files) &&
    JSON.stringify(one.faults) === JSON.stringify(other.faults)
  );
}

async function readOnce(directory: string, place: string): Promise<SkillContent | 'changed'> {
  const entries = await listEntries(directory, place);
  const files = new Map<string, Uint8Array>();
  const faults: SkillFault[] = [];
  for (let from = 0; from < entries.length; from += filesAtOnce) {
    const batch = entries.slice(from, from + filesAtOnce);
    for (const found of await Promise.all(batch.map(readEntry))) {
      if (found === 'changed') return 'changed';
      if (found === undefined) continue;
      if ('severity' in found) faults.push(found);
      else files.set(found.name, found.bytes);
    }
  }
  return { files, faults, state: 'read' };
}

/** Something that may be a skill or the directory of one. */
interface Entry {
  readonly name: string;
  readonly path: string;
  readonly link: boolean;
}

/** What stands in the place, and in a ConfigMap's mount what someone put beside its keys. */
async function listEntries(directory: string, place: string): Promise<Entry[]> {
  const inPlace = await list(place);
  const known = new Set(inPlace.map(({ name }) => name));
  const beside = (await list(directory)).filter(({ name }) => !known.has(name));
  return [...inPlace, ...beside].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names beginning with a dot belong to the kubelet, to editors and to version control. */
async function list(directory: string): Promise<Entry[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter(mayBeSkill).map((entry) => ({
    name: entry.name,
    path: path.join(directory, entry.name),
    link: entry.isSymbolicLink(),
  }));
}

function mayBeSkill(entry: Dirent): boolean {
  if (entry.name.startsWith('.')) return false;
  return entry.name.endsWith('.md') || entry.isDirectory() || entry.isSymbolicLink();
}

type Found = { readonly name: string; readonly bytes: Uint8Array } | SkillFault;

async function readEntry(entry: Entry): Promise<Found | 'changed' | undefined> {
  const direct = entry.name.endsWith('.md');
  const name = path.posix.join(prefix, entry.name, direct ? '' : 'SKILL.md');
  const file = direct ? entry.path : path.join(entry.path, 'SKILL.md');
  try {
    const bytes = await readBounded(file);
    return bytes === undefined || bytes === 'changed' ? bytes : { name, bytes };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP') return skillWarning(name, 'this link leads in a circle');
    // A link to some other file than a directory is no skill.
    if (code === 'ENOTDIR') return undefined;
    if (code !== 'ENOENT') return skillError(name, `the file cannot be read: ${code}`);
    return explainAbsence(entry, { name, file });
  }
}

/** Why a file is not there: a link that leads nowhere, a directory that holds no skill, or a change under the reader. */
async function explainAbsence(
  entry: Entry,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<SkillFault | 'changed' | undefined> {
  const danglingFile = file !== entry.path && (await isLink(file));
  if (danglingFile || (entry.link && !(await exists(entry.path)))) {
    return skillWarning(name, 'this link leads nowhere');
  }
  return file === entry.path ? 'changed' : undefined;
}

function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
