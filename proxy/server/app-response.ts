import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

import type { ToolrollError } from '../core/errors.ts';
import type { StreamOutput } from '../core/protocols/index.ts';
import { formatComment } from '../core/sse/index.ts';
import { withoutHeaders } from '../upstream/index.ts';
import type { RawHeaders } from '../upstream/index.ts';
import { isEventStream } from './event-stream.ts';
import type { TurnRecord } from './turn-record.ts';

/** Fields that we set ourselves, or that no longer fit a body of ours. */
const REPLACED: ReadonlySet<string> = new Set(['content-length']);

/** The head of an upstream's answer. */
export interface AnswerHead {
  readonly status: number;
  readonly statusMessage: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: RawHeaders;
}

/** The app's side of a turn: heads, bodies and streams, at the pace at which the app reads. */
export class AppResponse {
  readonly #response: ServerResponse;
  readonly #record: TurnRecord;
  readonly #revision: string;
  #keepalive: NodeJS.Timeout | undefined;
  #isStream = false;
  /** What was written in this tick and has not gone out yet. */
  #gathered: (string | Uint8Array)[] = [];

  constructor(response: ServerResponse, record: TurnRecord, revision: string) {
    this.#response = response;
    this.#record = record;
    this.#revision = revision;
  }

  /** True once a status has been sent and can no longer be another. */
  get isCommitted(): boolean {
    return this.#response.headersSent;
  }

  /** True once a stream of ours has begun: what goes wrong from here on is said inside it. */
  get isStreaming(): boolean {
    return this.#isStream;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Sends the head of an upstream's answer, with the turn's own headers beside it. */
  begin(head: AnswerHead, framing: 'stream' | 'as_sent' | number): void {
    if (this.isCommitted) return;
    const kept = framing === 'as_sent' ? [...head.rawHeaders] : withoutHeaders(head.rawHeaders, REPLACED);
    if (typeof framing === 'number') kept.push('Content-Length', String(framing));
    this.#isStream = framing === 'stream';
    // A comment belongs into no other body.
    if (!this.#isStream) this.stopKeepalive();
    // Node would add `Connection` and `Keep-Alive` to its head, which edges that speak HTTP/2 on their other side refuse
    // (nestjs/nest #17588).
    if (isEventStream(head.headers['content-type'])) this.#response.removeHeader('connection');
    this.#response.sendDate = false;
    this.#response.writeHead(head.status, head.statusMessage, [...kept, ...this.#turnHeaders()]);
    this.#record.sent(head.status);
  }

  /** Answers with an error of the catalogue. */
  refuse(error: ToolrollError): void {
    if (this.isCommitted || this.isGone) return;
    const body = JSON.stringify(error.toBody());
    this.#response.writeHead(error.status, [
      'Content-Type',
      'application/json',
      'Content-Length',
      String(Buffer.byteLength(body)),
      ...this.#turnHeaders(),
    ]);
    this.#record.sent(error.status);
    this.#response.end(body);
  }

  /**
   * Writes, together with all else that is written in this tick: one read from the upstream often holds several events, and
   * each write costs more than what is in it. Where the app does not keep up, the promise is fulfilled once it has read
   * enough, or has gone, so that nothing piles up here.
   */
  write(output: StreamOutput): Promise<void> | undefined {
    if (output.length === 0 || this.isGone) return undefined;
    this.#keepalive?.refresh();
    if (this.#gathered.length === 0) process.nextTick(this.#flush);
    for (const piece of output) this.#gathered.push(piece);
    return this.#response.writableNeedDrain ? this.#drained() : undefined;
  }

  end(body?: string | Uint8Array): void {
    this.stopKeepalive();
    this.#flush();
    if (!this.isGone) this.#response.end(body);
  }

  /** Ends the connection without ending the answer, so that a half answer is not taken for a whole one. */
  cut(): void {
    this.stopKeepalive();
    this.#flush();
    if (this.#response.socket === null) this.#response.destroy();
    else this.#response.socket.destroySoon();
  }

  /**
   * Sends a comment whenever the stream has been silent that long. The first one commits the status, so it begins only once
   * an upstream has answered well.
   */
  startKeepalive(head: AnswerHead, seconds: number): void {
    if (seconds === 0 || this.#keepalive !== undefined) return;
    this.#keepalive = setInterval(() => {
      if (this.isGone || this.#response.writableNeedDrain) return;
      this.begin(head, 'stream');
      void this.write([formatComment('keepalive')]);
    }, seconds * 1000);
  }

  stopKeepalive(): void {
    clearInterval(this.#keepalive);
  }

  readonly #flush = (): void => {
    const gathered = this.#gathered;
    this.#gathered = [];
    if (this.isGone) return;
    for (const piece of inFewPieces(gathered)) this.#response.write(piece);
  };

  #turnHeaders(): string[] {
    return [
      'x-toolroll-plan',
      this.#record.planName,
      'x-toolroll-hops',
      String(this.#record.hopCount),
      'x-toolroll-revision',
      this.#revision,
    ];
  }

  #drained(): Promise<void> {
    const response = this.#response;
    return new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.once('drain', done);
      response.once('close', done);
    });
  }
}

/** From here on a piece is worth a write of its own, since joining would copy it. */
const LARGE_BYTES = 4096;

/** One write of many small pieces costs far less than many writes. */
function inFewPieces(output: StreamOutput): readonly (string | Uint8Array)[] {
  if (output.length <= 1) return output;
  const pieces: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const join = (): void => {
    if (small.length > 0) pieces.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of output) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes.length < LARGE_BYTES) small.push(bytes);
    else {
      join();
      pieces.push(bytes);
    }
  }
  join();
  return pieces;
}
