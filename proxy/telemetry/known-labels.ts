import { OTHER } from './labels.ts';
import type { MetricTable } from './metric-table.ts';

/** The names that the loaded rules bring, and that labels may carry. */
export interface KnownNames {
  /** The model patterns of all rule sets; only exact names become label values. */
  readonly models: readonly string[];
  readonly ruleSets: readonly { readonly name: string; readonly rules: readonly string[] }[];
}

/** More models than this are `other`: each costs three series. */
const MAX_MODELS = 100;

interface RuleLabels extends Readonly<Record<string, string>> {
  readonly rule_set: string;
  readonly rule: string;
}

/** Label values for names from a turn: the name itself where the rules know it, else `other`. */
export interface KnownLabels {
  model(name: string | null): string;
  ruleSet(name: string): string;
  rule(ruleSet: string, rule: string): RuleLabels;
  readonly replace: (names: KnownNames) => void;
}

/** A turn may end under a revision that is gone already: it is then counted as `other`. */
export function createKnownLabels(table: MetricTable): KnownLabels {
  let models: ReadonlySet<string> = new Set();
  let ruleSets: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const known: KnownLabels = {
    model: (name) => (name !== null && models.has(name) ? name : OTHER),
    ruleSet: (name) => (ruleSets.has(name) ? name : OTHER),
    rule: (ruleSet, rule) => ({
      rule_set: known.ruleSet(ruleSet),
      rule: ruleSets.get(ruleSet)?.has(rule) === true ? rule : OTHER,
    }),
    replace: (names) => {
      const newModels = new Set(names.models.filter(isExactName).slice(0, MAX_MODELS));
      const newRuleSets = new Map(names.ruleSets.map(({ name, rules }) => [name, new Set(rules)]));
      for (const model of models) if (!newModels.has(model)) forgetModel(table, model);
      forgetRules(table, ruleSets, newRuleSets);
      models = newModels;
      ruleSets = newRuleSets;
      for (const model of [...models, OTHER]) startModel(table, model);
      startRules(table, ruleSets);
    },
  };
  startModel(table, OTHER);
  return known;
}

/** A pattern is no name: `gpt-*` would stand for many models in one series. */
function isExactName(pattern: string): boolean {
  return !pattern.includes('*') && !(pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/'));
}

function startModel(table: MetricTable, model: string): void {
  table.inputTokens.start({ model, kind: 'fresh' });
  table.inputTokens.start({ model, kind: 'cached' });
  table.outputTokens.start({ model });
}

function forgetModel(table: MetricTable, model: string): void {
  table.inputTokens.forget({ model, kind: 'fresh' });
  table.inputTokens.forget({ model, kind: 'cached' });
  table.outputTokens.forget({ model });
}

type RuleNames = ReadonlyMap<string, ReadonlySet<string>>;

function startRules(table: MetricTable, ruleSets: RuleNames): void {
  for (const [ruleSet, rules] of ruleSets) {
    table.tokensSaved.start({ rule_set: ruleSet });
    table.tokensLost.start({ rule_set: ruleSet });
    for (const rule of rules) table.rulesApplied.start({ rule_set: ruleSet, rule });
  }
}

function forgetRules(table: MetricTable, before: RuleNames, after: RuleNames): void {
  for (const [ruleSet, rules] of before) {
    const kept = after.get(ruleSet);
    if (kept === undefined) {
      table.tokensSaved.forget({ rule_set: ruleSet });
      table.tokensLost.forget({ rule_set: ruleSet });
      table.rulesApplied.forget({ rule_set: ruleSet, rule: OTHER });
    }
    for (const rule of rules) {
      if (kept?.has(rule) !== true) table.rulesApplied.forget({ rule_set: ruleSet, rule });
    }
  }
}
