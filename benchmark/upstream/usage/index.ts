export { countTokens } from './count-tokens.ts';
export { PromptCache, segmentOf, tokensOf } from './prompt-cache.ts';
export type { PromptSegment } from './prompt-cache.ts';
