import { fileFault } from './fault.ts';
import type { Fault } from './fault.ts';

/** One thing wrong with a skill. It never keeps rules or other skills from loading. */
export interface SkillFault extends Fault {
  /** `warning`: nothing that was meant to be a skill is lost, or another one stands in its place. */
  readonly severity: 'error' | 'warning';
}

/** A fault that keeps a skill from loading. */
export function skillError(file: string, message: string, line = 1): SkillFault {
  return { ...fileFault(file, message), line, severity: 'error' };
}

/** A fault that is only told. */
export function skillWarning(file: string, message: string): SkillFault {
  return { ...fileFault(file, message), severity: 'warning' };
}
