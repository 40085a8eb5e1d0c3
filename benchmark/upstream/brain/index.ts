export type {
  BrainAnswer,
  BrainPart,
  BrainRequest,
  BrainTool,
  HistoryEntry,
  TextForm,
  ToolDemand,
} from './contract.ts';
export { fullName } from './choose-tools.ts';
export { menuOf } from './menu.ts';
export { callOf, sinceQuestion, think } from './think.ts';
