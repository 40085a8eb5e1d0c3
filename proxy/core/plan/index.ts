export { changesNothing, planTurn } from './plan.ts';
export type { Plan, PlanReason, SkillLoader } from './plan.ts';
export { renameEntry } from './tool-choice.ts';
