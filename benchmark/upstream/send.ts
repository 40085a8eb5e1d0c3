/** Writes answers, whole or as a stream, with the faults that lie in the bytes. */
import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Faults } from './faults/index.ts';
import type { ReceivedRequest } from './request-log.ts';

/** Where an answer goes, what goes wrong with it, and where it is noted. */
export interface Outlet {
  readonly response: ServerResponse;
  readonly faults: Faults;
  readonly log: ReceivedRequest;
  /** Ended when the caller goes away or the server closes. */
  readonly gone: AbortSignal;
}

/** One event of a stream as it is written. */
export interface Frame {
  /** What stands in its `event:` line; a frame without it has none. */
  readonly event?: string;
  readonly data: string;
}

/** Waits; ends early, without complaint, when the caller goes away. */
export async function wait(milliseconds: number, gone: AbortSignal): Promise<void> {
  if (gone.aborted || milliseconds <= 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, milliseconds);
    gone.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      gone.removeEventListener('abort', finish);
      resolve();
    }
  });
}

const encoders: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  gzip: (data) => zlib.gzipSync(data),
  deflate: (data) => zlib.deflateSync(data),
  br: (data) => zlib.brotliCompressSync(data),
};

const streamEncoders: Readonly<Record<string, () => Transform & zlib.Zlib>> = {
  gzip: () => zlib.createGzip(),
  deflate: () => zlib.createDeflate(),
  br: () => zlib.createBrotliCompress(),
};

/** Answers with one JSON text. */
export function sendJson(outlet: Outlet, status: number, text: string): void {
  const { response, faults, log } = outlet;
  log.status = status;
  const encoding = faults.value('gzip', 'encoding', 'gzip');
  let data: Buffer = Buffer.from(faults.has('malformed_json') ? text.slice(0, text.length / 2) : text);
  if (encoding !== undefined) {
    data = encoders[encoding]?.(data) ?? data;
    response.setHeader('content-encoding', encoding);
  }
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': data.length });
  log.bytesSent += data.length;
  const end = faults.value('cut', 'end', 'reset');
  if (end === undefined) response.end(data);
  else {
    response.write(data.subarray(0, data.length / 2));
    // A promised length that never comes: both ways of cutting end the socket.
    setImmediate(() => response.destroy());
  }
}

/** Answers with a stream of events, no faster than the caller reads. */
export async function sendFrames(outlet: Outlet, frames: Iterable<Frame>): Promise<void> {
  const { response, faults, log, gone } = outlet;
  log.status = 200;
  const encoding = faults.value('gzip', 'encoding', 'gzip');
  if (encoding !== undefined) response.setHeader('content-encoding', encoding);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  const sink = new Sink(outlet, encoding);
  const pause = faults.number('slow_events', 'ms', 50) ?? 0;
  const resetAt =
    faults.value('reset', 'at', 'headers') === 'event' ? faults.number('reset', 'event', 4) : undefined;
  const cutAt = faults.number('cut', 'event', 4);
  const brokenAt = faults.number('malformed_json', 'event', 4);
  let at = 0;
  for (const frame of frames) {
    if (gone.aborted) return;
    if (at === resetAt) return sink.destroy();
    const text = textOf(at === brokenAt ? halved(frame) : frame, faults);
    if (at === cutAt) return sink.cut(text);
    await sink.write(text);
    if (faults.has('keepalive') && frame.data !== doneMarker) await sink.write(': keepalive\n\n');
    if (pause > 0) await wait(pause, gone);
    at += 1;
  }
  sink.end();
  log.bytesSent = sink.sent;
}

/** What ends a stream of chat completions, and what some servers send after Responses events. */
export const doneMarker = '[DONE]';

function halved({ data, ...rest }: Frame): Frame {
  return { ...rest, data: data.slice(0, data.length / 2) };
}

function textOf({ event, data }: Frame, faults: Faults): string {
  const named = event !== undefined && !faults.has('no_event_lines');
  const text = named ? `event: ${event}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
  return faults.has('crlf') ? text.replaceAll('\n', '\r\n') : text;
}

/** Longest text handed to the socket at once. */
const slice = 65_536;

/** The body of a stream: compressed where asked, with backpressure. */
class Sink {
  readonly #outlet: Outlet;
  readonly #target: Writable;
  readonly #flush: () => void;
  sent = 0;

  constructor(outlet: Outlet, encoding: string | undefined) {
    this.#outlet = outlet;
    const squeeze = encoding === undefined ? undefined : streamEncoders[encoding]?.();
    this.#target = squeeze ?? outlet.response;
    this.#flush = () => squeeze?.flush();
    if (squeeze === undefined) return;
    squeeze.pipe(outlet.response);
    outlet.gone.addEventListener('abort', () => squeeze.destroy(), { once: true });
  }

  async write(text: string): Promise<void> {
    for (let at = 0; at < text.length; at += slice) {
      if (this.#outlet.gone.aborted) return;
      const piece = text.length <= slice ? text : text.slice(at, at + slice);
      this.sent += piece.length;
      this.#outlet.log.bytesSent = this.sent;
      const full = !this.#target.write(piece);
      this.#flush();
      if (full) await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    const { gone } = this.#outlet;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        this.#target.removeListener('drain', finish);
        gone.removeEventListener('abort', finish);
        resolve();
      };
      this.#target.once('drain', finish);
      gone.addEventListener('abort', finish, { once: true });
    });
  }

  /** Half a frame, then the end. */
  async cut(frame: string): Promise<void> {
    await this.write(frame.slice(0, frame.length / 2));
    if (this.#outlet.faults.value('cut', 'end', 'reset') === 'eof') this.end();
    else await this.destroy();
  }

  /** Lets what was written out, then destroys the socket. */
  async destroy(): Promise<void> {
    await wait(20, this.#outlet.gone);
    this.#outlet.response.destroy();
  }

  end(): void {
    this.#target.end();
  }
}
