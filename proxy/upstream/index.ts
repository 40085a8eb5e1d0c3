/** The way to the model: one client, its pool, its limits, and what of a request or an answer travels. */
export { createUpstream } from './upstream.ts';
export type {
  Outgoing,
  OutgoingOptions,
  Upstream,
  UpstreamOptions,
  UpstreamRequest,
  UpstreamResponse,
} from './upstream.ts';
export { failOnRefusedTunnel } from './route.ts';
export type { Hop, Route } from './route.ts';
export { watchForAnswer } from './deadlines.ts';
export type { StopWatching, UpstreamTimeouts } from './deadlines.ts';
export { UpstreamFailure } from './failure.ts';
export type { FailureKind } from './failure.ts';
export { failuresOf } from './exchange.ts';
export { decodeBody } from './content-encoding.ts';
export type { DecodedBody } from './content-encoding.ts';
export { endToEndHeaders, headerPairs, withoutHeaders } from './headers.ts';
export type { BodyFraming, RawHeaders } from './headers.ts';
export type { ResponseBody } from './response-body.ts';
