import { ClientRequest } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { RequestHandler } from 'http-proxy-middleware';
import { UpstreamFailure, failOnRefusedTunnel, failuresOf, watchForAnswer } from '../upstream/index.ts';
import type { Hop, Outgoing, Upstream } from '../upstream/index.ts';
import { cut, isStatus, relayAnswer } from './passthrough-answer.ts';
import { applyOutgoing, prepare, proxyOptions, rememberBody } from './passthrough-request.ts';
import type { PassthroughLog, RememberedBody } from './passthrough-request.ts';
import { createUpgrade } from './passthrough-upgrade.ts';

export type { PassthroughLog } from './passthrough-request.ts';

export interface PassthroughOptions {
  /** Its pool, its limits and its mapping of paths and headers are used. */
  readonly upstream: Upstream;
  readonly log: PassthroughLog;
}

/** Everything that is not a turn, byte for byte both ways. */
export interface Passthrough {
  /** An express handler; it answers every request itself and parses nothing. Mount no body parser before it. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Lets WebSockets through on that server. */
  readonly attachUpgrades: (server: Server) => void;
}

/** One request on its way through. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly prepared: Outgoing;
  readonly seenUrl: string;
  readonly body: RememberedBody;
  failure: UpstreamFailure | undefined;
  /** The error of the kept connection that was dead, where the request has been sent once more. */
  retriedAfter: Error | undefined;
}

/** What the steps of a passage share. */
interface Works {
  readonly upstream: Upstream;
  readonly log: PassthroughLog;
  readonly passages: WeakMap<IncomingMessage, Passage>;
  /** Sends a passage once more, on a connection of its own. */
  readonly retry: (passage: Passage) => void;
}

/** Makes the pass-through over `http-proxy-middleware`, with the upstream client's pool. */
export function createPassthrough({ upstream, log }: PassthroughOptions): Passthrough {
  const works: Works = {
    upstream,
    log,
    passages: new WeakMap(),
    retry: (passage) => {
      send(passage, fresh, works);
    },
  };
  const pooled = middlewareOver(upstream.route.pooled, works);
  const fresh = middlewareOver(upstream.route.fresh, works);
  return {
    handle: (request, response) => {
      const passage: Passage = {
        request,
        response,
        prepared: prepare(request, upstream, upstream.route.pooled),
        seenUrl: request.url ?? '/',
        body: rememberBody(request),
        failure: undefined,
        retriedAfter: undefined,
      };
      works.passages.set(request, passage);
      // Our server has answered it already; http-proxy would send the head out before it can be set.
      delete request.headers.expect;
      takeOver(passage, works);
      send(passage, pooled, works);
    },
    attachUpgrades: createUpgrade(upstream, log),
  };
}

function middlewareOver(hop: Hop, works: Works): RequestHandler {
  return createProxyMiddleware({
    ...proxyOptions(hop),
    // Its own copying loses the case and the repetition of headers.
    selfHandleResponse: true,
    plugins: [
      (proxyServer) => {
        proxyServer.on('proxyRes', (answer, request) => {
          const passage = works.passages.get(request);
          if (passage !== undefined) begin(passage, answer, works);
        });
        proxyServer.on('error', (error, request) => {
          const passage = works.passages.get(request);
          if (passage !== undefined && error !== passage.retriedAfter)
            giveUp(passage, asFailure(error), works);
        });
      },
    ],
  });
}

function send(passage: Passage, middleware: RequestHandler, works: Works): void {
  // What http-proxy makes of a path does not matter, but some paths make its parser throw.
  passage.request.url = '/';
  const failed = (error: unknown): void => {
    giveUp(passage, asFailure(error), works);
  };
  middleware(passage.request, passage.response, failed).catch(failed);
}

/**
 * Takes each outgoing request over at the one moment at which it is made and nothing of it is sent: when http-proxy
 * pipes the body into it. Path and headers are set here, since http-proxy collapses `//`, re-escapes characters,
 * reframes DELETE and merges repeated headers. (Its `proxyReq` event comes too late behind a forward proxy.)
 */
function takeOver(passage: Passage, works: Works): void {
  const { request, prepared, body } = passage;
  const pipe = request.pipe.bind(request);
  request.pipe = (destination, pipeOptions) => {
    if (destination instanceof ClientRequest) {
      request.url = passage.seenUrl;
      applyOutgoing(destination, prepared, ['Connection', 'keep-alive']);
      watch(passage, destination, works);
      for (const chunk of body.chunks() ?? []) destination.write(chunk);
      body.watch();
    }
    return pipe(destination, pipeOptions);
  };
}

function watch(passage: Passage, outgoing: ClientRequest, works: Works): void {
  const { response } = passage;
  const failureFrom = failuresOf(outgoing);
  failOnRefusedTunnel(outgoing);
  watchForAnswer(outgoing, works.upstream.timeouts, (failure) => {
    giveUp(passage, failure, works);
    outgoing.destroy();
  });
  // Before http-proxy's own listener: it knows the error, we know what it means.
  outgoing.prependListener('error', (error) => {
    const failure = failureFrom(error);
    if (mayRetry(passage, failure)) {
      passage.retriedAfter = error;
      works.retry(passage);
    } else giveUp(passage, failure, works);
  });
  response.once('close', () => {
    if (response.writableFinished) return;
    passage.failure ??= new UpstreamFailure('aborted');
    outgoing.destroy();
  });
}

function begin(passage: Passage, answer: IncomingMessage, works: Works): void {
  const { response } = passage;
  passage.body.forget();
  if (!isStatus(answer.statusCode))
    giveUp(passage, new UpstreamFailure('malformed', { reason: 'not an HTTP status' }), works);
  if (passage.failure !== undefined || response.destroyed) answer.destroy();
  else {
    relayAnswer(answer, response, {
      idleTimeoutMs: works.upstream.timeouts.idleTimeoutMs,
      hasFailed: () => passage.failure !== undefined,
    });
  }
}

/** Ends a passage that failed: with the catalogue's error where nothing was sent, else by cutting the connection. */
function giveUp(passage: Passage, failure: UpstreamFailure, { log }: Works): void {
  const { request, response } = passage;
  if (passage.failure !== undefined || response.writableFinished) return;
  passage.failure = failure;
  passage.body.forget();
  if (response.destroyed || response.socket?.destroyed !== false) return;
  log.warn('passthrough_failed', { method: request.method, kind: failure.kind, reason: failure.reason });
  if (response.headersSent) {
    cut(response);
    return;
  }
  const error = failure.toToolrollError();
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(error.toBody()));
}

/** As the upstream client has it: once, for a kept connection that was dead, as long as the body can be sent again. */
function mayRetry(passage: Passage, failure: UpstreamFailure): boolean {
  if (!failure.staleConnection || passage.retriedAfter !== undefined || passage.failure !== undefined)
    return false;
  return passage.body.chunks() !== undefined && !passage.response.destroyed;
}

/** What http-proxy reports comes from its own works or from the app's side of the connection. */
function asFailure(error: unknown): UpstreamFailure {
  return error instanceof UpstreamFailure ? error : new UpstreamFailure('closed', { cause: error });
}
