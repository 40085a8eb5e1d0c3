import {
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { ObjectScan } from '../json/index.ts';
import { mendJson } from './mend-json.ts';

/** A call as the model wrote it into its text. */
export interface WrittenCall {
  readonly name: string;
  /** JSON text of an object, as the model wrote it. */
  readonly argumentsText: string;
}

/** `tagged`: what stands between tags is meant as a call. `bare`: JSON is a call only if it has all that one has. */
export type CallMarks = 'tagged' | 'bare';

const NAME_KEY = /["']name["']\s*:/;
const ARGUMENTS_KEY = /["'](?:arguments|parameters)["']\s*:/;

/** False for text that lacks a member which every bare call has, whatever else it is. */
export function mayBeCall(text: string): boolean {
  return NAME_KEY.test(text) && ARGUMENTS_KEY.test(text);
}

/**
 * The calls that these JSON values are (objects, or arrays of them), or `undefined` unless all of them are calls.
 */
export function readCalls(values: readonly string[], marks: CallMarks): WrittenCall[] | undefined {
  const calls: WrittenCall[] = [];
  for (const value of values) {
    if (marks === 'bare' && !mayBeCall(value)) return undefined;
    const text = mendJson(value);
    if (text === undefined) return undefined;
    for (const own of elementsOf(text)) {
      const call = readCall(own, marks);
      if (call === undefined) return undefined;
      calls.push(call);
    }
  }
  return calls.length === 0 ? undefined : calls;
}

function elementsOf(text: string): string[] {
  if (!isJsonArray(parseJson(text))) return [text];
  return scanArray(text).elements.map((element) => sliceSpan(text, element));
}

function readCall(text: string, marks: CallMarks): WrittenCall | undefined {
  if (!isJsonObject(parseJson(text))) return undefined;
  const scan = scanObject(text);
  const nameText = memberText(text, scan, 'name');
  const name = nameText === undefined ? undefined : parseJson(nameText);
  if (typeof name !== 'string' || name === '') return undefined;
  const given = memberText(text, scan, 'arguments') ?? memberText(text, scan, 'parameters');
  const argumentsText = marks === 'tagged' ? taggedArguments(given) : bareArguments(given);
  return argumentsText === undefined ? undefined : { name, argumentsText };
}

function memberText(text: string, scan: ObjectScan, key: string): string | undefined {
  const member = lastMember(scan, key);
  return member === undefined ? undefined : sliceSpan(text, member.value);
}

function bareArguments(given: string | undefined): string | undefined {
  return given !== undefined && given.startsWith('{') ? given : undefined;
}

/** Without arguments a call has none; some models write them as a string, as the API does. */
function taggedArguments(given: string | undefined): string | undefined {
  const value = given === undefined ? null : parseJson(given);
  if (value === null || value === '') return '{}';
  if (typeof value === 'string') return isJsonObject(parseJson(value)) ? value : undefined;
  return bareArguments(given);
}
