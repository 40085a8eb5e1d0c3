import { compileRuleSet } from '../../../../proxy/core/rules/index.ts';
import type { CompiledRuleSet, CompileFault } from '../../../../proxy/core/rules/index.ts';
import type { RuleSetSpec } from '../../../../schemas/generated/ruleset.ts';

/** Compiles a spec; the faults it has are part of what is tested. */
export function compiled(spec: RuleSetSpec): {
  readonly ruleSet: CompiledRuleSet;
  readonly faults: readonly CompileFault[];
} {
  return compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec,
  });
}
