import { isJsonObject, lastMember, scanObject, stringField } from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';

/** The two kinds of tools that the app runs itself. Each names its tool in an object under the same name. */
const NESTED = ['function', 'custom'] as const;

export type NestedKind = (typeof NESTED)[number];

/** What a tool, a call, a choice or a reference names: `{"type":"function","function":{"name":…}}`. */
export interface NamedNest {
  readonly kind: NestedKind;
  readonly nest: JsonObject;
  readonly name: string | undefined;
}

/** Reads the nested object, whatever `type` says; some servers leave that out in calls. */
export function readNest(value: JsonObject): NamedNest | undefined {
  for (const kind of NESTED) {
    const nest = Object.hasOwn(value, kind) ? value[kind] : undefined;
    if (isJsonObject(nest)) return { kind, nest, name: stringField(nest, 'name') };
  }
  return undefined;
}

/** The key that a choice or a reference names: its type has to be that of its nested object. */
export function keyOfReference(value: JsonObject): string | undefined {
  const named = readNest(value);
  return named !== undefined && value['type'] === named.kind ? named.name : undefined;
}

/**
 * Where the nested object stands.
 *
 * @param text JSON that `JSON.parse` has accepted
 * @param scan of the object that holds it
 */
export function scanNest(text: string, scan: ObjectScan): ObjectScan | undefined {
  for (const kind of NESTED) {
    const member = lastMember(scan, kind);
    if (member !== undefined && text[member.value.start] === '{') return scanObject(text, member.value.start);
  }
  return undefined;
}
