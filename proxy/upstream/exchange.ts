import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { watchForAnswer } from './deadlines.ts';
import type { UpstreamTimeouts } from './deadlines.ts';
import { UpstreamFailure, errorCode } from './failure.ts';
import type { FailureKind } from './failure.ts';

/** One request on one connection, from its sending to the end of its answer. */
export interface Exchange {
  readonly request: ClientRequest;
  readonly incoming: IncomingMessage;
  /** Why it ended early; undefined while all is well. */
  failure(): UpstreamFailure | undefined;
  /** Calls `listener` when it fails. */
  onFailure(listener: () => void): void;
  /** Ends it early with that failure; the first one stays. */
  fail(failure: UpstreamFailure): void;
}

export interface ExchangeOptions {
  readonly timeouts: UpstreamTimeouts;
  readonly signal: AbortSignal;
  readonly body: Uint8Array | undefined;
}

/** Codes of errors that say that the peer, or the way to it, went away under an open connection. */
const connectionLost: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'HPE_INVALID_EOF_STATE',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/**
 * Sends a request that has been opened and waits for the head of the answer.
 * @param options its `signal` must not have fired yet
 * @throws {UpstreamFailure} where none comes
 */
export function exchange(request: ClientRequest, options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let failure: UpstreamFailure | undefined;
    let answered = false;
    const listeners: (() => void)[] = [];
    const failureFrom = failuresOf(request);
    watchForAnswer(request, options.timeouts, fail);
    const abort = (): void => {
      fail(new UpstreamFailure('aborted'));
    };
    options.signal.addEventListener('abort', abort, { once: true });

    request.on('error', (error) => {
      record(failureFrom(error));
    });
    request.once('close', () => {
      options.signal.removeEventListener('abort', abort);
      // Once the answer has begun, the reader of its body learns it. An error costs a stack trace, so none is made for nothing.
      if (!answered) reject(failure ?? new UpstreamFailure('closed'));
    });
    request.once('response', (incoming) => {
      answered = true;
      // Without a listener, an answer cut short would end the process.
      incoming.on('error', (error) => {
        record(new UpstreamFailure('closed', { cause: error }));
      });
      resolve({
        request,
        incoming,
        failure: () => failure,
        onFailure: (listener) => listeners.push(listener),
        fail,
      });
    });
    sendBody(request, options.body);

    function record(cause: UpstreamFailure): void {
      failure ??= cause;
      for (const listener of listeners) listener();
    }

    function fail(cause: UpstreamFailure): void {
      record(cause);
      request.destroy();
    }
  });
}

/** Large bodies go out in pieces: whether one write of 60 MB moves cannot be seen from outside. */
const pieceBytes = 256 * 1024;

function sendBody(request: ClientRequest, body: Uint8Array | undefined): void {
  if (body === undefined || body.byteLength <= pieceBytes) request.end(body);
  else Readable.from(piecesOf(body)).pipe(request);
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < body.byteLength; start += pieceBytes)
    yield body.subarray(start, start + pieceBytes);
}

/**
 * Watches a request's connection so that its errors, before or during the answer, can be put in our own words.
 * Call it as soon as the request is made.
 */
export function failuresOf(request: ClientRequest): (error: Error) => UpstreamFailure {
  let open = false;
  // Bytes of earlier answers on a kept connection are not of this one.
  let readBefore = 0;
  request.once('socket', (socket) => {
    readBefore = socket.bytesRead;
    if (request.reusedSocket) open = true;
    else if (socket instanceof TLSSocket) socket.once('secureConnect', () => (open = true));
    else if (socket.connecting) socket.once('connect', () => (open = true));
    else open = true;
  });
  return (error) => {
    const code = errorCode(error) ?? '';
    const lost = connectionLost.has(code);
    const hasAnswered = (request.socket?.bytesRead ?? 0) > readBefore;
    return new UpstreamFailure(kindOf(code, lost && open), {
      cause: error,
      staleConnection: lost && request.reusedSocket && !hasAnswered,
    });
  };
}

function kindOf(code: string, lostWhileOpen: boolean): FailureKind {
  if (lostWhileOpen) return 'closed';
  return code.startsWith('HPE_') ? 'malformed' : 'unreachable';
}
