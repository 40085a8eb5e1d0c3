/** References followed and `allOf` folded in, so that one schema object says all that it demands. */
import { elementsOf, isObject, objectsOf, stringsOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

const longestChain = 16;

/** Follows local `$ref`s (`#`, `#/$defs/x`); siblings of a reference still count. */
export function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema;
  for (let steps = 0; steps < longestChain; steps += 1) {
    const reference = current['$ref'];
    if (typeof reference !== 'string') return current;
    const target = targetOf(reference, root);
    const siblings = Object.fromEntries(Object.entries(current).filter(([key]) => key !== '$ref'));
    current = { ...target, ...siblings };
  }
  return {};
}

function targetOf(reference: string, root: JsonObject): JsonObject {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return {};
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = elementsOf(at)[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isObject(at) ? at : {};
}

/** Resolves the schema and merges its `allOf` members into it. */
export function flatten(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  const own = resolve(schema, root);
  const members = objectsOf(own['allOf']);
  if (members.length === 0 || depth > longestChain) return own;
  const rest = Object.fromEntries(Object.entries(own).filter(([key]) => key !== 'allOf'));
  return members.map((member) => flatten(member, root, depth + 1)).reduce(merge, rest);
}

const raise = (a: number, b: number): number => Math.max(a, b);
const lower = (a: number, b: number): number => Math.min(a, b);
const bounds: Readonly<Record<string, (a: number, b: number) => number>> = {
  minimum: raise,
  exclusiveMinimum: raise,
  minLength: raise,
  minItems: raise,
  minProperties: raise,
  maximum: lower,
  exclusiveMaximum: lower,
  maxLength: lower,
  maxItems: lower,
};

/** Both schemas at once: properties and demands add up, bounds tighten, anything else is the later one's. */
function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key];
    const bound = bounds[key];
    if (key === 'properties' && isObject(before) && isObject(value))
      merged[key] = mergeProperties(before, value);
    else if (key === 'required') merged[key] = [...new Set([...stringsOf(before), ...stringsOf(value)])];
    else if (key === 'enum' && Array.isArray(before))
      merged[key] = elementsOf(value).filter((member) => before.includes(member));
    else if (bound !== undefined && typeof before === 'number' && typeof value === 'number')
      merged[key] = bound(before, value);
    else merged[key] = value;
  }
  return merged;
}

function mergeProperties(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...a };
  for (const [name, schema] of Object.entries(b)) {
    merged[name] = Object.hasOwn(a, name) ? { allOf: [a[name], schema] } : schema;
  }
  return merged;
}
