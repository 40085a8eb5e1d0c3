import { Validator } from '@cfworker/json-schema';

import { isJsonObject, parseJson } from '../json/index.ts';
import type { Plan } from '../plan/index.ts';
import { definitionOf } from '../rules/index.ts';

/**
 * True if the arguments satisfy the schema of a rolled-up tool. The schema is the app's, so it is interpreted and never
 * compiled to code. A schema that cannot be read makes no call valid: the tool is then revealed, as any other.
 */
export function isValidCall(plan: Plan, key: string, argumentsText: string): boolean {
  const tool = plan.menu.get(key);
  const definition = tool === undefined ? undefined : definitionOf(tool);
  if (tool === undefined || definition === undefined) return false;
  if (tool.isCustom) return true;
  const schema = definition['parameters'];
  const value = parseJson(argumentsText);
  if (!isJsonObject(value) || !isJsonObject(schema)) return false;
  try {
    return new Validator({ ...schema }, '2020-12').validate(value).valid;
  } catch {
    return false;
  }
}
