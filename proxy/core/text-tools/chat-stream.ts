import {
  applyEdits,
  editElements,
  editMembers,
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { Edit, JsonObject, ObjectScan, Span } from '../json/index.ts';
import { parseFrame, replaceData } from '../sse/index.ts';
import type { AnswerEvent, AnswerReader, CallDesk, NativeCall } from './answer-reader.ts';
import { encodeChatCall, finishChange } from './chat-response.ts';
import { FrameStream } from './frame-stream.ts';
import { memberText } from './request-edits.ts';
import type { TextStream } from './text-stream.ts';

interface Choice {
  readonly reader: AnswerReader;
  /** The last chunk with text, as JSON text: what we say ourselves is said in its form. */
  template: string;
  hasCalled: boolean;
  nextCall: number;
  /** Indexes of the upstream's own calls, as they go on: ours may have taken them. */
  readonly nativeCalls: Map<number, number>;
}

interface Frame {
  readonly raw: Uint8Array;
  readonly text: string;
  readonly data: string;
}

const encoder = new TextEncoder();

/** The event stream of `POST /v1/chat/completions` with its written calls as `tool_calls` deltas. */
export function createChatStream(desk: CallDesk): TextStream {
  const stream = new ChatStream(desk);
  return new FrameStream({ frame: (raw, text) => stream.frame(raw, text), end: () => stream.end() });
}

class ChatStream {
  readonly #desk: CallDesk;
  readonly #choices = new Map<number, Choice>();

  constructor(desk: CallDesk) {
    this.#desk = desk;
  }

  frame(raw: Uint8Array, text: string): Uint8Array[] {
    const { data } = parseFrame(text);
    if (data === undefined || !this.#desk.isOpen) return [raw];
    // What is held goes out before the stream says that it is over, whether a choice said so or not.
    if (data.trim() === '[DONE]') return [...this.end(), raw];
    const chunk = parseJson(data);
    if (!isJsonObject(chunk) || !isJsonArray(chunk['choices'])) return [raw];
    return this.#chunk({ raw, text, data }, chunk['choices']);
  }

  /** Nothing more comes: what was held is said. */
  end(): Uint8Array[] {
    return [...this.#choices].flatMap(([index, choice]) =>
      choice.reader.end().flatMap((event) => this.#say(index, choice, event)),
    );
  }

  #chunk(frame: Frame, values: readonly unknown[]): Uint8Array[] {
    const scan = scanObject(frame.data);
    const member = lastMember(scan, 'choices');
    if (member === undefined) return [frame.raw];
    const { elements, span } = scanArray(frame.data, member.value.start);
    const before: Uint8Array[] = [];
    const edits: Edit[] = [];
    const emptied: boolean[] = [];
    values.forEach((value, place) => {
      const element = elements[place];
      if (element === undefined || !isJsonObject(value)) return;
      const said = this.#choice(frame, element, value);
      before.push(...said.before);
      edits.push(...said.edits);
      emptied[place] = said.isEmpty;
    });
    const gone = elements.map((_, place) => emptied[place] === true);
    if (elements.length > 0 && gone.every(Boolean) && !hasUsage(frame.data, scan)) return before;
    if (gone.some(Boolean)) {
      const left = edits.filter(
        ({ start }) => !elements.some((at, place) => gone[place] && start >= at.start && start < at.end),
      );
      const removals = editElements(
        frame.data,
        { elements, span },
        gone.map((is) => (is ? null : undefined)),
      );
      return [...before, edited(frame, [...left, ...removals])];
    }
    return [...before, edits.length === 0 ? frame.raw : edited(frame, edits)];
  }

  #choice(frame: Frame, element: Span, value: JsonObject): ChoiceChanges {
    const index = typeof value['index'] === 'number' ? value['index'] : 0;
    const choice = this.#open(index);
    const scan = scanObject(frame.data, element.start);
    const member = lastMember(scan, 'delta');
    const delta = value['delta'];
    const deltaScan =
      isJsonObject(delta) && member !== undefined ? scanObject(frame.data, member.value.start) : undefined;
    const content = isJsonObject(delta) ? delta['content'] : undefined;
    const given = typeof content === 'string' ? content : '';
    const ends = isFinish(value['finish_reason']);
    if (given !== '') choice.template = frame.data;
    else if (choice.template === '') choice.template = frame.data;
    const events = [...(given === '' ? [] : choice.reader.push(given)), ...(ends ? choice.reader.end() : [])];
    const native =
      deltaScan === undefined || !isJsonObject(delta) ? [] : this.#nativeCalls(choice, frame.data, deltaScan);
    const text =
      events.length === 0
        ? ''
        : events.length === 1 && events[0]?.kind === 'text'
          ? events[0].text
          : undefined;
    const isPlain = text !== undefined && (!ends || text === given);
    const said = isPlain ? [] : events.flatMap((event) => this.#say(index, choice, event));
    // Who speaks is said before anything is.
    const role =
      said.length > 0 && deltaScan !== undefined ? memberText(frame.data, deltaScan, 'role') : undefined;
    const before = role === undefined ? said : [chunkOf(choice.template, index, `{"role":${role}}`), ...said];
    const rest = isPlain ? text : '';
    const isEmpty =
      given !== '' &&
      rest === '' &&
      !ends &&
      isJsonObject(delta) &&
      saysNothingElse(delta, role !== undefined);
    const changes = {
      ...(given === rest ? {} : { content: JSON.stringify(rest) }),
      ...(role === undefined ? {} : { role: null }),
    };
    const edits = [
      ...native,
      ...(deltaScan === undefined ? [] : editMembers(frame.data, deltaScan, changes)),
      ...(ends && choice.hasCalled
        ? editMembers(frame.data, scan, finishChange(value['finish_reason']))
        : []),
    ];
    return { before, edits, isEmpty };
  }

  #open(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice: Choice = {
      reader: this.#desk.openReader({ calls: 0 }),
      template: '',
      hasCalled: false,
      nextCall: 0,
      nativeCalls: new Map(),
    };
    this.#choices.set(index, choice);
    return choice;
  }

  /** The upstream's own calls pass beside ours, under an index that ours do not have. */
  #nativeCalls(choice: Choice, data: string, deltaScan: ObjectScan): Edit[] {
    const member = lastMember(deltaScan, 'tool_calls');
    const calls = member === undefined ? undefined : parseJson(sliceSpan(data, member.value));
    if (member === undefined || !isJsonArray(calls)) return [];
    const { elements } = scanArray(data, member.value.start);
    return calls.flatMap((call, place) => {
      const element = elements[place];
      if (!isJsonObject(call) || element === undefined) return [];
      const given = typeof call['index'] === 'number' ? call['index'] : place;
      const index = choice.nativeCalls.get(given) ?? Math.max(given, choice.hasCalled ? choice.nextCall : 0);
      choice.nativeCalls.set(given, index);
      choice.nextCall = Math.max(choice.nextCall, index + 1);
      return index === given
        ? []
        : editMembers(data, scanObject(data, element.start), { index: String(index) });
    });
  }

  #say(index: number, choice: Choice, event: AnswerEvent): Uint8Array[] {
    if (event.kind === 'text') {
      return [chunkOf(choice.template, index, `{"content":${JSON.stringify(event.text)}}`)];
    }
    const place = choice.nextCall;
    choice.nextCall += 1;
    choice.hasCalled = true;
    const opening = `{"tool_calls":[${encodeChatCall(event.call, { index: place })}]}`;
    const content = `{"tool_calls":[${contentDelta(event.call, place)}]}`;
    return [opening, content].map((delta) => chunkOf(choice.template, index, delta));
  }
}

interface ChoiceChanges {
  readonly before: readonly Uint8Array[];
  readonly edits: readonly Edit[];
  /** Nothing of it is left to be said. */
  readonly isEmpty: boolean;
}

function contentDelta(call: NativeCall, index: number): string {
  return JSON.stringify(
    call.kind === 'custom'
      ? { index, custom: { input: call.content } }
      : { index, function: { arguments: call.content } },
  );
}

/** Some servers send an empty one until there is one. */
function isFinish(reason: unknown): boolean {
  return reason != null && reason !== '';
}

/** True for a delta that has nothing but text, or a role that was said before. */
function saysNothingElse(delta: JsonObject, isRoleSaid: boolean): boolean {
  return Object.entries(delta).every(
    ([key, value]) => key === 'content' || (key === 'role' && isRoleSaid) || value === null,
  );
}

function hasUsage(data: string, scan: ObjectScan): boolean {
  const usage = memberText(data, scan, 'usage');
  return usage !== undefined && usage !== 'null';
}

function edited(frame: Frame, edits: readonly Edit[]): Uint8Array {
  return encoder.encode(replaceData(frame.text, applyEdits(frame.data, edits)));
}

/** What a chunk says of itself, but nothing that is told once: a count of tokens is of the chunk that had it. */
const OF_EVERY_CHUNK: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'provider',
]);

function chunkOf(template: string, index: number, delta: string): Uint8Array {
  const scan = scanObject(template === '' ? '{}' : template);
  const kept = scan.members
    .filter(({ key }) => OF_EVERY_CHUNK.has(key))
    .map((member) => template.slice(member.keyStart, member.value.end));
  const choice = `"choices":[{"index":${String(index)},"delta":${delta},"finish_reason":null}]`;
  return encoder.encode(`data: {${[...kept, choice].join(',')}}\n\n`);
}
