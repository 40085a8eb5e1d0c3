import type { AuditContents, AuditEvent } from '../../schemas/generated/audit-event.ts';
import type { Redactor } from './redact.ts';

/** The last turns, kept in memory. */
export interface AuditTrail {
  record(event: AuditEvent): void;
  /** The newest events first, at most `limit` of them. */
  recent(limit: number): readonly AuditEvent[];
  /** How many events are kept now. */
  readonly size: number;
}

export interface AuditOptions {
  /** How many events are kept; 0 keeps none. */
  readonly entries: number;
  /** How many bytes all kept events may take together, roughly; the oldest go first. 64 MiB if absent. */
  readonly totalBytes?: number;
  readonly redactor: Redactor;
}

const TOTAL_BYTES = 64 * 1024 * 1024;
/** An app may send a model name or a tool name of any length, and thousands of tools. */
const TEXT_LIMIT = 1_024;
const LIST_LIMIT = 256;
const CONTENT_LIMIT = 64 * 1024;
const CONTENT_HOPS = 12;

interface Kept {
  readonly event: AuditEvent;
  readonly bytes: number;
}

/** Opens a trail with nothing in it. What comes in is cut to size and freed of secrets before it is kept. */
export function createAuditTrail(options: AuditOptions): AuditTrail {
  const totalBytes = options.totalBytes ?? TOTAL_BYTES;
  const ring: (Kept | undefined)[] = [];
  let oldest = 0;
  let count = 0;
  let bytes = 0;

  const dropOldest = (): void => {
    bytes -= ring[oldest]?.bytes ?? 0;
    ring[oldest] = undefined;
    oldest = (oldest + 1) % options.entries;
    count -= 1;
  };

  return {
    record(event) {
      if (options.entries <= 0) return;
      const kept = bound(event, options.redactor);
      if (count === options.entries) dropOldest();
      while (count > 0 && bytes + kept.bytes > totalBytes) dropOldest();
      ring[(oldest + count) % options.entries] = kept;
      count += 1;
      bytes += kept.bytes;
    },
    recent(limit) {
      const wanted = Math.min(Math.max(Math.floor(limit), 0), count);
      const newest = oldest + count - 1;
      return Array.from(
        { length: wanted },
        (_, back) => ring[(newest - back) % options.entries]?.event,
      ).filter((event) => event !== undefined);
    },
    get size() {
      return count;
    },
  };
}

function bound(event: AuditEvent, redactor: Redactor): Kept {
  const text = (value: string): string => redactor.line(value, TEXT_LIMIT);
  const bounded: AuditEvent = {
    ...event,
    path: text(event.path),
    model: event.model === null ? null : text(event.model),
    reasons: event.reasons.slice(0, LIST_LIMIT).map(text),
    hops: event.hops.slice(0, LIST_LIMIT).map((hop) => ({
      ...hop,
      picks: hop.picks.slice(0, LIST_LIMIT).map(text),
      ...(hop.error !== undefined && { error: text(hop.error) }),
    })),
    operations: event.operations.slice(0, LIST_LIMIT).map((operation) => ({
      ...operation,
      tool: text(operation.tool),
      ...(operation.detail !== undefined && { detail: text(operation.detail) }),
    })),
    ...(event.error && { error: { code: text(event.error.code), message: text(event.error.message) } }),
    ...(event.contents && { contents: boundContents(event.contents, redactor) }),
  };
  return { event: bounded, bytes: 2 * JSON.stringify(bounded).length };
}

function boundContents(contents: AuditContents, redactor: Redactor): AuditContents {
  const body = (value: string): string => redactor.body(value, CONTENT_LIMIT);
  return {
    request: body(contents.request),
    hops: contents.hops
      .slice(0, CONTENT_HOPS)
      .map((hop) => ({ request: body(hop.request), response: body(hop.response) })),
  };
}
