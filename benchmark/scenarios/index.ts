export { chineseQuestions, chineseTools } from './chinese-tools.ts';
export { makeTools, tools } from './make-tools.ts';
export { menuOf } from './menu.ts';
export { questions } from './questions.ts';
export type { Question } from './questions.ts';
export type { FunctionTool } from './tool.ts';
