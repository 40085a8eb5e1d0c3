/**
 * JSON text of answers. The echoed tools are most of it and the same every time, so their text is made once per
 * request and set into the rest.
 */
import { isObject } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

const texts = new WeakMap<readonly unknown[], string>();
const mark = '\u0000tools';
const marked = JSON.stringify(mark);

/** The text of a response, or of an event that carries one. */
export function encodeJson(value: JsonObject): string {
  const { tools, response } = value;
  if (isObject(response) && Array.isArray(response['tools'])) {
    return insert({ ...value, response: { ...response, tools: mark } }, response['tools']);
  }
  return Array.isArray(tools) ? insert({ ...value, tools: mark }, tools) : JSON.stringify(value);
}

function insert(value: JsonObject, tools: readonly unknown[]): string {
  const text = JSON.stringify(value);
  // Strings cannot hold this, since their quotes are escaped; what comes first is ours.
  const at = text.indexOf(`"tools":${marked}`) + '"tools":'.length;
  return text.slice(0, at) + textOf(tools) + text.slice(at + marked.length);
}

function textOf(tools: readonly unknown[]): string {
  const known = texts.get(tools);
  if (known !== undefined) return known;
  const text = JSON.stringify(tools);
  texts.set(tools, text);
  return text;
}
