import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './file-error.ts';

/** What came of writing a rule file. */
export type WriteOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'bad_name'; readonly reason: string }
  | { readonly kind: 'read_only'; readonly reason: string };

/** Where the file system says that this directory is not ours to write to. */
const readOnlyCodes: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Writes a rule file into the rules directory in one step: a reader sees the old content or the new, never a part.
 * The directory is made where it does not exist.
 *
 * @throws the file system's error, where it is not one of a read-only directory
 */
export async function writeRuleFile(
  directory: string,
  name: string,
  content: string | Uint8Array,
): Promise<WriteOutcome> {
  if (!/^(?!\.\.)[A-Za-z0-9._-]+\.(?:yaml|yml|json)$/.test(name) || name.length > 200) {
    const reason =
      "a rule file is named with letters, digits, '.', '_' and '-', ends with .yaml, .yml or .json and does not begin with '..'";
    return { kind: 'bad_name', reason };
  }
  if (await isConfigMap(directory)) {
    return {
      kind: 'read_only',
      reason: 'the rules directory is a ConfigMap volume: change the ConfigMap instead',
    };
  }
  try {
    await mkdir(directory, { recursive: true });
    await writeThenRename(directory, name, content);
    return { kind: 'written' };
  } catch (error) {
    const code = errorCode(error);
    if (!readOnlyCodes.has(code)) throw error;
    return { kind: 'read_only', reason: `the rules directory cannot be written to: ${code}` };
  }
}

async function isConfigMap(directory: string): Promise<boolean> {
  try {
    return (await lstat(path.join(directory, '..data'))).isSymbolicLink();
  } catch {
    return false;
  }
}

async function writeThenRename(directory: string, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = path.join(directory, `.${name}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path.join(directory, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
