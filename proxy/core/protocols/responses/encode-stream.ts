import type { ItemVerdict } from '../../hops/index.ts';
import {
  applyEdits,
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit, JsonObject, ObjectScan } from '../../json/index.ts';
import { editData, EncodedTexts, formatEvent, parseFrame } from '../../sse/index.ts';
import type { Echo, NameMaps, StreamedHop, StreamEncoder, StreamFrame, StreamOutput } from '../adapter.ts';
import { AppItems } from './app-items.ts';
import { echoPresent } from './encode-response.ts';
import { Ending } from './ending.ts';
import { failedResponse, terminalChanges } from './encode-terminal.ts';
import { itemForApp } from './items.ts';
import { Sequence } from './sequence.ts';
import type { EventFrame, ResponseEvent, ResponsesFrame, StreamedItem } from './stream-frame.ts';
import { NO_ITEM } from './text-delta.ts';
import { WaitingFrames } from './waiting-frames.ts';
import type { Framed } from './waiting-frames.ts';

const encoder = new TextEncoder();

/**
 * Joins the streams of a turn's hops.
 *
 * As long as nothing was left out, frames go on as they came, byte for byte, but for names and echoed fields. Once something
 * was, the numbering is ours: one response id, `sequence_number` without gaps, `output_index` from 0, one id per item.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #names: NameMaps;
  readonly #items = new AppItems();
  readonly #sequence = new Sequence();
  readonly #encoded = new EncodedTexts();
  #waiting = new WaitingFrames(true);
  #echo: Echo = {};
  #hop = 0;
  #openedInHop = 0;
  /** JSON text. */
  #responseId: string | undefined;
  /** The event that opened the stream, and what its hop had to put back in it. */
  #opening: { readonly event: ResponseEvent; readonly echo: Echo } | undefined;
  #renumber = false;
  #ending: Ending | undefined;
  /** Words of ours that earlier hops' texts ended with; of further hops only what is more is due. */
  #said = '';

  constructor(names: NameMaps) {
    this.#names = names;
  }

  get isOpen(): boolean {
    return this.#openedInHop > 0;
  }

  beginHop({ echo, mode, appended }: StreamedHop): void {
    this.#hop += 1;
    this.#echo = echo;
    if (this.#ending?.isSaid === true) this.#said += this.#ending.words;
    const due = appended?.startsWith(this.#said) === true ? appended.slice(this.#said.length) : appended;
    this.#ending = due === undefined || due === '' ? undefined : new Ending(due);
    this.#renumber = this.isOpen || this.#ending !== undefined;
    this.#waiting = new WaitingFrames(this.isOpen || mode === 'live');
    this.#items.beginHop();
  }

  push(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput {
    const framed = { raw: frame.raw, wire: asResponsesFrame(frame.wire) };
    this.#note(verdicts);
    const opens = verdicts.some(({ verdict }) => verdict === 'show') || framed.wire.kind === 'error';
    const out = opens ? this.#release() : [];
    if (!this.#waiting.takesIn(framed)) return [...out, ...this.#emit(framed)];
    // What follows overtakes it.
    if (this.#waiting.isFlowing) this.#renumber = true;
    return out;
  }

  endHop(verdicts: readonly ItemVerdict[]): StreamOutput {
    this.#note(verdicts);
    return verdicts.some(({ verdict }) => verdict === 'show') ? this.#release() : [];
  }

  finish(frame: StreamFrame, verdicts: readonly ItemVerdict[], usage: readonly JsonObject[]): StreamOutput {
    const wire = asResponsesFrame(frame.wire);
    this.#note(verdicts);
    const out = this.#release();
    if (wire.kind !== 'terminal') return [...out, frame.raw];
    return [...out, ...this.#terminal({ raw: frame.raw, wire }, wire, usage)];
  }

  fail({ type, code, message }: Parameters<StreamEncoder['fail']>[0]): StreamOutput {
    const opening = this.isOpen ? [] : this.#waiting.opening().flatMap((frame) => this.#emit(frame));
    const error = { type, code, message, param: null };
    const event = { type: 'error', sequence_number: this.#sequence.take(), error };
    const response = failedResponse(this.#openingText(), { code, message }, this.#items.texts());
    const number = String(this.#sequence.take());
    return [
      ...opening,
      formatEvent('error', JSON.stringify(event)),
      formatEvent(
        'response.failed',
        `{"type":"response.failed","sequence_number":${number},"response":${response}}`,
      ),
    ];
  }

  /** The response object that opened the stream, as the app got it. */
  #openingText(): string | undefined {
    if (this.#opening === undefined) return undefined;
    const { data, response } = this.#opening.event;
    const own = sliceSpan(data, response.span);
    const scan = scanObject(own);
    return applyEdits(own, editMembers(own, scan, echoPresent(scan, this.#opening.echo)));
  }

  #note(verdicts: readonly ItemVerdict[]): void {
    if (this.#waiting.note(verdicts)) this.#renumber = true;
  }

  #release(): StreamOutput {
    const frames = this.#waiting.release();
    // What is still on hold may come out of order, or never.
    if (!this.#waiting.isEmpty) this.#renumber = true;
    return frames.flatMap((frame) => this.#emit(frame));
  }

  #emit(frame: Framed): StreamOutput {
    const { wire } = frame;
    if (this.#waiting.isHidden(wire)) return [];
    if (wire.kind === 'other') return [frame.raw];
    if (wire.kind === 'late') {
      this.#record(wire);
      return [];
    }
    if (!this.isOpen) this.#openedInHop = this.#hop;
    switch (wire.kind) {
      case 'lifecycle':
        return this.#lifecycle(frame, wire);
      case 'item':
        return this.#item(frame, wire);
      case 'part':
        return this.#part(frame, wire);
      case 'terminal':
        return this.#terminal(frame, wire, []);
      case 'error':
      case 'event':
        return this.#write(frame, wire, () => ({}));
      default:
        return wire satisfies never;
    }
  }

  /** Only the first hop that shows anything opens the response. */
  #lifecycle(frame: Framed, wire: Extract<EventFrame, { kind: 'lifecycle' }>): StreamOutput {
    if (this.#openedInHop !== this.#hop) return [];
    this.#opening ??= { event: wire, echo: this.#echo };
    return this.#writeResponse(frame, wire, {});
  }

  #terminal(
    frame: Framed,
    wire: Extract<EventFrame, { kind: 'terminal' }>,
    usage: readonly JsonObject[],
  ): StreamOutput {
    const ending = this.#ownMessage(wire);
    // The app must find what it was given, and under the same numbers.
    const items = this.#renumber ? this.#items.texts() : undefined;
    const changes = terminalChanges(wire, { names: this.#names, usage, items });
    return [...ending, ...this.#writeResponse(frame, wire, changes)];
  }

  /** An answer without a message gets one of ours, where words of ours have to end it. */
  #ownMessage({ scan }: ResponseEvent): StreamOutput {
    if (this.#ending === undefined) return [];
    const place = this.#items.append();
    const own = this.#ending.ownMessage(place);
    if (own === undefined) return [];
    this.#items.record(place, own.item);
    const isNumbered = lastMember(scan, 'sequence_number') !== undefined;
    return own.events.map((event) => {
      const { type } = event;
      const number = isNumbered ? { sequence_number: this.#sequence.take() } : {};
      return formatEvent(String(type), JSON.stringify({ type, ...number, ...event }));
    });
  }

  /** An event with its response object as the app has to read it: echoed fields, and one id from the first to the last. */
  #writeResponse(
    frame: Framed,
    wire: ResponseEvent,
    changes: Readonly<Record<string, string>>,
  ): StreamOutput {
    const { data, scan, response } = wire;
    const members = { ...echoPresent(response, this.#echo), ...this.#firstId(wire), ...changes };
    const edits = editMembers(data, response, members);
    return this.#send(frame, wire, { scan, edits });
  }

  /** Official clients take another id for an error. */
  #firstId({ data, response }: ResponseEvent): Record<string, string> {
    const id = lastMember(response, 'id');
    this.#responseId ??= id === undefined ? undefined : sliceSpan(data, id.value);
    return this.#renumber && this.#responseId !== undefined ? { id: this.#responseId } : {};
  }

  #item(frame: Framed, wire: Extract<EventFrame, { kind: 'item' }>): StreamOutput {
    const said = this.#say(this.#ending?.beforeItem(wire), wire.index);
    const { place, text } = this.#record(wire);
    const item = this.#write(frame, wire, () => ({
      ...(this.#renumber ? { output_index: String(place) } : {}),
      ...(text === wire.own ? {} : { item: text }),
    }));
    return [...said, ...item];
  }

  /** An event of ours among those of an item, numbered as they are. */
  #say(text: string | undefined, index: number): StreamOutput {
    const data = text === undefined ? undefined : parseFrame(text).data;
    if (text === undefined || data === undefined) return [];
    const wire = { kind: 'part', text, data, index } as const;
    return this.#writePart({ raw: encoder.encode(text), wire }, wire);
  }

  /** Notes an item as the app gets it. */
  #record({ index, item, own, id }: StreamedItem): { readonly place: number; readonly text: string } {
    const place = this.#items.place(index, this.#renumber ? 'ours' : 'upstream');
    const first = id === undefined ? undefined : this.#items.firstId(place, id);
    let text = itemForApp(this.#ending?.inItem({ index, own }) ?? own, item, this.#names);
    if (this.#renumber && first !== undefined && first !== id) {
      text = applyEdits(text, editMembers(text, scanObject(text), { id: JSON.stringify(first) }));
    }
    this.#items.record(place, text);
    return { place, text };
  }

  #part(frame: Framed, wire: Extract<EventFrame, { kind: 'part' }>): StreamOutput {
    const said = this.#say(this.#ending?.beforePart(wire), wire.index);
    return [...said, ...this.#writePart(frame, wire)];
  }

  #writePart(frame: Framed, wire: Extract<EventFrame, { kind: 'part' }>): StreamOutput {
    return this.#write(frame, wire, (scan) => ({
      ...this.#ending?.inPart(wire, scan),
      ...(this.#renumber && wire.index !== NO_ITEM ? this.#partPlace(wire.index, scan) : {}),
      ...this.#partName(wire, scan),
    }));
  }

  #partPlace(index: number, scan: ObjectScan): Record<string, string> {
    const place = this.#items.place(index, 'ours');
    const id = lastMember(scan, 'item_id') === undefined ? undefined : this.#items.idAt(place);
    return { output_index: String(place), ...(id === undefined ? {} : { item_id: JSON.stringify(id) }) };
  }

  /** `function_call_arguments.done` repeats the name on some servers. */
  #partName(wire: EventFrame, scan: ObjectScan): Record<string, string> {
    const name = this.#names.backward.size === 0 ? undefined : lastMember(scan, 'name');
    if (name === undefined) return {};
    const value = parseJson(sliceSpan(wire.data, name.value));
    const appName = typeof value === 'string' ? this.#names.backward.get(value) : undefined;
    return appName === undefined ? {} : { name: JSON.stringify(appName) };
  }

  /** Rewrites an event's data where there is something to change. Most events change in nothing, and are not even read. */
  #write(
    frame: Framed,
    wire: EventFrame,
    changes: (scan: ObjectScan) => Readonly<Record<string, string>>,
  ): StreamOutput {
    const scan = this.#mayChange(wire) ? scanEvent(wire.data) : undefined;
    if (scan === undefined) return this.#pass(frame, wire);
    return this.#send(frame, wire, { scan, edits: editMembers(wire.data, scan, changes(scan)) });
  }

  /** Gives an event out with its edits, and keeps count of the events given out. */
  #send(
    frame: Framed,
    wire: { readonly text: string; readonly data: string },
    { scan, edits }: { readonly scan: ObjectScan; readonly edits: readonly Edit[] },
  ): StreamOutput {
    const numbered = this.#renumber && lastMember(scan, 'sequence_number') !== undefined;
    if (edits.length === 0 && !numbered) return this.#pass(frame, wire);
    if (!numbered) this.#sequence.pass(wire);
    const number = numbered ? { sequence_number: String(this.#sequence.take()) } : {};
    const all = [...edits, ...editMembers(wire.data, scan, number)];
    return editData({ raw: frame.raw, text: wire.text, data: wire.data }, all, this.#encoded);
  }

  #pass(frame: Framed, wire: { readonly data: string }): StreamOutput {
    this.#sequence.pass(wire);
    return [frame.raw];
  }

  #mayChange(wire: EventFrame): boolean {
    if (this.#renumber || wire.kind === 'item') return true;
    return wire.kind === 'part' && this.#names.backward.size > 0 && wire.data.includes('"name"');
  }
}

/** `undefined` for data that is no JSON object: it goes on as it came. */
function scanEvent(data: string): ObjectScan | undefined {
  return isJsonObject(parseJson(data)) ? scanObject(data) : undefined;
}

function asResponsesFrame(wire: unknown): ResponsesFrame {
  // Frames come from this protocol's own decoder; the adapter's interface only hides what they hold.
  return wire as ResponsesFrame;
}
