import { isJsonObject, parseJson, stringField } from '../proxy/core/json/index.ts';
import { parseAllDocuments } from 'yaml';

/**
 * The file name for rules that come without one: the name of their first rule set, so that writing the same rule set
 * again replaces it. `undefined` where there is no usable name; what is wrong with it, the validator says better.
 */
export function nameOfRules(source: string): string | undefined {
  const json = parseJson(source);
  const document = json === undefined ? firstYaml(source) : json;
  const metadata = isJsonObject(document) ? document['metadata'] : undefined;
  const name = isJsonObject(metadata) ? stringField(metadata, 'name') : undefined;
  if (name === undefined || !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return undefined;
  return `${name}.${json === undefined ? 'yaml' : 'json'}`;
}

function firstYaml(source: string): unknown {
  try {
    const first = parseAllDocuments(source, { schema: 'core', uniqueKeys: false, logLevel: 'silent' })[0];
    // 100 aliases are enough for any rule file, and too few for a bomb.
    return first === undefined || first.errors.length > 0 ? undefined : first.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
