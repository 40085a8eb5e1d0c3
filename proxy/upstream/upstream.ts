import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createDecoders, parseContentEncoding } from './content-encoding.ts';
import type { UpstreamTimeouts } from './deadlines.ts';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { UpstreamFailure } from './failure.ts';
import type { Environment } from './forward-proxy.ts';
import { endToEndHeaders, headerRecord, rawHeadersOf, requestHeaders, withoutHeaders } from './headers.ts';
import type { BodyFraming, RawHeaders } from './headers.ts';
import { createResponseBody } from './response-body.ts';
import type { ResponseBody } from './response-body.ts';
import { createRoute, openRequest } from './route.ts';
import type { Hop, Route } from './route.ts';
import { createTarget } from './target.ts';

export interface UpstreamOptions extends UpstreamTimeouts {
  /** The model's base URL, `/v1` included. */
  readonly baseUrl: string;
  /** Sent as Bearer in place of the app's `authorization`. */
  readonly apiKey?: string | undefined;
  /** Read for `HTTPS_PROXY` and its kin. */
  readonly environment: Environment;
}

export interface UpstreamRequest {
  readonly method: string;
  /** The app's request target, path and query: `/v1/responses?x=1`. */
  readonly path: string;
  /** The app's header fields; the raw list keeps their order and case. */
  readonly headers: RawHeaders | IncomingHttpHeaders;
  readonly body: Uint8Array | undefined;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
  /** `decoded`: the body comes out of its content coding, for an answer that has to be read. */
  readonly answer: 'raw' | 'decoded';
}

export interface UpstreamResponse {
  readonly status: number;
  readonly statusMessage: string;
  /** End-to-end fields by lower-case name; those of the content coding are gone where the body was decoded. */
  readonly headers: IncomingHttpHeaders;
  /** The same fields in the order and case of the wire. */
  readonly rawHeaders: RawHeaders;
  readonly body: ResponseBody;
  /** The coding that this Node cannot undo, where `decoded` was asked for: the body is raw then. */
  readonly undecodable?: string;
}

/** The one way to the model. */
export interface Upstream {
  /**
   * Sends a request and waits for the head of the answer. Redirects come back as they are. A request on a kept
   * connection that dies before any byte of the answer is sent once more on a new connection; nothing else is.
   * @throws {UpstreamFailure} also while the body is read
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** For the pass-through, which streams both ways over the same pool. */
  readonly route: Route;
  readonly timeouts: UpstreamTimeouts;
  /** Path and headers as the upstream, or the forward proxy before it, is to get them. */
  outgoing(request: OutgoingOptions): Outgoing;
  /** Ends the idle connections; those in use end after their answers. */
  readonly close: () => void;
}

export interface OutgoingOptions {
  /** The way that the request will take: `pooled` and `fresh` want the same. */
  readonly hop: Hop;
  readonly method: string;
  readonly path: string;
  readonly headers: RawHeaders;
  readonly framing: BodyFraming;
  readonly answer: 'raw' | 'decoded';
}

export interface Outgoing {
  readonly path: string;
  readonly headers: string[];
}

/** Answers to these carry no body, whatever their headers say (RFC 9110, 6.4.1). */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 304]);

const codingHeaders: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

/**
 * Makes the client; it connects on the first request.
 * @throws {TypeError} where the base URL or the forward proxy in the environment cannot be used
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const target = createTarget(options.baseUrl);
  const route = createRoute(target, options.environment);
  const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = options;
  const timeouts = { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs };
  return {
    route,
    timeouts,
    outgoing,
    close: route.close,
    async send(request) {
      if (request.signal.aborted) throw new UpstreamFailure('aborted');
      const prepared = outgoing({
        hop: route.pooled,
        method: request.method,
        path: request.path,
        headers: rawHeadersOf(request.headers),
        framing:
          request.body === undefined ? { kind: 'none' } : { kind: 'length', bytes: request.body.byteLength },
        answer: request.answer,
      });
      const attempt = (hop: Hop): Promise<Exchange> =>
        exchange(openRequest(hop, { ...prepared, method: request.method }), { ...request, timeouts });
      return respond(await withOneRetry(route, attempt), request, timeouts);
    },
  };

  function outgoing(request: OutgoingOptions): Outgoing {
    const headers = requestHeaders(request.headers, {
      ...request,
      host: target.host,
      apiKey: options.apiKey,
    });
    headers.push(...request.hop.proxyHeaders);
    return { path: `${request.hop.pathPrefix}${target.pathFor(request.path)}`, headers };
  }
}

async function withOneRetry(route: Route, attempt: (hop: Hop) => Promise<Exchange>): Promise<Exchange> {
  try {
    return await attempt(route.pooled);
  } catch (error) {
    // The upstream closed the kept connection while our request was on its way (llama.cpp's server does so after
    // every stream). The other kept ones may be as dead, so the retry takes a new one.
    if (!(error instanceof UpstreamFailure) || !error.staleConnection) throw error;
    return attempt(route.fresh);
  }
}

function respond(open: Exchange, request: UpstreamRequest, timeouts: UpstreamTimeouts): UpstreamResponse {
  const { incoming } = open;
  const rawHeaders = endToEndHeaders(incoming.rawHeaders);
  const decoding = request.answer === 'decoded' ? decode(incoming, request.method) : undefined;
  const seen = decoding?.kind === 'decoded' ? withoutHeaders(rawHeaders, codingHeaders) : rawHeaders;
  return {
    status: incoming.statusCode ?? 0,
    statusMessage: incoming.statusMessage ?? '',
    headers: headerRecord(seen),
    rawHeaders: seen,
    body: createResponseBody({
      exchange: open,
      source: decoding?.kind === 'decoded' ? decoding.source : incoming,
      idleTimeoutMs: timeouts.idleTimeoutMs,
    }),
    ...(decoding?.kind === 'undecodable' ? { undecodable: decoding.encoding } : {}),
  };
}

type Decoding =
  | { readonly kind: 'decoded'; readonly source: Readable }
  | { readonly kind: 'undecodable'; readonly encoding: string };

/** Runs the answer through its decoders; undefined where it is not encoded. */
function decode(incoming: IncomingMessage, method: string): Decoding | undefined {
  const contentEncoding = incoming.headers['content-encoding'];
  if (parseContentEncoding(contentEncoding).length === 0) return undefined;
  if (method === 'HEAD' || bodilessStatuses.has(incoming.statusCode ?? 0)) return undefined;
  const chain = createDecoders(contentEncoding);
  if (chain.kind === 'unsupported') return { kind: 'undecodable', encoding: chain.encoding };
  let source: Readable = incoming;
  for (const decoder of chain.streams) {
    // The callback is empty since the reader of the body sees the stream's own error.
    source = pipeline(source, decoder, () => undefined);
  }
  return { kind: 'decoded', source };
}
