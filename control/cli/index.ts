export { createProgram } from './program.ts';
export type { CliSurroundings, Commands } from './program.ts';
