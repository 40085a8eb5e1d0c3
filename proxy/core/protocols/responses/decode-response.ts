import {
  endsAt,
  isJsonArray,
  isJsonObject,
  lastMember,
  RecentValues,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { JsonObject, ObjectScan, ScanOptions } from '../../json/index.ts';
import type { AnswerStatus, Usage } from '../../turn/index.ts';
import type { DecodedItem, DecodedResponse } from '../adapter.ts';
import { tokenCount } from '../sum-usage.ts';
import { readItem } from './items.ts';

/** Arrays of tools that upstreams echoed lately: most of an answer, and the same in each event of a stream. */
const echoedTools = new RecentValues();

/** How to scan a response object: the tools that it echoes are not looked at where they are known. */
export const RESPONSE_SCAN: ScanOptions = { known: { key: 'tools', values: echoedTools } };

/** Lets the tools that a response echoes be known where they stand again. */
export function noteEcho(text: string, response: ObjectScan): void {
  const tools = lastMember(response, 'tools');
  if (tools !== undefined) echoedTools.note(text, tools.value);
}

/** What of a response object decisions need. */
export interface ReadResponse {
  readonly items: readonly DecodedItem[];
  readonly status: AnswerStatus;
  readonly usage: JsonObject | undefined;
}

/** Reads the JSON answer to `POST /v1/responses`. */
export function decodeResponse(text: string): DecodedResponse | undefined {
  try {
    const scan = scanObject(text, 0, RESPONSE_SCAN);
    if (!endsAt(text, scan.span.end)) return undefined;
    noteEcho(text, scan);
    return { text, ...readResponse(text, scan) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Reads a response object that has been scanned: its items, its end and its usage, and nothing of what it echoes.
 *
 * @throws SyntaxError where one of these is no JSON
 */
export function readResponse(text: string, scan: ObjectScan): ReadResponse {
  const usage = memberValue(text, scan, 'usage');
  return {
    items: decodeItems(text, scan),
    status: statusOf(memberValue(text, scan, 'status')),
    usage: isJsonObject(usage) ? usage : undefined,
  };
}

function memberValue(text: string, scan: ObjectScan, key: string): unknown {
  const member = lastMember(scan, key);
  return member === undefined ? undefined : (JSON.parse(sliceSpan(text, member.value)) as unknown);
}

/** The items of a response object that has been scanned. */
function decodeItems(text: string, scan: ObjectScan): DecodedItem[] {
  const member = lastMember(scan, 'output');
  const output = memberValue(text, scan, 'output');
  if (member === undefined || !isJsonArray(output)) return [];
  const { elements } = scanArray(text, member.value.start);
  return output.flatMap((value, index) => {
    const element = elements[index];
    return element === undefined ? [] : [{ item: readItem(value), text: sliceSpan(text, element) }];
  });
}

/** What a response object's `status` says of its end. */
export function statusOf(status: unknown): AnswerStatus {
  if (status === 'incomplete') return 'incomplete';
  return status === 'failed' || status === 'cancelled' ? 'failed' : 'completed';
}

/** Reads token counts; every sub-field is optional in practice. */
export function readUsage(usage: JsonObject): Usage {
  const details = usage['input_tokens_details'];
  return {
    inputTokens: tokenCount(usage['input_tokens']),
    cachedTokens: isJsonObject(details) ? tokenCount(details['cached_tokens']) : 0,
    outputTokens: tokenCount(usage['output_tokens']),
  };
}
