/** What the stand-in received, for tests to look at. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from './wire/index.ts';

/** Which job a request had. */
export type RequestKind = 'turn' | 'input_tokens' | 'compact' | 'stored' | 'models' | 'other';

/** One received request. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly kind: RequestKind;
  /** The body as text, decoded where it was compressed. */
  bodyText: string;
  /** The body's JSON; undefined where it is none. */
  body: unknown;
  /** 1 while something is still to be picked from a menu or a list of skills, else 2; only on turns. */
  hop?: 1 | 2;
  /** The usage answered with, in the words of the Responses API whatever the protocol; only on turns. */
  usage?: Usage;
  /** The status answered with; 0 until then. */
  status: number;
  /** `aborted` where the caller went away before the answer was whole. */
  outcome: 'open' | 'answered' | 'aborted';
  /** Bytes of body handed to the socket so far. */
  bytesSent: number;
}
