import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

import type { ListenAddress } from '../config/index.ts';
import { bind } from './bind.ts';

/** A listener that is up. */
export interface ProxyListener {
  /** Where it answers, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly server: Server;
  /**
   * Stops accepting, lets answers end, and breaks off what is left after that many seconds.
   *
   * @returns true if every answer came to its end
   */
  drain(seconds: number): Promise<boolean>;
}

/** A client that opens a connection and dawdles over its headers holds it for nothing. */
const HEADERS_TIMEOUT_MS = 60_000;
/** Bodies may be large and lines slow. */
const REQUEST_TIMEOUT_MS = 600_000;
/** Longer than the keep-alive of common clients, so that they close first and none meets a connection that is closing. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Serves the proxy app.
 *
 * @param maxConnections 0 for no limit
 * @throws the system's error where the address cannot be had
 */
export async function listenProxy(
  app: RequestListener,
  address: ListenAddress,
  maxConnections: number,
): Promise<ProxyListener> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    app,
  );
  if (maxConnections > 0) server.maxConnections = maxConnections;
  const sockets = trackSockets(server);
  const url = await bind(server, address);
  return { url, server, drain: (seconds) => drain(server, sockets, seconds) };
}

/** Every open connection, WebSockets included: the server itself forgets those. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** How often connections are looked through for those whose answer has ended meanwhile, in milliseconds. */
const IDLE_CHECK_MS = 100;

async function drain(server: Server, sockets: ReadonlySet<Socket>, seconds: number): Promise<boolean> {
  let whole = true;
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_CHECK_MS);
  const limit = setTimeout(() => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  }, seconds * 1000);
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(limit);
  return whole;
}
