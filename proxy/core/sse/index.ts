export { editData, EncodedTexts, formatComment, formatEvent, parseFrame, replaceData } from './frame.ts';
export type { DecodedFrame, SseFields } from './frame.ts';
export { SseSplitter } from './split.ts';
export { wholeFrame } from './whole-frame.ts';
