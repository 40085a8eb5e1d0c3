import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Files } from './rules-directory.ts';

/** The text of a skill. */
export function skillText(name: string, body = `How to ${name}.`): string {
  return `---\nname: ${name}\ndescription: For ${name}.\n---\n\n${body}\n`;
}

/** Writes files under a directory, with the directories that their names hold. */
export async function writeFiles(directory: string, files: Files): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
