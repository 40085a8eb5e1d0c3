/** A JSON object whose fields are looked at one by one. */
export type Json = Record<string, unknown>;

/** @throws TypeError if the value is no JSON object, so that a test stops where its assumption broke */
export function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`not an object: ${JSON.stringify(value)}`);
  }
  return { ...value };
}

/** The value at a path of keys and indexes, such as `field(body, 'output', 0, 'name')`; undefined where there is none. */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** The objects of an array at a path. @throws TypeError if there is no array of objects */
export function items(value: unknown, ...path: readonly (string | number)[]): Json[] {
  const found = field(value, ...path);
  if (!Array.isArray(found)) throw new TypeError(`no array at ${path.join('.')}: ${JSON.stringify(found)}`);
  return found.map(objectOf);
}
