import { editMembers, isJsonArray, lastMember, scanArray, scanObject, sliceSpan } from '../json/index.ts';
import type { AnswerEvent, AnswerReader, CallDesk, Lane, NativeCall } from './answer-reader.ts';
import { writeCall } from './call-events.ts';
import type { EventWriter, UpstreamEvent } from './event-writer.ts';
import { memberText, stringAt } from './request-edits.ts';
import {
  encodeCallItem,
  itemPrefix,
  messageId,
  messageWith,
  partWith,
  textOf,
} from './responses-response.ts';

/** What of an answer a message needs to know and to tell. */
export interface Output {
  readonly writer: EventWriter;
  readonly desk: CallDesk;
  readonly lane: Lane;
  /** The place of the next item that the app gets; `ours` for one that the upstream did not send. */
  readonly place: (given: number | undefined, whose: 'upstream' | 'ours') => number;
  /** An item is whole. */
  readonly record: (place: number, item: string) => void;
}

/** A content part as the upstream tells of it. */
interface Part {
  readonly reader: AnswerReader;
  /** The event that began it, kept until it says something. */
  added: UpstreamEvent | undefined;
  hasText: boolean;
}

/** A content part of a message that the app gets. */
interface PiecePart {
  readonly from: number;
  text: string;
  isTextDone: boolean;
  isDone: boolean;
}

/** A message that the app gets: what the upstream's says before, between or after calls. */
interface Piece {
  readonly id: string | undefined;
  readonly place: number;
  readonly parts: PiecePart[];
}

const EMPTY_PART = '{"type":"output_text","text":"","annotations":[]}';

/** A message of the upstream's stream, that becomes messages and calls. It is opened for the app when it says something. */
export class StreamedMessage {
  readonly #added: UpstreamEvent;
  readonly #item: string;
  readonly #id: string | undefined;
  readonly #given: number | undefined;
  readonly #output: Output;
  readonly #parts = new Map<number, Part>();
  #piece: Piece | undefined;
  #pieces = 0;
  #hasCalled = false;
  #isEnded = false;

  constructor(added: UpstreamEvent, output: Output) {
    this.#added = added;
    this.#item = memberText(added.data, added.scan, 'item') ?? '{}';
    this.#id = stringAt(added.value, 'item', 'id');
    const given = added.value['output_index'];
    this.#given = typeof given === 'number' ? given : undefined;
    this.#output = output;
  }

  /** True while nothing of it has gone out, and so anything else overtakes it. */
  get isHeld(): boolean {
    return this.#pieces === 0 && !this.#hasCalled && !this.#isEnded;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** An event that means this message. */
  take(event: UpstreamEvent): Uint8Array[] {
    const at = typeof event.value['content_index'] === 'number' ? event.value['content_index'] : 0;
    switch (event.type) {
      case 'response.content_part.added':
        return this.#begin(event, at);
      case 'response.output_text.delta':
        return this.#delta(event, at);
      case 'response.output_text.done':
        return this.#textDone(event, at);
      case 'response.content_part.done':
        return this.#partDone(event, at);
      case 'response.output_item.done':
        return this.#itemDone(event);
      default:
        return this.#other(event, at);
    }
  }

  /** The stream ends, or says that it does: what is held is said. */
  end(): Uint8Array[] {
    if (this.#isEnded) return [];
    const out = [...this.#parts].flatMap(([at, part]) => this.#say(part.reader.end(), at));
    return this.#hasCalled ? [...out, ...this.#close()] : out;
  }

  #part(at: number): Part {
    const known = this.#parts.get(at);
    if (known !== undefined) return known;
    const part = {
      reader: this.#output.desk.openReader(this.#output.lane),
      added: undefined,
      hasText: false,
    };
    this.#parts.set(at, part);
    return part;
  }

  #begin(event: UpstreamEvent, at: number): Uint8Array[] {
    const type = stringAt(event.value, 'part', 'type');
    const out = type === undefined || type === 'output_text' ? [] : [...this.#open(), this.#pass(event)];
    if (out.length === 0) this.#part(at).added = event;
    return out;
  }

  #delta(event: UpstreamEvent, at: number): Uint8Array[] {
    const text = stringAt(event.value, 'delta') ?? '';
    const part = this.#part(at);
    part.hasText ||= text !== '';
    const events = part.reader.push(text);
    const [only] = events;
    if (only?.kind !== 'text' || events.length > 1) return this.#dropped(this.#say(events, at));
    const { out, place } = this.#openPart(at);
    place.text += only.text;
    return [
      ...out,
      this.#pass(event, { ...this.#contentIndex(at), delta: JSON.stringify(only.text) }, only.text === text),
    ];
  }

  #textDone(event: UpstreamEvent, at: number): Uint8Array[] {
    const out = this.#finish(at, stringAt(event.value, 'text'));
    const opened = this.#hasCalled ? { out: [], place: this.#pieceAt(at) } : this.#openPart(at);
    if (opened.place === undefined) return this.#dropped(out);
    opened.place.isTextDone = true;
    const text = JSON.stringify(opened.place.text);
    return [...out, ...opened.out, this.#pass(event, { ...this.#contentIndex(at), text }, !this.#hasCalled)];
  }

  #partDone(event: UpstreamEvent, at: number): Uint8Array[] {
    const own = memberText(event.data, event.scan, 'part') ?? EMPTY_PART;
    const text = textOf(own);
    if (text === undefined) return this.#other(event, at);
    const out = this.#finish(at, text);
    const opened = this.#hasCalled ? { out: [], place: this.#pieceAt(at) } : this.#openPart(at);
    if (opened.place === undefined) return this.#dropped(out);
    opened.place.isDone = true;
    const part = partWith(own, opened.place.text);
    return [...out, ...opened.out, this.#pass(event, { ...this.#contentIndex(at), part }, !this.#hasCalled)];
  }

  #itemDone(event: UpstreamEvent): Uint8Array[] {
    const own = memberText(event.data, event.scan, 'item') ?? this.#item;
    const out = partsOf(own).flatMap((part, at) => {
      const text = textOf(part);
      return text === undefined ? [] : this.#finish(at, text);
    });
    if (!this.#hasCalled) {
      out.push(...this.#open(), this.#pass(event, {}, true));
      this.#output.record(this.#piece?.place ?? 0, own);
    } else if (this.#piece === undefined) this.#dropped(out);
    else {
      const item = this.#compose(own, this.#piece);
      out.push(...this.#closeParts(this.#piece), this.#pass(event, { item }));
      this.#output.record(this.#piece.place, item);
    }
    this.#isEnded = true;
    this.#piece = undefined;
    return out;
  }

  /** Anything else of a message: it goes where its message is, if that is open or can be. */
  #other(event: UpstreamEvent, at: number): Uint8Array[] {
    if (this.#piece === undefined && this.#hasCalled) return this.#dropped([]);
    return [...this.#open(), this.#pass(event, this.#contentIndex(at))];
  }

  /** No more text comes for a part; some servers tell it only now. */
  #finish(at: number, whole: string | undefined): Uint8Array[] {
    const part = this.#part(at);
    const late = part.hasText || whole === undefined ? '' : whole;
    part.hasText ||= late !== '';
    return this.#say([...part.reader.push(late), ...part.reader.end()], at);
  }

  #say(events: readonly AnswerEvent[], at: number): Uint8Array[] {
    return events.flatMap((event) =>
      event.kind === 'call' ? this.#call(event.call) : this.#text(event.text, at),
    );
  }

  #text(text: string, at: number): Uint8Array[] {
    const { out, place } = this.#openPart(at);
    place.text += text;
    const delta = { ...this.#contentIndex(at), delta: JSON.stringify(text), logprobs: '[]' };
    return [...out, this.#write('response.output_text.delta', delta)];
  }

  /** Opens the message for the app, if none is open. */
  #open(): Uint8Array[] {
    if (this.#piece !== undefined) return [];
    const isFirst = this.#pieces === 0;
    const place = this.#output.place(this.#given, isFirst && !this.#hasCalled ? 'upstream' : 'ours');
    const id = isFirst ? this.#id : messageId(this.#output.desk.newId);
    this.#pieces += 1;
    this.#piece = { id, place, parts: [] };
    const { data, scan } = this.#added;
    const item = lastMember(scan, 'item');
    if (isFirst || item === undefined || id === undefined) return [this.#pass(this.#added)];
    const edits = editMembers(data, scanObject(data, item.value.start), { id: JSON.stringify(id) });
    return [this.#output.writer.pass(this.#added, this.#address(), edits)];
  }

  #openPart(at: number): { readonly out: Uint8Array[]; readonly place: PiecePart } {
    const known = this.#pieceAt(at);
    if (known !== undefined) return { out: [], place: known };
    const out = this.#open();
    const place = { from: at, text: '', isTextDone: false, isDone: false };
    this.#piece?.parts.push(place);
    const { added } = this.#part(at);
    if (added !== undefined) out.push(this.#pass(added, this.#contentIndex(at)));
    return { out, place };
  }

  #pieceAt(at: number): PiecePart | undefined {
    return this.#piece?.parts.find(({ from }) => from === at);
  }

  #call(call: NativeCall): Uint8Array[] {
    const { writer, desk, record } = this.#output;
    const closed = this.#close();
    this.#hasCalled = true;
    const place = this.#output.place(this.#given, 'ours');
    const id = `${itemPrefix(call)}${desk.newId()}`;
    record(place, encodeCallItem(call, id, 'completed'));
    return [
      ...closed,
      ...writeCall(writer, call, { id, place: this.#given === undefined ? undefined : place }),
    ];
  }

  /** Ends the open message, since a call follows. */
  #close(): Uint8Array[] {
    const piece = this.#piece;
    if (piece === undefined) return [];
    const parts = this.#closeParts(piece);
    const item = this.#compose(this.#item, piece);
    const index: Record<string, string> =
      this.#given === undefined ? {} : { output_index: String(piece.place) };
    const done = this.#output.writer.write('response.output_item.done', { ...index, item });
    this.#output.record(piece.place, item);
    this.#piece = undefined;
    return [...parts, done];
  }

  #closeParts(piece: Piece): Uint8Array[] {
    return piece.parts.flatMap((place) => {
      const out: Uint8Array[] = [];
      const index = this.#contentIndex(place.from);
      const text = JSON.stringify(place.text);
      if (!place.isTextDone)
        out.push(this.#write('response.output_text.done', { ...index, text, logprobs: '[]' }));
      if (!place.isDone && this.#part(place.from).added !== undefined) {
        out.push(this.#write('response.content_part.done', { ...index, part: this.#encodePart(place) }));
      }
      place.isTextDone = true;
      place.isDone = true;
      return out;
    });
  }

  #encodePart({ from, text }: PiecePart): string {
    const added = this.#part(from).added;
    const own = added === undefined ? undefined : memberText(added.data, added.scan, 'part');
    return partWith(own === undefined || textOf(own) === undefined ? EMPTY_PART : own, text);
  }

  #compose(base: string, piece: Piece): string {
    const item = messageWith(base, {
      id: piece.id,
      parts: piece.parts.map((part) => this.#encodePart(part)),
    });
    const scan = scanObject(item);
    const status = lastMember(scan, 'status');
    if (status === undefined || sliceSpan(item, status.value) !== '"in_progress"') return item;
    return item.slice(0, status.value.start) + '"completed"' + item.slice(status.value.end);
  }

  #address(): Record<string, string> {
    const piece = this.#piece;
    if (piece === undefined) return {};
    const isRenamed = piece.id !== undefined && piece.id !== this.#id;
    return {
      output_index: String(piece.place),
      ...(isRenamed ? { item_id: JSON.stringify(piece.id) } : {}),
    };
  }

  /** Which part of the open message a part of the upstream's is. */
  #contentIndex(at: number): Record<string, string> {
    const index = this.#piece?.parts.findIndex(({ from }) => from === at) ?? -1;
    return index === -1 ? {} : { content_index: String(index) };
  }

  /** @param isOwn the event's own words stay, to the last blank of them */
  #pass(event: UpstreamEvent, members: Record<string, string> = {}, isOwn = false): Uint8Array {
    const { delta, text, part, ...places } = members;
    const words = { ...(delta && { delta }), ...(text && { text }), ...(part && { part }) };
    return this.#output.writer.pass(event, { ...this.#address(), ...places, ...(isOwn ? {} : words) });
  }

  #write(type: string, members: Record<string, string>): Uint8Array {
    const id: Record<string, string> =
      this.#piece?.id === undefined ? {} : { item_id: JSON.stringify(this.#piece.id) };
    const index: Record<string, string> =
      this.#given === undefined || this.#piece === undefined
        ? {}
        : { output_index: String(this.#piece.place) };
    return this.#output.writer.write(type, { ...id, ...index, ...members });
  }

  /** An event of the upstream is left out: the numbers close over it. */
  #dropped(out: Uint8Array[]): Uint8Array[] {
    this.#output.writer.renumber();
    return out;
  }
}

function partsOf(item: string): string[] {
  const content = memberText(item, scanObject(item), 'content');
  if (content === undefined || !isJsonArray(JSON.parse(content))) return [];
  return scanArray(content).elements.map((element) => sliceSpan(content, element));
}
