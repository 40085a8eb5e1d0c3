export { compileRuleSet } from './compile.ts';
export { applyRules } from './apply.ts';
export type { AppliedRules, AppliedTool, Operation } from './apply.ts';
export type {
  CompiledRule,
  CompiledRuleSet,
  CompiledSelection,
  CompiledSkillSettings,
  CompiledTextTools,
  CompileFault,
} from './compile.ts';
export { matchRuleSet } from './match.ts';
export type { MatchFacts } from './match.ts';
export { shorten } from './trim.ts';
export { definitionOf } from './definition.ts';
export { compilePattern, matchesAny } from './pattern.ts';
export type { Matcher } from './pattern.ts';
