export type {
  DecodedItem,
  DecodedResponse,
  Echo,
  NameMaps,
  ProtocolAdapter,
  ResponseRewrite,
  Signal,
  StreamDecoder,
  StreamEncoder,
  StreamFrame,
  StreamOutput,
} from './adapter.ts';
export { chatAdapter } from './chat-completions/index.ts';
export { responsesAdapter } from './responses/index.ts';
