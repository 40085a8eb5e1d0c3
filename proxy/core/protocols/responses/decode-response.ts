import {
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { AnswerStatus, Usage } from '../../turn/index.ts';
import type { DecodedItem, DecodedResponse } from '../adapter.ts';
import { readItem } from './items.ts';

/** Reads the JSON answer to `POST /v1/responses`. */
export function decodeResponse(text: string): DecodedResponse | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body)) return undefined;
  const usage = body['usage'];
  return {
    text,
    items: decodeItems(text, body['output']),
    status: statusOf(body),
    usage: isJsonObject(usage) ? usage : undefined,
  };
}

/** @param output the parsed `output` of the response object that stands at `from` in the text */
export function decodeItems(text: string, output: unknown, from = 0): DecodedItem[] {
  if (!isJsonArray(output)) return [];
  const member = lastMember(scanObject(text, from), 'output');
  if (member === undefined) return [];
  const { elements } = scanArray(text, member.value.start);
  return output.flatMap((value, index) => {
    const element = elements[index];
    return element === undefined ? [] : [{ item: readItem(value), text: sliceSpan(text, element) }];
  });
}

/** How a response object says that it ended. */
export function statusOf(response: JsonObject): AnswerStatus {
  const status = response['status'];
  if (status === 'incomplete') return 'incomplete';
  return status === 'failed' || status === 'cancelled' ? 'failed' : 'completed';
}

/** Reads token counts; every sub-field is optional in practice. */
export function readUsage(usage: JsonObject): Usage {
  const details = usage['input_tokens_details'];
  return {
    inputTokens: count(usage['input_tokens']),
    cachedTokens: isJsonObject(details) ? count(details['cached_tokens']) : 0,
    outputTokens: count(usage['output_tokens']),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
