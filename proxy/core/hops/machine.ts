import type { AnswerItem, AnswerStatus } from '../turn/index.ts';
import type { FallbackReason } from './fallback-reason.ts';
import type { Hop } from './hop.ts';
import { NextHop } from './next-hop.ts';
import type { EndedHop, EndedItem, HopContext, Next } from './next-hop.ts';
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

type CallItem = Extract<AnswerItem, { kind: 'call' }>;

interface ItemState {
  item: AnswerItem;
  /** The item's own text once it is whole. */
  text: string | undefined;
  verdict: Verdict;
}

/**
 * The hop machine: it is told what the upstream answers, item by item, and says what the app gets to see and which hop
 * comes next. It knows neither protocol nor stream, and does no work of its own.
 */
export class HopMachine {
  readonly #context: HopContext;
  readonly #next: NextHop;
  #items = new Map<number, ItemState>();
  /** Real calls of earlier hops that the app gets; hop 2 does not know of them and may make them again. */
  readonly #keptCalls: CallItem[] = [];

  constructor(context: HopContext) {
    this.#context = context;
    this.#next = new NextHop(context);
  }

  /** The hop that is to be run, or is running. */
  get hop(): Hop {
    return this.#next.hop;
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
    const next = status === 'completed' ? this.#next.after(this.#ended()) : answered;
    const verdicts = this.#settleHeld(next);
    if (next.kind === 'hop') this.#begin();
    return { next, verdicts };
  }

  /** The upstream refused a hop that only we asked for: everything is shown instead. */
  fallBack(reason: FallbackReason): Hop {
    this.#begin();
    return this.#next.fallBack(reason);
  }

  #begin(): void {
    for (const { item, verdict } of this.#items.values()) {
      if (item.kind === 'call' && verdict === 'show') this.#keptCalls.push(item);
    }
    this.#items = new Map();
  }

  #judge(item: AnswerItem): Verdict {
    switch (item.kind) {
      case 'reasoning':
        return this.#anyShown() || !this.#mayStayInside() ? 'show' : 'hold';
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
    const { plan, rejectionOf } = this.#context;
    const mayStayInside = this.#isRolledUp() || plan.skillTool !== undefined;
    // Some servers name a call only when it is whole.
    if (item.name === '' && mayStayInside) return 'hold';
    if (item.key === plan.skillTool?.definition.name || this.#asksForSkill()) return 'hide';
    if (rejectionOf?.(item.callId) !== undefined) return 'hide';
    if (item.key === plan.metaTool?.definition.name) return 'hide';
    if (!this.#isRolledUp() || this.hop.tools === 'all' || this.#isShown(item)) {
      return this.#keptCalls.some((kept) => kept.key === item.key) ? 'hold' : 'show';
    }
    if (plan.menu.has(item.key)) return plan.ruleSet.selection.acceptUnseenCalls ? 'hold' : 'hide';
    return 'hide';
  }

  /** A call is held when it has no name yet, may repeat one that an earlier hop kept, or when its arguments decide. */
  #judgeHeld(item: CallItem): Verdict {
    if (!this.#isRolledUp() || this.hop.tools === 'all' || this.#isShown(item)) {
      const repeated = this.#keptCalls.some(
        (kept) => kept.key === item.key && kept.arguments === item.arguments,
      );
      return repeated ? 'hide' : 'show';
    }
    return this.#context.isValidCall(item.key, item.arguments) ? 'show' : 'hide';
  }

  /** What is called beside a skill was decided before it was read, and will be decided again. */
  #asksForSkill(): boolean {
    const name = this.#context.plan.skillTool?.definition.name;
    if (name === undefined) return false;
    const calls = [...this.#items.values()].flatMap(({ item }) => (item.kind === 'call' ? [item] : []));
    return calls.find(({ key }) => key !== '')?.key === name;
  }

  /**
   * Thinking is passed on live once the menu is gone, or a skill is loaded: what follows then is the answer, but for rare
   * second picks. Before, it waits for what it leads to: without the call that it led to it could not be sent back.
   */
  #mayStayInside(): boolean {
    return this.hop.tools === 'menu' || (this.hop.skillTool === 'offered' && this.hop.skills.length === 0);
  }

  #isRolledUp(): boolean {
    return this.#context.plan.kind === 'two_hop';
  }

  #isShown(item: CallItem): boolean {
    const { plan } = this.#context;
    if (plan.menu.has(item.key)) return this.hop.revealed.has(item.key);
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

  #ended(): EndedHop {
    const items = [...this.#items].map(([index, { item, text, verdict }]): [number, EndedItem] => [
      index,
      { item, text, isShown: verdict === 'show' },
    ]);
    const hidden = this.#hiddenCalls().filter(({ item }) => !this.#repeatsKept(item));
    return { items: new Map(items), hidden };
  }

  #repeatsKept(item: CallItem): boolean {
    return this.#isShown(item) && this.#keptCalls.some((kept) => kept.key === item.key);
  }
}

const answered: Next = { kind: 'answer' };
