export { TextScanner } from './scan-text.ts';
export { createTextTransport } from './transport.ts';
export type { TextTransport, TextTransportOptions } from './transport.ts';
export type { TextStream } from './text-stream.ts';
export type { TextToolsSettings } from './request-edits.ts';
