import { scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { AnswerItem } from '../../turn/index.ts';
import { argumentsText, callItem, FIRST_CALL } from './items.ts';
import { readNest } from './names.ts';
import type { NestedKind } from './names.ts';
import { StringBytes } from './string-bytes.ts';

/** Members of a call's deltas that are put together here; others (a signature of its thought, say) are kept as they came. */
const KNOWN: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'custom']);

/** A call that comes in deltas. */
export class StreamedCall {
  /** The index of its item in the hop. */
  readonly index: number;
  readonly args = new StringBytes();
  isOpen = false;
  #id = '';
  #name = '';
  #kind: NestedKind | undefined;
  readonly #others = new Map<string, string>();

  constructor(index: number) {
    this.index = index;
  }

  get id(): string {
    return this.#id;
  }

  get name(): string {
    return this.#name;
  }

  get hasArguments(): boolean {
    return !this.args.isEmpty;
  }

  /** Takes a delta in. Servers that repeat the id or the name in each delta mean the first. */
  add(delta: JsonObject, deltaText: () => string): void {
    const named = readNest(delta);
    if (this.#id === '') this.#id = stringField(delta, 'id') ?? '';
    if (this.#name === '') this.#name = named?.name ?? '';
    this.#kind ??= named?.kind;
    if (named !== undefined) {
      const args = named.nest[named.kind === 'custom' ? 'input' : 'arguments'];
      this.args.addText(argumentsText(args));
    }
    if (Object.keys(delta).every((key) => KNOWN.has(key))) return;
    const text = deltaText();
    for (const { key, value } of scanObject(text).members) {
      if (!KNOWN.has(key)) this.#others.set(key, sliceSpan(text, value));
    }
  }

  /** The call as far as it is known. */
  item(which: 'begun' | 'whole'): AnswerItem {
    if (this.#kind === undefined) return { kind: 'other' };
    return callItem({
      name: this.#name,
      arguments: which === 'begun' ? '' : this.args.toText(),
      callId: this.#id,
      custom: this.#kind === 'custom',
    });
  }

  /** The element of `tool_calls` that its deltas add up to. */
  toJson(): string {
    const kind = this.#kind ?? 'function';
    const text = kind === 'custom' ? 'input' : 'arguments';
    const others = [...this.#others].map(([key, value]) => `,${JSON.stringify(key)}:${value}`);
    return (
      `{"id":${JSON.stringify(this.#id)},"type":"${kind}",` +
      `"${kind}":{"name":${JSON.stringify(this.#name)},"${text}":${this.args.toJson()}}${others.join('')}}`
    );
  }
}

/**
 * Finds out which call a delta means. OpenAI says it by `index`; some servers leave that out and name the call by its id, some give
 * each call index 0, and some give neither and send each call whole.
 */
export class StreamedCalls {
  readonly #byWireIndex = new Map<number, StreamedCall>();
  readonly #byId = new Map<string, StreamedCall>();
  readonly #taken = new Map<number, StreamedCall>();
  #last: StreamedCall | undefined;

  /** All calls, in their order. */
  get all(): readonly StreamedCall[] {
    return [...this.#taken.values()].sort((a, b) => a.index - b.index);
  }

  /** The call that a delta belongs to; a new one, if it begins one. */
  find(delta: JsonObject, position: number): StreamedCall {
    const given = wholeNumber(delta['index']);
    const id = stringField(delta, 'id') ?? '';
    const name = readNest(delta)?.name ?? '';
    const known =
      given === undefined ? this.#withoutIndex({ id, name }, position) : this.#withIndex(given, { id, name });
    const call = known ?? this.#begin(given);
    if (given !== undefined) this.#byWireIndex.set(given, call);
    if (id !== '') this.#byId.set(id, call);
    this.#last = call;
    return call;
  }

  #withIndex(given: number, { id, name }: Told): StreamedCall | undefined {
    const known = this.#byWireIndex.get(given);
    const isOther = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    return isOther ? this.#byId.get(id) : known;
  }

  #withoutIndex({ id, name }: Told, position: number): StreamedCall | undefined {
    if (id !== '') return this.#byId.get(id);
    const known = position === 0 ? this.#last : this.all[position];
    // A name after arguments begins another call.
    return known !== undefined && name !== '' && known.hasArguments ? undefined : known;
  }

  #begin(given: number | undefined): StreamedCall {
    const next = Math.max(-1, ...[...this.#taken.keys()]) + 1;
    const place = given === undefined || this.#taken.has(given) ? next : given;
    const call = new StreamedCall(FIRST_CALL + place);
    this.#taken.set(place, call);
    return call;
  }
}

interface Told {
  readonly id: string;
  readonly name: string;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
