import { Ajv } from 'ajv';
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { optionsSchema } from '../../schemas/generated/options.ts';
import type { Options } from '../../schemas/generated/options.ts';
import { rulesetSchema } from '../../schemas/generated/ruleset.ts';
import type { RuleSet } from '../../schemas/generated/ruleset.ts';
import { compilePattern } from '../core/rules/index.ts';

/** What a check found: nothing, or the validator's own errors, to be put into sentences by `explain`. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly ErrorObject[] };

/** Annotations of our schemas that say something about a value without restricting it. */
const annotations = ['x-env', 'x-flag', 'x-format', 'x-secret', 'x-holds', 'x-expected'];

/** The format of patterns, so that a bad one is told beside all other faults of its file. */
const patternFormat = 'toolroll-pattern';

/** What is wrong with a pattern; `undefined` where it is sound. */
export function patternFault(text: string): string | undefined {
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

let shared: Ajv | undefined;

/** One compiler, made at first use: it takes a while, and `--help` does not need it. */
function compiler(): Ajv {
  if (shared === undefined) {
    shared = new Ajv({ allErrors: true, verbose: true, strict: true, strictRequired: false });
    shared.addVocabulary(annotations);
    shared.addFormat(patternFormat, (text: string) => patternFault(text) === undefined);
    const schemas: readonly AnySchema[] = [rulesetSchema, optionsSchema];
    for (const schema of schemas) shared.addSchema(schema);
  }
  return shared;
}

function check<T>(id: string, value: unknown): Checked<T> {
  const validate: ValidateFunction<T> | undefined = compiler().getSchema<T>(id);
  if (validate === undefined) throw new Error(`no schema ${id}`);
  if (validate(value)) return { ok: true, value };
  return { ok: false, errors: [...(validate.errors ?? [])] };
}

/** Checks a whole rule set against its schema. */
export function checkRuleSet(value: unknown): Checked<RuleSet> {
  return check<RuleSet>(rulesetSchema.$id, value);
}

/** The kinds of rules, each with the definition that its branch of the schema has. */
export const ruleDefinitions = {
  filter: 'FilterRule',
  rename: 'RenameRule',
  override: 'OverrideRule',
  inject: 'InjectRule',
  trim: 'TrimRule',
} as const satisfies Record<string, keyof typeof rulesetSchema.definitions>;

/** Checks one rule against the branch that its kind means, so that no other branch complains. */
export function checkRule(kind: keyof typeof ruleDefinitions, value: unknown): Checked<unknown> {
  return check<unknown>(`${rulesetSchema.$id}#/definitions/${ruleDefinitions[kind]}`, value);
}

/** Checks resolved options against their schema. */
export function checkOptions(value: unknown): Checked<Options> {
  return check<Options>(optionsSchema.$id, value);
}
