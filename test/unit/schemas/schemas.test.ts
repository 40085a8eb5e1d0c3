import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { auditEventSchema } from '../../../schemas/generated/audit-event.ts';
import { optionsSchema } from '../../../schemas/generated/options.ts';
import { rulesetSchema } from '../../../schemas/generated/ruleset.ts';

const root = path.join(__dirname, '../../..');
const schemas = [
  ['ruleset', rulesetSchema],
  ['options', optionsSchema],
  ['audit-event', auditEventSchema],
] as const;

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema inside a schema that describes an object, with its pointer. */
function objectsIn(node: unknown, pointer = ''): [string, Node][] {
  if (Array.isArray(node))
    return node.flatMap((item, index) => objectsIn(item, `${pointer}/${String(index)}`));
  if (!isNode(node)) return [];
  const inner = Object.entries(node)
    .filter(([key]) => key !== 'examples' && key !== 'if')
    .flatMap(([key, value]) => objectsIn(value, `${pointer}/${key}`));
  return isNode(node['properties']) && node['type'] === 'object' ? [[pointer, node], ...inner] : inner;
}

describe.each(schemas)('the schema %s', (name, schema) => {
  test('is draft-07 with a versioned id', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema.$id).toBe(`https://toolroll.dev/schemas/v1alpha1/${name}.schema.json`);
    expect(new Ajv({ strict: false, logger: false }).validateSchema(schema)).toBe(true);
  });

  test('describes every field and takes no others', () => {
    const definitions: unknown = 'definitions' in schema ? schema.definitions : {};
    for (const [pointer, node] of objectsIn(schema)) {
      // A tool to inject is whatever the upstream takes.
      if (!pointer.endsWith('/InjectedTool'))
        expect([pointer, node['additionalProperties']]).toEqual([pointer, false]);
      for (const [field, property] of Object.entries(isNode(node['properties']) ? node['properties'] : {})) {
        const reference = isNode(property) ? String(property['$ref']).replace('#/definitions/', '') : '';
        const target =
          isNode(definitions) && isNode(definitions[reference]) ? definitions[reference] : property;
        expect([pointer, field, isNode(target) && typeof target['description']]).toEqual([
          pointer,
          field,
          'string',
        ]);
      }
    }
  });

  test('accepts its own examples', () => {
    const validate = new Ajv({ strict: false, logger: false }).compile(schema);
    expect(schema.examples.length).toBeGreaterThan(0);
    for (const example of schema.examples) expect([validate(example), validate.errors]).toEqual([true, null]);
  });

  test('stands in the generated file as it stands in the JSON file', () => {
    const text = readFileSync(path.join(root, 'schemas', `${name}.schema.json`), 'utf8');
    expect(schema).toEqual(JSON.parse(text));
  });
});

test('the drift check fails on a generated file that does not fit its schema, and passes on ours', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'toolroll-schemas-'));
  const check = (): void => {
    execFileSync(process.execPath, [path.join(copy, 'schemas/generate.mjs'), '--check'], { stdio: 'pipe' });
  };
  try {
    cpSync(path.join(root, 'schemas'), path.join(copy, 'schemas'), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    check();
    const schema = path.join(copy, 'schemas/ruleset.schema.json');
    writeFileSync(schema, readFileSync(schema, 'utf8').replace('"maxRounds"', '"mostRounds"'));
    expect(check).toThrow('schemas/generated/ruleset.ts does not fit the schemas');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
