export { measureCpu } from './measure-cpu.ts';
export { measureSkills } from './measure-skills.ts';
export { measureText } from './measure-text.ts';
export { measureLatency } from './measure-latency.ts';
export { measureReload } from './measure-reload.ts';
export { measureSoak } from './measure-soak.ts';
export { profilePeers } from './profile.ts';
export { renderProfiles, renderResults } from './render.ts';
export type { BenchResults } from './results.ts';
