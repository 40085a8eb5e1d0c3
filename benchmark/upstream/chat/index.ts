export { checkChat } from './check-chat.ts';
export { completionChunks } from './chunks.ts';
export { buildChoices, completionObject } from './completion.ts';
export type { ChatOutput, ChatUsage, Completion } from './completion.ts';
export { decodeChat } from './decode-chat.ts';
export type { ChatRequest } from './decode-chat.ts';
