/** Checks that both protocols share: the body itself, and the types of its fields. */
import { ApiError, invalid, wrongType } from './api-error.ts';
import { isObject, numberOf } from './json-value.ts';
import type { JsonObject } from './json-value.ts';

/** What a field may hold. */
export type FieldKind = 'string' | 'boolean' | 'number' | 'integer' | 'object' | 'array';

const kindWords: Readonly<Record<FieldKind, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  number: 'a decimal',
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
};

/** Reads the body's JSON; throws OpenAI's 400 where it is none or no object. */
export function parseBody(value: unknown): JsonObject {
  if (isObject(value)) return value;
  const message =
    value === undefined
      ? 'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON.)'
      : `Invalid body: expected an object, but got ${Array.isArray(value) ? 'an array' : typeof value} instead.`;
  throw new ApiError({ status: 400, message });
}

/** Checks the fields that are given and not null; throws an {@link ApiError} about the first of a wrong type. */
export function checkFields(body: JsonObject, kinds: Readonly<Record<string, FieldKind>>): void {
  for (const [field, kind] of Object.entries(kinds)) {
    const value = body[field];
    if (value !== undefined && value !== null && !isKind(value, kind))
      throw wrongType(field, kindWords[kind], value);
  }
}

function isKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

/** Throws an {@link ApiError} where the temperature is out of its range. */
export function checkTemperature(body: JsonObject): void {
  const temperature = numberOf(body['temperature']);
  if (temperature !== undefined && (temperature < 0 || temperature > 2)) {
    const message = `Invalid 'temperature': decimal out of range. Expected a value between 0 and 2, but got ${String(temperature)} instead.`;
    throw invalid('temperature', 'decimal_out_of_range', message);
  }
}
