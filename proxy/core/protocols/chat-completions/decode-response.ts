import {
  endsAt,
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { JsonObject, ObjectScan, Span } from '../../json/index.ts';
import type { AnswerStatus, Usage } from '../../turn/index.ts';
import type { DecodedItem, DecodedResponse } from '../adapter.ts';
import { tokenCount } from '../sum-usage.ts';
import { callList, isNothing, isReplayed, itemOfMember, MESSAGE, readCall, REASONING } from './items.ts';

/** Reads the JSON answer to `POST /v1/chat/completions`; of several choices the first one's message. */
export function decodeResponse(text: string): DecodedResponse | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body)) return undefined;
  const scan = scanObject(text);
  if (!endsAt(text, scan.span.end)) return undefined;
  const usage = body['usage'];
  const choice = isJsonArray(body['choices']) ? body['choices'][0] : undefined;
  const place = scanChoices(text, scan)[0];
  return {
    text,
    items: place === undefined ? [] : decodeItems(text, place, choice),
    status: isJsonObject(choice)
      ? statusOf(choice['finish_reason'])
      : body['error'] == null
        ? 'completed'
        : 'failed',
    usage: isJsonObject(usage) ? usage : undefined,
  };
}

/** The elements of `choices`. */
export function scanChoices(text: string, scan: ObjectScan): readonly Span[] {
  const member = lastMember(scan, 'choices');
  return member === undefined || text[member.value.start] !== '['
    ? []
    : scanArray(text, member.value.start).elements;
}

/** The object under that key in the choice that stands there. */
export function scanInChoice(text: string, choice: Span, key: 'message' | 'delta'): ObjectScan | undefined {
  if (text[choice.start] !== '{') return undefined;
  const member = lastMember(scanObject(text, choice.start), key);
  return member === undefined || text[member.value.start] !== '{'
    ? undefined
    : scanObject(text, member.value.start);
}

function decodeItems(text: string, place: Span, choice: unknown): DecodedItem[] {
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  const scan = scanInChoice(text, place, 'message');
  if (!isJsonObject(message) || scan === undefined) return [];
  const items: DecodedItem[] = [];
  const reasoning = membersOfItem(text, scan, { message, item: REASONING });
  if (reasoning.length > 0) items.push({ item: { kind: 'reasoning' }, text: objectOf(reasoning) });
  const said = membersOfItem(text, scan, { message, item: MESSAGE });
  if (said.length > 0) {
    const replayed = said.filter(([key]) => isReplayed(key));
    items.push({ item: { kind: 'message' }, text: objectOf(replayed) });
  }
  return [...items, ...decodeCalls(text, scan, message)];
}

function membersOfItem(
  text: string,
  scan: ObjectScan,
  { message, item }: { readonly message: JsonObject; readonly item: typeof REASONING | typeof MESSAGE },
): [string, string][] {
  return Object.keys(message).flatMap((key): [string, string][] => {
    const member = lastMember(scan, key);
    if (member === undefined || itemOfMember(key) !== item || isNothing(message[key])) return [];
    return [[key, sliceSpan(text, member.value)]];
  });
}

function objectOf(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

function decodeCalls(text: string, scan: ObjectScan, message: JsonObject): DecodedItem[] {
  const calls = callList(message);
  const member = calls.length === 0 ? undefined : lastMember(scan, 'tool_calls');
  if (member === undefined) return [];
  const { elements } = scanArray(text, member.value.start);
  return calls.flatMap((call, index) => {
    const element = elements[index];
    return element === undefined ? [] : [{ item: readCall(call), text: sliceSpan(text, element) }];
  });
}

/** What `finish_reason` says of an answer's end. `error` is OpenRouter's, `insufficient_system_resource` DeepSeek's. */
export function statusOf(finishReason: unknown): AnswerStatus {
  switch (finishReason) {
    case 'length':
    case 'content_filter':
    case 'insufficient_system_resource':
      return 'incomplete';
    case 'error':
      return 'failed';
    default:
      return 'completed';
  }
}

/** Reads token counts; every sub-field is optional in practice, and DeepSeek has a name of its own for the cached ones. */
export function readUsage(usage: JsonObject): Usage {
  const details = usage['prompt_tokens_details'];
  const cached = isJsonObject(details) ? details['cached_tokens'] : undefined;
  return {
    inputTokens: tokenCount(usage['prompt_tokens']),
    cachedTokens: tokenCount(cached ?? usage['prompt_cache_hit_tokens']),
    outputTokens: tokenCount(usage['completion_tokens']),
  };
}
