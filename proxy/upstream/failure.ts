import { ToolrollError } from '../core/errors.ts';

/**
 * What went wrong between us and the upstream. An answer with an error status is not a failure: it is an answer.
 * - `unreachable`: no connection (name, route, refusal, certificate, forward proxy)
 * - `connect_timeout`, `first_byte_timeout`, `idle_timeout`: one of our own limits passed
 * - `closed`: the connection ended before the answer did
 * - `malformed`: what came is not HTTP, or not in the content coding that it claims
 * - `aborted`: the caller's signal
 */
export type FailureKind =
  | 'unreachable'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'closed'
  | 'malformed'
  | 'aborted';

export interface FailureOptions {
  /** Bytes of the answer's body that the caller was given before. */
  readonly bytesReceived?: number;
  /** The limit that passed, in milliseconds. */
  readonly timeoutMs?: number;
  /** A kept connection that died under a request before any byte of the answer: safe to ask once more. */
  readonly staleConnection?: boolean;
  readonly reason?: string;
  readonly cause?: unknown;
}

/** The one error that the upstream client throws, from `send` and while a body is read. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  readonly bytesReceived: number;
  readonly timeoutMs: number;
  readonly staleConnection: boolean;
  /** In a few words, without anything of the request: an error code, mostly. */
  readonly reason: string;

  constructor(kind: FailureKind, options: FailureOptions = {}) {
    const reason = options.reason ?? reasonOf(options.cause);
    super(`upstream ${kind}${reason === '' ? '' : `: ${reason}`}`, { cause: options.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.bytesReceived = options.bytesReceived ?? 0;
    this.timeoutMs = options.timeoutMs ?? 0;
    this.staleConnection = options.staleConnection ?? false;
    this.reason = reason;
  }

  /** The catalogue's error for the app, where no byte of the answer has reached it yet. */
  toToolrollError(): ToolrollError {
    const options = { cause: this };
    switch (this.kind) {
      case 'unreachable':
        return new ToolrollError('upstream_unreachable', { reason: this.reason || 'no connection' }, options);
      case 'connect_timeout':
        return this.#timeout('connecting');
      case 'first_byte_timeout':
        return this.#timeout('waiting for its answer');
      case 'idle_timeout':
        return this.#timeout('in the middle of its answer');
      case 'malformed':
        return new ToolrollError('upstream_malformed', { reason: this.reason || 'not HTTP' }, options);
      // Nobody is left to read an answer to an aborted turn: any error serves.
      case 'aborted':
      case 'closed':
        return new ToolrollError('upstream_closed', {}, options);
      default:
        return this.kind satisfies never;
    }
  }

  #timeout(phase: string): ToolrollError {
    return new ToolrollError('upstream_timeout', { seconds: this.timeoutMs / 1000, phase }, { cause: this });
  }
}

/** The `code` of a Node error, such as `ECONNRESET`; undefined where there is none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  // Connecting to a name with several addresses fails with all of their errors in one: the first tells enough.
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  return errorCode(first) ?? (first instanceof Error ? first.message : '');
}
