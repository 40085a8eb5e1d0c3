import {
  isJsonArray,
  isJsonObject,
  lastMember,
  scanArray,
  scanObject,
  sliceSpan,
  stringField,
} from '../../json/index.ts';
import type { JsonObject, ObjectScan, Span } from '../../json/index.ts';
import type { AllowedEntry, DecodedRequest, OneHopReason, ToolChoice, Turn } from '../../turn/index.ts';
import { BodyReader, overruledIn } from '../request-body.ts';
import type { OverruledMembers } from '../request-body.ts';
import { readTools, recallTools } from './request-tools.ts';
import type { ResponsesToolList } from './request-tools.ts';

/** A turn of the Responses API, with the places that encoding needs. */
export interface ResponsesTurn extends Turn {
  readonly toolList: ResponsesToolList;
  readonly scan: ObjectScan;
  /** Where each array of `toolList.arrays` stands, and in which input item if not at the top. */
  readonly arrayPlaces: readonly ArrayPlace[];
  /** The parsed `input`, if it is an array. */
  readonly inputItems: readonly unknown[] | undefined;
  /** Members that a later one of the same key overrules: no upstream may read what we did not. */
  readonly overruled: readonly OverruledMembers[];
}

export interface ArrayPlace {
  readonly span: Span;
  readonly inputItem: number | undefined;
}

/** The keys that we read: where one stands twice, only the last counts, and the others must not reach the upstream. */
const KEYS_READ: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'input',
  'store',
  'reasoning',
  'include',
  'background',
  'prompt',
  'conversation',
  'truncation',
  'context_management',
  'prompt_cache_options',
]);

/** The keys that decide which tools an input item brings. */
const ITEM_KEYS_READ: ReadonlySet<string> = new Set(['type', 'tools']);

/** Input items that bring tools: Codex sends all of its tools so, and a client that searches tools itself the found ones. */
const TOOL_CARRIERS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

/** Whether an input could hold such an item, its type spelled with escapes included; most need no look at each item. */
const MAY_CARRY_TOOLS = /additional_tools|tool_search_output|\\u00[0-7]/i;

/** Reads the body of `POST /v1/responses`. */
export function decodeRequest(text: string): DecodedRequest<ResponsesTurn> {
  const read = bodies.read(text);
  if (read.kind === 'not_a_turn') return read;
  const { body, scan } = read;
  const inputItems = isJsonArray(body['input']) ? body['input'] : undefined;
  const itemSpans = carrierSpans(text, scan, inputItems);
  const overruled = findOverruled(text, scan, itemSpans);
  const arrayPlaces = findToolArrays(text, scan, { items: inputItems, spans: itemSpans });
  const topTools = body['tools'];
  const unreadable = topTools !== undefined && topTools !== null && !isJsonArray(topTools);
  // Were tools elsewhere, a deny rule would lapse for them: then the upstream judges the odd `tools` of a turn of ours.
  if (unreadable && arrayPlaces.length === 0 && overruled.length === 0) {
    return { kind: 'not_a_turn', reason: 'tools_not_an_array' };
  }
  const toolList = readTools(arrayPlaces.map(({ span }) => sliceSpan(text, span)));
  const turn: ResponsesTurn = {
    protocol: 'responses',
    text,
    model: stringField(body, 'model'),
    stream: body['stream'] === true,
    toolList,
    toolSpans: arrayPlaces.map(({ span }) => span),
    toolChoice: decodeToolChoice(body['tool_choice'], text, lastMember(scan, 'tool_choice')?.value),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    calledKeys: readCalledKeys(inputItems ?? []),
    oneHopReason: readOneHopReason(body, inputItems ?? []) ?? toolList.oneHopReason,
    needsEncryptedReasoning: needsEncryptedReasoning(body),
    hasDuplicateKeys: overruled.length > 0,
    scan,
    arrayPlaces,
    inputItems,
    overruled,
  };
  return { kind: 'turn', turn };
}

const bodies = new BodyReader((tools) => recallTools([tools]) !== undefined);

/** Where the items of the input stand, if any of them could bring tools. */
function carrierSpans(
  text: string,
  scan: ObjectScan,
  items: readonly unknown[] | undefined,
): readonly Span[] {
  const input = lastMember(scan, 'input');
  if (items === undefined || input === undefined) return [];
  return MAY_CARRY_TOOLS.test(sliceSpan(text, input.value))
    ? scanArray(text, input.value.start).elements
    : [];
}

function findOverruled(text: string, scan: ObjectScan, itemSpans: readonly Span[]): OverruledMembers[] {
  const found = [{ scan, dropped: overruledIn(scan, KEYS_READ) }];
  for (const span of itemSpans) {
    if (text[span.start] !== '{') continue;
    const item = scanObject(text, span.start);
    found.push({ scan: item, dropped: overruledIn(item, ITEM_KEYS_READ) });
  }
  return found.filter(({ dropped }) => dropped.size > 0);
}

interface InputItems {
  readonly items: readonly unknown[] | undefined;
  readonly spans: readonly Span[];
}

function findToolArrays(text: string, scan: ObjectScan, { items, spans }: InputItems): ArrayPlace[] {
  const places: ArrayPlace[] = [];
  const top = lastMember(scan, 'tools');
  if (top !== undefined && text[top.value.start] === '[')
    places.push({ span: top.value, inputItem: undefined });
  spans.forEach((span, inputItem) => {
    if (!holdsTools(items?.[inputItem])) return;
    const tools = lastMember(scanObject(text, span.start), 'tools');
    if (tools !== undefined) places.push({ span: tools.value, inputItem });
  });
  return places;
}

function holdsTools(item: unknown): boolean {
  return isJsonObject(item) && TOOL_CARRIERS.has(item['type']) && isJsonArray(item['tools']);
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
    return { key: isJsonObject(tool) ? allowedKey(tool) : '', text: sliceSpan(text, element) };
  });
  return { kind: 'allowed', mode, entries };
}

/** An entry for a hosted tool goes by its type, whatever else it names: `mcp` entries name a tool of their server. */
function allowedKey(entry: JsonObject): string {
  const type = stringField(entry, 'type');
  const hosted = type !== undefined && type !== 'function' && type !== 'custom';
  return hosted ? type : (keyOf(entry) ?? '');
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

function readOneHopReason(body: JsonObject, items: readonly unknown[]): OneHopReason | undefined {
  if (body['background'] === true) return 'background';
  if (body['prompt'] != null) return 'prompt_template';
  if (body['conversation'] != null) return 'conversation';
  if (body['truncation'] === 'auto') return 'truncation';
  if (body['context_management'] != null) return 'context_management';
  const cache = body['prompt_cache_options'];
  if (isJsonObject(cache) && cache['prewarm'] === true) return 'cache_prewarm';
  return items.some((item) => isJsonObject(item) && item['type'] === 'tool_search_output')
    ? 'tool_search'
    : undefined;
}

function needsEncryptedReasoning(body: JsonObject): boolean {
  const include = body['include'];
  if (include != null && !isJsonArray(include)) return false;
  const asked = include?.includes('reasoning.encrypted_content') ?? false;
  return body['store'] === false && isJsonObject(body['reasoning']) && !asked;
}
