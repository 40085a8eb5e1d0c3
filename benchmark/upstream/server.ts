/** The stand-in's HTTP server. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from './api-error.ts';
import type { Exchange } from './exchange.ts';
import { Faults, parseFaults } from './faults/index.ts';
import type { Fault } from './faults/index.ts';
import { parseJson } from './json-value.ts';
import { readBody } from './read-body.ts';
import type { ReceivedRequest } from './request-log.ts';
import { routes } from './routes.ts';
import { sendJson } from './send.ts';
import { Store } from './store.ts';
import type { Memory } from './turn.ts';
import { PromptCache } from './usage/index.ts';

/** How a stand-in is started. */
export interface UpstreamOptions {
  /** Port on 127.0.0.1; 0 (the default) picks a free one. */
  readonly port?: number;
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** Faults of every request that brings none of its own, as in the header `x-stand-in-fault`. */
  readonly fault?: string;
  /** How many received requests are kept for {@link Upstream.requests}; 1,000 by default, 0 keeps none. */
  readonly logLimit?: number;
  /** Told of every request when its answer has ended. */
  readonly onAnswered?: (request: ReceivedRequest) => void;
}

/** A running stand-in. */
export interface Upstream {
  /** Base URL, `/v1` included. */
  readonly url: string;
  readonly port: number;
  /** What was received, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Changes the faults of requests that bring none of their own; undefined: none. */
  setFault(spec: string | undefined): void;
  /** Forgets received requests and the prompt cache. */
  reset(): void;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

interface State {
  memory: Memory;
  readonly requests: ReceivedRequest[];
  readonly logLimit: number;
  readonly onAnswered: (request: ReceivedRequest) => void;
  faults: readonly Fault[];
  served: number;
}

/** Starts a stand-in on the loopback. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const state: State = {
    memory: newMemory(),
    requests: [],
    logLimit: options.logLimit ?? 1_000,
    onAnswered: options.onAnswered ?? (() => undefined),
    faults: parseFaults(options.fault),
    served: 0,
  };
  const server = createServer((request, response) => void serve(state, request, response));
  // Slow callers are part of the tests; time-outs are the tested side's job.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  const host = options.host ?? '127.0.0.1';
  await listen(server, options.port ?? 0, host);
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${String(port)}/v1`,
    port,
    requests: state.requests,
    setFault: (spec) => {
      state.faults = parseFaults(spec);
    },
    reset: () => {
      state.requests.length = 0;
      state.memory = { ...state.memory, cache: new PromptCache() };
    },
    close: () => close(server),
  };
}

function newMemory(): Memory {
  let given = 0;
  const nextId = (prefix: string): string => {
    given += 1;
    return `${prefix}_${given.toString(16).padStart(24, '0')}`;
  };
  return { store: new Store(), cache: new PromptCache(), nextId, decoded: new Map(), chats: new Map() };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = performance.now();
  const path = request.url ?? '/';
  const [pathname = '/'] = path.split('?');
  const route = routes.find((entry) => entry.method === request.method && entry.path.test(pathname));
  const log = newLog(request, path, route?.kind ?? 'other');
  note(state, log);
  const gone = new AbortController();
  response.on('close', () => {
    log.outcome = response.writableFinished ? 'answered' : 'aborted';
    gone.abort();
    state.onAnswered(log);
  });
  const outlet = { response, log, gone: gone.signal };
  setHeaders(state, response, started);
  try {
    log.bodyText = await readBody(request);
    const faults = faultsOf(state, request);
    const id = route?.path.exec(pathname)?.[1] ?? '';
    if (route === undefined) throw unknownUrl(request.method ?? '', path);
    if (route.kind !== 'turn') log.body = parseJson(log.bodyText);
    const exchange: Exchange = { memory: state.memory, request, outlet, log, faults, id };
    await route.handle(exchange);
  } catch (error) {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendError(outlet, error);
  }
}

function newLog(request: IncomingMessage, path: string, kind: ReceivedRequest['kind']): ReceivedRequest {
  const { method = '', headers } = request;
  return {
    method,
    path,
    headers,
    kind,
    bodyText: '',
    body: undefined,
    status: 0,
    outcome: 'open',
    bytesSent: 0,
  };
}

function note(state: State, log: ReceivedRequest): void {
  if (state.logLimit === 0) return;
  state.requests.push(log);
  if (state.requests.length > state.logLimit) state.requests.shift();
}

function faultsOf(state: State, request: IncomingMessage): readonly Fault[] {
  const header = request.headers['x-stand-in-fault'];
  return typeof header === 'string' ? parseFaults(header) : state.faults;
}

/** Headers that every answer of the OpenAI API has. */
function setHeaders(state: State, response: ServerResponse, started: number): void {
  state.served += 1;
  response.setHeader('x-request-id', `req_${state.served.toString(16).padStart(24, '0')}`);
  response.setHeader('openai-version', '2020-10-01');
  response.setHeader('openai-organization', 'stand-in');
  response.setHeader('openai-processing-ms', String(Math.round(performance.now() - started)));
  response.setHeader('x-ratelimit-limit-requests', '10000');
  response.setHeader('x-ratelimit-remaining-requests', '9999');
  response.setHeader('x-ratelimit-limit-tokens', '2000000');
  response.setHeader('x-ratelimit-remaining-tokens', '1999000');
}

function unknownUrl(method: string, path: string): ApiError {
  return new ApiError({ status: 404, message: `Invalid URL (${method} ${path})`, code: null });
}

function sendError(outlet: Omit<Parameters<typeof sendJson>[0], 'faults'>, error: unknown): void {
  const known =
    error instanceof ApiError
      ? error
      : new ApiError({ status: 500, message: `The stand-in failed: ${String(error)}`, code: 'stand_in_bug' });
  sendJson({ ...outlet, faults: new Faults([], { hop: 2, round: 1 }) }, known.status, known.toBody());
}
