import {
  editElements,
  editMembers,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit, MemberChanges, ObjectScan, Span } from '../../json/index.ts';
import { editData } from '../../sse/index.ts';
import type { EncodedTexts } from '../../sse/index.ts';
import type { NameMaps, StreamOutput } from '../adapter.ts';
import { scanChoices, scanInChoice } from './decode-response.ts';
import { calledName, itemOfMember, MESSAGE, renameCall } from './items.ts';
import type { ChatChunk, ChunkCall, Framed } from './stream-frame.ts';

/** How a chunk becomes the app's. */
export interface ChunkRewrite {
  readonly names: NameMaps;
  /** Items that it has no part of any more. */
  readonly without: ReadonlySet<number>;
  /** Members of the chunk itself. */
  readonly top: MemberChanges;
  /** Members of the first choice; with a `delta` among them, the rest of this says nothing about that. */
  readonly choice: MemberChanges;
  /** `role` of the delta, as JSON; `null` takes it out, `undefined` leaves it. */
  readonly role: string | null | undefined;
  /** The `index` of a call in the app's stream; `undefined` leaves what stands there. */
  readonly callIndex: (call: ChunkCall) => number | undefined;
}

/** The chunk with its changes; its own bytes where there are none. */
export function renderChunk(
  { raw, wire }: Framed<ChatChunk>,
  rewrite: ChunkRewrite,
  encoded: EncodedTexts,
): StreamOutput {
  const edits = chunkEdits(wire, rewrite);
  return edits.length === 0 ? [raw] : editData({ raw, text: wire.text, data: wire.data }, edits, encoded);
}

/** The edits that make the chunk's data the app's. */
export function chunkEdits(wire: ChatChunk, rewrite: ChunkRewrite): Edit[] {
  const { data } = wire;
  const scan = scanObject(data);
  const places = scanChoices(data, scan);
  return [
    ...editMembers(data, scan, rewrite.top),
    ...places.flatMap((place, index) =>
      index === wire.main ? editMain(wire, place, rewrite) : renameAll(data, place, rewrite.names),
    ),
  ];
}

function editMain(wire: ChatChunk, place: Span, rewrite: ChunkRewrite): Edit[] {
  const { data } = wire;
  const choice = scanObject(data, place.start);
  const delta = scanInChoice(data, place, 'delta');
  // What the words' probabilities tell, they tell of the words.
  const hidesWords = rewrite.without.has(MESSAGE) && lastMember(choice, 'logprobs') !== undefined;
  const members = hidesWords ? { ...rewrite.choice, logprobs: 'null' } : rewrite.choice;
  return [
    ...editMembers(data, choice, members),
    ...(delta === undefined || 'delta' in members ? [] : editDelta(wire, delta, rewrite)),
  ];
}

function editDelta(wire: ChatChunk, delta: ObjectScan, rewrite: ChunkRewrite): Edit[] {
  const members: Record<string, string | null> = {};
  for (const { key } of delta.members) {
    const item = itemOfMember(key);
    if (item !== undefined && rewrite.without.has(item)) members[key] = null;
  }
  if (rewrite.role !== undefined) members['role'] = rewrite.role;
  const isBare = wire.calls.length > 0 && wire.calls.every(({ index }) => rewrite.without.has(index));
  if (isBare) members['tool_calls'] = null;
  return [...editMembers(wire.data, delta, members), ...(isBare ? [] : editCalls(wire, delta, rewrite))];
}

function editCalls({ data, calls }: ChatChunk, delta: ObjectScan, rewrite: ChunkRewrite): Edit[] {
  const list = calls.length === 0 ? undefined : lastMember(delta, 'tool_calls');
  if (list === undefined) return [];
  const scan = scanArray(data, list.value.start);
  const removed = new Set(calls.flatMap(({ index, at }) => (rewrite.without.has(index) ? [at] : [])));
  const removals = editElements(
    data,
    scan,
    scan.elements.map((_, at) => (removed.has(at) ? null : undefined)),
  );
  const kept = calls.filter(({ at }) => !removed.has(at));
  return [
    ...removals,
    ...kept.flatMap((call) => editCall(data, { call, place: scan.elements[call.at] }, rewrite)),
  ];
}

function editCall(
  data: string,
  { call, place }: { readonly call: ChunkCall; readonly place: Span | undefined },
  rewrite: ChunkRewrite,
): Edit[] {
  if (place === undefined) return [];
  const index = rewrite.callIndex(call);
  const renumbered = index === undefined || index === call.wireIndex ? {} : { index: String(index) };
  return [
    ...editMembers(data, scanObject(data, place.start), renumbered),
    ...renameAt(data, place, rewrite.names),
  ];
}

/** The calls of a further choice under the app's names. */
function renameAll(data: string, place: Span, names: NameMaps): Edit[] {
  const delta = names.backward.size === 0 ? undefined : scanInChoice(data, place, 'delta');
  const list = delta === undefined ? undefined : lastMember(delta, 'tool_calls');
  if (list === undefined || data[list.value.start] !== '[') return [];
  return scanArray(data, list.value.start).elements.flatMap((element) => renameAt(data, element, names));
}

function renameAt(data: string, place: Span, names: NameMaps): Edit[] {
  const name = names.backward.size === 0 ? undefined : calledName(parseJson(sliceSpan(data, place)));
  return name === undefined ? [] : renameCall(data, { start: place.start, name }, names);
}
