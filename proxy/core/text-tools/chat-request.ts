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
import type { Edit, ElementChange } from '../json/index.ts';
import { describeTools } from './describe-tools.ts';
import { encodeContent, joinContents, joinEntries, markResult, readContent } from './history.ts';
import type { Entry } from './history.ts';
import { makeOffer, readOfferedTools } from './offered-tools.ts';
import { memberText, memberValue, scanBody, stringAt, unchanged, WITHOUT_TOOLS } from './request-edits.ts';
import type { TextRequest, TextToolsSettings } from './request-edits.ts';
import type { CallFormat } from './scan-text.ts';
import { writeCalls } from './write-call.ts';
import type { PastCall } from './write-call.ts';

/** The body of `POST /v1/chat/completions` for a model that has no tools; what need not change is the app's own text. */
export function encodeChatRequest(body: string, settings: TextToolsSettings): TextRequest {
  const scan = scanBody(body);
  if (scan === undefined) return unchanged(body);
  const tools = readOfferedTools(memberText(body, scan, 'tools') ?? '', 'chat');
  const offer = makeOffer(
    tools,
    memberValue(body, scan, 'tool_choice'),
    memberValue(body, scan, 'parallel_tool_calls'),
  );
  const messages = lastMember(scan, 'messages');
  const inside =
    messages === undefined || !isJsonArray(parseJson(sliceSpan(body, messages.value)))
      ? []
      : editMessages(body, messages.value.start, {
          description: describeTools(offer, settings.format),
          settings,
        });
  return { body: applyEdits(body, [...editMembers(body, scan, WITHOUT_TOOLS), ...inside]), offer, echo: {} };
}

interface Told {
  readonly description: string | undefined;
  readonly settings: TextToolsSettings;
}

function editMessages(body: string, from: number, { description, settings }: Told): Edit[] {
  const scan = scanArray(body, from);
  const texts = scan.elements.map((element) => sliceSpan(body, element));
  const changes = joinEntries(readEntries(texts, settings.format), textPart);
  if (description === undefined) return editElements(body, scan, changes);
  const leading = isLeading(texts[0]) ? texts[0] : undefined;
  if (leading !== undefined && settings.placement === 'append') {
    return editElements(body, scan, [appendTo(leading, description), ...changes.slice(1)]);
  }
  const text = `{"role":"system","content":${JSON.stringify(description)}}`;
  return editElements(body, scan, changes, [{ before: leading === undefined ? 0 : 1, text }]);
}

function isLeading(text: string | undefined): boolean {
  const role = stringAt(parseJson(text ?? ''), 'role');
  return role === 'system' || role === 'developer';
}

function appendTo(message: string, description: string): ElementChange {
  const own = readContent(message);
  const spaced = own.kind === 'text' && own.text !== '' ? `\n${description}` : description;
  const content = joinContents([own, { kind: 'text', text: spaced }], (text) => textPart('system', text));
  return applyEdits(message, editMembers(message, scanObject(message), { content: encodeContent(content) }));
}

function textPart(_role: string, text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

function readEntries(texts: readonly string[], format: CallFormat): Entry[] {
  const names = new Map<string, string>();
  return texts.map((text) => {
    const message = parseJson(text);
    const role = stringAt(message, 'role');
    if (role === 'tool') return resultEntry(text, names.get(stringAt(message, 'tool_call_id') ?? ''));
    const calls = isJsonObject(message) && isJsonArray(message['tool_calls']) ? message['tool_calls'] : [];
    if (!isJsonObject(message))
      return { role: undefined, origin: 'app', text, content: { kind: 'text', text: '' } };
    const content = readContent(text);
    if (role !== 'assistant' || !Object.hasOwn(message, 'tool_calls'))
      return { role, origin: 'app', text, content };
    for (const call of calls) names.set(stringAt(call, 'id') ?? '', pastCall(call).name);
    const written = { kind: 'text', text: writeCalls(calls.map(pastCall), format) } as const;
    return {
      role,
      origin: 'rewritten',
      text: applyEdits(text, editMembers(text, scanObject(text), { tool_calls: null })),
      content: joinContents([content, written], (part) => textPart(role, part)),
    };
  });
}

function resultEntry(text: string, name: string | undefined): Entry {
  const content = markResult(readContent(text), name, (part) => textPart('user', part));
  return { role: 'user', origin: 'rewritten', text: '{"role":"user"}', content };
}

function pastCall(call: unknown): PastCall {
  if (isJsonObject(call) && call['type'] === 'custom') {
    return {
      name: stringAt(call, 'custom', 'name') ?? '',
      content: stringAt(call, 'custom', 'input') ?? '',
      kind: 'input',
    };
  }
  const own = isJsonObject(call) ? call['function'] : undefined;
  const given = isJsonObject(own) ? own['arguments'] : undefined;
  // Some clients keep arguments as an object.
  const content = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given);
  return { name: stringAt(own, 'name') ?? '', content, kind: 'arguments' };
}
