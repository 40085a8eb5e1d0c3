/** A JSON object as `JSON.parse` gives it: every value is unknown until looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, not for an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a JSON array, with its elements unknown. */
export function isJsonArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * The value of a JSON text, or `undefined` if it is none. `undefined` is no JSON value, so nothing is lost.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A string field of an object, or `undefined`. Own fields only: `__proto__` of the wire is data, not a prototype. */
export function stringField(value: JsonObject, key: string): string | undefined {
  const field = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof field === 'string' ? field : undefined;
}

/** A copy that stands by itself. A slice keeps the whole text alive that it was cut from: a body with all its images. */
export function detach(text: string): string {
  return ` ${text}`.slice(1);
}
