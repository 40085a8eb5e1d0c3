import { applyEdits, editMembers, isJsonObject, scanObject, stringField } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { AnswerItem } from '../../turn/index.ts';
import type { NameMaps } from '../adapter.ts';
import { isCallItem, keyOf } from './decode-request.ts';

/** Reads an output item. Anything that is not a call, a message or reasoning is carried without a look. */
export function readItem(value: unknown): AnswerItem {
  if (isCallItem(value)) return readCall(value);
  const type = isJsonObject(value) ? stringField(value, 'type') : undefined;
  return { kind: type === 'message' || type === 'reasoning' ? type : 'other' };
}

function readCall(value: JsonObject): AnswerItem {
  const custom = value['type'] === 'custom_tool_call';
  return {
    kind: 'call',
    name: stringField(value, 'name') ?? '',
    namespace: stringField(value, 'namespace'),
    key: keyOf(value) ?? '',
    arguments: argumentsText(custom ? value['input'] : value['arguments']),
    callId: stringField(value, 'call_id') ?? '',
    custom,
  };
}

/** Some servers send arguments as an object instead of a string. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/**
 * An item as the app gets it: renamed tools under their own names, and no `namespace` that the app's tool does not have.
 */
export function itemForApp(text: string, item: AnswerItem, names: NameMaps): string {
  if (item.kind !== 'call') return text;
  const members: Record<string, string | null> = {};
  const name = names.backward.get(item.key);
  if (name !== undefined) members['name'] = JSON.stringify(name);
  // Revealed tools can come back with a namespace equal to their name (api.openai.com); Agents JS then finds no tool.
  const repeated = item.namespace !== undefined && item.namespace === item.name;
  if (repeated && !names.isDeclared(`${item.name}.${item.name}`)) members['namespace'] = null;
  return Object.keys(members).length === 0
    ? text
    : applyEdits(text, editMembers(text, scanObject(text), members));
}
