import {
  applyEdits,
  editMembers,
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { Edit, MemberChanges, Span } from '../json/index.ts';
import type { CallDesk, NativeCall } from './answer-reader.ts';
import { memberText, memberValue, scanBody } from './request-edits.ts';

/** The JSON answer to `POST /v1/chat/completions` with its written calls as `tool_calls`; all else stays as it came. */
export function decodeChatResponse(answer: string, desk: CallDesk): string {
  const scan = desk.isOpen ? scanBody(answer) : undefined;
  const choices = scan === undefined ? undefined : lastMember(scan, 'choices');
  if (choices === undefined || !isJsonArray(parseJson(sliceSpan(answer, choices.value)))) return answer;
  const { elements } = scanArray(answer, choices.value.start);
  return applyEdits(
    answer,
    elements.flatMap((element) => editChoice(answer, element, desk)),
  );
}

function editChoice(answer: string, element: Span, desk: CallDesk): Edit[] {
  if (!isJsonObject(parseJson(sliceSpan(answer, element)))) return [];
  const scan = scanObject(answer, element.start);
  const message = lastMember(scan, 'message');
  if (message === undefined || !isJsonObject(parseJson(sliceSpan(answer, message.value)))) return [];
  const messageScan = scanObject(answer, message.value.start);
  const content = memberValue(answer, messageScan, 'content');
  if (typeof content !== 'string') return [];
  const events = desk.openReader({ calls: 0 }).readAll(content);
  const calls = events.flatMap((event) => (event.kind === 'call' ? [event.call] : []));
  if (calls.length === 0) return [];
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  const native = memberText(answer, messageScan, 'tool_calls') ?? '';
  const changes = {
    content: text === '' ? 'null' : JSON.stringify(text),
    tool_calls: `[${[...elementTexts(native), ...calls.map((call) => encodeChatCall(call))].join(',')}]`,
  };
  return [
    ...editMembers(answer, messageScan, changes),
    ...editMembers(answer, scan, finishChange(memberValue(answer, scan, 'finish_reason'))),
  ];
}

function elementTexts(text: string): string[] {
  if (!isJsonArray(parseJson(text))) return [];
  return scanArray(text).elements.map((element) => sliceSpan(text, element));
}

/** How servers say that an answer came to its end: OpenAI's word, those of text-generation-inference and vendors' own. */
const CAME_TO_END: ReadonlySet<unknown> = new Set(['stop', 'eos_token', 'stop_sequence', 'eos', 'end_turn']);

/** An answer with calls ends for their sake, unless it was cut. */
export function finishChange(reason: unknown): MemberChanges {
  return CAME_TO_END.has(reason) ? { finish_reason: '"tool_calls"' } : {};
}

/** An entry of `tool_calls`; a stream has its index too, and sends the content on its own. */
export function encodeChatCall(call: NativeCall, stream?: { readonly index: number }): string {
  const index = stream === undefined ? {} : { index: stream.index };
  const content = stream === undefined ? call.content : '';
  const head = { ...index, id: call.callId, type: call.kind };
  return JSON.stringify(
    call.kind === 'custom'
      ? { ...head, custom: { name: call.name, input: content } }
      : { ...head, function: { name: call.name, arguments: content } },
  );
}
