import { createAuditTrail } from './audit.ts';
import type { AuditTrail } from './audit.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics, TurnFacts } from './metrics.ts';
import { createRedactor } from './redact.ts';

export { createLog } from './log.ts';
export type { Log, LogFields, LogLevel, LogOptions, WriteLine } from './log.ts';
export type { AuditTrail } from './audit.ts';
export type { KnownNames } from './known-labels.ts';
export type { HopKind, PlanName, ReloadResult, TurnOutcome, UpstreamFault } from './labels.ts';
export type { Metrics, ReloadFacts, TurnFacts } from './metrics.ts';

export interface TelemetryOptions {
  readonly log: Log;
  /** How many turns the audit trail keeps. */
  readonly auditEntries: number;
  /** Configured keys that must not appear in the audit trail. */
  readonly secrets: readonly string[];
}

/** What Toolroll tells about itself: one call per fact, wherever it is kept. */
export interface Telemetry extends Omit<Metrics, 'expose' | 'contentType'> {
  readonly log: Log;
  readonly audit: Pick<AuditTrail, 'recent'>;
  readonly metrics: Pick<Metrics, 'expose' | 'contentType'>;
}

/** Opens metrics and audit trail. A finished turn goes to both by one call of `recordTurn`. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { log } = options;
  const audit = createAuditTrail({
    entries: options.auditEntries,
    redactor: createRedactor(options.secrets),
  });
  const metrics = createMetrics((metric, value) => {
    log.warn('metric_value_dropped', { metric, value: String(value) });
  });
  return {
    log,
    audit,
    metrics,
    recordTurn: (turn: TurnFacts) => {
      metrics.recordTurn(turn);
      audit.record(turn.event);
    },
    recordUpstreamError: metrics.recordUpstreamError,
    recordRefusal: metrics.recordRefusal,
    recordReload: metrics.recordReload,
    setKnownNames: metrics.setKnownNames,
  };
}
