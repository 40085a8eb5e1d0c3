import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { ListenAddress } from '../proxy/config/index.ts';
import { bind } from '../proxy/server/index.ts';

/** A listener that is up. */
export interface ControlListener {
  /** Where it answers, such as `http://127.0.0.1:9090`. */
  readonly url: string;
  /** Stops accepting, gives running answers two seconds to end and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** Small requests from operators and Prometheus: whoever takes longer holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const CLOSE_GRACE_MS = 2_000;
/** How often Node looks for connections over these limits. */
const CHECK_MS = 5_000;

/**
 * Serves the control app.
 *
 * @param address port 0 picks one
 * @throws the system's error where the address cannot be had
 */
export async function listenControl(app: RequestListener, address: ListenAddress): Promise<ControlListener> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    app,
  );
  const url = await bind(server, address);
  return { url, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_GRACE_MS);
    server.close((error) => {
      clearTimeout(deadline);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}
