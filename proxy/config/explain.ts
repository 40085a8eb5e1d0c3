import type { ErrorObject } from 'ajv';
import { distance } from 'fastest-levenshtein';
import { keysOf, maxFaults, pointerTo } from './fault.ts';
import { checkRule, isRuleKind, patternFault, ruleDefinitions } from './validator.ts';

/** What is wrong at one place of a document, in words. */
export interface Explanation {
  readonly pointer: string;
  readonly message: string;
}

/**
 * Puts the validator's errors into sentences, one for each mistake of the writer.
 * More than `maxFaults` are never needed: nobody reads on, and each costs a search for its line.
 */
export function explain(errors: readonly ErrorObject[]): Explanation[] {
  const isBranch = branchTest(errors);
  const explained = errors
    .filter((error) => !isBranch(error))
    .slice(0, maxFaults)
    .flatMap((error) => (isRule(error) ? explainRule(error) : explainOne(error)));
  const seen = new Set<string>();
  return explained.filter(({ pointer, message }) => {
    const key = `${pointer}\n${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The nearest of the known names, if it is near enough to be what was meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(1, Math.floor(name.length / 3))
    ? best.candidate
    : undefined;
}

/**
 * Errors inside the branches of a choice say what each branch would want; the choice itself says it better.
 * Works with sets, since a long file of mistakes has many of both.
 */
function branchTest(errors: readonly ErrorObject[]): (error: ErrorObject) => boolean {
  const oneOfs = new Set(errors.filter(isOneOf).map(({ instancePath }) => instancePath));
  return (error) => {
    // The branches of an `anyOf` in our schemas only say which fields they require.
    if (/\/anyOf\/\d+\//.test(error.schemaPath)) return true;
    let path = error.instancePath;
    if (isOneOf(error)) path = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    for (; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
      if (oneOfs.has(path)) return true;
    }
    return false;
  };
}

function isOneOf({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf';
}

/** The choice of all rules is told by its own path: the schema has one array of them. */
function isRule(error: ErrorObject): boolean {
  return isOneOf(error) && /^\/spec\/tools\/\d+$/.test(error.instancePath);
}

function explainRule({ instancePath, data }: ErrorObject): Explanation[] {
  const kinds = Object.keys(ruleDefinitions).filter(isRuleKind);
  const wanted = `exactly one of ${listed(kinds)}`;
  if (!isRecord(data)) return [{ pointer: instancePath, message: `a rule must be an object with ${wanted}` }];
  const given = Object.keys(data).filter(isRuleKind);
  const [kind, second] = given;
  if (kind === undefined) {
    const unknown = Object.keys(data).filter((key) => key !== 'id');
    const faults = unknown.map((key) => unknownField(instancePath, key, ['id', ...kinds]));
    return faults.length > 0 ? faults : [{ pointer: instancePath, message: `a rule must have ${wanted}` }];
  }
  if (second !== undefined) {
    const message = `a rule must have ${wanted}, this one has ${given.join(' and ')}: make each a rule of its own`;
    return [{ pointer: instancePath, message }];
  }
  const checked = checkRule(kind, data);
  if (checked.ok) return [];
  return explain(checked.errors).map(({ pointer, message }) => ({
    pointer: instancePath + pointer,
    message,
  }));
}

function explainOne(error: ErrorObject): Explanation[] {
  const { instancePath: pointer, keyword } = error;
  const params: Readonly<Record<string, unknown>> = error.params;
  // Reported once more by the keyword propertyNames, which knows the object.
  if (error.propertyName !== undefined) return [];
  switch (keyword) {
    case 'if':
      return [];
    case 'additionalProperties':
      return [unknownField(pointer, String(params['additionalProperty']), propertiesOf(error.parentSchema))];
    case 'required':
      return [{ pointer, message: `${subject(pointer)} needs '${String(params['missingProperty'])}'` }];
    case 'propertyNames':
      return [
        {
          pointer: pointerTo(pointer, String(params['propertyName'])),
          message: `the key must be ${expectedOf(error.schema) ?? 'another'}`,
        },
      ];
    case 'format':
      return [
        { pointer, message: patternFault(String(error.data)) ?? `${subject(pointer)} has another format` },
      ];
    case 'minLength':
      return [{ pointer, message: `${subject(pointer)} must not be empty` }];
    default:
      return [{ pointer, message: `${subject(pointer)} must be ${wanted(error)}` }];
  }
}

/** What a value must be, to follow "must be". */
function wanted(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const limit = String(params['limit']);
  switch (error.keyword) {
    case 'type':
      return `${typeName(String(params['type']))}, it is ${typeOf(error.data)}`;
    case 'enum':
      return `${either(Array.isArray(error.schema) ? error.schema : [])}, it is ${shown(error.data)}`;
    case 'const':
      return `${shown(error.schema)}, it is ${shown(error.data)}`;
    case 'minimum':
      return `${limit} or more, it is ${shown(error.data)}`;
    case 'maximum':
      return `${limit} or less, it is ${shown(error.data)}`;
    case 'exclusiveMinimum':
      return `more than ${limit}, it is ${shown(error.data)}`;
    case 'minItems':
      return 'a list with at least one entry';
    case 'maxLength':
      return `at most ${limit} characters long`;
    default: {
      const expected = expectedOf(error.parentSchema);
      if (expected === undefined) return `something else: ${error.message ?? error.keyword}`;
      return isRecord(error.data) || Array.isArray(error.data)
        ? expected
        : `${expected}, it is ${shown(error.data)}`;
    }
  }
}

function unknownField(pointer: string, field: string, known: readonly string[]): Explanation {
  const near = nearest(field, known);
  const hint = near === undefined ? `known here: ${known.join(', ')}` : `did you mean '${near}'?`;
  return { pointer: pointerTo(pointer, field), message: `unknown field '${field}'; ${hint}` };
}

function subject(pointer: string): string {
  const key = keysOf(pointer).at(-1);
  if (key === undefined) return 'the document';
  return /^\d+$/.test(key) ? 'this entry' : key;
}

function propertiesOf(schema: unknown): string[] {
  return isRecord(schema) && isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}

function expectedOf(schema: unknown): string | undefined {
  const expected = isRecord(schema) ? schema['x-expected'] : undefined;
  return typeof expected === 'string' ? expected : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

function typeOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' ? shown(value) : typeName(typeof value);
}

/** A value as a reader finds it in the file, cut where it is long. */
function shown(value: unknown): string {
  if (value === null) return 'empty';
  if (typeof value === 'object') return typeOf(value);
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function either(values: readonly unknown[]): string {
  return values.map(shown).join(' or ');
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
