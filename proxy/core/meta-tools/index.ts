export { createCallTool } from './call-tool.ts';
export type { MenuEntry } from './call-tool.ts';
export type { MetaTool, Resolution } from './meta-tool.ts';
