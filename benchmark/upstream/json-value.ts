/** Reading values of unknown shape: what came over the wire is `unknown` until one of these has looked at it. */

/** A JSON object of unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of an array, or none where the value is no array. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects among the elements of an array. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return elementsOf(value).filter(isObject);
}

/** The strings among the elements of an array. */
export function stringsOf(value: unknown): readonly string[] {
  return elementsOf(value).filter((element) => typeof element === 'string');
}

/** The value where it is a string, else the fallback. */
export function stringOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

/** The value where it is a finite number, else undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Parses JSON text; undefined where it is not JSON (no JSON text means undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
