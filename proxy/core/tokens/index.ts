export { estimateTokens } from './estimate.ts';
