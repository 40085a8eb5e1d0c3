import type { ProtocolAdapter } from '../adapter.ts';
import { decodeRequest } from './decode-request.ts';
import type { ChatTurn } from './decode-request.ts';
import { decodeResponse, readUsage } from './decode-response.ts';
import { ChatStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { ChatStreamEncoder } from './encode-stream.ts';

/** Chat completions. */
export const chatAdapter: ProtocolAdapter<ChatTurn> = {
  protocol: 'chat',
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder: () => new ChatStreamDecoder(),
  createStreamEncoder: (turn, names) => new ChatStreamEncoder(turn, names),
  // An answer of this API repeats nothing of the request.
  echoOf: () => ({}),
  readUsage,
};
