import { ToolrollError } from '../../errors.ts';
import { isJsonObject, lastMember, parseJson, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import { parseFrame, SseSplitter } from '../../sse/index.ts';
import type { Signal, StreamDecoder, StreamFrame } from '../adapter.ts';
import { statusOf } from './decode-response.ts';
import { readItem } from './items.ts';

/** What a frame is to the encoder. */
export type ResponsesFrame =
  /** `response.created`, `.queued`, `.in_progress`: carries the response object. */
  | { readonly kind: 'lifecycle'; readonly text: string; readonly data: string }
  /** The beginning or end of an item. */
  | { readonly kind: 'item'; readonly text: string; readonly data: string; readonly index: number }
  /** Anything else that belongs to an item: deltas, content parts, annotations. */
  | { readonly kind: 'part'; readonly text: string; readonly data: string; readonly index: number }
  | { readonly kind: 'terminal'; readonly text: string; readonly data: string }
  /** An `error` event. */
  | { readonly kind: 'error'; readonly text: string; readonly data: string }
  /** An event that belongs to no item, known to us or not. */
  | { readonly kind: 'event'; readonly text: string; readonly data: string }
  /** Comments, retry times, `[DONE]`. */
  | { readonly kind: 'other' };

/** More than one event can be: a terminal event holds the whole answer, images included. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

const LIFECYCLE = new Set(['response.created', 'response.queued', 'response.in_progress']);
const TERMINAL = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Reads the event stream of `POST /v1/responses`. */
export class ResponsesStreamDecoder implements StreamDecoder {
  readonly #splitter = new SseSplitter();
  readonly #text = new TextDecoder();
  /** The index of an item by its id, for servers that leave `output_index` out. */
  readonly #indexById = new Map<string, number>();
  #lastIndex = -1;

  push(chunk: Uint8Array): StreamFrame[] {
    const frames = this.#splitter.push(chunk).map((raw) => this.#decode(raw));
    if (this.#splitter.pendingBytes > MAX_FRAME_BYTES) {
      throw new ToolrollError('upstream_malformed', { reason: 'an event of its stream has no end' });
    }
    return frames;
  }

  flush(): StreamFrame[] {
    const rest = this.#splitter.flush();
    return rest === undefined ? [] : [this.#decode(rest)];
  }

  #decode(raw: Uint8Array): StreamFrame {
    const text = this.#text.decode(raw);
    const { event, data } = parseFrame(text);
    if (data === undefined || !data.startsWith('{')) return { raw, signal: undefined, wire: OTHER };
    const type = event?.startsWith('response.') ? event : typeOf(data);
    if (type === undefined) return { raw, signal: undefined, wire: OTHER };
    return { raw, ...this.#classify(type, text, data) };
  }

  #classify(type: string, text: string, data: string): { signal: Signal | undefined; wire: ResponsesFrame } {
    if (LIFECYCLE.has(type)) return { signal: undefined, wire: { kind: 'lifecycle', text, data } };
    if (type === 'response.output_item.added') return this.#item('opened', text, data);
    if (type === 'response.output_item.done') return this.#item('closed', text, data);
    if (TERMINAL.has(type)) return { signal: endOf(type, data), wire: { kind: 'terminal', text, data } };
    if (type === 'error') return { signal: { kind: 'errored' }, wire: { kind: 'error', text, data } };
    const index = this.#indexOfPart(data);
    const wire: ResponsesFrame =
      index === undefined ? { kind: 'event', text, data } : { kind: 'part', text, data, index };
    return { signal: undefined, wire };
  }

  #item(kind: 'opened' | 'closed', text: string, data: string): { signal: Signal | undefined; wire: ResponsesFrame } {
    const body = parseJson(data);
    if (!isJsonObject(body)) return { signal: undefined, wire: { kind: 'event', text, data } };
    const value = body['item'];
    const item = readItem(value);
    const index = this.#indexOfItem(kind, body, value);
    const member = lastMember(scanObject(data), 'item');
    const own = member === undefined ? '' : sliceSpan(data, member.value);
    const signal: Signal = kind === 'opened' ? { kind, index, item } : { kind, index, item, text: own };
    return { signal, wire: { kind: 'item', text, data, index } };
  }

  #indexOfItem(kind: 'opened' | 'closed', body: JsonObject, item: unknown): number {
    const given = body['output_index'];
    const id = isJsonObject(item) ? stringField(item, 'id') : undefined;
    const known = id === undefined ? undefined : this.#indexById.get(id);
    const otherwise = kind === 'opened' ? this.#lastIndex + 1 : (known ?? Math.max(this.#lastIndex, 0));
    const index = typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 ? given : otherwise;
    if (kind === 'opened') this.#lastIndex = index;
    if (id !== undefined) this.#indexById.set(id, index);
    return index;
  }

  /**
   * Deltas are most of a stream, so they are not parsed: an unescaped `"output_index":` can only be a key. Servers that give none
   * name the item by its id, or mean the one that began last.
   */
  #indexOfPart(data: string): number | undefined {
    const given = /"output_index"\s*:\s*(\d+)/.exec(data)?.[1];
    if (given !== undefined) return Number(given);
    const id = /"item_id"\s*:\s*"([^"\\]*)"/.exec(data)?.[1];
    if (id === undefined) return undefined;
    return this.#indexById.get(id) ?? (this.#lastIndex >= 0 ? this.#lastIndex : undefined);
  }
}

const OTHER: ResponsesFrame = { kind: 'other' };

/** Servers that send no `event:` lines name the type in the data, nearly always as its first member. */
function typeOf(data: string): string | undefined {
  const first = /^\{\s*"type"\s*:\s*"([a-z_.]+)"/.exec(data)?.[1];
  if (first !== undefined) return first;
  const body = parseJson(data);
  if (!isJsonObject(body)) return undefined;
  return stringField(body, 'type') ?? ('error' in body ? 'error' : undefined);
}

function endOf(type: string, data: string): Signal | undefined {
  const body = parseJson(data);
  const response = isJsonObject(body) ? body['response'] : undefined;
  if (!isJsonObject(response)) return undefined;
  const usage = response['usage'];
  return {
    kind: 'ended',
    status: type === 'response.failed' ? 'failed' : type === 'response.incomplete' ? 'incomplete' : statusOf(response),
    usage: isJsonObject(usage) ? usage : undefined,
  };
}
