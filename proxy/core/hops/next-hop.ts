import type { ErrorCode } from '../errors.ts';
import type { Plan } from '../plan/index.ts';
import type { AnswerItem, CarriedItem } from '../turn/index.ts';
import type { FallbackReason } from './fallback-reason.ts';
import type { Hop } from './hop.ts';
import { readPicks } from './picks.ts';
import type { HiddenCall, Picks } from './picks.ts';
import { readSkillCalls } from './skill-calls.ts';
import type { SkillCalls } from './skill-calls.ts';

/** What follows a hop. */
export type Next =
  | { readonly kind: 'answer' }
  | { readonly kind: 'hop'; readonly hop: Hop; readonly picks: readonly string[] }
  | { readonly kind: 'refuse'; readonly code: ErrorCode; readonly rounds: number };

/** What the machine is told about the turn. */
export interface HopContext {
  readonly plan: Plan;
  readonly parallelToolCalls: boolean;
  /** True if arguments satisfy the schema of a rolled-up tool; asked only with `acceptUnseenCalls`. */
  readonly isValidCall: (key: string, argumentsText: string) => boolean;
  /** Why a call that was written as text cannot run, in words for the model; absent where calls are native. */
  readonly rejectionOf?: (callId: string) => string | undefined;
}

/** An item of a hop that is over. */
export interface EndedItem {
  readonly item: AnswerItem;
  /** Its own text, where it is whole. */
  readonly text: string | undefined;
  readonly isShown: boolean;
}

/** A hop that is over. */
export interface EndedHop {
  readonly items: ReadonlyMap<number, EndedItem>;
  /** The calls that stay inside and are to be acted on. */
  readonly hidden: readonly HiddenCall[];
}

/** Decides which hop follows which, and sees to it that there is an end. */
export class NextHop {
  readonly #context: HopContext;
  #hop: Hop;
  #menuHops: number;
  #reveals = 0;
  #skillHops = 0;
  #attempts = 1;

  constructor(context: HopContext) {
    this.#context = context;
    const { plan } = context;
    const menuShown = plan.metaTool !== undefined;
    this.#menuHops = menuShown ? 1 : 0;
    this.#hop = {
      kind: menuShown ? 'select' : 'answer',
      tools: menuShown ? 'menu' : 'revealed',
      revealed: plan.revealed,
      carried: [],
      skills: [],
      skillTool: plan.skillTool === undefined ? 'withdrawn' : 'offered',
      attempt: this.#maxRounds <= 1 ? 'last' : 'more_follow',
    };
  }

  /** The hop that is to be run, or is running. */
  get hop(): Hop {
    return this.#hop;
  }

  get #maxRounds(): number {
    return this.#context.plan.ruleSet.selection.maxRounds;
  }

  /** What follows a hop that has ended well. */
  after(ended: EndedHop): Next {
    const next = this.#decide(ended);
    if (next.kind === 'hop') this.#hop = next.hop;
    return next;
  }

  /** Everything is shown from here on. */
  fallBack(fallback: FallbackReason): Hop {
    this.#hop = this.#fallbackHop(fallback);
    return this.#hop;
  }

  #decide(ended: EndedHop): Next {
    const { plan, parallelToolCalls } = this.#context;
    const skills = readSkillCalls(ended, plan, this.#hop.skills);
    const hidden = ended.hidden.filter(({ index }) => !skills.ignored.has(index));
    const showsCall = [...ended.items.values()].some(({ item, isShown }) => isShown && item.kind === 'call');
    if (hidden.length === 0 || (showsCall && !parallelToolCalls)) return { kind: 'answer' };
    const rejections = this.#rejectionsOf(hidden);
    if (rejections.size > 0) return this.#retry(ended, rejections);
    const picks = readPicks(hidden, plan);
    // One that asks although nothing is offered any more would go on asking.
    if (skills.isAsked && this.#hop.skillTool === 'offered') return this.#followSkills(ended, skills, picks);
    if (this.#hop.tools === 'all' || plan.kind === 'direct') {
      return [...ended.items.values()].some(({ isShown }) => isShown) ? { kind: 'answer' } : this.#refuse();
    }
    return this.#followPicks(ended, picks);
  }

  #followPicks(ended: EndedHop, picks: Picks): Next {
    if (picks.keys.length > 0) return this.#reveal(ended, picks.keys);
    if (!picks.askedForMenu) return this.#hopTo(this.#fallbackHop('unknown_call'));
    if (this.#menuHops >= this.#maxRounds) return this.#exhausted('rounds_exhausted');
    this.#menuHops += 1;
    const carried = [...this.#hop.carried, ...carry(ended, picks.answers)];
    return this.#hopTo({ ...this.#hop, kind: 'reselect', carried });
  }

  #reveal(ended: EndedHop, keys: readonly string[]): Next {
    const fresh = keys.filter((key) => !this.#hop.revealed.has(key));
    if (fresh.length === 0) return this.#exhausted('picked_again');
    if (this.#reveals >= this.#maxRounds) return this.#exhausted('rounds_exhausted');
    this.#reveals += 1;
    const shown = `The tools are shown to you now: ${fresh.join(', ')}. Call what you need, several times if need be.`;
    const answers = new Map(ended.hidden.map(({ index }) => [index, shown]));
    const carriesPicks = this.#context.plan.ruleSet.selection.carry === 'picks';
    const carried = carriesPicks ? [...this.#hop.carried, ...carry(ended, answers)] : [];
    const revealed = new Set([...this.#hop.revealed, ...fresh]);
    return this.#hopTo({ ...this.#hop, kind: 'answer', tools: 'revealed', revealed, carried }, fresh);
  }

  /** Picks beside skills are followed in the same hop. */
  #followSkills(ended: EndedHop, { names, answers }: SkillCalls, picks: Picks): Next {
    const picked = picks.keys.filter((key) => !this.#hop.revealed.has(key));
    const base: Hop = {
      ...this.#hop,
      kind: 'skill',
      tools: picked.length > 0 ? 'revealed' : this.#hop.tools,
      revealed: new Set([...this.#hop.revealed, ...picked]),
    };
    const fresh = names.filter((name) => !this.#hop.skills.includes(name));
    const mayGoOn = this.#skillHops < this.#maxRounds;
    this.#skillHops += 1;
    if (mayGoOn && fresh.length > 0) {
      return this.#hopTo({ ...base, skills: [...base.skills, ...fresh] }, picked);
    }
    if (mayGoOn && answers.size > 0) {
      return this.#hopTo({ ...base, carried: [...base.carried, ...carry(ended, answers)] }, picked);
    }
    // It asks for what it has, or for what there is not, again and again.
    return this.#hopTo({ ...base, skillTool: 'withdrawn' }, picked);
  }

  /** A call of a tool that was only named is a pick, in whatever form it came. */
  #rejectionsOf(hidden: readonly HiddenCall[]): ReadonlyMap<number, string> {
    const rejections = new Map<number, string>();
    for (const { index, item } of hidden) {
      if (this.#context.plan.menu.has(item.key) && !this.#hop.revealed.has(item.key)) continue;
      const rejection = this.#context.rejectionOf?.(item.callId);
      if (rejection !== undefined) rejections.set(index, rejection);
    }
    return rejections;
  }

  #retry(ended: EndedHop, rejections: ReadonlyMap<number, string>): Next {
    this.#attempts += 1;
    return this.#hopTo({
      ...this.#hop,
      kind: 'retry',
      carried: [...this.#hop.carried, ...carry(ended, rejections)],
      attempt: this.#attempts >= this.#maxRounds ? 'last' : 'more_follow',
    });
  }

  #hopTo(hop: Hop, picks: readonly string[] = []): Next {
    return { kind: 'hop', hop, picks };
  }

  #fallbackHop(fallback: FallbackReason): Hop {
    return { ...this.#hop, kind: 'fallback', tools: 'all', revealed: new Set(), carried: [], fallback };
  }

  #exhausted(reason: FallbackReason): Next {
    return this.#context.plan.ruleSet.selection.onExhausted === 'direct'
      ? this.#hopTo(this.#fallbackHop(reason))
      : this.#refuse();
  }

  #refuse(): Next {
    return { kind: 'refuse', code: 'selection_exhausted', rounds: Math.max(this.#menuHops, this.#skillHops) };
  }
}

/** The hop's own items, unmodified and in order, then an output for each call: a call without one is refused. */
function carry(ended: EndedHop, answers: ReadonlyMap<number, string>): CarriedItem[] {
  const ordered = [...ended.items].sort(([a], [b]) => a - b);
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
