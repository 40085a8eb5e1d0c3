/** A number for one parameter. */
import { numberOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { Values } from './read-values.ts';

/** What is known when a number is filled. */
interface NumberPlace {
  readonly values: Values;
  /** Numbers already used by other parameters of this call. */
  readonly usedNumbers: Set<number>;
}

/** A number that satisfies the schema: one that the user said where it fits, else the default, else one in range. */
export function fillNumber(type: 'integer' | 'number', schema: JsonObject, place: NumberPlace): number {
  const said = place.values.numbers.find(
    (value) =>
      !place.usedNumbers.has(value) &&
      (type === 'number' || Number.isInteger(value)) &&
      inRange(schema, value),
  );
  if (said !== undefined) {
    place.usedNumbers.add(said);
    return said;
  }
  const preset = numberOf(schema['default']);
  if (preset !== undefined) return preset;
  return inRange(schema, 1) ? 1 : edgeOf(type, schema);
}

function inRange(schema: JsonObject, value: number): boolean {
  const step = numberOf(schema['multipleOf']);
  return (
    value >= (numberOf(schema['minimum']) ?? -Infinity) &&
    value <= (numberOf(schema['maximum']) ?? Infinity) &&
    value > (numberOf(schema['exclusiveMinimum']) ?? -Infinity) &&
    value < (numberOf(schema['exclusiveMaximum']) ?? Infinity) &&
    (step === undefined || Number.isInteger(value / step))
  );
}

/** The number in range that is nearest to the lower bound, or to the upper where there is no lower. */
function edgeOf(type: 'integer' | 'number', schema: JsonObject): number {
  const step = numberOf(schema['multipleOf']) ?? 1;
  const low = numberOf(schema['minimum']) ?? numberOf(schema['exclusiveMinimum']);
  const high = numberOf(schema['maximum']) ?? numberOf(schema['exclusiveMaximum']) ?? 0;
  const start = low === undefined ? Math.floor(high / step) : Math.ceil(low / step);
  const toward = low === undefined ? -1 : 1;
  const candidates = [start * step, (start + toward) * step];
  if (type === 'number' && low !== undefined) candidates.push(low, (low + high) / 2);
  return candidates.find((value) => inRange(schema, value)) ?? start * step;
}
