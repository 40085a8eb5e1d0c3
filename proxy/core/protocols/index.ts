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
export { responsesAdapter } from './responses/index.ts';
