import type { TokenResult } from '../demo/index.ts';
import type { CpuResult } from './measure-cpu.ts';
import type { LatencyResult } from './measure-latency.ts';
import type { ReloadResult } from './measure-reload.ts';
import type { SkillsResult } from './measure-skills.ts';
import type { SoakResult } from './measure-soak.ts';
import type { TextResult } from './measure-text.ts';

/** Everything that one run found. */
export interface BenchResults {
  readonly node: string;
  readonly processors: readonly string[];
  readonly cpu: CpuResult;
  /** The same over chat completions. */
  readonly chat: CpuResult;
  readonly latency: readonly LatencyResult[];
  readonly reload: ReloadResult;
  readonly text: TextResult;
  readonly skills: SkillsResult;
  readonly tokens: TokenResult;
  readonly soak?: SoakResult;
}

/** One number beside its limit. */
export interface Finding {
  readonly what: string;
  readonly value: number;
  /** The largest value that is well; undefined where it is told for comparison only. */
  readonly limit: number | undefined;
  readonly unit: 'times' | 'ms' | 'µs' | 'percent';
}

/** True if the finding is well, or if nothing is asked of it. */
export function isWell({ value, limit }: Finding): boolean {
  return limit === undefined || value <= limit;
}
