import {
  applyEdits,
  editMembers,
  isJsonArray,
  isJsonObject,
  scanObject,
  stringField,
} from '../../json/index.ts';
import type { Edit, JsonObject } from '../../json/index.ts';
import type { AnswerItem } from '../../turn/index.ts';
import type { NameMaps } from '../adapter.ts';
import { readNest, scanNest } from './names.ts';

/**
 * What the items of a chat answer are: its message has all of them in one object. What servers add of their own (mostly thinking,
 * under one name or another) is one item of kind `reasoning`, what it says to the user is one `message`, and each call is one.
 */
export const REASONING = 0;
export const MESSAGE = 1;
/** The item of the first call; the others follow. */
export const FIRST_CALL = 2;

/** Members of a message, or of a delta, that belong to no item. */
const FRAME: ReadonlySet<string> = new Set(['role', 'tool_calls']);

/** Members that are what the message says. */
const SAID: ReadonlySet<string> = new Set(['content', 'refusal', 'audio', 'annotations', 'function_call']);

/** Members of it that a later request can give back. */
const REPLAYED: ReadonlySet<string> = new Set(['content', 'refusal']);

/** The item that a member of a message or delta belongs to, if it is one's. */
export function itemOfMember(key: string): typeof REASONING | typeof MESSAGE | undefined {
  if (FRAME.has(key)) return undefined;
  return SAID.has(key) ? MESSAGE : REASONING;
}

/** True for a member of the message item that a carried message holds too. */
export function isReplayed(key: string): boolean {
  return REPLAYED.has(key);
}

/** Servers send `null`, `""` and `[]` for what there is not. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (isJsonArray(value) && value.length === 0);
}

/** Reads an element of `tool_calls`. */
export function readCall(value: unknown): AnswerItem {
  const named = isJsonObject(value) ? readNest(value) : undefined;
  if (named === undefined || !isJsonObject(value)) return { kind: 'other' };
  const custom = named.kind === 'custom';
  return callItem({
    name: named.name ?? '',
    arguments: argumentsText(named.nest[custom ? 'input' : 'arguments']),
    callId: stringField(value, 'id') ?? '',
    custom,
  });
}

/** A call, in the terms of the hop machine; names have no namespaces here. */
export function callItem(call: {
  readonly name: string;
  readonly arguments: string;
  readonly callId: string;
  readonly custom: boolean;
}): AnswerItem {
  return { kind: 'call', namespace: undefined, key: call.name, ...call };
}

/** Some servers send arguments as an object instead of a string. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The call as the app gets it: a renamed tool under its own name. */
export function callForApp(text: string, item: AnswerItem, names: NameMaps): string {
  return item.kind === 'call' && names.backward.has(item.key)
    ? applyEdits(text, renameCall(text, { start: 0, name: item.key }, names))
    : text;
}

/** The edits that give a call the app's name for its tool; the call stands at `start`. */
export function renameCall(
  text: string,
  { start, name }: { readonly start: number; readonly name: string },
  { backward }: NameMaps,
): Edit[] {
  const appName = backward.get(name);
  const nest = appName === undefined ? undefined : scanNest(text, scanObject(text, start));
  if (nest === undefined) return [];
  return editMembers(text, nest, { name: JSON.stringify(appName) });
}

/** The name in a call or in a delta of one. */
export function calledName(value: unknown): string | undefined {
  return isJsonObject(value) ? readNest(value)?.name : undefined;
}

/** The elements of a `tool_calls` member. */
export function callList(message: JsonObject): readonly unknown[] {
  const calls = message['tool_calls'];
  return isJsonArray(calls) ? calls : [];
}
