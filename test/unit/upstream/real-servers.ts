import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import type { AddressInfo } from 'node:net';
import { createUpstream } from '../../../proxy/upstream/index.ts';
import type {
  Upstream,
  UpstreamOptions,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../proxy/upstream/index.ts';

/** A server on loopback that stands until its test ends. */
export interface RunningServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

const cleanups: (() => Promise<void> | void)[] = [];

/** Registers what a test has to undo; `cleanUp` runs it, the last first. */
export function atEnd(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

/** For `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

/** Starts a server that a test has made, and ends it, its connections too, when the test ends. */
export async function run(server: net.Server, scheme = 'http'): Promise<RunningServer> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = portOf(server);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  atEnd(close);
  return { port, url: `${scheme}://127.0.0.1:${String(port)}`, close };
}

function portOf(server: net.Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}

/** An HTTP server that answers as the test says. */
export function answering(handler: http.RequestListener): Promise<RunningServer> {
  return run(http.createServer(handler));
}

/** A server that speaks bytes: `script` gets each connection with the number it has, and its first bytes. */
export function speaking(script: (socket: net.Socket, connection: number) => void): Promise<RunningServer> {
  let connections = 0;
  return run(
    net.createServer((socket) => {
      connections += 1;
      script(socket, connections);
    }),
  );
}

/** Calls back once for each request head that arrives whole on a raw connection (requests without a body). */
export function onEachRequest(socket: net.Socket, answer: (request: number) => void): void {
  let text = '';
  let requests = 0;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      text = text.slice(end + 4);
      requests += 1;
      answer(requests);
    }
  });
}

/** A client for a server of the test, with limits that no test reaches by chance. */
export function clientOf(server: { readonly url: string }, options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = createUpstream({
    baseUrl: `${server.url}/v1`,
    connectTimeoutMs: 20_000,
    firstByteTimeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    environment: {},
    ...options,
  });
  atEnd(upstream.close);
  return upstream;
}

/** A request with everything that a test does not care about. */
export function asking(request: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    method: 'GET',
    path: '/v1/models',
    headers: [],
    body: undefined,
    signal: new AbortController().signal,
    answer: 'raw',
    ...request,
  };
}

/** The whole body of an answer. */
export async function bytesOf(response: Pick<UpstreamResponse, 'body'>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await response.body.consume((chunk) => {
    chunks.push(chunk);
    return undefined;
  });
  return Buffer.concat(chunks);
}

/** What a promise is rejected with; the test fails where it is not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}
