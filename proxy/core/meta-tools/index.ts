export { explainUnknownName } from './closest-names.ts';
export { createCallTool } from './call-tool.ts';
export type { MenuEntry } from './call-tool.ts';
export type { MetaTool, Resolution } from './meta-tool.ts';
export { createSkillTool } from './skill-tool.ts';
export type { SkillResolution, SkillTool } from './skill-tool.ts';
