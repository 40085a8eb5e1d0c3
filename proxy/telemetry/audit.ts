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
/** Nearly every event is smaller and is kept as it is, which costs a turn a microsecond. In UTF-16 units. */
const PLAIN_LIMIT = 32 * 1024;
/** An app may send a model name or a tool name of any length, and thousands of tools: of these a part is kept. */
const TEXT_LIMIT = 1_024;
const LIST_LIMIT = 256;
const CONTENT_LIMIT = 64 * 1024;
const CONTENT_HOPS = 12;
/** What an object and its numbers take, roughly. */
const OBJECT_BYTES = 100;

interface Kept {
  readonly event: AuditEvent;
  readonly bytes: number;
}

/** Opens a trail with nothing in it. What comes in is cut to size; secrets are taken out when it is read, which is rare. */
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
      const kept = shrink(event, options.redactor);
      if (count === options.entries) dropOldest();
      while (count > 0 && bytes + kept.bytes > totalBytes) dropOldest();
      ring[(oldest + count) % options.entries] = kept;
      count += 1;
      bytes += kept.bytes;
    },
    recent(limit) {
      const wanted = Math.min(Math.max(Math.floor(limit), 0), count);
      const newest = oldest + count - 1;
      const kept = Array.from(
        { length: wanted },
        (_, back) => ring[(newest - back) % options.entries]?.event,
      );
      return kept
        .filter((event) => event !== undefined)
        .map((event) => withTexts(event, redacting(options.redactor)));
    },
    get size() {
      return count;
    },
  };
}

function shrink(event: AuditEvent, redactor: Redactor): Kept {
  const whole = sizeOf(event);
  if (whole <= PLAIN_LIMIT) return { event, bytes: 2 * whole };
  const cut = withTexts(event, cutting(redactor));
  return { event: cut, bytes: 2 * sizeOf(cut) };
}

/** The lengths of all texts, and something for every object. */
function sizeOf(event: AuditEvent): number {
  const { hops, operations, contents } = event;
  let size = OBJECT_BYTES * (4 + hops.length + operations.length);
  size += event.path.length + (event.model?.length ?? 0) + sum(event.reasons);
  for (const hop of hops) size += sum(hop.picks) + (hop.error?.length ?? 0);
  for (const { tool, detail } of operations) size += tool.length + (detail?.length ?? 0);
  size += (event.error?.code.length ?? 0) + (event.error?.message.length ?? 0);
  if (contents === undefined) return size;
  for (const { request, response } of contents.hops) size += request.length + response.length;
  return size + contents.request.length;
}

function sum(texts: readonly string[]): number {
  let size = 0;
  for (const text of texts) size += text.length;
  return size;
}

/** What is done to each part of an event. */
interface Treatment {
  readonly text: (value: string) => string;
  readonly body: (value: string) => string;
}

/** Redacts first, since a secret across the cut would be halved and no longer be known as one. */
function cutting(redactor: Redactor): Treatment {
  return {
    text: (value) => detached(redactor.line(value, TEXT_LIMIT)),
    body: (value) => detached(redactor.body(value, CONTENT_LIMIT)),
  };
}

function redacting(redactor: Redactor): Treatment {
  return {
    text: (value) => redactor.line(value, PLAIN_LIMIT),
    body: (value) => redactor.body(value, 2 * CONTENT_LIMIT),
  };
}

/** A copy: the engine keeps a cut string as a view, which would hold on to the whole body that it was cut from. */
function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function withTexts(event: AuditEvent, { text, body }: Treatment): AuditEvent {
  return {
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
    ...(event.contents && { contents: contentsWith(event.contents, body) }),
  };
}

function contentsWith(contents: AuditContents, body: Treatment['body']): AuditContents {
  return {
    request: body(contents.request),
    hops: contents.hops
      .slice(0, CONTENT_HOPS)
      .map((hop) => ({ request: body(hop.request), response: body(hop.response) })),
  };
}
