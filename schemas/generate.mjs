/**
 * Writes `schemas/generated/*.ts` from `schemas/*.schema.json`: the types, and each schema as a constant, so that
 * no JSON file is read at run time. With `--check` nothing is written; a difference ends with exit code 1.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { URL } from 'node:url';
import { compile } from 'json-schema-to-typescript';

const schemas = [
  { file: 'ruleset', type: 'RuleSet', constant: 'rulesetSchema' },
  { file: 'options', type: 'Options', constant: 'optionsSchema' },
  { file: 'audit-event', type: 'AuditEvent', constant: 'auditEventSchema' },
];

const style = { printWidth: 110, singleQuote: true, trailingComma: 'all' };

/**
 * The schema without what bears on values only: an `anyOf` of nothing but `required`, which the generator would turn
 * into unions with index signatures, and annotations that it takes for types.
 */
function forTypes(node) {
  if (Array.isArray(node)) return node.map(forTypes);
  if (node === null || typeof node !== 'object') return node;
  const onlyRequired = (list) =>
    Array.isArray(list) && list.every((entry) => Object.keys(entry).join() === 'required');
  const kept = Object.entries(node).filter(
    ([key, value]) => !['if', 'then', 'examples'].includes(key) && !(key === 'anyOf' && onlyRequired(value)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, forTypes(value)]));
}

async function generate({ file, type, constant }) {
  const schema = JSON.parse(await readFile(new URL(`${file}.schema.json`, import.meta.url), 'utf8'));
  const types = await compile(forTypes(schema), type, {
    bannerComment: `// Generated from schemas/${file}.schema.json by \`npm run generate\`. Do not edit.`,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: false,
    style,
  });
  return `${types}
/** The JSON Schema (draft-07) that the types above were generated from. */
export const ${constant} = ${JSON.stringify(schema, null, 2)} as const;
`;
}

const check = process.argv.includes('--check');
const stale = [];
for (const schema of schemas) {
  const target = new URL(`generated/${schema.file}.ts`, import.meta.url);
  const fresh = await generate(schema);
  if (!check) {
    await writeFile(target, fresh);
  } else if (fresh !== (await readFile(target, 'utf8').catch(() => ''))) {
    stale.push(`schemas/generated/${schema.file}.ts`);
  }
}
if (stale.length > 0) {
  console.error(
    `${stale.join(', ')} ${stale.length === 1 ? 'does' : 'do'} not fit the schemas. Run \`npm run generate\` and commit.`,
  );
  process.exitCode = 1;
}
