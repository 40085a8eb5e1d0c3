import type { Protocol } from '../turn/index.ts';
import type { CompiledRuleSet } from './compile.ts';
import { matchesAny } from './pattern.ts';

/** What rule sets are matched on. */
export interface MatchFacts {
  readonly endpoint: Protocol;
  readonly model: string | undefined;
  /** The values of a header by its lower-case name. */
  readonly header: (name: string) => readonly string[];
}

/** The first rule set that takes the turn, in the order of the files. */
export function matchRuleSet(
  ruleSets: readonly CompiledRuleSet[],
  facts: MatchFacts,
): CompiledRuleSet | undefined {
  return ruleSets.find((ruleSet) => matches(ruleSet, facts));
}

function matches(ruleSet: CompiledRuleSet, facts: MatchFacts): boolean {
  if (ruleSet.models !== undefined && !matchesAny(ruleSet.models, facts.model ?? '')) return false;
  if (ruleSet.endpoints !== undefined && !ruleSet.endpoints.includes(facts.endpoint)) return false;
  for (const [name, matchers] of ruleSet.headers) {
    if (!facts.header(name).some((value) => matchesAny(matchers, value))) return false;
  }
  return true;
}
