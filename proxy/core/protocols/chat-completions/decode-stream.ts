import { isJsonArray, isJsonObject, parseJson, stringField } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import { parseFrame, SseSplitter, wholeFrame } from '../../sse/index.ts';
import type { Signal, StreamDecoder, StreamFrame } from '../adapter.ts';
import { ChunkShapes } from './chunk-shape.ts';
import { statusOf } from './decode-response.ts';
import { readNest } from './names.ts';
import type { ChatChunk, ChatFrame } from './stream-frame.ts';
import { StreamedHop } from './streamed-hop.ts';
import type { TakenDelta } from './streamed-hop.ts';

const NOTHING = new Uint8Array(0);
const NO_DELTA: TakenDelta = { items: [], calls: [], signals: [], begins: false, words: undefined };

/** Reads the event stream of `POST /v1/chat/completions`. */
export class ChatStreamDecoder implements StreamDecoder {
  readonly #splitter = new SseSplitter();
  readonly #text = new TextDecoder();
  readonly #hop = new StreamedHop();
  readonly #shapes = new ChunkShapes();
  #finish: string | undefined;
  #usage: JsonObject | undefined;
  #isEnded = false;

  *push(chunk: Uint8Array): Generator<StreamFrame, void, undefined> {
    for (const raw of this.#splitter.push(chunk)) yield this.#decode(raw);
  }

  /**
   * What a stream leaves without its blank line, as some servers end, unless it is half of a chunk. Then its end, where it has said
   * why it ends and only `[DONE]` is missing; a stream that has not was cut.
   */
  flush(): StreamFrame[] {
    const rest = this.#splitter.flush();
    const frames = rest === undefined || this.#isHalf(rest) ? [] : [this.#decode(wholeFrame(rest))];
    const end = this.#end();
    return end.length === 0 ? frames : [...frames, frameOf(NOTHING, end, { kind: 'end' })];
  }

  #isHalf(rest: Uint8Array): boolean {
    const { data } = parseFrame(this.#text.decode(rest));
    return data !== undefined && !isDone(data) && parseJson(data) === undefined;
  }

  #decode(raw: Uint8Array): StreamFrame {
    const words = this.#shapes.match(raw);
    if (words !== undefined) return frameOf(raw, [], words);
    const text = this.#text.decode(raw);
    const { event, data } = parseFrame(text);
    if (data === undefined) return frameOf(raw, [], { kind: 'other' });
    if (isDone(data)) return frameOf(raw, this.#end(), { kind: 'done' });
    const body = parseJson(data);
    if (event === 'error' || (isJsonObject(body) && isError(body))) {
      return frameOf(raw, [{ kind: 'errored' }], { kind: 'error' });
    }
    if (!isJsonObject(body)) return frameOf(raw, [], { kind: 'other' });
    const { signals, wire } = this.#chunk(text, data, body);
    return frameOf(raw, signals, wire);
  }

  #chunk(
    text: string,
    data: string,
    body: JsonObject,
  ): { readonly signals: readonly Signal[]; readonly wire: ChatChunk } {
    const choices = isJsonArray(body['choices']) ? body['choices'] : [];
    const main = choices.findIndex((choice, place) => isFirst(choice, place));
    const choice = choices[main];
    const delta = isJsonObject(choice) ? choice['delta'] : undefined;
    const taken = isJsonObject(delta) ? this.#hop.take({ delta, data, main }) : NO_DELTA;
    if (taken.begins) this.#shapes.forgetCalls();
    const stated = isJsonObject(choice) ? stringField(choice, 'finish_reason') : undefined;
    // Some servers send an empty one until there is one.
    const finish = stated === '' ? undefined : stated;
    const { usage } = body;
    if (isJsonObject(usage)) this.#usage = usage;
    const chunk: ChatChunk = {
      kind: 'chunk',
      text,
      data,
      items: taken.items,
      calls: taken.calls,
      hasRole: isJsonObject(delta) && delta['role'] != null,
      finish,
      usage: isJsonObject(usage) ? 'given' : 'usage' in body ? 'null' : 'none',
      main: main === -1 ? undefined : main,
      hasOthers: choices.length > (main === -1 ? 0 : 1),
    };
    if (finish === undefined) this.#learn(chunk, taken, delta);
    else this.#finish = finish;
    return {
      signals: finish === undefined ? taken.signals : [...taken.signals, ...this.#hop.close()],
      wire: chunk,
    };
  }

  /** Notes what a chunk of nothing but a few words, or a few characters of arguments, looks like. */
  #learn(chunk: ChatChunk, { words, calls, items }: TakenDelta, delta: unknown): void {
    const { hasRole, usage, main, hasOthers, text, data } = chunk;
    if (usage === 'given' || main !== 0 || hasOthers) return;
    const base = { items, calls, hasRole, usage };
    if (words !== undefined) {
      const sink = this.#hop.textOf(words.item, words.key);
      this.#shapes.learn(text, data, { ...base, sink, path: ['delta', words.key] });
      return;
    }
    const [call, ...others] = calls;
    const key = others.length === 0 && items.length === 1 ? argumentsKey(delta) : undefined;
    const sink = call === undefined ? undefined : this.#hop.callAt(call.index)?.args;
    if (key === undefined || sink === undefined) return;
    this.#shapes.learn(text, data, { ...base, sink, path: ['delta', 'tool_calls', ...key] });
  }

  /** The end of the hop, unless it has been told, or the upstream has not said why it ends. */
  #end(): Signal[] {
    if (this.#isEnded || this.#finish === undefined) return [];
    this.#isEnded = true;
    return [...this.#hop.close(), { kind: 'ended', status: statusOf(this.#finish), usage: this.#usage }];
  }
}

function frameOf(raw: Uint8Array, signals: readonly Signal[], wire: ChatFrame): StreamFrame {
  return { raw, signals, wire };
}

function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}

/** An error in the midst of a stream; vLLM's older form says so by `object`. */
function isError(body: JsonObject): boolean {
  return body['error'] != null || body['object'] === 'error';
}

/** The first of several choices; some servers do not number a single one. */
function isFirst(choice: unknown, place: number): boolean {
  if (!isJsonObject(choice)) return false;
  const { index } = choice;
  return typeof index === 'number' ? index === 0 : place === 0;
}

/** The way to the arguments in a delta of one call that brings nothing but them. */
function argumentsKey(delta: unknown): readonly string[] | undefined {
  const calls = isJsonObject(delta) ? delta['tool_calls'] : undefined;
  const call: unknown = isJsonArray(calls) ? calls[0] : undefined;
  const named = isJsonObject(call) ? readNest(call) : undefined;
  if (named === undefined || named.name !== undefined) return undefined;
  const key = named.kind === 'custom' ? 'input' : 'arguments';
  return typeof named.nest[key] === 'string' ? [named.kind, key] : undefined;
}
