import {
  applyEdits,
  editElements,
  editMembers,
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { Edit, ElementChange, JsonObject, ObjectScan } from '../json/index.ts';
import { describeTools } from './describe-tools.ts';
import { encodeContent, joinContents, joinEntries, markResult, readContent } from './history.ts';
import type { Entry } from './history.ts';
import { makeOffer, readOfferedTools } from './offered-tools.ts';
import type { OfferedTool } from './offered-tools.ts';
import { memberText, memberValue, scanBody, stringAt, unchanged, WITHOUT_TOOLS } from './request-edits.ts';
import type { TextRequest, TextToolsSettings } from './request-edits.ts';
import type { CallFormat } from './scan-text.ts';
import { writeCalls } from './write-call.ts';

/** The fields of the request that a response repeats, and that change here. */
const ECHOED = ['tools', 'tool_choice', 'parallel_tool_calls', 'instructions'];

/** The body of `POST /v1/responses` for a model that has no tools; what need not change is the app's own text. */
export function encodeResponsesRequest(body: string, settings: TextToolsSettings): TextRequest {
  const scan = scanBody(body);
  if (scan === undefined) return unchanged(body);
  const items = readItems(body, scan);
  const tools = [
    ...readOfferedTools(memberText(body, scan, 'tools') ?? '', 'responses'),
    ...items.flatMap((text) => itemTools(text)),
  ];
  const offer = makeOffer(
    tools,
    memberValue(body, scan, 'tool_choice'),
    memberValue(body, scan, 'parallel_tool_calls'),
  );
  const told = place(body, scan, { description: describeTools(offer, settings.format), settings });
  const top = editMembers(body, scan, { ...WITHOUT_TOOLS, ...told.members });
  const echo = Object.fromEntries(
    ECHOED.flatMap((key): [string, string][] => {
      const own = memberText(body, scan, key);
      return own === undefined ? [] : [[key, own]];
    }),
  );
  return { body: applyEdits(body, [...top, ...told.edits]), offer, echo };
}

function readItems(body: string, scan: ObjectScan): string[] {
  const input = lastMember(scan, 'input');
  if (input === undefined || !isJsonArray(parseJson(sliceSpan(body, input.value)))) return [];
  return scanArray(body, input.value.start).elements.map((element) => sliceSpan(body, element));
}

/** Items can bring tools of their own (`additional_tools`: Codex sends all of its tools so). */
function itemTools(text: string): OfferedTool[] {
  if (!isToolItem(parseJson(text))) return [];
  return readOfferedTools(memberText(text, scanObject(text), 'tools') ?? '', 'responses');
}

function isToolItem(item: unknown): boolean {
  return isJsonObject(item) && item['type'] === 'additional_tools';
}

interface Told {
  readonly description: string | undefined;
  readonly settings: TextToolsSettings;
}

interface Placed {
  readonly members: Record<string, string>;
  readonly edits: readonly Edit[];
}

/** Puts the description where a developer message goes, and the history into words. */
function place(body: string, scan: ObjectScan, { description, settings }: Told): Placed {
  const instructions = memberValue(body, scan, 'instructions');
  const appends = description !== undefined && settings.placement === 'append';
  const toInstructions = appends && typeof instructions === 'string' && instructions !== '';
  const members: Record<string, string> = toInstructions
    ? { instructions: JSON.stringify(`${instructions}\n\n${description}`) }
    : {};
  const left = toInstructions ? undefined : description;
  const input = lastMember(scan, 'input');
  if (input === undefined)
    return left === undefined
      ? { members, edits: [] }
      : { members: { ...members, input: `[${developerItem(left)}]` }, edits: [] };
  const own = sliceSpan(body, input.value);
  const value = parseJson(own);
  if (isJsonArray(value)) {
    return { members, edits: editInput(body, input.value.start, { description: left, settings }) };
  }
  if (typeof value !== 'string' || left === undefined) return { members, edits: [] };
  const question = `{"type":"message","role":"user","content":${own}}`;
  return { members: { ...members, input: `[${developerItem(left)},${question}]` }, edits: [] };
}

function developerItem(description: string): string {
  return `{"type":"message","role":"developer","content":${JSON.stringify(description)}}`;
}

function editInput(body: string, from: number, { description, settings }: Told): Edit[] {
  const scan = scanArray(body, from);
  const texts = scan.elements.map((element) => sliceSpan(body, element));
  const values = texts.map((text) => parseJson(text));
  const kept = values.flatMap((value, index) => (isToolItem(value) ? [] : [index]));
  const joined = joinEntries(
    readEntries(
      kept.map((index) => texts[index] ?? ''),
      settings.format,
    ),
    textPart,
  );
  const changes: ElementChange[] = values.map(() => null);
  kept.forEach((index, rank) => {
    changes[index] = joined[rank];
  });
  if (description === undefined) return editElements(body, scan, changes);
  const first = values.findIndex((value) => !isToolItem(value) && !isLeading(value));
  const before = first === -1 ? values.length : first;
  const leading = values.findLastIndex((value, index) => index < before && isLeading(value));
  const leadingText = texts[leading];
  if (settings.placement === 'append' && leadingText !== undefined) {
    changes[leading] = appendTo(leadingText, description);
    return editElements(body, scan, changes);
  }
  return editElements(body, scan, changes, [{ before, text: developerItem(description) }]);
}

function isLeading(item: unknown): boolean {
  const role = roleOf(item);
  return role === 'system' || role === 'developer';
}

function roleOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  return item['type'] === undefined || item['type'] === 'message' ? stringAt(item, 'role') : undefined;
}

function appendTo(message: string, description: string): string {
  const own = readContent(message);
  const spaced = own.kind === 'text' && own.text !== '' ? `\n${description}` : description;
  const content = joinContents([own, { kind: 'text', text: spaced }], (text) => textPart('developer', text));
  return applyEdits(message, editMembers(message, scanObject(message), { content: encodeContent(content) }));
}

function textPart(role: string, text: string): string {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return `{"type":"${type}","text":${JSON.stringify(text)}}`;
}

function readEntries(texts: readonly string[], format: CallFormat): Entry[] {
  const names = new Map<string, string>();
  return texts.map((text): Entry => {
    const item = parseJson(text);
    const type = stringAt(item, 'type');
    if (isJsonObject(item) && (type === 'function_call' || type === 'custom_tool_call')) {
      const call = pastCall(item, type);
      names.set(stringAt(item, 'call_id') ?? '', call.name);
      return rewritten('assistant', { kind: 'text', text: writeCalls([call], format) });
    }
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const name = names.get(stringAt(item, 'call_id') ?? '');
      return rewritten(
        'user',
        markResult(readContent(text, 'output'), name, (part) => textPart('user', part)),
      );
    }
    const role = roleOf(item);
    const content = role === undefined ? ({ kind: 'text', text: '' } as const) : readContent(text);
    return { role, origin: 'app', text, content };
  });
}

function rewritten(role: 'user' | 'assistant', content: Entry['content']): Entry {
  return { role, origin: 'rewritten', text: `{"type":"message","role":"${role}"}`, content };
}

function pastCall(
  item: JsonObject,
  type: 'function_call' | 'custom_tool_call',
): Parameters<typeof writeCalls>[0][number] {
  const own = stringAt(item, 'name') ?? '';
  const namespace = stringAt(item, 'namespace');
  const name = namespace === undefined || namespace === '' || namespace === own ? own : `${namespace}.${own}`;
  if (type === 'custom_tool_call') return { name, content: stringAt(item, 'input') ?? '', kind: 'input' };
  const given = item['arguments'];
  const content = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given);
  return { name, content, kind: 'arguments' };
}
