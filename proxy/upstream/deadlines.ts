import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { UpstreamFailure } from './failure.ts';

/** Our own limits on the upstream's silence, in milliseconds. */
export interface UpstreamTimeouts {
  /** TCP and TLS, a forward proxy included. */
  readonly connectTimeoutMs: number;
  /** From the request being sent to the head of the answer. */
  readonly firstByteTimeoutMs: number;
  /** Between two pieces of the answer, while somebody waits for one. */
  readonly idleTimeoutMs: number;
}

/** Stops the clock. */
export type StopWatching = () => void;

/**
 * Watches a request until the head of its answer: first the connection, then the wait. The time that a body takes to
 * send does not count as long as it moves, nor while it waits for the app to go on.
 * A request that asks for another protocol has its answer in `upgrade`: stop the clock there.
 * @param onTimeout called at most once; the request is the caller's to destroy
 */
export function watchForAnswer(
  request: ClientRequest,
  timeouts: UpstreamTimeouts,
  onTimeout: (failure: UpstreamFailure) => void,
): StopWatching {
  let socket: Socket | undefined;
  let written = 0;
  let stopped = false;
  let timer = setTimeout(() => {
    fail('connect_timeout', timeouts.connectTimeoutMs);
  }, timeouts.connectTimeoutMs);

  request.once('socket', (connection) => {
    socket = connection;
    if (request.reusedSocket) waitForAnswer();
    else if (connection instanceof TLSSocket) connection.once('secureConnect', waitForAnswer);
    else if (connection.connecting) connection.once('connect', waitForAnswer);
    else waitForAnswer();
  });
  request.once('finish', restart);
  request.once('response', stop);
  request.once('close', stop);
  return stop;

  function waitForAnswer(): void {
    clearTimeout(timer);
    if (stopped) return;
    written = socket?.bytesWritten ?? 0;
    timer = setTimeout(onSilence, timeouts.firstByteTimeoutMs);
  }

  function onSilence(): void {
    const now = socket?.bytesWritten ?? 0;
    const appIsSlow = !request.writableEnded && !request.writableNeedDrain;
    if (appIsSlow || (!request.writableFinished && now > written)) {
      written = now;
      timer.refresh();
    } else fail('first_byte_timeout', timeouts.firstByteTimeoutMs);
  }

  function restart(): void {
    if (socket !== undefined && isConnected(socket)) waitForAnswer();
  }

  function fail(kind: 'connect_timeout' | 'first_byte_timeout', timeoutMs: number): void {
    stop();
    onTimeout(new UpstreamFailure(kind, { timeoutMs }));
  }

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
    request.off('finish', restart);
  }
}

function isConnected(socket: Socket): boolean {
  return !socket.connecting && (!(socket instanceof TLSSocket) || socket.getProtocol() !== null);
}
