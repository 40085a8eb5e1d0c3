/** What the numbers have to be. Ratios are against the bare proxy in the same run. */
import type { Format, VariantName } from '../peers/index.ts';

/** CPU time per request. */
export const cpuLimits: Readonly<Record<VariantName, Readonly<Record<Format, number>> | undefined>> = {
  bare: undefined,
  passThrough: { json: 1.3, sse: 1.4 },
  otherPath: { json: 1.3, sse: 1.4 },
  oneHop: { json: 1.6, sse: 1.6 },
  twoHops: { json: 2.8, sse: 2.8 },
};

/** The ratio with 200 tools against the one with 37: no worse, but for what a repeated run differs by. */
export const manyToolsLimit = 1.05;
/** CPU time of a chat turn against the same turn over the Responses API. */
export const chatLimit = 1.1;
/** Latency that Toolroll adds per call to the upstream, p50, in milliseconds. */
export const addedLatencyLimitMs = 1;
export const rssLimit = 1.4;
/** Memory at the end of the soak against its beginning. */
export const soakLimit = 1.1;
export const reloadBlockLimitMs = 50;
/** Input tokens of a 37-tool turn over both hops against direct. */
export const tokenLimit = 0.12;
/** Reading calls out of text, per delta of four characters. */
export const deltaLimitMicros = 3;
/** Text that keeps looking like a call against text that never does; the tenth is what a repeated run differs by. */
export const lookAlikeLimit = 1.1;
export const skillsLoadLimitMs = 1000;
