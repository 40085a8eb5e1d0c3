import {
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { Edit, JsonObject, ObjectScan } from '../json/index.ts';
import { parseFrame } from '../sse/index.ts';
import type { CallDesk, Lane } from './answer-reader.ts';
import { EventWriter } from './event-writer.ts';
import type { UpstreamEvent } from './event-writer.ts';
import { FrameStream } from './frame-stream.ts';
import { memberText, scanBody, stringAt } from './request-edits.ts';
import { editOutput, restoreEcho, splitItem } from './responses-response.ts';
import type { Echo } from './responses-response.ts';
import { StreamedMessage } from './streamed-message.ts';
import type { TextStream } from './text-stream.ts';

/** The event stream of `POST /v1/responses` with its written calls as items of their own. */
export function createResponsesStream(desk: CallDesk, echo: Echo): TextStream {
  const stream = new ResponsesStream(desk, echo);
  return new FrameStream({ frame: (raw, text) => stream.frame(raw, text), end: () => stream.end() });
}

const TERMINAL: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/** An item as the upstream counts it. */
interface UpstreamItem {
  readonly given: number | undefined;
  readonly ids: Set<string>;
  /** `undefined` for an item that is no message, or where no text is a call. */
  readonly message: StreamedMessage | undefined;
  place: number | undefined;
  isOpen: boolean;
}

class ResponsesStream {
  readonly #desk: CallDesk;
  readonly #echo: Echo;
  readonly #writer = new EventWriter();
  readonly #lane: Lane = { calls: 0 };
  readonly #items: UpstreamItem[] = [];
  /** The items that the app got, by their place. */
  readonly #whole = new Map<number, string>();
  #nextPlace = 0;
  /** Places are ours since an item that the upstream did not send came in between. */
  #isMoved = false;

  constructor(desk: CallDesk, echo: Echo) {
    this.#desk = desk;
    this.#echo = echo;
  }

  frame(raw: Uint8Array, text: string): Uint8Array[] {
    const event = readEvent(raw, text);
    if (event === undefined) return isDone(text) ? [...this.end(), raw] : [raw];
    if (TERMINAL.has(event.type)) return [...this.end(), this.#response(event, this.#finalOutput(event))];
    if (event.type === 'response.output_item.added') return this.#added(event);
    const item = this.#itemOf(event);
    if (item === undefined) return [this.#response(event, [])];
    if (event.type === 'response.output_item.done') item.isOpen = false;
    if (item.message !== undefined && !item.message.isEnded) {
      this.#overtake(item.message);
      return item.message.take(event);
    }
    return this.#inItem(event, item);
  }

  /** Nothing more comes: what is held is said. */
  end(): Uint8Array[] {
    return this.#items.flatMap(({ message }) => message?.end() ?? []);
  }

  #added(event: UpstreamEvent): Uint8Array[] {
    const given = numberAt(event.value, 'output_index');
    const id = stringAt(event.value, 'item', 'id');
    const isMessage = this.#desk.isOpen && stringAt(event.value, 'item', 'type') === 'message';
    this.#overtake(undefined);
    const message = isMessage ? this.#openMessage(event) : undefined;
    const item: UpstreamItem = {
      given,
      ids: new Set(id === undefined ? [] : [id]),
      message,
      place: message === undefined ? this.#place(given, 'upstream') : undefined,
      isOpen: true,
    };
    this.#items.push(item);
    return message === undefined ? this.#inItem(event, item) : [];
  }

  #openMessage(event: UpstreamEvent): StreamedMessage {
    return new StreamedMessage(event, {
      writer: this.#writer,
      desk: this.#desk,
      lane: this.#lane,
      place: (given, whose) => this.#place(given, whose),
      record: (place, item) => this.#whole.set(place, item),
    });
  }

  /** What is held comes after what goes out now. */
  #overtake(by: StreamedMessage | undefined): void {
    const isOvertaken = this.#items.some(
      ({ message }) => message !== undefined && message !== by && message.isHeld,
    );
    if (!isOvertaken) return;
    this.#isMoved = true;
    this.#writer.renumber();
  }

  #place(given: number | undefined, whose: 'upstream' | 'ours'): number {
    if (whose === 'ours') this.#isMoved = true;
    const place = this.#isMoved || given === undefined ? this.#nextPlace : given;
    this.#nextPlace = Math.max(this.#nextPlace, place + 1);
    return place;
  }

  #inItem(event: UpstreamEvent, item: UpstreamItem): Uint8Array[] {
    const { place } = item;
    if (event.type === 'response.output_item.done' && place !== undefined) {
      this.#whole.set(place, memberText(event.data, event.scan, 'item') ?? '{}');
    }
    const index: Record<string, string> =
      place === undefined || !this.#isMoved ? {} : { output_index: String(place) };
    return [this.#writer.pass(event, index)];
  }

  /** An id that is known says it best; some servers use one index for two items, others a new id for each event. */
  #itemOf(event: UpstreamEvent): UpstreamItem | undefined {
    const given = numberAt(event.value, 'output_index');
    const id = stringAt(event.value, 'item_id') ?? stringAt(event.value, 'item', 'id');
    if (given === undefined && id === undefined) return undefined;
    const byId = id === undefined ? undefined : this.#items.findLast(({ ids }) => ids.has(id));
    const byIndex = this.#items.findLast((item) => given !== undefined && item.given === given);
    const item =
      byId ?? byIndex ?? (given === undefined ? this.#items.findLast(({ isOpen }) => isOpen) : undefined);
    if (id !== undefined) item?.ids.add(id);
    return item;
  }

  /** An event that carries the response object, or none of an item. */
  #response(event: UpstreamEvent, edits: readonly Edit[]): Uint8Array {
    const member = lastMember(event.scan, 'response');
    if (member === undefined || !isJsonObject(event.value['response'])) return this.#writer.pass(event);
    const echoed = restoreEcho(event.data, scanObject(event.data, member.value.start), this.#echo);
    return this.#writer.pass(event, {}, [...echoed, ...edits]);
  }

  /** The output as the app got it, and what the stream did not tell of. */
  #finalOutput(event: UpstreamEvent): Edit[] {
    const member = lastMember(event.scan, 'response');
    if (member === undefined || !isJsonObject(event.value['response'])) return [];
    const response = scanObject(event.data, member.value.start);
    const told = this.#toldOf(event.data, response);
    const rewrite = (text: string, index: number): string | undefined =>
      told[index] === undefined ? splitItem(text, this.#desk, this.#lane)?.join(',') : undefined;
    if (!this.#isMoved) return editOutput(event.data, response, rewrite);
    const texts = outputTexts(event.data, response);
    const untold: string[] = [];
    texts.forEach((text, index) => {
      const item = told[index];
      if (item === undefined) untold.push(rewrite(text, index) ?? text);
      else if (item.place !== undefined && !this.#whole.has(item.place)) this.#whole.set(item.place, text);
    });
    const whole = [...this.#whole].sort(([a], [b]) => a - b).map(([, text]) => text);
    return editMembers(event.data, response, { output: `[${[...whole, ...untold].join(',')}]` });
  }

  /** Which item each one of the last event's is: by its id, or else by its place where both know as many. */
  #toldOf(data: string, response: ObjectScan): (UpstreamItem | undefined)[] {
    const texts = outputTexts(data, response);
    return texts.map((text, index) => {
      const id = stringAt(parseJson(text), 'id');
      const byId = id === undefined ? undefined : this.#items.find(({ ids }) => ids.has(id));
      return byId ?? (texts.length === this.#items.length ? this.#items[index] : undefined);
    });
  }
}

function outputTexts(data: string, response: ObjectScan): string[] {
  const output = lastMember(response, 'output');
  if (output === undefined || data[output.value.start] !== '[') return [];
  return scanArray(data, output.value.start).elements.map((element) => sliceSpan(data, element));
}

function numberAt(value: JsonObject, key: string): number | undefined {
  const number = value[key];
  return typeof number === 'number' ? number : undefined;
}

/** `[DONE]`, which some servers end this stream with too. */
function isDone(text: string): boolean {
  return parseFrame(text).data?.trim() === '[DONE]';
}

/** `undefined` for comments, and for data that is no object. */
function readEvent(raw: Uint8Array, text: string): UpstreamEvent | undefined {
  const { event, data } = parseFrame(text);
  const value = data === undefined ? undefined : parseJson(data);
  const scan = data === undefined || !isJsonObject(value) ? undefined : scanBody(data);
  if (data === undefined || !isJsonObject(value) || scan === undefined) return undefined;
  return { raw, text, data, type: stringAt(value, 'type') ?? event ?? '', value, scan };
}
