import { applyEdits, editMembers, isJsonObject, parseJson, scanObject, sliceSpan } from '../../json/index.ts';
import type { CarriedItem } from '../../turn/index.ts';
import { readNest } from './names.ts';

/**
 * What a hop carries, as messages: the items of one answer are one message of the assistant again, with whatever else of it a
 * server may want back (DeepSeek and others demand their `reasoning_content`).
 */
export function carriedMessages(carried: readonly CarriedItem[]): string[] {
  const messages: string[] = [];
  let parts: string[] = [];
  const close = (): void => {
    if (parts.length > 0) messages.push(assistantMessage(parts));
    parts = [];
  };
  for (const item of carried) {
    switch (item.kind) {
      case 'item':
        parts.push(item.text);
        break;
      case 'output':
        close();
        messages.push(JSON.stringify({ role: 'tool', tool_call_id: item.callId, content: item.text }));
        break;
      case 'user_message':
        close();
        messages.push(JSON.stringify({ role: 'user', content: item.text }));
        break;
      default:
        item satisfies never;
    }
  }
  close();
  return messages;
}

/** @param parts texts of items as the decoders give them: calls, and objects of the message's other members */
function assistantMessage(parts: readonly string[]): string {
  const calls: string[] = [];
  const members: Record<string, string> = { role: '"assistant"', content: 'null' };
  for (const part of parts) {
    if (isCallText(part)) calls.push(part);
    else Object.assign(members, membersOf(part));
  }
  if (calls.length > 0) members['tool_calls'] = `[${calls.join(',')}]`;
  return applyEdits('{}', editMembers('{}', scanObject('{}'), members));
}

function isCallText(part: string): boolean {
  const value = parseJson(part);
  return isJsonObject(value) && (readNest(value) !== undefined || ('id' in value && 'type' in value));
}

function membersOf(part: string): Record<string, string> {
  if (!isJsonObject(parseJson(part))) return {};
  return Object.fromEntries(scanObject(part).members.map(({ key, value }) => [key, sliceSpan(part, value)]));
}
