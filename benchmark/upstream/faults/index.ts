export { bendAnswer } from './bend-answer.ts';
export { bendChunks, bendCompletion } from './bend-chunks.ts';
export { bendEvents, withObjectArguments } from './bend-events.ts';
export { faultModes, Faults, parseFaults } from './parse-faults.ts';
export type { Fault } from './parse-faults.ts';
