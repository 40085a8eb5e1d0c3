import { applyEdits, editMembers, isJsonObject, parseJson, scanObject, sliceSpan } from '../json/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { DeclaredTool } from '../turn/index.ts';
import type { AppliedTool } from './apply.ts';
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

/** The object with a tool's `name`, `description` and `parameters`, or `undefined` where it has none. */
export function definitionOf({
  text,
  definitionStart,
}: Pick<AppliedTool, 'text' | 'definitionStart'>): JsonObject | undefined {
  if (text[definitionStart] !== '{') return undefined;
  const value = parseJson(sliceSpan(text, scanObject(text, definitionStart).span));
  return isJsonObject(value) ? value : undefined;
}
