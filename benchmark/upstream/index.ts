export type { ReceivedRequest, RequestKind } from './request-log.ts';
export { startUpstream } from './server.ts';
export type { Upstream, UpstreamOptions } from './server.ts';
export { countTokens } from './usage/index.ts';
export type { Usage } from './wire/index.ts';
