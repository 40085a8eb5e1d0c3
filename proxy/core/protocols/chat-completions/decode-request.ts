import { isJsonArray, isJsonObject, lastMember, sliceSpan, stringField } from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';
import type { DecodedRequest, Turn } from '../../turn/index.ts';
import { BodyReader, overruledIn } from '../request-body.ts';
import { decodeToolChoice } from './decode-choice.ts';
import { readNest } from './names.ts';
import { noTools, readTools, recallTools } from './request-tools.ts';
import type { ChatToolList } from './request-tools.ts';

/** A turn of chat completions, with the places that encoding needs. */
export interface ChatTurn extends Turn {
  readonly toolList: ChatToolList;
  readonly scan: ObjectScan;
  /** The parsed `messages`, if it is an array. */
  readonly messages: readonly unknown[] | undefined;
  /** Indexes of members that a later one of the same key overrules: no upstream may read what we did not. */
  readonly overruled: ReadonlySet<number>;
  /** Whether the app wants the token counts of a stream. */
  readonly wantsUsage: boolean;
}

/** The keys that we read: where one stands twice, only the last counts, and the others must not reach the upstream. */
const KEYS_READ: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'messages',
  'n',
  'functions',
  'function_call',
]);

const bodies = new BodyReader((tools) => recallTools(tools) !== undefined);

/** Reads the body of `POST /v1/chat/completions`. */
export function decodeRequest(text: string): DecodedRequest<ChatTurn> {
  const read = bodies.read(text);
  if (read.kind === 'not_a_turn') return read;
  const { body, scan } = read;
  const overruled = overruledIn(scan, KEYS_READ);
  const tools = body['tools'];
  const place = isJsonArray(tools) ? lastMember(scan, 'tools')?.value : undefined;
  if (tools != null && place === undefined && overruled.size === 0) {
    return { kind: 'not_a_turn', reason: 'tools_not_an_array' };
  }
  const toolList = place === undefined ? noTools : readTools(sliceSpan(text, place));
  // With tools beside them the turn is ours after all: a deny rule must not lapse for those.
  if (isLegacy(body) && toolList.tools.length === 0)
    return { kind: 'not_a_turn', reason: 'legacy_functions' };
  const messages = isJsonArray(body['messages']) ? body['messages'] : undefined;
  const turn: ChatTurn = {
    protocol: 'chat',
    text,
    model: stringField(body, 'model'),
    stream: body['stream'] === true,
    toolList,
    toolSpans: place === undefined ? [] : [place],
    toolChoice: decodeToolChoice(body['tool_choice'], text, lastMember(scan, 'tool_choice')?.value),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    calledKeys: readCalledKeys(messages ?? []),
    oneHopReason: isSeveral(body['n']) ? 'several_choices' : undefined,
    needsEncryptedReasoning: false,
    hasDuplicateKeys: overruled.size > 0,
    scan,
    messages,
    overruled,
    wantsUsage: wantsUsage(body['stream_options']),
  };
  return { kind: 'turn', turn };
}

/** The way before `tools`, which nothing new uses. */
function isLegacy(body: JsonObject): boolean {
  return body['functions'] != null || body['function_call'] != null;
}

function isSeveral(n: unknown): boolean {
  return typeof n === 'number' && n > 1;
}

function wantsUsage(options: unknown): boolean {
  return isJsonObject(options) && options['include_usage'] === true;
}

/** The calls that a message of the history made. */
export function callsOf(message: unknown): readonly unknown[] {
  const calls = isJsonObject(message) ? message['tool_calls'] : undefined;
  return isJsonArray(calls) ? calls : [];
}

function readCalledKeys(messages: readonly unknown[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const message of messages) {
    for (const call of callsOf(message)) {
      const key = isJsonObject(call) ? readNest(call)?.name : undefined;
      if (key !== undefined) keys.add(key);
    }
  }
  return keys;
}
