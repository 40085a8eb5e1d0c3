export { measureTokens } from './measure-tokens.ts';
export type { TokenResult } from './measure-tokens.ts';
export { runDemo } from './run-demo.ts';
export type { DemoOptions } from './run-demo.ts';
