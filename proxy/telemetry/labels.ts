import { errorCatalogue } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { FallbackReason } from '../core/hops/index.ts';
import type { AuditEvent, AuditHop } from '../../schemas/generated/audit-event.ts';

/**
 * Every label value that Toolroll may write, so that no request can make a new series. What comes from a request or
 * an upstream is looked up here first and becomes `other` where it is not known.
 */

/** The value for what has no name of its own. */
export const OTHER = 'other';

export type Protocol = AuditEvent['protocol'];
export type PlanName = AuditEvent['plan'];
export type TurnOutcome = AuditEvent['outcome'];
export type HopKind = AuditHop['kind'];

/** What a call to the upstream ended in where no HTTP status tells it. */
export type UpstreamFault =
  'unreachable' | 'connect_timeout' | 'first_byte_timeout' | 'idle_timeout' | 'closed' | 'malformed';

/** How an attempt to load the rules ended. */
export type ReloadResult = 'applied' | 'unchanged' | 'refused';

// Records, not arrays: the compiler refuses a union's member that is missing here.
const protocolNames: Readonly<Record<Protocol, true>> = { responses: true, chat: true };
const planNames: Readonly<Record<PlanName, true>> = { bypass: true, direct: true, two_hop: true };
const outcomeNames: Readonly<Record<TurnOutcome, true>> = {
  ok: true,
  refused: true,
  upstream_error: true,
  client_closed: true,
  failed: true,
};
const hopKindNames: Readonly<Record<HopKind, true>> = {
  answer: true,
  select: true,
  reselect: true,
  skill: true,
  retry: true,
  fallback: true,
};
const fallbackReasonNames: Readonly<Record<FallbackReason, true>> = {
  rounds_exhausted: true,
  unknown_call: true,
  picked_again: true,
  reselect_refused: true,
};
const upstreamFaultNames: Readonly<Record<UpstreamFault, true>> = {
  unreachable: true,
  connect_timeout: true,
  first_byte_timeout: true,
  idle_timeout: true,
  closed: true,
  malformed: true,
};
const reloadResultNames: Readonly<Record<ReloadResult, true>> = {
  applied: true,
  unchanged: true,
  refused: true,
};

export const protocols = namesOf(protocolNames);
export const plans = namesOf(planNames);
export const outcomes = namesOf(outcomeNames);
export const hopKinds = namesOf(hopKindNames);
export const fallbackReasons = namesOf(fallbackReasonNames);
export const upstreamFaults = namesOf(upstreamFaultNames);
export const reloadResults = namesOf(reloadResultNames);
export const errorCodes: readonly ErrorCode[] = namesOf(errorCatalogue);

/** The statuses that operators tell apart; the rest is counted by its class. */
const namedStatuses: readonly number[] = [
  400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529,
];

/** Every value of the label `status`. */
export const upstreamErrorStatuses: readonly string[] = [
  ...namedStatuses.map(String),
  '4xx',
  '5xx',
  OTHER,
  ...upstreamFaults,
];

/** The label for an upstream's HTTP status: itself where it is named, else its class. */
export function statusLabel(status: number): string {
  if (namedStatuses.includes(status)) return String(status);
  if (status >= 400 && status < 500) return '4xx';
  if (status >= 500 && status < 600) return '5xx';
  return OTHER;
}

function namesOf<Name extends string>(names: Readonly<Record<Name, unknown>>): readonly Name[] {
  // `Object.keys` is typed as string[] since a value may have more keys than its type; these literals have not.
  return Object.keys(names) as Name[];
}
