import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './file-error.ts';

/** How often something that changes under the reader is read again, and how long it is left alone in between. */
const attempts = 8;
const pauseMs = 25;

/** What is said of a directory that never holds still. */
export const neverStill = `the directory changed during each of ${String(attempts)} readings, or holds a link that leads nowhere`;

/** Reads until nothing changed meanwhile; `undefined` where it never holds still. */
export async function readWhileStill<T extends object>(
  read: () => Promise<T | 'changed'>,
): Promise<T | undefined> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const content = await read();
    if (content !== 'changed') return content;
    await sleep(pauseMs);
  }
  return undefined;
}

/** The directory that `..data` points to now, or `undefined` where there is no such link. */
export async function pinnedDirectory(directory: string): Promise<string | undefined> {
  try {
    return await realpath(path.join(directory, '..data'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the directory is laid out as a ConfigMap volume; a dangling `..data` counts, it is being swapped. */
export async function isConfigMap(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).includes('..data');
  } catch {
    return false;
  }
}
