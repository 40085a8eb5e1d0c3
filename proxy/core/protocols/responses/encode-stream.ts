import type { ItemVerdict, Verdict } from '../../hops/index.ts';
import { applyEdits, editMembers, isJsonObject, lastMember, parseJson, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';
import { formatEvent, replaceData } from '../../sse/index.ts';
import type { Echo, NameMaps, StreamEncoder, StreamFrame, StreamOutput } from '../adapter.ts';
import { decodeItems } from './decode-response.ts';
import type { ResponsesFrame } from './decode-stream.ts';
import { echoPresent, sumUsage } from './encode-response.ts';
import { itemForApp, readItem } from './items.ts';

type EventFrame = Exclude<ResponsesFrame, { kind: 'other' }>;

interface Held {
  readonly raw: Uint8Array;
  readonly wire: ResponsesFrame;
}

/**
 * Joins the streams of a turn's hops.
 *
 * As long as nothing was left out, frames go on as they came, byte for byte, but for names and echoed fields. Once something
 * was, the numbering is ours: one response id, `sequence_number` without gaps, `output_index` from 0, one id per item.
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #names: NameMaps;
  #echo: Echo = {};
  #mode: 'held' | 'live' = 'live';
  #held: Held[] = [];
  #verdicts = new Map<number, Verdict>();
  /** Output indexes of the app's stream by those of this hop. */
  #outputIndex = new Map<number, number>();
  #itemIds = new Map<number, string>();
  #doneItems = new Map<number, string>();
  /** Items of earlier hops, as the app got them. */
  readonly #earlier: string[] = [];
  #hop = 0;
  #openedInHop = 0;
  #responseId: string | undefined;
  #responseObject: string | undefined;
  #nextSequence = 0;
  #renumber = false;

  constructor(names: NameMaps) {
    this.#names = names;
  }

  get isOpen(): boolean {
    return this.#openedInHop > 0;
  }

  beginHop({ echo, mode }: { readonly echo: Echo; readonly mode: 'held' | 'live' }): void {
    for (const [, text] of [...this.#doneItems].sort(([a], [b]) => a - b)) this.#earlier.push(text);
    this.#hop += 1;
    this.#echo = echo;
    this.#mode = this.isOpen ? 'live' : mode;
    this.#held = [];
    this.#verdicts = new Map();
    this.#outputIndex = new Map();
    this.#itemIds = new Map();
    this.#doneItems = new Map();
    this.#renumber = this.isOpen;
  }

  push(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput {
    const wire = asResponsesFrame(frame.wire);
    this.#noteVerdicts(verdicts);
    const opens = verdicts.some(({ verdict }) => verdict === 'show') || wire.kind === 'error';
    const out = opens || (this.#mode === 'live' && !this.isOpen) ? this.#release() : [];
    if (this.#isToBeHeld(wire)) {
      this.#held.push({ raw: frame.raw, wire });
      return out;
    }
    return [...out, ...this.#emit({ raw: frame.raw, wire })];
  }

  endHop(verdicts: readonly ItemVerdict[]): StreamOutput {
    this.#noteVerdicts(verdicts);
    return verdicts.some(({ verdict }) => verdict === 'show') ? this.#release() : [];
  }

  finish(frame: StreamFrame, verdicts: readonly ItemVerdict[], usage: readonly JsonObject[]): StreamOutput {
    const wire = asResponsesFrame(frame.wire);
    this.#noteVerdicts(verdicts);
    this.#mode = 'live';
    const out = this.#release();
    if (wire.kind !== 'terminal') return [...out, frame.raw];
    return [...out, ...this.#terminal({ raw: frame.raw, wire }, wire, usage)];
  }

  fail(error: { readonly type: string; readonly code: string; readonly message: string }): StreamOutput {
    const { type, code, message } = error;
    const opening = this.isOpen ? [] : this.#held.filter(({ wire }) => wire.kind === 'lifecycle');
    this.#held = [];
    const opened = opening.flatMap((frame) => this.#emit(frame));
    const event = { type: 'error', sequence_number: this.#takeSequence(), error: { type, code, message, param: null } };
    const response = this.#failedResponse({ code, message });
    const sequence = String(this.#takeSequence());
    return [
      ...opened,
      formatEvent('error', JSON.stringify(event)),
      formatEvent('response.failed', `{"type":"response.failed","sequence_number":${sequence},"response":${response}}`),
    ];
  }

  #failedResponse(error: { readonly code: string; readonly message: string }): string {
    const base = this.#responseObject ?? '{"object":"response","output":[]}';
    const output = [...this.#earlier, ...[...this.#doneItems].sort(([a], [b]) => a - b).map(([, text]) => text)];
    return applyEdits(
      base,
      editMembers(base, scanObject(base), {
        status: '"failed"',
        error: JSON.stringify(error),
        output: `[${output.join(',')}]`,
      }),
    );
  }

  #noteVerdicts(verdicts: readonly ItemVerdict[]): void {
    for (const { index, verdict } of verdicts) {
      this.#verdicts.set(index, verdict);
      if (verdict !== 'hide') continue;
      this.#renumber = true;
      this.#held = this.#held.filter(({ wire }) => !belongsTo(wire, index));
    }
  }

  /** Frames wait while the hop may yet stay inside, and while their own item may. */
  #isToBeHeld(wire: ResponsesFrame): boolean {
    if (wire.kind === 'item' || wire.kind === 'part') {
      const verdict = this.#verdicts.get(wire.index) ?? 'show';
      return verdict === 'hold' || (verdict === 'show' && !this.#isFlowing());
    }
    return wire.kind !== 'error' && !this.#isFlowing();
  }

  #isFlowing(): boolean {
    return this.#mode === 'live';
  }

  /** Gives out what was held, but for items that are still held. */
  #release(): StreamOutput {
    this.#mode = 'live';
    const held = this.#held;
    const stays = ({ wire }: Held): boolean =>
      (wire.kind === 'item' || wire.kind === 'part') && this.#verdicts.get(wire.index) === 'hold';
    this.#held = held.filter(stays);
    if (this.#held.length > 0) this.#renumber = true;
    return held.filter((frame) => !stays(frame)).flatMap((frame) => this.#emit(frame));
  }

  #emit(frame: Held): StreamOutput {
    const { wire } = frame;
    switch (wire.kind) {
      case 'other':
        return [frame.raw];
      case 'lifecycle':
        return this.#lifecycle(frame, wire);
      case 'item':
        return this.#verdicts.get(wire.index) === 'hide' ? [] : this.#item(frame, wire);
      case 'part':
        return this.#verdicts.get(wire.index) === 'hide' ? [] : this.#part(frame, wire);
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
  #lifecycle(frame: Held, wire: EventFrame): StreamOutput {
    if (this.#openedInHop !== 0 && this.#openedInHop !== this.#hop) return [];
    const scan = scanObject(wire.data);
    const response = lastMember(scan, 'response');
    if (response === undefined) return this.#write(frame, wire, () => ({}));
    const own = sliceSpan(wire.data, response.value);
    const edited = applyEdits(own, this.#echoEdits(own));
    if (this.#openedInHop === 0) this.#open(wire.data, edited);
    this.#responseObject = edited;
    return this.#write(frame, wire, () => (edited === own ? {} : { response: edited }));
  }

  #open(data: string, response: string): void {
    this.#openedInHop = this.#hop;
    const value = parseJson(response);
    this.#responseId = isJsonObject(value) ? stringField(value, 'id') : undefined;
    const event = parseJson(data);
    const first = isJsonObject(event) ? event['sequence_number'] : undefined;
    this.#nextSequence = typeof first === 'number' && Number.isSafeInteger(first) ? first : 0;
  }

  #echoEdits(response: string): ReturnType<typeof editMembers> {
    const scan = scanObject(response);
    return editMembers(response, scan, echoPresent(scan, this.#echo));
  }

  #item(frame: Held, wire: Extract<EventFrame, { kind: 'item' }>): StreamOutput {
    const member = lastMember(scanObject(wire.data), 'item');
    if (member === undefined) return this.#write(frame, wire, () => ({}));
    const own = sliceSpan(wire.data, member.value);
    const value = parseJson(own);
    const text = this.#withFirstId(itemForApp(own, readItem(value), this.#names), value, wire.index);
    if (isDone(wire)) this.#doneItems.set(wire.index, text);
    return this.#write(frame, wire, () => ({
      ...(this.#renumber ? { output_index: String(this.#appIndex(wire.index)) } : {}),
      ...(text === own ? {} : { item: text }),
    }));
  }

  /** Some servers change an item's id between its events; official clients take that for an error. */
  #withFirstId(text: string, item: unknown, index: number): string {
    const id = isJsonObject(item) ? stringField(item, 'id') : undefined;
    if (id === undefined) return text;
    const first = this.#itemIds.get(index) ?? id;
    this.#itemIds.set(index, first);
    if (!this.#renumber) return text;
    return applyEdits(text, editMembers(text, scanObject(text), { id: JSON.stringify(first) }));
  }

  #part(frame: Held, wire: Extract<EventFrame, { kind: 'part' }>): StreamOutput {
    return this.#write(frame, wire, (scan) => {
      const members: Record<string, string> = {};
      if (this.#renumber) {
        members['output_index'] = String(this.#appIndex(wire.index));
        const id = this.#itemIds.get(wire.index);
        if (id !== undefined && lastMember(scan, 'item_id') !== undefined) members['item_id'] = JSON.stringify(id);
      }
      return { ...members, ...this.#partName(wire, scan) };
    });
  }

  /** `function_call_arguments.done` repeats the name on some servers. */
  #partName(wire: EventFrame, scan: ObjectScan): Record<string, string> {
    if (this.#names.backward.size === 0) return {};
    const name = lastMember(scan, 'name');
    if (name === undefined) return {};
    const value = parseJson(sliceSpan(wire.data, name.value));
    const appName = typeof value === 'string' ? this.#names.backward.get(value) : undefined;
    return appName === undefined ? {} : { name: JSON.stringify(appName) };
  }

  #appIndex(index: number): number {
    const known = this.#outputIndex.get(index);
    if (known !== undefined) return known;
    const next = this.#renumber ? Math.max(this.#earlier.length - 1, ...this.#outputIndex.values()) + 1 : index;
    this.#outputIndex.set(index, next);
    return next;
  }

  /** Rewrites an event's data where there is something to change, and keeps count of the events given out. */
  #write(
    frame: Held,
    wire: EventFrame,
    changes: (scan: ObjectScan) => Readonly<Record<string, string>>,
  ): StreamOutput {
    const sequence = this.#takeSequence();
    if (!this.#renumber && wire.kind === 'item') this.#appIndex(wire.index);
    const plain = !this.#renumber && (wire.kind === 'event' || wire.kind === 'error');
    const namesMatter = this.#names.backward.size > 0;
    if (plain || (wire.kind === 'part' && !this.#renumber && !namesMatter)) return [frame.raw];
    if (parseJson(wire.data) === undefined) return [frame.raw];
    const scan = scanObject(wire.data);
    const members: Record<string, string> = { ...changes(scan) };
    if (this.#renumber && lastMember(scan, 'sequence_number') !== undefined) {
      members['sequence_number'] = String(sequence);
    }
    if (Object.keys(members).length === 0) return [frame.raw];
    return [replaceData(wire.text, applyEdits(wire.data, editMembers(wire.data, scan, members)))];
  }

  #takeSequence(): number {
    this.#nextSequence += 1;
    return this.#nextSequence - 1;
  }

  #terminal(frame: Held, wire: EventFrame, usage: readonly JsonObject[]): StreamOutput {
    return this.#write(frame, wire, (scan) => {
      const response = lastMember(scan, 'response');
      if (response === undefined) return {};
      const own = sliceSpan(wire.data, response.value);
      const inner = scanObject(own);
      const members: Record<string, string> = { ...echoPresent(inner, this.#echo) };
      const continued = this.#openedInHop !== 0 && this.#openedInHop !== this.#hop;
      if (continued && this.#responseId !== undefined) members['id'] = JSON.stringify(this.#responseId);
      const output = this.#terminalOutput(own);
      if (output !== undefined) members['output'] = output;
      if (usage.length > 1) members['usage'] = JSON.stringify(sumUsage(usage));
      const edited = applyEdits(own, editMembers(own, inner, members));
      return edited === own ? {} : { response: edited };
    });
  }

  /** `undefined` where the upstream's own `output` is what the app got. */
  #terminalOutput(response: string): string | undefined {
    const value = parseJson(response);
    const items = decodeItems(response, isJsonObject(value) ? value['output'] : undefined);
    const complete = items.length >= this.#doneItems.size;
    const kept = complete
      ? items.flatMap(({ item, text }, index) => {
          if (this.#verdicts.get(index) === 'hide') return [];
          const own = itemForApp(text, item, this.#names);
          return [this.#renumber ? (this.#doneItems.get(index) ?? own) : own];
        })
      : [...this.#doneItems].sort(([a], [b]) => a - b).map(([, text]) => text);
    const untouched =
      this.#earlier.length === 0 &&
      kept.length === items.length &&
      kept.every((text, index) => text === items[index]?.text);
    return untouched || (!complete && !this.#renumber) ? undefined : `[${[...this.#earlier, ...kept].join(',')}]`;
  }
}

function asResponsesFrame(wire: unknown): ResponsesFrame {
  // Frames come from this protocol's own decoder; the adapter's interface only hides what they hold.
  return wire as ResponsesFrame;
}

function belongsTo(wire: ResponsesFrame, index: number): boolean {
  return (wire.kind === 'item' || wire.kind === 'part') && wire.index === index;
}

function isDone(wire: Extract<EventFrame, { kind: 'item' }>): boolean {
  const body = parseJson(wire.data);
  return isJsonObject(body) && body['type'] === 'response.output_item.done';
}
