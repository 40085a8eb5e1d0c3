import {
  endsAt,
  isJsonObject,
  lastMember,
  parseJson,
  scanObject,
  sliceSpan,
  stringField,
} from '../../json/index.ts';
import { parseFrame, SseSplitter, wholeFrame } from '../../sse/index.ts';
import type { AnswerStatus } from '../../turn/index.ts';
import type { DecodedItem, Signal, StreamDecoder, StreamFrame } from '../adapter.ts';
import { noteEcho, readResponse, RESPONSE_SCAN } from './decode-response.ts';
import type { ReadResponse } from './decode-response.ts';
import { ItemPlaces } from './item-places.ts';
import { readItem } from './items.ts';
import type { ResponseEvent, ResponsesFrame } from './stream-frame.ts';
import { isTextDelta, TextDelta } from './text-delta.ts';
import { UnclosedCalls } from './unclosed-calls.ts';

const LIFECYCLE = new Set(['response.created', 'response.queued', 'response.in_progress']);
const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);
const OTHER: ResponsesFrame = { kind: 'other' };
const NOTHING = new Uint8Array(0);

/** Reads the event stream of `POST /v1/responses`. */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #splitter = new SseSplitter();
  readonly #text = new TextDecoder();
  readonly #places = new ItemPlaces();
  readonly #calls = new UnclosedCalls();

  /** Reads each frame when it is asked for: whom an event means can depend on what came just before it. */
  *push(chunk: Uint8Array): Generator<StreamFrame, void, undefined> {
    for (const raw of this.#splitter.push(chunk)) yield* this.#decode(raw);
  }

  /** What a stream leaves without its blank line: a whole event, as some servers end, or half of one, which is none. */
  flush(): StreamFrame[] {
    const rest = this.#splitter.flush();
    if (rest === undefined) return [];
    const { data } = parseFrame(this.#text.decode(rest));
    const isHalf = data !== undefined && looksLikeJson(data) && parseJson(data) === undefined;
    return isHalf ? [] : this.#decode(wholeFrame(rest));
  }

  #decode(raw: Uint8Array): StreamFrame[] {
    if (isTextDelta(raw)) {
      return [{ raw, signals: [], wire: new TextDelta(raw, (data) => this.#indexOfPart(data)) }];
    }
    const text = this.#text.decode(raw);
    const { event: name, data } = parseFrame(text);
    if (data === undefined || !looksLikeJson(data)) return [{ raw, signals: [], wire: OTHER }];
    const type = name?.startsWith('response.') ? name : typeOf(data);
    if (type === undefined) return [{ raw, signals: [], wire: OTHER }];
    if (!LIFECYCLE.has(type) && !TERMINAL.has(type)) return [{ raw, ...this.#classify(type, text, data) }];
    const event = readResponseEvent(text, data);
    if (event === undefined) return [{ raw, signals: [], wire: { kind: 'event', text, data } }];
    if (TERMINAL.has(type)) return this.#end(type, raw, event);
    return [{ raw, signals: [], wire: { kind: 'lifecycle', ...event } }];
  }

  #classify(type: string, text: string, data: string): { signals: readonly Signal[]; wire: ResponsesFrame } {
    if (type === 'response.output_item.added') return this.#item('opened', text, data);
    if (type === 'response.output_item.done') return this.#item('closed', text, data);
    if (type === 'error') return { signals: [{ kind: 'errored' }], wire: { kind: 'error', text, data } };
    const index = this.#indexOfPart(data);
    if (index === undefined) return { signals: [], wire: { kind: 'event', text, data } };
    this.#calls.note(index, data);
    return { signals: [], wire: { kind: 'part', text, data, index } };
  }

  #item(
    kind: 'opened' | 'closed',
    text: string,
    data: string,
  ): { signals: readonly Signal[]; wire: ResponsesFrame } {
    const body = parseJson(data);
    const member = isJsonObject(body) ? lastMember(scanObject(data), 'item') : undefined;
    if (!isJsonObject(body) || member === undefined)
      return { signals: [], wire: { kind: 'event', text, data } };
    const value = body['item'];
    const own = sliceSpan(data, member.value);
    const streamed = { item: readItem(value), own, id: idOf(value) };
    const given = wholeNumber(body['output_index']);
    const index =
      kind === 'opened' ? this.#places.begin(given, streamed.id) : this.#places.end(given, streamed.id);
    if (kind === 'closed') this.#calls.end(index);
    else if (streamed.item.kind === 'call') this.#calls.begin(index, own);
    const { item } = streamed;
    const signal: Signal = kind === 'opened' ? { kind, index, item } : { kind, index, item, text: own };
    return { signals: [signal], wire: { kind: 'item', phase: kind, text, data, index, ...streamed } };
  }

  /**
   * Deltas are most of a stream, so they are not parsed: an unescaped `"output_index":` can only be a key. Servers that
   * give none name the item by its id, or mean the one that began last.
   */
  #indexOfPart(data: string): number | undefined {
    const given = /"output_index"\s*:\s*(\d+)/.exec(data)?.[1];
    const id = /"item_id"\s*:\s*"([^"\\]*)"/.exec(data)?.[1];
    const number = given === undefined ? undefined : Number(given);
    return this.#places.find(number, id) ?? number;
  }

  #end(type: string, raw: Uint8Array, event: ReadResponseEvent): StreamFrame[] {
    const { items, usage, status, ...rest } = event;
    const wire: ResponsesFrame = { kind: 'terminal', ...rest };
    const signal: Signal = { kind: 'ended', status: endStatus(type, status), usage };
    return [...this.#late(items), { raw, signals: [signal], wire }];
  }

  /**
   * The items that the last event knows and the stream did not tell of, or did not close. Without them a call that only
   * stands there would be taken for no call.
   */
  #late(items: readonly DecodedItem[]): StreamFrame[] {
    const told = this.#places.all;
    const open = told.filter((index) => this.#places.isOpen(index));
    if (open.length === 0 && items.length <= told.length) return [];
    const stated = statedItems(items, told);
    const untold = [...stated.keys()].filter((index) => !told.includes(index));
    return [...open, ...untold]
      .sort((a, b) => a - b)
      .flatMap((index) => {
        const own = stated.get(index) ?? this.#calls.read(index);
        return own === undefined ? [] : [lateFrame(index, own)];
      });
  }
}

type ReadResponseEvent = ResponseEvent & ReadResponse;

/** Scans an event once, its response object with it; `undefined` where it is not what its type says. */
function readResponseEvent(text: string, data: string): ReadResponseEvent | undefined {
  try {
    const scan = scanObject(data, 0, { descend: { key: 'response', options: RESPONSE_SCAN } });
    const response = scan.inner;
    if (response === undefined || !endsAt(data, scan.span.end)) return undefined;
    noteEcho(data, response);
    return { text, data, scan, response, ...readResponse(data, response) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function lateFrame(index: number, own: string): StreamFrame {
  const value = parseJson(own);
  const item = readItem(value);
  const wire: ResponsesFrame = { kind: 'late', index, item, own, id: idOf(value) };
  return { raw: NOTHING, signals: [{ kind: 'closed', index, item, text: own }], wire };
}

/** The items of the last event by the places that the stream gave them; none where the two cannot be matched. */
function statedItems(items: readonly DecodedItem[], told: readonly number[]): ReadonlyMap<number, string> {
  if (told.every((index) => index < items.length))
    return new Map(items.map(({ text }, index) => [index, text]));
  const matched = told.length === items.length ? told : [];
  return new Map(matched.map((index, rank) => [index, items[rank]?.text ?? '']));
}

function looksLikeJson(data: string): boolean {
  return /^\s*\{/.test(data);
}

function idOf(item: unknown): string | undefined {
  return isJsonObject(item) ? stringField(item, 'id') : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Servers that send no `event:` lines name the type in the data, nearly always as its first member. */
function typeOf(data: string): string | undefined {
  const first = /^\s*\{\s*"type"\s*:\s*"([a-z_.]+)"/.exec(data)?.[1];
  if (first !== undefined) return first;
  const body = parseJson(data);
  if (!isJsonObject(body)) return undefined;
  return stringField(body, 'type') ?? ('error' in body ? 'error' : undefined);
}

function endStatus(type: string, stated: AnswerStatus): AnswerStatus {
  if (type === 'response.failed') return 'failed';
  return type === 'response.incomplete' ? 'incomplete' : stated;
}
