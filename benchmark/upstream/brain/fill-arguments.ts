/** Arguments for a call that satisfy the tool's JSON Schema and say what the user said. */
import { Validator } from '@cfworker/json-schema';
import { elementsOf, isObject, numberOf, stringsOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { fillNumber } from './fill-number.ts';
import { fillString, stringFromWords } from './fill-string.ts';
import { flatten, resolve } from './flatten-schema.ts';
import { readValues } from './read-values.ts';
import type { Values } from './read-values.ts';

/** Thrown where a schema cannot be filled any further, as in a reference cycle. */
class DeadEnd extends Error {}

interface Place {
  readonly root: JsonObject;
  readonly values: Values;
  readonly used: Set<string>;
  readonly usedNumbers: Set<number>;
  /** Which alternative of `anyOf` and `oneOf` is tried first. */
  readonly turn: number;
  readonly name: string;
  readonly depth: number;
}

const deepest = 12;
const turns = 4;

/**
 * Fills a schema from the user's words: a value that satisfies it where one is found.
 * Of several tries the first that validates is taken; a schema that the validator itself cannot read takes the first.
 */
export function fillArguments(schema: JsonObject | null, text: string): unknown {
  if (schema === null) return {};
  const values = readValues(text);
  let first: unknown;
  for (let turn = 0; turn < turns; turn += 1) {
    const value = tryFill(schema, values, turn);
    if (value !== undefined && validates(schema, value)) return value;
    first ??= value;
  }
  return first ?? {};
}

function tryFill(root: JsonObject, values: Values, turn: number): unknown {
  const place = {
    root,
    values,
    turn,
    used: new Set<string>(),
    usedNumbers: new Set<number>(),
    name: '',
    depth: 0,
  };
  try {
    return fill(root, place);
  } catch (error) {
    if (error instanceof DeadEnd) return undefined;
    throw error;
  }
}

/** True where the value satisfies the schema, or nobody can read the schema. */
export function validates(schema: JsonObject, value: unknown): boolean {
  try {
    // The validator wants its own mutable schema type; it only reads.
    return new Validator({ ...schema }, '2020-12').validate(value).valid;
  } catch {
    return true;
  }
}

function fill(given: unknown, place: Place): unknown {
  if (place.depth > deepest) throw new DeadEnd();
  if (!isObject(given)) return given === false ? null : fillString({}, place);
  const schema = flatten(given, place.root);
  if (Object.hasOwn(schema, 'const')) return schema['const'];
  const choices = elementsOf(schema['anyOf'] ?? schema['oneOf']);
  if (choices.length > 0) return fillChoice(schema, choices, place);
  if (Array.isArray(schema['enum'])) return fillEnum(schema, place);
  return fillType(typeOf(schema), schema, place);
}

function fillType(type: string, schema: JsonObject, place: Place): unknown {
  switch (type) {
    case 'object':
      return fillObject(schema, place);
    case 'array':
      return fillArray(schema, place);
    case 'integer':
    case 'number':
      return fillNumber(type, schema, place);
    case 'boolean':
      return typeof schema['default'] === 'boolean'
        ? schema['default']
        : !/\b(?:no|not|off|without)\b/i.test(place.values.text);
    case 'null':
      return null;
    default:
      return fillString(schema, place);
  }
}

/** The type to fill: the one given, or what the other keywords speak of. */
function typeOf(schema: JsonObject): string {
  const type = schema['type'];
  if (typeof type === 'string') return type;
  const listed = stringsOf(type);
  if (listed.length > 0) return listed.find((entry) => entry !== 'null') ?? 'null';
  if (isObject(schema['properties']) || Array.isArray(schema['required'])) return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'number' : 'string';
}

/** Tries the alternatives in turn; null is taken last. */
function fillChoice(schema: JsonObject, choices: readonly unknown[], place: Place): unknown {
  const rest = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'anyOf' && key !== 'oneOf'),
  );
  const filled = choices.filter((choice) => !(isObject(choice) && choice['type'] === 'null'));
  const order = filled.length > 0 ? filled : choices;
  for (let at = 0; at < order.length; at += 1) {
    const choice = order[(at + place.turn) % order.length];
    try {
      const merged = isObject(choice) ? { allOf: [rest, choice] } : rest;
      return fill(merged, { ...place, depth: place.depth + 1 });
    } catch (error) {
      if (!(error instanceof DeadEnd)) throw error;
    }
  }
  if (filled.length < choices.length) return null;
  throw new DeadEnd();
}

/** The member that the user named; else the default, else the first. */
function fillEnum(schema: JsonObject, place: Place): unknown {
  const members = elementsOf(schema['enum']).filter((member) => fitsType(schema, member));
  const said = place.values.text.toLowerCase();
  const spoken = (member: unknown): string =>
    typeof member === 'string' ? member.toLowerCase().replaceAll(/[_-]/g, ' ') : String(member);
  // Of several members in the user's words the last one counts: "merge pull request 8, squash it".
  const named = members
    .filter((member) => spoken(member) !== '' && wordIn(said, spoken(member)))
    .sort((a, b) => said.lastIndexOf(spoken(b)) - said.lastIndexOf(spoken(a)))[0];
  const chosen = named ?? (members.includes(schema['default']) ? schema['default'] : members[0]);
  if (chosen === undefined) throw new DeadEnd();
  return chosen;
}

function fitsType(schema: JsonObject, member: unknown): boolean {
  return schema['type'] !== 'string' || typeof member === 'string';
}

function wordIn(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at < 0) return false;
  const edge = (character: string): boolean => !/[\p{L}\p{N}]/u.test(character);
  return edge(text.charAt(at - 1)) && edge(text.charAt(at + word.length));
}

function fillObject(schema: JsonObject, place: Place): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(stringsOf(schema['required']));
  const entries: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(properties), ...required])) {
    const inner = { ...place, name, depth: place.depth + 1 };
    const property = Object.hasOwn(properties, name) ? properties[name] : {};
    if (required.has(name)) entries.push([name, fill(property, inner)]);
    else if (isSaid(property, inner)) entries.push([name, fill(property, inner)]);
  }
  const least = numberOf(schema['minProperties']) ?? 0;
  for (const name of Object.keys(properties)) {
    if (entries.length >= least) break;
    if (!entries.some(([known]) => known === name))
      entries.push([name, fill(properties[name], { ...place, name, depth: place.depth + 1 })]);
  }
  while (entries.length < least && entries.length < 64) {
    const name = `key${String(entries.length + 1)}`;
    entries.push([
      name,
      fill(schema['additionalProperties'] ?? {}, { ...place, name, depth: place.depth + 1 }),
    ]);
  }
  return Object.fromEntries(entries);
}

/** True where the user's words hold a value for an optional parameter. */
function isSaid(given: unknown, place: Place): boolean {
  if (!isObject(given) || place.depth > 2) return false;
  const schema = resolve(given, place.root);
  const members = stringsOf(schema['enum']);
  const said = place.values.text.toLowerCase();
  if (members.length > 0)
    return members.some((member) => wordIn(said, member.toLowerCase().replaceAll(/[_-]/g, ' ')));
  if (typeOf(schema) === 'string') return stringFromWords(schema, place) !== undefined;
  return false;
}

function fillArray(schema: JsonObject, place: Place): readonly unknown[] {
  const prefix = elementsOf(schema['prefixItems']);
  const items = schema['items'] ?? {};
  const filled = prefix.map((entry) => fill(entry, { ...place, depth: place.depth + 1 }));
  const least = Math.min(Math.max(numberOf(schema['minItems']) ?? 0, filled.length), 1000);
  const most = numberOf(schema['maxItems']) ?? Infinity;
  const wanted = Math.min(Math.max(least, filled.length === 0 ? 1 : 0), most);
  while (filled.length < wanted) {
    try {
      const inner = { ...place, depth: place.depth + 1 };
      const value = fill(items, inner);
      filled.push(schema['uniqueItems'] === true ? unlike(value, filled, { items, place: inner }) : value);
    } catch (error) {
      if (!(error instanceof DeadEnd) || filled.length < least) throw error;
      break;
    }
  }
  return filled;
}

/** The value, or one that does not stand in the list yet. */
function unlike(
  value: unknown,
  before: readonly unknown[],
  at: { readonly items: unknown; readonly place: Place },
): unknown {
  const known = new Set(before.map((element) => JSON.stringify(element)));
  if (!known.has(JSON.stringify(value))) return value;
  const schema = isObject(at.items) ? resolve(at.items, at.place.root) : {};
  const other = elementsOf(schema['enum']).find((member) => !known.has(JSON.stringify(member)));
  if (other !== undefined) return other;
  if (typeof value === 'number') return value + before.length * (numberOf(schema['multipleOf']) ?? 1);
  return typeof value === 'string' ? `${value} ${String(before.length + 1)}` : value;
}

/** Picks for a menu. */
export function pickArguments(names: readonly string[]): string {
  return JSON.stringify({ names });
}
