export { estimateTokens } from './estimate.ts';
export { computeSavings, estimateOutside } from './savings.ts';
export type { Savings, SavingsInput } from './savings.ts';
