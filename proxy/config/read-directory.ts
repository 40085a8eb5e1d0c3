import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileFault } from './fault.ts';
import type { Fault } from './fault.ts';
import { errorCode } from './file-error.ts';
import { isConfigMap, neverStill, pinnedDirectory, readWhileStill } from './hold-still.ts';
import { revisionOf } from './load-files.ts';
import type { RuleFiles } from './load-files.ts';
import { readBounded } from './read-file.ts';

/** What stands in the rules directory, read so that no two revisions are mixed. */
export interface DirectoryContent {
  readonly files: RuleFiles;
  /** Files that could not be read, or a directory that would not hold still. */
  readonly faults: readonly Fault[];
  /** True where the directory does not exist. */
  readonly missing: boolean;
}

/**
 * Reads the rule files of a directory: `*.yaml`, `*.yml` and `*.json` directly in it.
 *
 * A ConfigMap volume is read through the directory that `..data` points to, resolved once: the kubelet swaps that
 * link in one step, while reading through the mount path mixes revisions (measured: 293 mixed sets in 12,958 reads).
 * Any other directory is read twice, until both readings agree.
 */
export async function readDirectory(directory: string): Promise<DirectoryContent> {
  try {
    const content = await readWhileStill(async () =>
      (await isConfigMap(directory)) ? readPinned(directory) : readTwice(directory),
    );
    return content ?? unreadable('', neverStill);
  } catch (error) {
    return unreadable('', `the directory cannot be read: ${errorCode(error)}`);
  }
}

function unreadable(file: string, message: string): DirectoryContent {
  return { files: new Map(), faults: [fileFault(file, message)], missing: false };
}

async function readPinned(directory: string): Promise<DirectoryContent | 'changed'> {
  const pinned = await pinnedDirectory(directory);
  if (pinned === undefined) return 'changed';
  const content = await readFlat(pinned);
  // The old directory is removed file by file after a swap: a reading that a swap overtook may lack some.
  const unmoved = pinned === (await pinnedDirectory(directory));
  return content === 'changed' || content.missing || !unmoved ? 'changed' : content;
}

async function readTwice(directory: string): Promise<DirectoryContent | 'changed'> {
  const first = await readFlat(directory);
  if (first === 'changed') return 'changed';
  const second = await readFlat(directory);
  if (second === 'changed') return 'changed';
  const agree = first.missing === second.missing && revisionOf(first.files) === revisionOf(second.files);
  return agree ? second : 'changed';
}

/** One reading of the files directly in a directory; `changed` where one was listed and then gone. */
async function readFlat(directory: string): Promise<DirectoryContent | 'changed'> {
  const files = new Map<string, Uint8Array>();
  const faults: Fault[] = [];
  let names: string[];
  try {
    names = (await readdir(directory)).filter(isRuleFile).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { files, faults, missing: true };
    return {
      files,
      faults: [fileFault('', `the directory cannot be read: ${errorCode(error)}`)],
      missing: false,
    };
  }
  for (const name of names) {
    try {
      const bytes = await readBounded(path.join(directory, name));
      if (bytes === 'changed') return 'changed';
      if (bytes !== undefined) files.set(name, bytes);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 'changed';
      faults.push(fileFault(name, `the file cannot be read: ${errorCode(error)}`));
    }
  }
  return { files, faults, missing: false };
}

/** Names beginning with `..` belong to the kubelet, those with `.#` are locks of an editor. */
function isRuleFile(name: string): boolean {
  return /\.(?:yaml|yml|json)$/.test(name) && !/^\.[.#]/.test(name);
}
