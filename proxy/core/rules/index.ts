export { compileRuleSet } from './compile.ts';
export type { CompiledRule, CompiledRuleSet, CompiledSelection, CompileFault } from './compile.ts';
export { matchRuleSet } from './match.ts';
export type { MatchFacts } from './match.ts';
export { compilePattern, matchesAny } from './pattern.ts';
export type { Matcher } from './pattern.ts';
