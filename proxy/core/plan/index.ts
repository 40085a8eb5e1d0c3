export { changesNothing, planTurn } from './plan.ts';
export type { Plan, PlanReason, SkillResolution, SkillTool } from './plan.ts';
export { renameEntry } from './tool-choice.ts';
