import { STATUS_CODES } from 'node:http';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import { createProxyMiddleware } from 'http-proxy-middleware';
import {
  UpstreamFailure,
  endToEndHeaders,
  failOnRefusedTunnel,
  failuresOf,
  headerPairs,
  watchForAnswer,
} from '../upstream/index.ts';
import type { Outgoing, Upstream } from '../upstream/index.ts';
import { applyOutgoing, prepare, proxyOptions } from './passthrough-request.ts';
import type { PassthroughLog } from './passthrough-request.ts';

/** One WebSocket on its way through. */
interface Crossing {
  readonly prepared: Outgoing;
  readonly seenUrl: string;
  /** `opening` until the upstream has answered: only then may an answer of our own be written. */
  state: 'opening' | 'answered';
  failureFrom: (error: Error) => UpstreamFailure;
}

/** Makes the function that lets WebSockets through on a server. */
export function createUpgrade(upstream: Upstream, log: PassthroughLog): (server: Server) => void {
  const crossings = new WeakMap<IncomingMessage, Crossing>();
  const middleware = createProxyMiddleware({
    ...proxyOptions(upstream.route.upgrade),
    plugins: [
      (proxyServer) => {
        proxyServer.on('proxyReqWs', (outgoing, request, socket) => {
          const crossing = crossings.get(request);
          if (crossing !== undefined) cross({ outgoing, request, socket, crossing }, upstream);
        });
        proxyServer.on('error', (error, request, socket) => {
          const crossing = crossings.get(request);
          if (crossing === undefined || !(socket instanceof Socket)) return;
          const failure = error instanceof UpstreamFailure ? error : crossing.failureFrom(error);
          if (!socket.destroyed) log.warn('upgrade_failed', { kind: failure.kind, reason: failure.reason });
          if (crossing.state === 'opening') refuse(socket, failure);
          // A half answer must not be taken for a whole one; http-proxy would end it as if it were.
          else socket.destroySoon();
        });
      },
    ],
  });
  return (server) => {
    server.on('upgrade', (request, socket, head) => {
      if (!(socket instanceof Socket)) socket.destroy();
      else if (isWebSocket(request)) {
        crossings.set(request, {
          prepared: prepare(request, upstream, upstream.route.upgrade),
          seenUrl: request.url ?? '/',
          state: 'opening',
          failureFrom: (error) => new UpstreamFailure('closed', { cause: error }),
        });
        // Its parser throws on some paths; ours is set on the outgoing request.
        request.url = '/';
        middleware.upgrade(request, socket, head);
      } else readmit(server, { request, socket, head });
    });
  };
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
}

interface OpenCrossing {
  readonly outgoing: ClientRequest;
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly crossing: Crossing;
}

function cross({ outgoing, request, socket, crossing }: OpenCrossing, upstream: Upstream): void {
  request.url = crossing.seenUrl;
  applyOutgoing(outgoing, crossing.prepared, ['Connection', 'Upgrade', 'Upgrade', 'websocket']);
  failOnRefusedTunnel(outgoing);
  crossing.failureFrom = failuresOf(outgoing);
  const stopWatching = watchForAnswer(outgoing, upstream.timeouts, (failure) => {
    outgoing.destroy(failure);
  });
  socket.once('close', () => {
    outgoing.destroy();
  });
  outgoing.once('upgrade', (_answer, upstreamSocket) => {
    stopWatching();
    crossing.state = 'answered';
    couple(socket, upstreamSocket);
  });
  outgoing.prependOnceListener('response', (answer) => {
    crossing.state = 'answered';
    delimitByClose(answer, socket);
  });
}

/** Neither side may outlive the other: http-proxy ends a socket whose peer ended, but not one whose peer was reset. */
function couple(socket: Socket, upstreamSocket: Socket): void {
  socket.once('close', () => {
    upstreamSocket.destroy();
  });
  upstreamSocket.once('close', () => {
    if (!socket.writableEnded) socket.destroySoon();
  });
}

/**
 * Prepares an answer other than 101 for http-proxy, which copies its headers and pipes its body without its chunk
 * framing: the end of the connection has to delimit it.
 */
function delimitByClose(answer: IncomingMessage, socket: Socket): void {
  const kept = new Set<string>();
  for (const [name] of headerPairs(endToEndHeaders(answer.rawHeaders))) kept.add(name.toLowerCase());
  for (const name of Object.keys(answer.headers)) {
    // Reflect, since http-proxy reads this very object.
    if (!kept.has(name)) Reflect.deleteProperty(answer.headers, name);
  }
  answer.headers.connection = 'close';
  answer.once('close', () => {
    if (!answer.complete) socket.destroy();
  });
}

/** Answers a WebSocket's request with an error of the catalogue; http-proxy ends the socket after it. */
function refuse(socket: Socket, failure: UpstreamFailure): void {
  if (!socket.writable) return;
  const error = failure.toToolrollError();
  const body = JSON.stringify(error.toBody());
  socket.write(
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? 'Error'}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** Fields of an offered upgrade to HTTP/2 in the clear (RFC 7540, 3.2). */
const upgradeFields: ReadonlySet<string> = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Serves a request that only offers another protocol as if it had not: Java's client offers h2c with every request,
 * and a server with an `upgrade` listener gets all of them there. The request goes through the server once more, its
 * head written anew without the offer.
 */
function readmit(
  server: Server,
  { request, socket, head }: { request: IncomingMessage; socket: Socket; head: Buffer },
): void {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/${request.httpVersion}`];
  for (const [name, value] of headerPairs(request.rawHeaders)) {
    if (!upgradeFields.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  if (head.length > 0) socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  server.emit('connection', socket);
}
