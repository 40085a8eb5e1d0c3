import { isJsonObject, lastMember, scanArray, scanObject, sliceSpan } from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';
import type { Signal } from '../adapter.ts';
import { scanChoices, scanInChoice } from './decode-response.ts';
import { callList, isNothing, isReplayed, itemOfMember, MESSAGE, REASONING } from './items.ts';
import type { ChunkCall } from './stream-frame.ts';
import { StreamedCalls } from './streamed-calls.ts';
import type { StreamedCall } from './streamed-calls.ts';
import { StreamedMembers } from './streamed-members.ts';

/** The first choice's delta in a chunk, and how to find its text. */
export interface PlacedDelta {
  readonly delta: JsonObject;
  readonly data: string;
  /** Where among `choices` the choice stands. */
  readonly main: number;
}

/** What a delta brought. */
export interface TakenDelta {
  readonly items: readonly number[];
  readonly calls: readonly ChunkCall[];
  readonly signals: readonly Signal[];
  /** True if a call began with it. */
  readonly begins: boolean;
  /** The only string that it brought, if it brought nothing else. */
  readonly words: { readonly item: number; readonly key: string } | undefined;
}

/** The items of one hop as its deltas add up to them. */
export class StreamedHop {
  readonly #members = new Map<number, StreamedMembers>();
  readonly #calls = new StreamedCalls();
  readonly #open = new Set<number>();
  readonly #closed = new Set<number>();

  take(placed: PlacedDelta): TakenDelta {
    const scanned = new ScannedDelta(placed);
    const members = this.#takeMembers(placed.delta, scanned);
    const before = this.#calls.all.length;
    const calls = this.#takeCalls(placed.delta, scanned);
    const [only, ...others] = members.strings;
    const isWords = only !== undefined && others.length === 0 && !members.hasMore && calls.calls.length === 0;
    return {
      items: [...members.items, ...new Set(calls.calls.map(({ index }) => index))],
      calls: calls.calls,
      signals: [...members.signals, ...calls.signals],
      begins: this.#calls.all.length > before,
      words: isWords ? only : undefined,
    };
  }

  /** The bytes of a member's text so far, to add to. */
  textOf(item: number, key: string): ReturnType<StreamedMembers['text']> {
    return this.#membersOf(item).text(key);
  }

  callAt(index: number): StreamedCall | undefined {
    return this.#calls.all.find((call) => call.index === index);
  }

  /** The upstream has said that there is no more of its items. */
  close(): Signal[] {
    const signals: Signal[] = [];
    for (const index of [REASONING, MESSAGE]) {
      const members = this.#members.get(index);
      if (members === undefined || !this.#open.has(index) || this.#closed.has(index)) continue;
      this.#closed.add(index);
      const kind = index === MESSAGE ? 'message' : 'reasoning';
      const text = members.toJson((key) => kind === 'reasoning' || isReplayed(key));
      signals.push({ kind: 'closed', index, item: { kind }, text });
    }
    for (const call of this.#calls.all) {
      if (this.#closed.has(call.index)) continue;
      this.#closed.add(call.index);
      signals.push({ kind: 'closed', index: call.index, item: call.item('whole'), text: call.toJson() });
    }
    return signals;
  }

  #membersOf(item: number): StreamedMembers {
    const members = this.#members.get(item) ?? new StreamedMembers();
    this.#members.set(item, members);
    return members;
  }

  #takeMembers(delta: JsonObject, scanned: ScannedDelta) {
    const items = new Set<typeof REASONING | typeof MESSAGE>();
    const strings: { item: number; key: string }[] = [];
    let hasMore = false;
    for (const [key, value] of Object.entries(delta)) {
      const item = itemOfMember(key);
      if (item === undefined || isNothing(value)) continue;
      items.add(item);
      if (typeof value === 'string') strings.push({ item, key });
      else hasMore = true;
      this.#membersOf(item).add(key, value, () => scanned.member(key));
    }
    const signals = [...items].sort().flatMap((index): Signal[] => {
      if (this.#open.has(index)) return [];
      this.#open.add(index);
      return [{ kind: 'opened', index, item: { kind: index === MESSAGE ? 'message' : 'reasoning' } }];
    });
    return { items: [...items].sort(), strings, hasMore, signals };
  }

  #takeCalls(delta: JsonObject, scanned: ScannedDelta): { calls: ChunkCall[]; signals: Signal[] } {
    const signals: Signal[] = [];
    const calls = callList(delta).flatMap((element, at): ChunkCall[] => {
      if (!isJsonObject(element)) return [];
      const call = this.#calls.find(element, at);
      call.add(element, () => scanned.call(at));
      // Some servers name a call late: until then nobody can say what it is.
      if (!call.isOpen && call.name !== '') {
        call.isOpen = true;
        signals.push({ kind: 'opened', index: call.index, item: call.item('begun') });
      }
      const { index: given } = element;
      return [
        { index: call.index, at, wireIndex: typeof given === 'number' ? given : undefined, name: call.name },
      ];
    });
    return { calls, signals };
  }
}

/** A delta's text, looked at only where it is wanted. */
class ScannedDelta {
  readonly #placed: PlacedDelta;
  #scan: ObjectScan | undefined;

  constructor(placed: PlacedDelta) {
    this.#placed = placed;
  }

  member(key: string): string {
    const member = lastMember(this.#scanned(), key);
    return member === undefined ? 'null' : sliceSpan(this.#placed.data, member.value);
  }

  call(at: number): string {
    const calls = this.member('tool_calls');
    const element = scanArray(calls).elements[at];
    return element === undefined ? '{}' : sliceSpan(calls, element);
  }

  #scanned(): ObjectScan {
    const { data, main } = this.#placed;
    const choice = scanChoices(data, scanObject(data))[main];
    this.#scan ??= choice === undefined ? undefined : scanInChoice(data, choice, 'delta');
    return this.#scan ?? { span: { start: 0, end: 0 }, members: [] };
  }
}
