import type { ErrorCode } from '../errors.ts';
import type { Plan } from '../plan/index.ts';
import type { AnswerItem, AnswerStatus, CarriedItem } from '../turn/index.ts';
import type { FallbackReason } from './fallback-reason.ts';
import type { Hop } from './hop.ts';
import { readPicks } from './picks.ts';
import type { HiddenCall } from './picks.ts';

/**
 * What becomes of an item of the answer.
 *
 * - `show`: it is part of what the app gets
 * - `hide`: it stays inside
 * - `hold`: not known yet; it will be shown or hidden by a later verdict, at the end of the hop at the latest
 */
export type Verdict = 'show' | 'hide' | 'hold';

/** A verdict about one item of the current hop, by its index in the upstream's answer. */
export interface ItemVerdict {
  readonly index: number;
  readonly verdict: Verdict;
}

/** What follows a hop. */
export type Next =
  | { readonly kind: 'answer' }
  | { readonly kind: 'hop'; readonly hop: Hop; readonly picks: readonly string[] }
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly rounds: number };

type CallItem = Extract<AnswerItem, { kind: 'call' }>;

interface ItemState {
  item: AnswerItem;
  /** The item's own text once it is whole. */
  text: string | undefined;
  verdict: Verdict;
}

/** What the machine is told about the turn. */
export interface HopContext {
  readonly plan: Plan;
  readonly parallelToolCalls: boolean;
  /** True if arguments satisfy the schema of a rolled-up tool; asked only with `acceptUnseenCalls`. */
  readonly isValidCall: (key: string, argumentsText: string) => boolean;
}

/**
 * The hop machine: it is told what the upstream answers, item by item, and says what the app gets to see and which hop
 * comes next. It knows neither protocol nor stream, and does no work of its own.
 */
export class HopMachine {
  readonly #context: HopContext;
  #hop: Hop;
  #items = new Map<number, ItemState>();
  #menuHops: number;
  #reveals = 0;
  /** Real calls of earlier hops that the app gets; hop 2 does not know of them and may make them again. */
  readonly #keptCalls: CallItem[] = [];

  constructor(context: HopContext) {
    this.#context = context;
    const menuShown = context.plan.metaTool !== undefined;
    this.#menuHops = menuShown ? 1 : 0;
    this.#hop = { kind: menuShown ? 'select' : 'answer', revealed: context.plan.revealed, carried: [] };
  }

  /** The hop that is to be run, or is running. */
  get hop(): Hop {
    return this.#hop;
  }

  /** An item has begun. The verdict may release items that were held before it. */
  open(index: number, item: AnswerItem): ItemVerdict[] {
    const verdict = this.#judge(item);
    this.#items.set(index, { item, text: undefined, verdict });
    const released = verdict === 'show' ? this.#releaseReasoning() : [];
    return [...released, { index, verdict }];
  }

  /** An item is whole; `text` is its own text on the wire. */
  close(index: number, item: AnswerItem, text: string): ItemVerdict[] {
    const state = this.#items.get(index);
    if (state === undefined) {
      const opened = this.open(index, item);
      return [...opened.filter((verdict) => verdict.index !== index), ...this.close(index, item, text)];
    }
    state.item = item;
    state.text = text;
    if (state.verdict === 'hold' && item.kind === 'call') {
      const verdict = this.#judgeCall(item);
      state.verdict = verdict === 'hold' ? this.#judgeHeld(item) : verdict;
    }
    const released = state.verdict === 'show' ? this.#releaseReasoning() : [];
    return [...released, { index, verdict: state.verdict }];
  }

  /** The hop has ended: what comes next, and the last verdicts of items still held. */
  end(status: AnswerStatus): { readonly next: Next; readonly verdicts: readonly ItemVerdict[] } {
    const next = this.#decide(status);
    const verdicts = this.#settleHeld(next);
    if (next.kind === 'hop') this.#begin(next.hop);
    return { next, verdicts };
  }

  /** The upstream refused a hop that only we asked for: everything is shown instead. */
  fallBack(reason: FallbackReason): Hop {
    this.#begin({ kind: 'fallback', revealed: new Set(), carried: [], fallback: reason });
    return this.#hop;
  }

  #begin(hop: Hop): void {
    for (const { item, verdict } of this.#items.values()) {
      if (item.kind === 'call' && verdict === 'show') this.#keptCalls.push(item);
    }
    this.#hop = hop;
    this.#items = new Map();
  }

  #judge(item: AnswerItem): Verdict {
    switch (item.kind) {
      case 'reasoning':
        return this.#anyShown() || !this.#mayBeAPick() ? 'show' : 'hold';
      case 'message':
        return this.#hiddenCalls().length > 0 ? 'hide' : 'show';
      case 'other':
        return 'show';
      case 'call':
        return this.#judgeCall(item);
      default:
        return item satisfies never;
    }
  }

  #judgeCall(item: CallItem): Verdict {
    const { plan } = this.#context;
    if (!this.#isRolledUp()) return 'show';
    // Some servers name a call only when it is whole.
    if (item.name === '') return 'hold';
    if (item.key === plan.metaTool?.definition.name) return 'hide';
    if (this.#hop.kind === 'fallback' || this.#isShown(item)) {
      return this.#keptCalls.some((kept) => kept.key === item.key) ? 'hold' : 'show';
    }
    if (plan.menu.has(item.key)) return plan.ruleSet.selection.acceptUnseenCalls ? 'hold' : 'hide';
    return 'hide';
  }

  /** A call is held when it has no name yet, may repeat one that an earlier hop kept, or when its arguments decide. */
  #judgeHeld(item: CallItem): Verdict {
    if (this.#hop.kind === 'fallback' || this.#isShown(item)) {
      const repeated = this.#keptCalls.some(
        (kept) => kept.key === item.key && kept.arguments === item.arguments,
      );
      return repeated ? 'hide' : 'show';
    }
    return this.#context.isValidCall(item.key, item.arguments) ? 'show' : 'hide';
  }

  /** Thinking is passed on live once the menu is gone: what follows then is the answer, but for rare second picks. */
  #mayBeAPick(): boolean {
    return this.#hop.kind === 'select' || this.#hop.kind === 'reselect';
  }

  #isRolledUp(): boolean {
    return this.#context.plan.kind === 'two_hop';
  }

  #isShown(item: CallItem): boolean {
    const { plan } = this.#context;
    if (plan.menu.has(item.key)) return this.#hop.revealed.has(item.key);
    if (plan.excluded.has(item.key)) return false;
    return plan.applied.tools.some((tool) => tool.key === item.key);
  }

  /** A call without its reasoning cannot be replayed, so what is shown takes the reasoning before it along. */
  #releaseReasoning(): ItemVerdict[] {
    const released: ItemVerdict[] = [];
    for (const [index, state] of this.#items) {
      if (state.verdict !== 'hold' || state.item.kind !== 'reasoning') continue;
      state.verdict = 'show';
      released.push({ index, verdict: 'show' });
    }
    return released;
  }

  #settleHeld(next: Next): ItemVerdict[] {
    const settled: ItemVerdict[] = [];
    for (const [index, state] of this.#items) {
      if (state.verdict !== 'hold') continue;
      // A call cut off in the middle is no answer; reasoning is, where it is all there is.
      state.verdict = next.kind === 'answer' && state.item.kind === 'reasoning' ? 'show' : 'hide';
      settled.push({ index, verdict: state.verdict });
    }
    return settled;
  }

  #anyShown(): boolean {
    return [...this.#items.values()].some((state) => state.verdict === 'show');
  }

  #hiddenCalls(): HiddenCall[] {
    return [...this.#items].flatMap(([index, { item, verdict }]) =>
      item.kind === 'call' && verdict === 'hide' ? [{ index, item }] : [],
    );
  }

  #decide(status: AnswerStatus): Next {
    const hidden = this.#hiddenCalls().filter(({ item }) => !this.#repeatsKept(item));
    if (hidden.length === 0 || status !== 'completed') return { kind: 'answer' };
    const { plan, parallelToolCalls } = this.#context;
    const shownCall = [...this.#items.values()].some(
      ({ item, verdict }) => item.kind === 'call' && verdict === 'show',
    );
    if (shownCall && !parallelToolCalls) return { kind: 'answer' };
    if (this.#hop.kind === 'fallback') {
      return this.#anyShown() ? { kind: 'answer' } : this.#refuse();
    }
    const picks = readPicks(hidden, plan);
    if (picks.keys.length > 0) return this.#reveal(picks.keys);
    if (!picks.askedForMenu) return this.#fallBackTo('unknown_call');
    if (this.#menuHops >= plan.ruleSet.selection.maxRounds) return this.#exhausted('rounds_exhausted');
    this.#menuHops += 1;
    return this.#hopTo({
      kind: 'reselect',
      revealed: this.#hop.revealed,
      carried: [...this.#hop.carried, ...this.#carry(picks.answers)],
    });
  }

  #repeatsKept(item: CallItem): boolean {
    return this.#isShown(item) && this.#keptCalls.some((kept) => kept.key === item.key);
  }

  #reveal(keys: readonly string[]): Next {
    const { selection } = this.#context.plan.ruleSet;
    const fresh = keys.filter((key) => !this.#hop.revealed.has(key));
    if (fresh.length === 0) return this.#exhausted('picked_again');
    if (this.#reveals >= selection.maxRounds) return this.#exhausted('rounds_exhausted');
    this.#reveals += 1;
    const shown = `The tools are shown to you now: ${fresh.join(', ')}. Call what you need, several times if need be.`;
    const answers = new Map(this.#hiddenCalls().map(({ index }) => [index, shown]));
    const carried = selection.carry === 'picks' ? [...this.#hop.carried, ...this.#carry(answers)] : [];
    const revealed = new Set([...this.#hop.revealed, ...fresh]);
    return this.#hopTo({ kind: 'answer', revealed, carried }, fresh);
  }

  #hopTo(hop: Hop, picks: readonly string[] = []): Next {
    return { kind: 'hop', hop, picks };
  }

  #fallBackTo(fallback: FallbackReason): Next {
    return this.#hopTo({ kind: 'fallback', revealed: new Set(), carried: [], fallback });
  }

  #exhausted(reason: FallbackReason): Next {
    return this.#context.plan.ruleSet.selection.onExhausted === 'direct'
      ? this.#fallBackTo(reason)
      : this.#refuse();
  }

  #refuse(): Next {
    return { kind: 'refuse', code: 'selection_exhausted', rounds: this.#menuHops };
  }

  /** The hop's own items, unmodified and in order, then an output for each call: a call without one is refused. */
  #carry(answers: ReadonlyMap<number, string>): CarriedItem[] {
    const ordered = [...this.#items].sort(([a], [b]) => a - b);
    const items = ordered.flatMap(([, { text }]): CarriedItem[] =>
      text === undefined ? [] : [{ kind: 'item', text }],
    );
    const outputs = ordered.flatMap(([index, { item }]): CarriedItem[] => {
      if (item.kind !== 'call') return [];
      const text = answers.get(index) ?? 'The app takes care of this call.';
      return [{ kind: 'output', callId: item.callId, custom: item.custom, text }];
    });
    return [...items, ...outputs];
  }
}
