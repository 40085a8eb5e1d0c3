import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ErrorCode } from '../core/errors.ts';
import type { FallbackReason } from '../core/hops/index.ts';
import type { AuditEvent } from '../../schemas/generated/audit-event.ts';
import {
  errorCodes,
  fallbackReasons,
  hopKinds,
  outcomes,
  plans,
  protocols,
  reloadResults,
  statusLabel,
  upstreamErrorStatuses,
} from './labels.ts';
import type { ReloadResult, UpstreamFault } from './labels.ts';
import { createKnownLabels } from './known-labels.ts';
import type { KnownLabels, KnownNames } from './known-labels.ts';
import { createMeters } from './meter.ts';
import type { OnDropped } from './meter.ts';
import { createMetricTable } from './metric-table.ts';
import type { MetricTable } from './metric-table.ts';

/** One finished turn. */
export interface TurnFacts {
  readonly event: AuditEvent;
  /** Milliseconds from the request's arrival to the first byte sent to the app; absent where none was sent. */
  readonly firstEventMs?: number;
  /** Why the turn fell back to direct, each reason it had. */
  readonly fallbacks?: readonly FallbackReason[];
}

/** One attempt to load the rules. */
export interface ReloadFacts {
  readonly outcome: ReloadResult;
  /** The revision that serves after the attempt; null while none ever did. */
  readonly revision: string | null;
  /** Whether the files as they lie in the directory now are fit to serve. Decides the gauge that alerts watch. */
  readonly valid: boolean;
  /** When the attempt ended, in milliseconds since 1970. */
  readonly at: number;
}

/** Takes facts, keeps numbers. No call site knows a metric's name or label. */
export interface Metrics {
  readonly recordTurn: (turn: TurnFacts) => void;
  /** A call to the upstream that failed: its HTTP status from 400 on, or what broke. Inside turns and outside. */
  readonly recordUpstreamError: (cause: number | UpstreamFault) => void;
  /** A request answered with an error of the catalogue. */
  readonly recordRefusal: (code: ErrorCode) => void;
  readonly recordReload: (reload: ReloadFacts) => void;
  /** To be called with each new revision: series of names that are gone are dropped, new ones start at 0. */
  readonly setKnownNames: (names: KnownNames) => void;
  /** The exposition text. */
  expose(): Promise<string>;
  /** The content type of the exposition text. */
  readonly contentType: string;
}

/**
 * prom-client names these gauges `_total`, which Prometheus keeps for counters (promtool complains); the sums of
 * `nodejs_active_handles` and its siblings say the same.
 */
const misnamedDefaults = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Makes the metrics of one process in a registry of their own.
 *
 * @param onDropped told once per metric about a value that is no amount (undefined, null, NaN, negative, infinite)
 */
export function createMetrics(onDropped: OnDropped): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamedDefaults) registry.removeSingleMetric(name);
  const table = createMetricTable(createMeters(registry, onDropped));
  startSeries(table);
  const known = createKnownLabels(table);
  return {
    recordTurn(turn) {
      countTurn(table, turn);
      countTokens(table, turn.event, known);
    },
    recordUpstreamError(cause) {
      table.upstreamErrors.add({ status: typeof cause === 'number' ? statusLabel(cause) : cause }, 1);
    },
    recordRefusal(code) {
      table.refusals.add({ code }, 1);
    },
    recordReload(reload) {
      countReload(table, reload);
    },
    setKnownNames: known.replace,
    expose: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function startSeries(table: MetricTable): void {
  for (const protocol of protocols) {
    for (const plan of plans) {
      for (const outcome of outcomes) table.turns.start({ protocol, plan, outcome });
    }
    for (const kind of hopKinds) table.hops.start({ protocol, kind });
    table.unreadableCalls.start({ protocol });
  }
  for (const plan of plans) {
    for (const histogram of [table.turnDuration, table.ownTime, table.firstEvent]) histogram.start({ plan });
  }
  for (const reason of fallbackReasons) table.fallbacks.start({ reason });
  for (const status of upstreamErrorStatuses) table.upstreamErrors.start({ status });
  for (const code of errorCodes) table.refusals.start({ code });
  for (const outcome of reloadResults) table.reloads.start({ outcome });
  table.reloadSuccessful.set({}, 0);
  table.reloadTimestamp.set({}, 0);
  table.configInfo.setOnly({ revision: 'none' }, 1);
}

function countTurn(table: MetricTable, turn: TurnFacts): void {
  const { event } = turn;
  const { protocol, plan, outcome } = event;
  table.turns.add({ protocol, plan, outcome }, 1);
  for (const hop of event.hops) table.hops.add({ protocol, kind: hop.kind }, 1);
  table.unreadableCalls.add({ protocol }, event.unreadableCalls ?? 0);
  table.turnHops.observe({}, event.hops.length);
  table.toolsOffered.observe({}, event.tools.offered);
  table.toolsShown.observe({}, event.tools.shown);
  table.turnDuration.observe({ plan }, event.durationMs / 1000);
  table.ownTime.observe({ plan }, event.ownMs / 1000);
  if (turn.firstEventMs !== undefined) table.firstEvent.observe({ plan }, turn.firstEventMs / 1000);
  for (const reason of new Set(turn.fallbacks)) table.fallbacks.add({ reason }, 1);
}

function countTokens(table: MetricTable, event: AuditEvent, known: KnownLabels): void {
  const { tokens } = event;
  const model = known.model(event.model);
  table.inputTokens.add({ model, kind: 'fresh' }, Math.max(tokens.input - tokens.cached, 0));
  table.inputTokens.add({ model, kind: 'cached' }, tokens.cached);
  table.outputTokens.add({ model }, tokens.output);
  if (event.ruleSet === null) return;
  const ruleSet = known.ruleSet(event.ruleSet);
  table.tokensSaved.add({ rule_set: ruleSet }, tokens.saved);
  table.tokensLost.add({ rule_set: ruleSet }, tokens.lost);
  for (const rule of new Set(event.operations.map((operation) => operation.rule))) {
    table.rulesApplied.add(known.rule(event.ruleSet, rule), 1);
  }
}

function countReload(table: MetricTable, reload: ReloadFacts): void {
  table.reloads.add({ outcome: reload.outcome }, 1);
  table.reloadSuccessful.set({}, reload.valid ? 1 : 0);
  if (reload.valid) table.reloadTimestamp.set({}, reload.at / 1000);
  table.configInfo.setOnly({ revision: reload.revision ?? 'none' }, 1);
}
