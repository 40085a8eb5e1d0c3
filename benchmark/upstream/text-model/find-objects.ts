/** JSON objects that stand in a text. */
import { isObject, parseJson } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

/** Where an object was found. */
export interface FoundObject {
  readonly value: JsonObject;
  readonly start: number;
  /** Behind its last brace. */
  readonly end: number;
}

/**
 * All JSON objects that the predicate takes, in order. An object that it does not take is looked into: what it holds
 * may be one.
 */
export function findObjects(text: string, takes: (value: JsonObject) => boolean): readonly FoundObject[] {
  const found: FoundObject[] = [];
  let at = text.indexOf('{');
  while (at >= 0) {
    const end = closingOf(text, at);
    const value = end === undefined ? undefined : parseJson(text.slice(at, end));
    const taken = end !== undefined && isObject(value) && takes(value);
    if (taken) found.push({ value, start: at, end });
    at = text.indexOf('{', taken ? end : at + 1);
  }
  return found;
}

/** Index behind the brace that closes the one at `start`; braces inside strings do not count. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
