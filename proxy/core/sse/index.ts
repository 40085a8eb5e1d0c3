export { formatComment, formatEvent, parseFrame, replaceData } from './frame.ts';
export type { SseFields } from './frame.ts';
export { SseSplitter } from './split.ts';
