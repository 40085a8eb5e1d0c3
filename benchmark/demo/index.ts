export { compareQuestion, showFailure } from './compare-question.ts';
export type { Comparison, ModelClients } from './compare-question.ts';
export { runDemo } from './run-demo.ts';
export type { DemoOptions } from './run-demo.ts';
