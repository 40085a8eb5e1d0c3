import { loadFiles } from './load-files.ts';
import type { LoadedRules } from './load-files.ts';
import { readDirectory } from './read-directory.ts';

/**
 * Loads a rules directory once, as the server does: read without mixing revisions, parse, check, compile.
 *
 * A missing directory and one without rule files are valid and `empty`.
 */
export async function loadDirectory(directory: string): Promise<LoadedRules> {
  const content = await readDirectory(directory);
  const loaded = await loadFiles(content.files);
  if (content.faults.length === 0) return loaded;
  return { ...loaded, ruleSets: [], faults: [...content.faults, ...loaded.faults], empty: false };
}
