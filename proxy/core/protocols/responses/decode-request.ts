import { isJsonArray, isJsonObject, lastMember, parseJson, scanArray, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { JsonObject, ObjectScan, Span } from '../../json/index.ts';
import type { AllowedEntry, DecodedRequest, OneHopReason, ToolChoice, Turn } from '../../turn/index.ts';
import { readTools } from './request-tools.ts';
import type { ResponsesToolList } from './request-tools.ts';

/** A turn of the Responses API, with the places that encoding needs. */
export interface ResponsesTurn extends Turn {
  readonly toolList: ResponsesToolList;
  readonly scan: ObjectScan;
  /** Where each array of `toolList.arrays` stands, and in which input item if not at the top. */
  readonly arrayPlaces: readonly ArrayPlace[];
  /** The parsed `input`, if it is an array. */
  readonly inputItems: readonly unknown[] | undefined;
}

export interface ArrayPlace {
  readonly span: Span;
  readonly inputItem: number | undefined;
}

/** The keys that we read: where one stands twice, only the last counts, and the others must not reach the upstream. */
const KEYS_READ: ReadonlySet<string> = new Set([
  'model', 'stream', 'tools', 'tool_choice', 'parallel_tool_calls', 'input', 'store', 'reasoning', 'include',
  'background', 'prompt', 'conversation', 'truncation', 'context_management', 'prompt_cache_options',
]);

/** Reads the body of `POST /v1/responses`. */
export function decodeRequest(text: string): DecodedRequest<ResponsesTurn> {
  const body = parseJson(text);
  if (body === undefined) return { kind: 'not_a_turn', reason: 'not_json' };
  if (!isJsonObject(body)) return { kind: 'not_a_turn', reason: 'not_an_object' };
  const topTools = body['tools'];
  if (topTools !== undefined && topTools !== null && !isJsonArray(topTools)) {
    return { kind: 'not_a_turn', reason: 'tools_not_an_array' };
  }
  const scan = scanObject(text);
  const inputItems = isJsonArray(body['input']) ? body['input'] : undefined;
  const arrayPlaces = findToolArrays(text, scan, inputItems);
  const toolList = readTools(arrayPlaces.map(({ span }) => sliceSpan(text, span)));
  const toolChoiceMember = lastMember(scan, 'tool_choice');
  const turn: ResponsesTurn = {
    protocol: 'responses',
    text,
    model: stringField(body, 'model'),
    stream: body['stream'] === true,
    toolList,
    toolSpans: arrayPlaces.map(({ span }) => span),
    toolChoice: decodeToolChoice(body['tool_choice'], text, toolChoiceMember?.value),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    calledKeys: readCalledKeys(inputItems ?? []),
    oneHopReason: readOneHopReason(body) ?? toolList.oneHopReason,
    needsEncryptedReasoning: needsEncryptedReasoning(body),
    hasDuplicateKeys: hasDuplicates(scan),
    scan,
    arrayPlaces,
    inputItems,
  };
  return { kind: 'turn', turn };
}

function hasDuplicates(scan: ObjectScan): boolean {
  const seen = new Set<string>();
  return scan.members.some(({ key }) => KEYS_READ.has(key) && (seen.has(key) || !seen.add(key)));
}

/** Positions of the members that a later one of the same key overrules. */
export function overruledMembers(turn: ResponsesTurn): ReadonlySet<number> {
  const { members } = turn.scan;
  return new Set(
    members.flatMap(({ key }, index) =>
      KEYS_READ.has(key) && members.findLastIndex((other) => other.key === key) !== index ? [index] : [],
    ),
  );
}

function findToolArrays(text: string, scan: ObjectScan, items: readonly unknown[] | undefined): ArrayPlace[] {
  const places: ArrayPlace[] = [];
  const top = lastMember(scan, 'tools');
  if (top !== undefined && text[top.value.start] === '[') places.push({ span: top.value, inputItem: undefined });
  const carriers = (items ?? []).flatMap((item, index) => (holdsTools(item) ? [index] : []));
  const input = lastMember(scan, 'input');
  if (carriers.length === 0 || input === undefined) return places;
  const { elements } = scanArray(text, input.value.start);
  for (const inputItem of carriers) {
    const element = elements[inputItem];
    if (element === undefined) continue;
    const tools = lastMember(scanObject(text, element.start), 'tools');
    if (tools !== undefined) places.push({ span: tools.value, inputItem });
  }
  return places;
}

/** Codex 0.144 and later sends its tools in an input item of this type and no top-level `tools`. */
function holdsTools(item: unknown): boolean {
  return isJsonObject(item) && item['type'] === 'additional_tools' && isJsonArray(item['tools']);
}

function decodeToolChoice(value: unknown, text: string, span: Span | undefined): ToolChoice {
  if (value === undefined || value === null) return { kind: 'unset' };
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value };
  if (!isJsonObject(value) || span === undefined) return { kind: 'unreadable' };
  const type = stringField(value, 'type');
  if (type === 'function' || type === 'custom') {
    const key = keyOf(value);
    return key === undefined ? { kind: 'unreadable' } : { kind: 'named', key };
  }
  if (type === 'allowed_tools') return decodeAllowed(value, text, span);
  return type === undefined ? { kind: 'unreadable' } : { kind: 'hosted', type };
}

function decodeAllowed(value: JsonObject, text: string, span: Span): ToolChoice {
  const { mode, tools } = value;
  if ((mode !== 'auto' && mode !== 'required') || !isJsonArray(tools)) return { kind: 'unreadable' };
  const member = lastMember(scanObject(text, span.start), 'tools');
  if (member === undefined) return { kind: 'unreadable' };
  const { elements } = scanArray(text, member.value.start);
  const entries = tools.map((tool, index): AllowedEntry => {
    const element = elements[index] ?? { start: 0, end: 0 };
    const type = isJsonObject(tool) ? stringField(tool, 'type') : undefined;
    const key = isJsonObject(tool) ? (keyOf(tool) ?? type ?? '') : '';
    return { key, text: sliceSpan(text, element) };
  });
  return { kind: 'allowed', mode, entries };
}

/**
 * The key that an item or a reference names. A `namespace` that repeats the name is none: revealed tools can come back
 * so (seen on api.openai.com), and Agents JS then finds no such tool.
 */
export function keyOf(value: JsonObject): string | undefined {
  const name = stringField(value, 'name');
  if (name === undefined) return undefined;
  const namespace = stringField(value, 'namespace');
  return namespace === undefined || namespace === name || namespace === '' ? name : `${namespace}.${name}`;
}

/** True for the items that are calls of the app's own tools. */
export function isCallItem(item: unknown): item is JsonObject {
  return isJsonObject(item) && (item['type'] === 'function_call' || item['type'] === 'custom_tool_call');
}

function readCalledKeys(items: readonly unknown[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const item of items) {
    const key = isCallItem(item) ? keyOf(item) : undefined;
    if (key !== undefined) keys.add(key);
  }
  return keys;
}

function readOneHopReason(body: JsonObject): OneHopReason | undefined {
  if (body['background'] === true) return 'background';
  if (body['prompt'] != null) return 'prompt_template';
  if (body['conversation'] != null) return 'conversation';
  if (body['truncation'] === 'auto') return 'truncation';
  if (body['context_management'] != null) return 'context_management';
  const cache = body['prompt_cache_options'];
  return isJsonObject(cache) && cache['prewarm'] === true ? 'cache_prewarm' : undefined;
}

function needsEncryptedReasoning(body: JsonObject): boolean {
  const include = body['include'];
  const asked = isJsonArray(include) && include.includes('reasoning.encrypted_content');
  return body['store'] === false && isJsonObject(body['reasoning']) && !asked;
}
