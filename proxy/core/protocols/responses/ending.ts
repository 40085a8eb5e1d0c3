import {
  applyEdits,
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit, JsonObject, ObjectScan, Span } from '../../json/index.ts';
import { formatEvent } from '../../sse/index.ts';
import { statesType } from './stream-frame.ts';
import type { EventFrame } from './stream-frame.ts';

type PartFrame = Extract<EventFrame, { kind: 'part' }>;
type ItemFrame = Extract<EventFrame, { kind: 'item' }>;

/** The item that holds our words where the answer has no message of its own to end with them. */
const OWN_ID = 'msg_toolroll';

/**
 * Words of ours that end the first text of a stream's first message. The model's stream is made to read as if the model had
 * written them: one more delta, and every event that repeats the text has them at its end.
 */
export class Ending {
  readonly words: string;
  #item: number | undefined;
  /** The `content_index` of the text, where the server gives any. */
  #part: unknown;
  #isSaid = false;

  constructor(words: string) {
    this.words = words;
  }

  get isSaid(): boolean {
    return this.#isSaid;
  }

  /** The delta that says the words, where they are due before this event of a part. Some servers send only one of the two. */
  beforePart(wire: PartFrame): string | undefined {
    // Most events are deltas, and told by one search.
    if (this.#isSaid || !wire.text.includes('.done')) return undefined;
    const endsText = statesType(wire, 'response.output_text.done');
    if (!endsText && !statesType(wire, 'response.content_part.done')) return undefined;
    const event = parseJson(wire.data);
    if (!isJsonObject(event) || !(endsText || isText(event['part']))) return undefined;
    return this.#say(wire.index, event);
  }

  /** What the words change in an event of a part. */
  inPart(wire: PartFrame, scan: ObjectScan): Record<string, string> {
    if (wire.index !== this.#item) return {};
    const key = statesType(wire, 'response.output_text.done') ? 'text' : 'part';
    const member = lastMember(scan, key);
    const isEnd = key === 'text' || statesType(wire, 'response.content_part.done');
    if (member === undefined || !isEnd || this.#isOtherPart(wire.data, scan)) return {};
    const own = sliceSpan(wire.data, member.value);
    return { [key]: key === 'text' ? extended(own, this.words) : extendedPart(own, this.words) };
  }

  /** The delta that says the words, where they are due before a message's end. */
  beforeItem(wire: ItemFrame): string | undefined {
    if (this.#isSaid || wire.phase !== 'closed' || wire.item.kind !== 'message') return undefined;
    const part = textPartOf(wire.own, undefined);
    if (part === undefined) return undefined;
    const place = parseJson(wire.data);
    return this.#say(wire.index, {
      ...(isJsonObject(place) ? place : {}),
      item_id: wire.id,
      content_index: part.index,
    });
  }

  /** A message as it reads with the words. */
  inItem({ index, own }: { readonly index: number; readonly own: string }): string {
    return index === this.#item ? (appendToMessage(own, this.words, this.#part) ?? own) : own;
  }

  /** The events of a message of its own, where the answer had none; `place` is its output index. */
  ownMessage(place: number): { readonly events: readonly JsonObject[]; readonly item: string } | undefined {
    if (this.#isSaid) return undefined;
    this.#isSaid = true;
    const item = messageOf(OWN_ID, this.words);
    const at = { item_id: OWN_ID, output_index: place, content_index: 0 };
    const part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
    const opened = { type: 'message', id: OWN_ID, status: 'in_progress', role: 'assistant', content: [] };
    const events = [
      { type: 'response.output_item.added', output_index: place, item: opened },
      { type: 'response.content_part.added', ...at, part },
      { type: 'response.output_text.delta', ...at, delta: this.words, logprobs: [] },
      { type: 'response.output_text.done', ...at, text: this.words, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: { ...part, text: this.words } },
      { type: 'response.output_item.done', output_index: place, item: parseJson(item) },
    ];
    return { events, item };
  }

  #isOtherPart(data: string, scan: ObjectScan): boolean {
    const member = lastMember(scan, 'content_index');
    return member !== undefined && parseJson(sliceSpan(data, member.value)) !== this.#part;
  }

  #say(index: number, place: JsonObject): string {
    this.#isSaid = true;
    this.#item = index;
    this.#part = place['content_index'];
    const kept = Object.fromEntries(
      ['item_id', 'output_index', 'content_index', 'sequence_number'].flatMap((key) =>
        place[key] === undefined ? [] : [[key, place[key]]],
      ),
    );
    const type = 'response.output_text.delta';
    return formatEvent(type, JSON.stringify({ type, ...kept, delta: this.words, logprobs: [] }));
  }
}

/**
 * A message item with a text that ends with words of ours; everything else of it stays as it came.
 *
 * @param at the index of the text among the message's parts; the last text where there is none at that place
 * @returns `undefined` for an item without a text of its own to end
 */
export function appendToMessage(item: string, words: string, at?: unknown): string | undefined {
  const part = textPartOf(item, at);
  return part === undefined ? undefined : applyEdits(item, endOfPart(item, part.span, words));
}

function textPartOf(item: string, at: unknown): { readonly index: number; readonly span: Span } | undefined {
  const value = parseJson(item);
  if (!isJsonObject(value) || value['type'] !== 'message') return undefined;
  const content = lastMember(scanObject(item), 'content');
  if (content === undefined || item[content.value.start] !== '[') return undefined;
  const parts = scanArray(item, content.value.start).elements.map((span, index) => ({ index, span }));
  const texts = parts.filter(({ span }) => isTextPart(item, span));
  return texts.find(({ index }) => index === at) ?? texts.at(-1);
}

/** A message of ours, for an answer that has none. */
export function messageOf(id: string, words: string): string {
  const part = { type: 'output_text', text: words, annotations: [], logprobs: [] };
  return JSON.stringify({ type: 'message', id, status: 'completed', role: 'assistant', content: [part] });
}

/** The JSON answer's items, the last message among them ending with words of ours. */
export function endItems(items: readonly string[], words: string): readonly string[] {
  const last = items.findLastIndex((item) => appendToMessage(item, words) !== undefined);
  if (last === -1) return [...items, messageOf(OWN_ID, words)];
  return items.map((item, index) => (index === last ? (appendToMessage(item, words) ?? item) : item));
}

function isTextPart(text: string, element: Span): boolean {
  if (text[element.start] !== '{') return false;
  return isText(parseJson(sliceSpan(text, element)));
}

function isText(part: unknown): boolean {
  return isJsonObject(part) && part['type'] === 'output_text';
}

function endOfPart(text: string, part: Span, words: string): Edit[] {
  const scan = scanObject(text, part.start);
  const member = lastMember(scan, 'text');
  const own = member === undefined ? '""' : sliceSpan(text, member.value);
  return editMembers(text, scan, { text: extended(own, words) });
}

function extendedPart(part: string, words: string): string {
  if (!isText(parseJson(part))) return part;
  return applyEdits(part, endOfPart(part, { start: 0, end: part.length }, words));
}

/** A JSON string with more at its end; what was there keeps its spelling. */
function extended(json: string, words: string): string {
  return json.startsWith('"') ? json.slice(0, -1) + JSON.stringify(words).slice(1) : JSON.stringify(words);
}
