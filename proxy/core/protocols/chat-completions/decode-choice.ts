import {
  isJsonArray,
  isJsonObject,
  lastMember,
  scanArray,
  scanObject,
  sliceSpan,
  stringField,
} from '../../json/index.ts';
import type { JsonObject, Span } from '../../json/index.ts';
import type { AllowedEntry, ToolChoice } from '../../turn/index.ts';
import { keyOfReference } from './names.ts';

/** Reads `tool_choice`; `span` is where its value stands in the body. */
export function decodeToolChoice(value: unknown, text: string, span: Span | undefined): ToolChoice {
  if (value === undefined || value === null) return { kind: 'unset' };
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value };
  if (!isJsonObject(value) || span === undefined) return { kind: 'unreadable' };
  const type = stringField(value, 'type');
  if (type === 'function' || type === 'custom') {
    const key = keyOfReference(value);
    return key === undefined ? { kind: 'unreadable' } : { kind: 'named', key };
  }
  if (type === 'allowed_tools') return decodeAllowed(value, sliceSpan(text, span));
  return type === undefined ? { kind: 'unreadable' } : { kind: 'hosted', type };
}

function decodeAllowed(value: JsonObject, text: string): ToolChoice {
  const allowed = value['allowed_tools'];
  const list = allowedList(text);
  if (!isJsonObject(allowed) || list === undefined) return { kind: 'unreadable' };
  const { mode, tools } = allowed;
  if ((mode !== 'auto' && mode !== 'required') || !isJsonArray(tools)) return { kind: 'unreadable' };
  const { elements } = scanArray(text, list.start);
  const entries = tools.map((tool, index): AllowedEntry => {
    const element = elements[index] ?? { start: 0, end: 0 };
    return { key: isJsonObject(tool) ? allowedKey(tool) : '', text: sliceSpan(text, element) };
  });
  return { kind: 'allowed', mode, entries };
}

/** Where the list of `allowed_tools` stands in the choice's own text. */
export function allowedList(choice: string): Span | undefined {
  const allowed = lastMember(scanObject(choice), 'allowed_tools');
  if (allowed === undefined || choice[allowed.value.start] !== '{') return undefined;
  const tools = lastMember(scanObject(choice, allowed.value.start), 'tools');
  return tools !== undefined && choice[tools.value.start] === '[' ? tools.value : undefined;
}

/** An entry for a hosted tool goes by its type, whatever else it names. */
function allowedKey(entry: JsonObject): string {
  const type = stringField(entry, 'type');
  const hosted = type !== undefined && type !== 'function' && type !== 'custom';
  return hosted ? type : (keyOfReference(entry) ?? '');
}
