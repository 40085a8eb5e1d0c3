import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Options } from 'http-proxy-middleware';
import { headerPairs } from '../upstream/index.ts';
import type { BodyFraming, Hop, Outgoing, RawHeaders, Upstream } from '../upstream/index.ts';

/** Where the pass-through reports what it could not do; `createLog` of telemetry is one. */
export interface PassthroughLog {
  readonly warn: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What both instances of the middleware need: a fixed upstream, and none of its additions. */
export function proxyOptions(hop: Hop): Options & { readonly ejectPlugins: true } {
  return {
    target: { protocol: hop.protocol, host: hop.hostname, hostname: hop.hostname, port: String(hop.port) },
    agent: hop.agent,
    xfwd: false,
    followRedirects: false,
    // The default plugins answer errors in plain text and log to the console.
    ejectPlugins: true,
  };
}

/** What the upstream is to be asked, out of what the app asked. */
export function prepare(request: IncomingMessage, upstream: Upstream, hop: Hop): Outgoing {
  return upstream.outgoing({
    hop,
    method: request.method ?? 'GET',
    path: originalTarget(request),
    headers: request.rawHeaders,
    framing: framingOf(request),
    answer: 'raw',
  });
}

/** The request target as the app sent it: express cuts the mount path off `url` and keeps the whole here. */
function originalTarget(request: IncomingMessage): string {
  if ('originalUrl' in request && typeof request.originalUrl === 'string') return request.originalUrl;
  return request.url ?? '/';
}

function framingOf(request: IncomingMessage): BodyFraming {
  if (request.headers['transfer-encoding'] !== undefined) return { kind: 'chunked' };
  const bytes = request.headers['content-length'];
  return bytes === undefined ? { kind: 'none' } : { kind: 'length', bytes };
}

/** Puts path and headers on a request of which nothing has been sent. */
export function applyOutgoing(outgoing: ClientRequest, prepared: Outgoing, connection: RawHeaders): void {
  outgoing.path = prepared.path;
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  for (const [name, value] of headerPairs(prepared.headers)) outgoing.appendHeader(name, value);
  for (const [name, value] of headerPairs(connection)) outgoing.setHeader(name, value);
}

/** What has passed of a body so far, for the one retry on a new connection. */
export interface RememberedBody {
  /** The chunks in order; undefined where there were too many, or the retry is no longer possible. */
  readonly chunks: () => readonly Buffer[] | undefined;
  /** Begins to remember. Not sooner than the body flows to the upstream: listening makes it flow. */
  readonly watch: () => void;
  readonly forget: () => void;
}

/** A larger body is not kept: pass-through holds nothing of an upload but what is on its way. */
const rememberedBytes = 256 * 1024;

/** Remembers a small body while it passes. The chunks are those that are sent, not copies. */
export function rememberBody(request: IncomingMessage): RememberedBody {
  let chunks: Buffer[] | undefined = [];
  let total = 0;
  const remember = (chunk: Buffer): void => {
    total += chunk.byteLength;
    if (total > rememberedBytes) forget();
    else chunks?.push(chunk);
  };
  const forget = (): void => {
    chunks = undefined;
    request.off('data', remember);
  };
  const watch = (): void => {
    if (chunks !== undefined && !request.listeners('data').includes(remember)) request.on('data', remember);
  };
  return { chunks: () => chunks, watch, forget };
}
