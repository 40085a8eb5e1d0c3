import type { Schema } from './route.ts';

/** A schema of the document's `components`. */
export function component(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** An object that holds exactly these fields, all of them present. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const integer: Schema = { type: 'integer' };

/** The schemas of what only this API says; those of rules and audit events come from `schemas/`. */
export const ownComponents: Readonly<Record<string, Schema>> = {
  Error: objectOf({
    error: objectOf({
      message: text,
      type: text,
      param: textOrNull,
      code: { type: 'string', description: 'A code of the catalogue of errors.' },
    }),
  }),
  Fault: objectOf({
    file: { type: 'string', description: 'The file; empty where the directory itself is meant.' },
    line: { type: 'integer', description: 'The line, counted from 1.' },
    pointer: { type: 'string', description: 'JSON pointer into the document of that line.' },
    message: text,
  }),
  RuleFile: objectOf({ name: text, bytes: integer, sha256: text, ruleSets: listOf(text) }),
  Validity: objectOf({ valid: { type: 'boolean' }, errors: listOf(component('Fault')) }),
  Reload: objectOf({
    outcome: { enum: ['applied', 'unchanged', 'refused'] },
    revision: textOrNull,
    errors: listOf(component('Fault')),
  }),
};
