import type { IncomingMessage, ServerResponse } from 'node:http';
import { UpstreamFailure, endToEndHeaders, headerPairs } from '../upstream/index.ts';
import type { RawHeaders } from '../upstream/index.ts';

export interface RelayOptions {
  readonly idleTimeoutMs: number;
  /** True once the passage has failed for a reason that the answer itself does not show. */
  readonly hasFailed: () => boolean;
}

/** Gives the app the answer as it comes, at the app's pace; an answer cut short cuts the app's connection. */
export function relayAnswer(answer: IncomingMessage, response: ServerResponse, options: RelayOptions): void {
  sendHead(answer, response);
  const stopWatching = watchIdle(answer, response, options.idleTimeoutMs);
  let broken = false;
  answer.on('error', () => (broken = true));
  answer.once('close', () => {
    stopWatching();
    // http-proxy leaves the app waiting here.
    if (broken || !answer.complete || options.hasFailed()) cut(response);
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
export function isStatus(status: number | undefined): boolean {
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

/**
 * Closes the app's connection without ending the answer, so that a half answer is not taken for a whole one. What has
 * been received is sent out first.
 */
export function cut(response: ServerResponse): void {
  if (response.socket === null) response.destroy();
  else response.socket.destroySoon();
}
