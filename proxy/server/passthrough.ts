import { ClientRequest } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import {
  UpstreamFailure,
  endToEndHeaders,
  failOnRefusedTunnel,
  failuresOf,
  headerPairs,
  watchForAnswer,
} from '../upstream/index.ts';
import type { Outgoing, RawHeaders, Upstream } from '../upstream/index.ts';
import { applyOutgoing, prepare, proxyOptions } from './passthrough-request.ts';
import type { PassthroughLog } from './passthrough-request.ts';
import { createUpgrade } from './passthrough-upgrade.ts';

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
  failure: UpstreamFailure | undefined;
}

/** Makes the pass-through over `http-proxy-middleware`, with the upstream client's pool. */
export function createPassthrough(options: PassthroughOptions): Passthrough {
  const { upstream, log } = options;
  const passages = new WeakMap<IncomingMessage, Passage>();
  const middleware = createProxyMiddleware({
    ...proxyOptions(upstream.route.pooled),
    // Its own copying loses the case and the repetition of headers, and leaves the app hanging when the upstream dies.
    selfHandleResponse: true,
    plugins: [
      (proxyServer) => {
        proxyServer.on('proxyRes', (answer, request) => {
          const passage = passages.get(request);
          if (passage === undefined) return;
          if (isStatus(answer.statusCode)) relayAnswer(answer, passage, upstream);
          else answer.destroy(new UpstreamFailure('malformed', { reason: 'not an HTTP status' }));
        });
        proxyServer.on('error', (error, request) => {
          const passage = passages.get(request);
          if (passage !== undefined) giveUp(passage, asFailure(error), log);
        });
      },
    ],
  });

  return {
    handle: (request, response) => {
      const prepared = prepare(request, upstream);
      const passage: Passage = { request, response, prepared, failure: undefined };
      passages.set(request, passage);
      takeOver(passage, upstream, log);
      middleware(request, response, (error: unknown) => {
        giveUp(passage, asFailure(error), log);
      }).catch((error: unknown) => {
        giveUp(passage, asFailure(error), log);
      });
    },
    attachUpgrades: createUpgrade(upstream, log),
  };
}

/**
 * Takes the outgoing request over at the one moment at which it is made and nothing of it is sent: when http-proxy
 * pipes the body into it. Path and headers are set here, since http-proxy collapses `//`, re-escapes characters,
 * reframes DELETE and merges repeated headers. (Its `proxyReq` event comes too late behind a forward proxy.)
 */
function takeOver(passage: Passage, upstream: Upstream, log: PassthroughLog): void {
  const { request, response, prepared } = passage;
  const seenUrl = request.url ?? '/';
  // What http-proxy makes of a path does not matter, but some paths make its parser throw.
  request.url = '/';
  // Our server has answered it already; http-proxy would send the head out before it can be set.
  delete request.headers.expect;
  const pipe = request.pipe.bind(request);
  request.pipe = (destination, pipeOptions) => {
    if (destination instanceof ClientRequest) {
      request.url = seenUrl;
      applyOutgoing(destination, prepared, ['Connection', 'keep-alive']);
      watchRequest(destination);
    }
    return pipe(destination, pipeOptions);
  };

  function watchRequest(outgoing: ClientRequest): void {
    const failureFrom = failuresOf(outgoing);
    failOnRefusedTunnel(outgoing);
    watchForAnswer(outgoing, upstream.timeouts, (failure) => {
      giveUp(passage, failure, log);
      outgoing.destroy();
    });
    // Before http-proxy's own listener: it knows the error, we know what it means.
    outgoing.prependListener('error', (error) => {
      giveUp(passage, failureFrom(error), log);
    });
    response.once('close', () => {
      if (response.writableFinished) return;
      passage.failure ??= new UpstreamFailure('aborted');
      outgoing.destroy();
    });
  }
}

/** Gives the app the answer as it comes, at the app's pace. */
function relayAnswer(answer: IncomingMessage, passage: Passage, upstream: Upstream): void {
  const { response } = passage;
  if (response.destroyed || response.headersSent) {
    answer.destroy();
    return;
  }
  sendHead(answer, response);
  const stopWatching = watchIdle(answer, response, upstream.timeouts.idleTimeoutMs);
  answer.on('error', (error) => {
    passage.failure ??= asFailure(error);
  });
  answer.once('close', () => {
    stopWatching();
    // http-proxy leaves the app waiting here.
    if (!answer.complete || passage.failure !== undefined) cut(response);
  });
  answer.pipe(response);
}

/** Ends an answer that pauses for too long, and sends its head where no body follows at once. */
function watchIdle(answer: IncomingMessage, response: ServerResponse, timeoutMs: number): () => void {
  let begun = false;
  const timer = setTimeout(() => {
    // An app that does not read is not an upstream that does not send.
    if (response.writableNeedDrain) timer.refresh();
    else answer.destroy(new UpstreamFailure('idle_timeout', { timeoutMs }));
  }, timeoutMs);
  const moved = (): void => {
    begun = true;
    timer.refresh();
  };
  answer.on('data', moved);
  response.on('drain', moved);
  // Node keeps the head back until there is a body to send with it; a stream's first event may be minutes away.
  setImmediate(() => {
    if (!begun && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
  return () => {
    clearTimeout(timer);
  };
}

/** Node reads any three digits, and refuses to send those below 100. */
function isStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 100 && status <= 999;
}

function sendHead(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  const headers = endToEndHeaders(answer.rawHeaders);
  const status = answer.statusCode ?? 502;
  const message = answer.statusMessage ?? '';
  if (response.getHeaderNames().length === 0) response.writeHead(status, message, headers);
  else {
    // Beside headers that were set before, `writeHead` keeps only the last of repeated fields.
    replaceHeaders(response, headers);
    response.writeHead(status, message);
  }
}

function replaceHeaders(response: ServerResponse, headers: RawHeaders): void {
  for (const [name] of headerPairs(headers)) response.removeHeader(name);
  for (const [name, value] of headerPairs(headers)) response.appendHeader(name, value);
}

/** Ends a passage that failed: with the catalogue's error where nothing was sent, else by cutting the connection. */
function giveUp(passage: Passage, failure: UpstreamFailure, log: PassthroughLog): void {
  const { request, response } = passage;
  if (passage.failure !== undefined || response.writableFinished) return;
  passage.failure = failure;
  if (response.destroyed || request.destroyed) return;
  log.warn('passthrough_failed', { method: request.method, kind: failure.kind, reason: failure.reason });
  if (response.headersSent) {
    cut(response);
    return;
  }
  const error = failure.toToolrollError();
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(error.toBody()));
}

/**
 * Closes the app's connection without ending the answer, so that a half answer is not taken for a whole one. What has
 * been received is sent out first.
 */
function cut(response: ServerResponse): void {
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}

/** What http-proxy reports comes from its own works or from the app's side of the connection. */
function asFailure(error: unknown): UpstreamFailure {
  return error instanceof UpstreamFailure ? error : new UpstreamFailure('closed', { cause: error });
}

export type { PassthroughLog } from './passthrough-request.ts';
