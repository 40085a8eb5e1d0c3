import { randomUUID } from 'node:crypto';

import type { AuditEvent, AuditHop } from '../../schemas/generated/audit-event.ts';
import { ToolrollError } from '../core/errors.ts';
import type { FallbackReason, Hop } from '../core/hops/index.ts';
import type { Plan } from '../core/plan/index.ts';
import { computeSavings, estimateOutside } from '../core/tokens/index.ts';
import type { Protocol, Turn, Usage } from '../core/turn/index.ts';
import type { TurnFacts } from '../telemetry/index.ts';
import type { TurnPlan } from './planned-turn.ts';
import type { SkillTurn } from './skill-turn.ts';

/** The part of a hop that is filled in as it goes. */
interface OpenHop {
  readonly kind: AuditHop['kind'];
  readonly startedAt: number;
  readonly shownTools: number;
  status: number | null;
  durationMs: number;
  usage: Usage | undefined;
  picks: readonly string[];
  error: string | undefined;
  readonly contents: { request: string; response: string } | undefined;
}

/** What is known when a turn begins. */
export interface TurnStart {
  readonly protocol: Protocol;
  readonly path: string;
  readonly revision: string;
  readonly now: () => number;
  /** When the request arrived, in milliseconds of the same clock. */
  readonly arrivedAt: number;
}

/**
 * Collects what one turn did, for its audit record and its metrics. It decides nothing; whoever handles the turn tells it
 * what happens.
 */
export class TurnRecord {
  readonly #start: TurnStart;
  readonly #hops: OpenHop[] = [];
  readonly #fallbacks: FallbackReason[] = [];
  #turn: Turn | undefined;
  #plan: Plan | undefined;
  #skills: SkillTurn<Turn> | undefined;
  #loadedSkills: readonly string[] = [];
  #unreadableCalls = 0;
  #ruleSet: string | null = null;
  #planName: AuditEvent['plan'] = 'bypass';
  #reasons: readonly string[] = [];
  #outcome: AuditEvent['outcome'] = 'ok';
  #error: AuditEvent['error'];
  #status: number | null = null;
  #firstByteAt: number | undefined;
  #waitedMs = 0;

  constructor(start: TurnStart) {
    this.#start = start;
  }

  get hopCount(): number {
    return this.#hops.length;
  }

  get planName(): AuditEvent['plan'] {
    return this.#planName;
  }

  /** The turn goes on as the app sent it. */
  bypassed(reason: string, ruleSet: string | null, turn?: Turn): void {
    this.#reasons = [reason];
    this.#ruleSet = ruleSet;
    this.#turn = turn;
  }

  planned<T extends Turn>({ turn, plan, skills }: Pick<TurnPlan<T>, 'turn' | 'plan' | 'skills'>): void {
    this.#turn = turn;
    this.#skills = skills;
    this.#plan = plan;
    this.#planName = plan.kind;
    this.#reasons = plan.reasons;
    this.#ruleSet = plan.ruleSet.name;
  }

  /** @param request the body sent, kept only where the rule set asks for contents */
  hopStarted(
    hop: Pick<Hop, 'kind' | 'fallback' | 'skills'>,
    shownTools: number,
    request: string | undefined,
  ): void {
    this.#loadedSkills = hop.skills;
    if (hop.fallback !== undefined) this.#fallbacks.push(hop.fallback);
    this.#hops.push({
      kind: hop.kind,
      startedAt: this.#start.now(),
      shownTools,
      status: null,
      durationMs: 0,
      usage: undefined,
      picks: [],
      error: undefined,
      contents: request === undefined ? undefined : { request, response: '' },
    });
  }

  hopAnswered(status: number): void {
    this.#updateHop((hop) => (hop.status = status));
  }

  hopContent(text: string): void {
    this.#updateHop((hop) => {
      if (hop.contents !== undefined) hop.contents.response += text;
    });
  }

  hopEnded(usage: Usage | undefined, picks: readonly string[] = []): void {
    this.#updateHop((hop) => {
      hop.usage = usage;
      hop.picks = picks;
      hop.durationMs = this.#start.now() - hop.startedAt;
    });
  }

  hopFailed(error: string): void {
    this.#updateHop((hop) => {
      hop.error = error;
      hop.durationMs = this.#start.now() - hop.startedAt;
    });
  }

  #updateHop(update: (hop: OpenHop) => void): void {
    const hop = this.#hops.at(-1);
    if (hop !== undefined) update(hop);
  }

  /** Calls that were written as text and could not be read. */
  callsUnreadable(count: number): void {
    this.#unreadableCalls += count;
  }

  /** Time spent waiting for the upstream, or for the app to read. */
  waited(milliseconds: number): void {
    this.#waitedMs += milliseconds;
  }

  sent(status: number): void {
    this.#status ??= status;
    this.#firstByteAt ??= this.#start.now();
  }

  ended(outcome: AuditEvent['outcome'], error?: { readonly code: string; readonly message: string }): void {
    this.#outcome = outcome;
    this.#error = error;
  }

  failed(error: unknown): void {
    const known = error instanceof ToolrollError ? error : new ToolrollError('internal');
    const refused = known.status < 500 || known.code === 'rules_unavailable';
    const outcome = refused ? 'refused' : 'failed';
    this.ended(outcome, { code: known.code, message: known.message });
  }

  /** The finished record. */
  facts(): TurnFacts {
    const facts = { event: this.#event(), fallbacks: this.#fallbacks };
    return this.#firstByteAt === undefined
      ? facts
      : { ...facts, firstEventMs: this.#firstByteAt - this.#start.arrivedAt };
  }

  #event(): AuditEvent {
    const durationMs = this.#start.now() - this.#start.arrivedAt;
    const operations = this.#plan?.applied.operations ?? [];
    const contents = this.#contents();
    return {
      id: randomUUID(),
      time: new Date(Date.now() - durationMs).toISOString(),
      protocol: this.#start.protocol,
      path: this.#start.path,
      model: this.#turn?.model ?? null,
      stream: this.#turn?.stream ?? false,
      ruleSet: this.#ruleSet,
      revision: this.#start.revision,
      plan: this.#planName,
      reasons: [...this.#reasons],
      outcome: this.#outcome,
      status: this.#status,
      hops: this.#hops.map(auditHop),
      tools: this.#tools(),
      operations: [...operations],
      tokens: this.#tokens(),
      durationMs: toMicroseconds(durationMs),
      ownMs: toMicroseconds(Math.max(durationMs - this.#waitedMs, 0)),
      ...this.#skillFacts(),
      ...(this.#unreadableCalls === 0 ? {} : { unreadableCalls: this.#unreadableCalls }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(contents === undefined ? {} : { contents }),
    };
  }

  #skillFacts(): Pick<AuditEvent, 'skills'> {
    if (this.#skills === undefined) return {};
    const { active, notes } = this.#skills;
    return {
      skills: {
        active: [...active],
        loaded: [...this.#loadedSkills],
        ...(notes.missing.length === 0 ? {} : { missing: [...notes.missing] }),
        ...(notes.fellBack ? { fellBack: true } : {}),
      },
    };
  }

  #tools(): AuditEvent['tools'] {
    const offered = this.#turn?.toolList.tools.length ?? 0;
    if (this.#plan === undefined) return { offered, shown: offered, menu: 0 };
    const { applied, menu, excluded } = this.#plan;
    const hidden =
      this.#hops.at(-1)?.kind === 'fallback' ? 0 : menu.size + excluded.size - this.#pickedCount();
    return {
      offered,
      shown: Math.max(applied.tools.length - hidden, 0),
      menu: this.#plan.metaTool === undefined ? 0 : menu.size,
    };
  }

  #pickedCount(): number {
    return new Set(this.#hops.flatMap((hop) => hop.picks)).size;
  }

  #tokens(): AuditEvent['tokens'] {
    const sum = (count: (usage: Usage) => number): number =>
      this.#hops.reduce((total, hop) => total + (hop.usage === undefined ? 0 : count(hop.usage)), 0);
    return {
      input: sum((usage) => usage.inputTokens),
      cached: sum((usage) => usage.cachedTokens),
      output: sum((usage) => usage.outputTokens),
      ...this.#savings(),
      estimated: this.#hops.some((hop) => hop.usage === undefined),
    };
  }

  /** Nothing is saved or lost where nothing was changed, or where the turn did not come to its end. */
  #savings(): { saved: number; lost: number } {
    const turn = this.#turn;
    if (turn === undefined || this.#plan === undefined || this.#outcome !== 'ok')
      return { saved: 0, lost: 0 };
    return computeSavings({
      rest: estimateOutside(turn.text, turn.toolSpans),
      sentTools: this.#plan.applied.sentTokens,
      hops: this.#hops.map(({ shownTools, usage }) => ({ shownTools, inputTokens: usage?.inputTokens })),
    });
  }

  #contents(): AuditEvent['contents'] {
    if (this.#plan?.ruleSet.auditContents !== true) return undefined;
    const hops = this.#hops.flatMap(({ contents }) => (contents === undefined ? [] : [{ ...contents }]));
    return { request: this.#turn?.text ?? '', hops };
  }
}

function auditHop(hop: OpenHop): AuditHop {
  return {
    kind: hop.kind,
    status: hop.status,
    durationMs: toMicroseconds(hop.durationMs),
    picks: [...hop.picks],
    ...(hop.usage === undefined ? {} : hop.usage),
    ...(hop.error === undefined ? {} : { error: hop.error }),
  };
}

/** Milliseconds without digits that no clock gives. */
function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
