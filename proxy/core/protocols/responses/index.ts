import type { ProtocolAdapter } from '../adapter.ts';
import { decodeRequest } from './decode-request.ts';
import type { ResponsesTurn } from './decode-request.ts';
import { decodeResponse, readUsage } from './decode-response.ts';
import { ResponsesStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { echoOf, encodeResponse } from './encode-response.ts';
import { ResponsesStreamEncoder } from './encode-stream.ts';

/** The Responses API. */
export const responsesAdapter: ProtocolAdapter<ResponsesTurn> = {
  protocol: 'responses',
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder: () => new ResponsesStreamDecoder(),
  createStreamEncoder: (_turn, names) => new ResponsesStreamEncoder(names),
  echoOf,
  readUsage,
};
