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
export { validates } from './fill-arguments.ts';
export { menuOf } from './menu.ts';
export { skillsOf } from './skill.ts';
export { callOf, loadsSkill, sinceQuestion, think } from './think.ts';
