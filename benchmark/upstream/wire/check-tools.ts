/** Refuses tools as OpenAI does: name, type, schema and doubles. */
import { invalid, missing, wrongType } from '../api-error.ts';
import { elementsOf, isObject } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

/** Tool types of the `openai` 7.59 `Tool` union that the stand-in accepts and never calls. */
const hostedTypes = new Set(
  (
    'file_search web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 computer ' +
    'computer_use_preview mcp code_interpreter image_generation local_shell shell apply_patch tool_search ' +
    'programmatic_tool_calling'
  ).split(' '),
);

const namePattern = '^[a-zA-Z0-9_-]+$';
const longestName = 128;

/** Checks an array of tools; throws an `ApiError` about the first fault. */
export function checkTools(value: unknown, param: string): void {
  if (!Array.isArray(value)) throw wrongType(param, 'an array of objects', value);
  const names = new Set<string>();
  for (const [at, tool] of elementsOf(value).entries()) {
    const where = `${param}[${String(at)}]`;
    if (!isObject(tool)) throw wrongType(where, 'an object', tool);
    checkTool(tool, where, names);
  }
}

function checkTool(tool: JsonObject, where: string, names: Set<string>): void {
  const type = tool['type'];
  if (type === undefined) throw missing(`${where}.type`);
  if (typeof type !== 'string') throw wrongType(`${where}.type`, 'a string', type);
  if (hostedTypes.has(type)) return;
  if (type !== 'function' && type !== 'custom' && type !== 'namespace') {
    const supported = ['function', 'custom', 'namespace', ...hostedTypes]
      .map((name) => `'${name}'`)
      .join(', ');
    const message = `Invalid value: '${type}'. Supported values are: ${supported}.`;
    throw invalid(`${where}.type`, 'invalid_value', message);
  }
  const name = checkName(tool['name'], `${where}.name`);
  if (names.has(name)) throw invalid(where, 'invalid_value', `Duplicate tool name: '${name}'.`);
  names.add(name);
  if (type === 'namespace') checkTools(tool['tools'] ?? [], `${where}.tools`);
  if (type === 'function') checkFunction(tool, name, where);
}

/** Checks a tool's name; throws an `ApiError`. */
export function checkName(name: unknown, where: string, longest = longestName): string {
  if (name === undefined) throw missing(where);
  if (typeof name !== 'string') throw wrongType(where, 'a string', name);
  if (name.length > longest) {
    const message = `Invalid '${where}': string too long. Expected a string with maximum length ${String(longest)}, but got a string with length ${String(name.length)} instead.`;
    throw invalid(where, 'string_above_max_length', message);
  }
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    const message = `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '${namePattern}'.`;
    throw invalid(where, 'invalid_value', message);
  }
  return name;
}

/** Checks what a function tool says beside its name; throws an `ApiError`. */
export function checkFunction(tool: JsonObject, name: string, where: string): void {
  const { description, parameters, strict } = tool;
  if (description !== undefined && description !== null && typeof description !== 'string') {
    throw wrongType(`${where}.description`, 'a string', description);
  }
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean') {
    throw wrongType(`${where}.strict`, 'a boolean', strict);
  }
  if (parameters === undefined || parameters === null) return;
  if (!isObject(parameters)) throw wrongType(`${where}.parameters`, 'an object', parameters);
  const empty = findEmptyEnum(parameters, 0);
  if (empty !== undefined) throw badSchema(name, where, `In context=${empty}, [] should be non-empty.`);
}

function badSchema(name: string, where: string, reason: string): Error {
  const message = `Invalid schema for function '${name}': ${reason}`;
  return invalid(`${where}.parameters`, 'invalid_function_parameters', message);
}

/** Where an enum without members stands, in the words of OpenAI's messages. */
function findEmptyEnum(value: unknown, depth: number): string | undefined {
  if (depth > 64 || typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'enum' && Array.isArray(inner) && inner.length === 0) return `('enum')`;
    const found = findEmptyEnum(inner, depth + 1);
    if (found !== undefined) return found.replace('(', `('${key}', `);
  }
  return undefined;
}
