import type { ItemVerdict } from '../../hops/index.ts';
import {
  applyEdits,
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanObject,
  sliceSpan,
  stringField,
} from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';
import { formatEvent, replaceData } from '../../sse/index.ts';
import type { Echo, NameMaps, StreamEncoder, StreamFrame, StreamOutput } from '../adapter.ts';
import { AppItems } from './app-items.ts';
import { echoPresent } from './encode-response.ts';
import { encodeTerminal, failedResponse } from './encode-terminal.ts';
import { itemForApp } from './items.ts';
import { Sequence } from './sequence.ts';
import type { EventFrame, ResponsesFrame, StreamedItem } from './stream-frame.ts';
import { WaitingFrames } from './waiting-frames.ts';
import type { Framed } from './waiting-frames.ts';

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
  #waiting = new WaitingFrames(true);
  #echo: Echo = {};
  #hop = 0;
  #openedInHop = 0;
  #responseId: string | undefined;
  /** The response object that opened the stream, as the app got it. */
  #responseText: string | undefined;
  #renumber = false;

  constructor(names: NameMaps) {
    this.#names = names;
  }

  get isOpen(): boolean {
    return this.#openedInHop > 0;
  }

  beginHop({ echo, mode }: { readonly echo: Echo; readonly mode: 'held' | 'live' }): void {
    this.#hop += 1;
    this.#echo = echo;
    this.#renumber = this.isOpen;
    this.#waiting = new WaitingFrames(this.isOpen || mode === 'live');
    this.#items.beginHop();
  }

  push(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput {
    const framed = { raw: frame.raw, wire: asResponsesFrame(frame.wire) };
    this.#note(verdicts);
    const opens = verdicts.some(({ verdict }) => verdict === 'show') || framed.wire.kind === 'error';
    const out = opens ? this.#release() : [];
    return this.#waiting.takesIn(framed) ? out : [...out, ...this.#emit(framed)];
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
    const response = failedResponse(this.#responseText, { code, message }, this.#items.texts());
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
  #lifecycle(frame: Framed, wire: EventFrame): StreamOutput {
    if (this.#openedInHop !== this.#hop) return [];
    return this.#write(frame, wire, (scan) => {
      const response = lastMember(scan, 'response');
      if (response === undefined) return {};
      const own = sliceSpan(wire.data, response.value);
      const inner = scanObject(own);
      const text = applyEdits(
        own,
        editMembers(own, inner, { ...echoPresent(inner, this.#echo), ...this.#firstId(own) }),
      );
      this.#responseText = text;
      return text === own ? {} : { response: text };
    });
  }

  /** One id from the first event to the last: official clients take another one for an error. */
  #firstId(response: string): Record<string, string> {
    const value = parseJson(response);
    const id = isJsonObject(value) ? stringField(value, 'id') : undefined;
    this.#responseId ??= id;
    return this.#renumber && this.#responseId !== undefined ? { id: JSON.stringify(this.#responseId) } : {};
  }

  #item(frame: Framed, wire: Extract<EventFrame, { kind: 'item' }>): StreamOutput {
    const { place, text } = this.#record(wire);
    return this.#write(frame, wire, () => ({
      ...(this.#renumber ? { output_index: String(place) } : {}),
      ...(text === wire.own ? {} : { item: text }),
    }));
  }

  /** Notes an item as the app gets it. */
  #record({ index, item, own, id }: StreamedItem): { readonly place: number; readonly text: string } {
    const place = this.#items.place(index, this.#renumber ? 'ours' : 'upstream');
    const first = id === undefined ? undefined : this.#items.firstId(place, id);
    let text = itemForApp(own, item, this.#names);
    if (this.#renumber && first !== undefined && first !== id) {
      text = applyEdits(text, editMembers(text, scanObject(text), { id: JSON.stringify(first) }));
    }
    this.#items.record(place, text);
    return { place, text };
  }

  #part(frame: Framed, wire: Extract<EventFrame, { kind: 'part' }>): StreamOutput {
    return this.#write(frame, wire, (scan) => ({
      ...(this.#renumber ? this.#partPlace(wire.index, scan) : {}),
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

  /** Rewrites an event's data where there is something to change, and keeps count of the events given out. */
  #write(
    frame: Framed,
    wire: EventFrame,
    changes: (scan: ObjectScan) => Readonly<Record<string, string>>,
  ): StreamOutput {
    if (!this.#mayChange(wire) || parseJson(wire.data) === undefined) return this.#pass(frame, wire);
    const scan = scanObject(wire.data);
    const members: Record<string, string> = { ...changes(scan) };
    if (this.#renumber && lastMember(scan, 'sequence_number') !== undefined) {
      members['sequence_number'] = String(this.#sequence.take());
    } else if (Object.keys(members).length === 0) return this.#pass(frame, wire);
    else this.#sequence.pass(wire.data);
    return [replaceData(wire.text, applyEdits(wire.data, editMembers(wire.data, scan, members)))];
  }

  #pass(frame: Framed, wire: EventFrame): StreamOutput {
    this.#sequence.pass(wire.data);
    return [frame.raw];
  }

  /** Most events change in nothing, and are not even read then. */
  #mayChange(wire: EventFrame): boolean {
    if (this.#renumber) return true;
    switch (wire.kind) {
      case 'event':
      case 'error':
        return false;
      case 'part':
        return this.#names.backward.size > 0 && wire.data.includes('"name"');
      case 'lifecycle':
      case 'item':
      case 'terminal':
        return true;
      default:
        return wire satisfies never;
    }
  }

  #terminal(frame: Framed, wire: EventFrame, usage: readonly JsonObject[]): StreamOutput {
    return this.#write(frame, wire, (scan) =>
      encodeTerminal(wire.data, scan, {
        echo: this.#echo,
        names: this.#names,
        usage,
        // The app must find what it was given, and under the same numbers.
        items: this.#renumber ? this.#items.texts() : undefined,
        id: (response) => this.#firstId(response),
      }),
    );
  }
}

function asResponsesFrame(wire: unknown): ResponsesFrame {
  // Frames come from this protocol's own decoder; the adapter's interface only hides what they hold.
  return wire as ResponsesFrame;
}
