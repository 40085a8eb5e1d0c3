import { applyEdits, editMembers, scanObject } from '../json/index.ts';
import type { DeclaredTool } from '../turn/index.ts';
import type { DefinitionChanges } from './compile.ts';

/** Members of a definition that a free-text tool does not have. */
const FUNCTION_ONLY = new Set(['parameters', 'strict']);

/**
 * The tool's text with members of its definition replaced; everything else stays as the app wrote it.
 *
 * @param text the tool's present text; its definition starts where the declared one's did
 */
export function editDefinition(
  text: string,
  declared: Pick<DeclaredTool, 'kind' | 'definition'>,
  changes: DefinitionChanges,
): string {
  const fitting = Object.entries(changes).filter(
    ([key]) => declared.kind === 'function' || !FUNCTION_ONLY.has(key),
  );
  const scan = scanObject(text, declared.definition.start);
  return applyEdits(text, editMembers(text, scan, Object.fromEntries(fitting)));
}
