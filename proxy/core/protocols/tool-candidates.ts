import { isJsonObject, parseJson, scanObject, sliceSpan, stringField, stringMembers } from '../json/index.ts';
import type { ToolKind } from '../turn/index.ts';

/**
 * Names beside its own that a tool could be taken for, so that a deny rule still reaches it. One that we cannot read
 * has each `name` at any depth (a namespace in a namespace, the shape of the other API), and each `type`.
 */
export function candidatesOf(value: unknown, kind: ToolKind, text: string): string[] {
  if (!isJsonObject(value)) return [...new Set(stringMembers(text, 'name'))];
  if (kind === 'function' || kind === 'custom') return [];
  const own = stringField(value, 'name');
  if (kind === 'hosted') return own === undefined ? [] : [own];
  const types = scanObject(text).members.flatMap((member) => {
    if (member.key !== 'type') return [];
    const type = parseJson(sliceSpan(text, member.value));
    return typeof type === 'string' ? [type] : [];
  });
  return [...new Set([...types, ...stringMembers(text, 'name')])];
}
