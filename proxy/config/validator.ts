import { Ajv } from 'ajv';
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { optionsSchema } from '../../schemas/generated/options.ts';
import type { Options } from '../../schemas/generated/options.ts';
import { rulesetSchema } from '../../schemas/generated/ruleset.ts';
import type { RuleSet } from '../../schemas/generated/ruleset.ts';
import { compilePattern } from '../core/rules/index.ts';
import { maxFaults } from './fault.ts';
import type { Steps } from './pace.ts';

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

/** The kinds of rules, each with the definition that its branch of the schema has. */
export const ruleDefinitions = {
  filter: 'FilterRule',
  rename: 'RenameRule',
  override: 'OverrideRule',
  inject: 'InjectRule',
  trim: 'TrimRule',
} as const satisfies Record<string, keyof typeof rulesetSchema.definitions>;

const kindsOfRules = Object.keys(ruleDefinitions).filter(isRuleKind);

/** Whether a key of a rule says what the rule does. */
export function isRuleKind(key: string): key is keyof typeof ruleDefinitions {
  return Object.hasOwn(ruleDefinitions, key);
}

/** Checks one rule against the branch that its kind means, so that no other branch complains. */
export function checkRule(kind: keyof typeof ruleDefinitions, value: unknown): Checked<unknown> {
  return check<unknown>(definitionId(ruleDefinitions[kind]), value);
}

/**
 * Builds the checks, which takes a tenth of a second the first time. The loader does it before anything is served, even
 * where there are no rules yet: the first rules may come while it serves.
 */
export function* prepareChecks(): Steps<void> {
  compiler().getSchema(rulesetSchema.$id);
  for (const name of ['Rule', ...Object.values(ruleDefinitions)]) {
    yield;
    compiler().getSchema(definitionId(name));
  }
}

/**
 * Checks a rule set against its schema, rule by rule, in steps. The errors are those of the schema as a whole: a rule
 * is valid where it has the one key of a kind and that kind's definition takes it, since every definition requires its
 * own key and refuses all others.
 */
export function* checkRuleSet(value: unknown): Steps<Checked<RuleSet>> {
  const spec = isRecord(value) ? value['spec'] : undefined;
  const rules: unknown = isRecord(spec) ? spec['tools'] : undefined;
  if (!isRecord(value) || !isRecord(spec) || !Array.isArray(rules)) return check(rulesetSchema.$id, value);
  // The one wrong rule shows where the errors of the rules belong among all others.
  const frame = check(rulesetSchema.$id, { ...value, spec: { ...spec, tools: [null] } });
  const around = frame.ok ? [] : frame.errors;
  const errors: ErrorObject[] = [];
  let wrong = 0;
  for (const [index, rule] of rules.entries()) {
    const found = errorsOfRule(rule);
    errors.push(
      ...found.map((error) => ({
        ...error,
        instancePath: `/spec/tools/${String(index)}${error.instancePath}`,
      })),
    );
    yield;
    if (found.length > 0 && (wrong += 1) >= maxFaults) break;
  }
  const isMarker = ({ instancePath }: ErrorObject): boolean => /^\/spec\/tools\/0(?:\/|$)/.test(instancePath);
  const at = around.findIndex(isMarker);
  const all = [...around.slice(0, at), ...errors, ...around.slice(at).filter((error) => !isMarker(error))];
  if (all.length > 0) return { ok: false, errors: all };
  // The schema takes all its parts: see above.
  return { ok: true, value: value as unknown as RuleSet };
}

function errorsOfRule(rule: unknown): readonly ErrorObject[] {
  const [kind, second] = isRecord(rule) ? kindsOfRules.filter((name) => Object.hasOwn(rule, name)) : [];
  if (kind !== undefined && second === undefined && checkRule(kind, rule).ok) return [];
  const checked = check(definitionId('Rule'), rule);
  return checked.ok ? [] : checked.errors;
}

function definitionId(name: string): string {
  return `${rulesetSchema.$id}#/definitions/${name}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks resolved options against their schema. */
export function checkOptions(value: unknown): Checked<Options> {
  return check<Options>(optionsSchema.$id, value);
}
