import type { ItemVerdict } from '../../hops/index.ts';
import { lastMember, scanObject, sliceSpan } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import { EncodedTexts } from '../../sse/index.ts';
import type { NameMaps, StreamedHop, StreamEncoder, StreamFrame, StreamOutput } from '../adapter.ts';
import { sumUsage } from '../sum-usage.ts';
import { CallPlaces } from './call-places.ts';
import type { ChatTurn } from './decode-request.ts';
import { fittingFinish } from './finish-reason.ts';
import { ItemVerdicts } from './item-verdicts.ts';
import { renderChunk } from './render-chunk.ts';
import type { ChunkRewrite } from './render-chunk.ts';
import type { ChatChunk, ChatFrame, Framed } from './stream-frame.ts';

/** A frame that waits, or of one that has gone on the items that wait. */
interface Waiting extends Framed {
  readonly only: ReadonlySet<number> | undefined;
}

type FramedChunk = Framed<ChatChunk>;

/** What is not left of a chunk, and what of it is said otherwise. */
type Rewrite = Partial<Pick<ChunkRewrite, 'without' | 'top' | 'choice' | 'role'>>;

const NO_ITEMS: ReadonlySet<number> = new Set();

/**
 * Joins the streams of a turn's hops.
 *
 * As long as nothing was left out, chunks go on as they came, byte for byte, but for names and for token counts that the app did not
 * ask for. Once something was, they are made one stream: one id, one role, calls numbered without gaps. Why a hop ended, its token
 * counts and its `[DONE]` wait until it is known whether they end the answer.
 */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #turn: ChatTurn;
  readonly #names: NameMaps;
  readonly #encoded = new EncodedTexts();
  readonly #places = new CallPlaces();
  #verdicts = new ItemVerdicts();
  #isFlowing = false;
  /** Something was left out or has overtaken something: chunks have to be fitted together. */
  #isJoined = false;
  #waiting: Waiting[] = [];
  /** The chunks from the one that says why the hop ends. */
  #tail: FramedChunk[] = [];
  #hasFinished = false;
  #hasFailed = false;
  #isOpen = false;
  /** `id` and `created` of the app's stream, as JSON. */
  #head: Readonly<Record<string, string>> | undefined;
  #roleGiven = false;
  /** A role that stood beside something that was left out. */
  #roleOwed = false;
  #appended: string | undefined;
  /** True if earlier hops gave calls. */
  #gaveCalls = false;

  constructor(turn: ChatTurn, names: NameMaps) {
    this.#turn = turn;
    this.#names = names;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  beginHop({ mode, appended }: StreamedHop): void {
    this.#gaveCalls ||= this.#places.count > 0;
    this.#places.beginHop();
    this.#verdicts = new ItemVerdicts();
    this.#isFlowing = this.isOpen || mode === 'live';
    this.#isJoined = this.isOpen;
    this.#waiting = [];
    this.#tail = [];
    this.#hasFinished = false;
    this.#appended = appended;
  }

  push(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput {
    const wire = asChatFrame(frame.wire);
    const opens = this.#note(verdicts) || wire.kind === 'error';
    const out = opens ? this.#release() : [];
    const own = this.#take({ raw: frame.raw, wire });
    return out.length === 0 ? own : [...out, ...own];
  }

  endHop(verdicts: readonly ItemVerdict[]): StreamOutput {
    const opens = this.#note(verdicts);
    if (!opens && !this.#isFlowing) return [];
    const out = this.#release();
    return [...out, ...this.#tail.flatMap((frame) => this.#itemsOf(frame))];
  }

  finish(frame: StreamFrame, verdicts: readonly ItemVerdict[], usage: readonly JsonObject[]): StreamOutput {
    this.#note(verdicts);
    const out = this.#release();
    const sum = usage.length > 1 ? JSON.stringify(sumUsage(usage)) : undefined;
    const tail = this.#tail.flatMap((waiting) => this.#last(waiting, sum));
    return [...out, ...tail, ...(frame.raw.length === 0 ? [] : [frame.raw])];
  }

  fail({ type, code, message }: Parameters<StreamEncoder['fail']>[0]): StreamOutput {
    return [`data: ${JSON.stringify({ error: { message, type, param: null, code } })}\n\n`];
  }

  /** @returns true if something is to be shown by these verdicts */
  #note(verdicts: readonly ItemVerdict[]): boolean {
    if (verdicts.length === 0) return false;
    this.#verdicts.note(verdicts);
    if (verdicts.some(({ verdict }) => verdict === 'hide')) this.#isJoined = true;
    return verdicts.some(({ verdict }) => verdict === 'show');
  }

  /** From now on frames flow. Gives those that waited, but for items still on hold. */
  #release(): StreamOutput {
    this.#isFlowing = true;
    if (this.#waiting.length === 0) return [];
    const waited = this.#waiting;
    this.#waiting = [];
    return waited.flatMap(({ only, ...frame }) => {
      const { wire } = frame;
      if (only === undefined || wire.kind !== 'chunk') return this.#take(frame);
      return this.#emitOnly({ raw: frame.raw, wire }, only);
    });
  }

  /** Gives a frame out, or keeps it as far as it has to wait. */
  #take({ raw, wire }: Framed): StreamOutput {
    if (!this.#isFlowing) {
      this.#waiting.push({ raw, wire, only: undefined });
      return [];
    }
    switch (wire.kind) {
      case 'other':
        return [raw];
      case 'error':
        this.#hasFailed = true;
        this.#isOpen = true;
        return [raw];
      case 'done':
        // Without a reason to end the hop was cut, whatever this says; after an error nobody minds.
        return this.#hasFailed ? [raw] : [];
      case 'end':
        return [];
      case 'chunk':
        return this.#takeChunk({ raw, wire });
      default:
        return wire satisfies never;
    }
  }

  #takeChunk(frame: FramedChunk): StreamOutput {
    const { wire } = frame;
    if (!this.#isSeveral && this.#isOfEnd(wire)) {
      this.#tail.push(frame);
      return [];
    }
    return this.#isJoined || !this.#verdicts.showAll(wire) ? this.#emitItems(frame, {}) : this.#pass(frame);
  }

  /** With several choices each ends when it will, and all of it is the answer. */
  get #isSeveral(): boolean {
    return this.#turn.oneHopReason === 'several_choices';
  }

  #isOfEnd(wire: ChatChunk): boolean {
    if (wire.finish !== undefined) this.#hasFinished = true;
    return this.#hasFinished || isUsageOnly(wire);
  }

  /** Nothing was left out so far: the chunk goes on as it came. */
  #pass(frame: FramedChunk): StreamOutput {
    const { raw, wire } = frame;
    if (this.#isUnwanted(wire)) return [];
    this.#noteGiven(wire);
    if (!this.#turn.wantsUsage && wire.cut !== undefined) {
      return [raw.subarray(0, wire.cut.start), raw.subarray(wire.cut.end)];
    }
    const mayName = this.#names.backward.size > 0 && (wire.calls.length > 0 || wire.hasOthers);
    return mayName || this.#stripsUsage(wire) ? this.#render(frame, {}) : [raw];
  }

  /** What of a chunk may be shown now; what is on hold stays behind. */
  #emitItems(frame: FramedChunk, rewrite: Rewrite): StreamOutput {
    const { wire } = frame;
    const held = this.#verdicts.held(wire);
    if (held.size > 0) this.#waiting.push({ ...frame, only: held });
    const without = new Set([...held, ...this.#verdicts.hidden(wire)]);
    if (without.size > 0) this.#isJoined = true;
    return this.#emit(frame, { ...rewrite, without });
  }

  /** The items of a chunk that were on hold, and nothing else of it. */
  #emitOnly(frame: FramedChunk, only: ReadonlySet<number>): StreamOutput {
    const { wire } = frame;
    const held = new Set([...this.#verdicts.held(wire)].filter((item) => only.has(item)));
    if (held.size > 0) this.#waiting.push({ ...frame, only: held });
    const hidden = this.#verdicts.hidden(wire);
    const without = new Set(
      wire.items.filter((item) => !only.has(item) || held.has(item) || hidden.has(item)),
    );
    return without.size === wire.items.length
      ? []
      : this.#emit(frame, { ...this.#itemsAlone(wire), without });
  }

  /** The items of the chunk that ended a hop which is not the answer. */
  #itemsOf(frame: FramedChunk): StreamOutput {
    this.#isJoined = true;
    const { wire } = frame;
    return wire.items.length === 0 ? [] : this.#emitItems(frame, this.#itemsAlone(wire));
  }

  #itemsAlone(wire: ChatChunk): Rewrite {
    return {
      top: wire.usage === 'given' ? { usage: this.#turn.wantsUsage ? 'null' : null } : {},
      choice: wire.finish === undefined ? {} : { finish_reason: 'null' },
    };
  }

  /** A chunk of the answer's end. */
  #last(frame: FramedChunk, sum: string | undefined): StreamOutput {
    const { wire } = frame;
    const top = sum !== undefined && wire.usage === 'given' ? { usage: sum } : {};
    if (wire.finish === undefined) return this.#emitItems(frame, { top });
    const words = this.#endingWords(frame);
    const finish = fittingFinish(wire.finish, {
      earlier: this.#gaveCalls,
      own: this.#verdicts.hasShownCalls,
      hidden: this.#verdicts.hasHiddenCalls,
    });
    const choice = finish === undefined ? {} : { finish_reason: JSON.stringify(finish) };
    const rest = words.length > 0 ? { without: new Set(wire.items) } : {};
    return [
      ...words,
      ...(words.length > 0
        ? this.#emit(frame, { ...rest, top, choice })
        : this.#emitItems(frame, { top, choice })),
    ];
  }

  /** Words of ours, behind what the last chunk itself says. */
  #endingWords(frame: FramedChunk): StreamOutput {
    if (this.#appended === undefined) return [];
    const words = this.#appended;
    this.#appended = undefined;
    // What was one chunk is several now.
    if (frame.wire.items.length > 0 || frame.wire.hasRole) this.#isJoined = true;
    const said = frame.wire.items.length === 0 ? [] : this.#emitItems(frame, this.#itemsAlone(frame.wire));
    const bare: Rewrite = { ...this.#itemsAlone(frame.wire), without: new Set(frame.wire.items) };
    return [...said, ...this.#renderWords(frame, { ...bare, words })];
  }

  #renderWords(
    frame: FramedChunk,
    { words, ...rewrite }: Rewrite & { readonly words: string },
  ): StreamOutput {
    this.#noteGiven(frame.wire);
    return this.#render(frame, { ...rewrite, choice: { ...rewrite.choice, delta: this.#wordsDelta(words) } });
  }

  #wordsDelta(words: string): string {
    const role = this.#roleGiven ? {} : { role: 'assistant' };
    this.#roleGiven = true;
    return JSON.stringify({ ...role, content: words });
  }

  /** Gives out what is left of a chunk, fitted to what the app has had. */
  #emit(frame: FramedChunk, rewrite: Rewrite): StreamOutput {
    const { wire } = frame;
    if (this.#isUnwanted(wire)) return [];
    const without = rewrite.without ?? NO_ITEMS;
    if (wire.hasRole && !this.#roleGiven) this.#roleOwed = true;
    const saysMore = wire.items.some((item) => !without.has(item));
    const ends = wire.finish !== undefined && rewrite.choice?.['finish_reason'] !== 'null';
    const isWhole = !this.#isJoined && without.size === 0;
    const stands = isWhole || saysMore || ends || wire.hasOthers || wire.main === undefined;
    // A role alone is given out where it came alone; what else was left of its chunk is owed to the next.
    const isRole = wire.hasRole && !this.#roleGiven && without.size === 0;
    if (!stands && !isRole) return [];
    const role = this.#roleFor(wire);
    this.#noteGiven(wire, without);
    return this.#render(frame, role === undefined ? rewrite : { ...rewrite, role });
  }

  /** One delta alone has the role. */
  #roleFor(wire: ChatChunk): string | null | undefined {
    if (wire.main === undefined) return undefined;
    if (this.#roleGiven) return this.#isJoined && wire.hasRole ? null : undefined;
    if (wire.hasRole || !this.#roleOwed) return undefined;
    this.#roleGiven = true;
    return '"assistant"';
  }

  #noteGiven(wire: ChatChunk, without: ReadonlySet<number> = NO_ITEMS): void {
    this.#isOpen = true;
    if (wire.hasRole) this.#roleGiven = true;
    this.#head ??= headOf(wire);
    for (const call of wire.calls) {
      if (!without.has(call.index)) this.#places.place(call, this.#isJoined ? 'ours' : 'upstream');
    }
  }

  #render(frame: FramedChunk, { top, choice, without, role }: Rewrite): StreamOutput {
    const usage = this.#stripsUsage(frame.wire) ? { usage: null } : {};
    const head = this.#isJoined ? presentIn(frame.wire, this.#head) : {};
    const rewrite: ChunkRewrite = {
      names: this.#names,
      without: without ?? NO_ITEMS,
      top: { ...top, ...usage, ...head },
      choice: choice ?? {},
      role,
      callIndex: (call) => (this.#isJoined ? this.#places.placeOf(call) : undefined),
    };
    return renderChunk(frame, rewrite, this.#encoded);
  }

  #stripsUsage({ usage }: ChatChunk): boolean {
    return usage !== 'none' && !this.#turn.wantsUsage;
  }

  /** We ask for token counts where the app did not; the chunk that brings nothing else is not for it. */
  #isUnwanted(wire: ChatChunk): boolean {
    return !this.#turn.wantsUsage && isUsageOnly(wire);
  }
}

function isUsageOnly({ usage, main, hasOthers }: ChatChunk): boolean {
  return usage === 'given' && main === undefined && !hasOthers;
}

/** What all chunks of one stream have alike; a chunk before the first choice can have an empty id (Azure). */
function headOf({ data }: ChatChunk): Readonly<Record<string, string>> | undefined {
  const scan = scanObject(data);
  const id = lastMember(scan, 'id');
  const text = id === undefined ? '""' : sliceSpan(data, id.value);
  const created = lastMember(scan, 'created');
  if (text === '""') return undefined;
  return { id: text, ...(created === undefined ? {} : { created: sliceSpan(data, created.value) }) };
}

/** A member that the upstream does not send is not added. */
function presentIn(
  { data }: ChatChunk,
  members: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const scan = scanObject(data);
  return Object.fromEntries(
    Object.entries(members ?? {}).filter(([key]) => lastMember(scan, key) !== undefined),
  );
}

function asChatFrame(wire: unknown): ChatFrame {
  // Frames come from this protocol's own decoder; the adapter's interface only hides what they hold.
  return wire as ChatFrame;
}
