export { generateLoad } from './generate-load.ts';
export type { LoadSettings, Shot } from './generate-load.ts';
export { startProcess } from './measured-process.ts';
export type { MeasuredProcess, ProcessSettings } from './measured-process.ts';
export { median } from './median.ts';
export type { Reading } from './probe.ts';
export { openConnection } from './send-one.ts';
export type { Connection, TimedAnswer } from './send-one.ts';
