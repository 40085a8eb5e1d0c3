/** Refuses requests of `POST /v1/chat/completions` as OpenAI does, before anything is read from them. */
import { invalid, missing, wrongType } from '../api-error.ts';
import { checkFields, checkTemperature } from '../check-fields.ts';
import type { FieldKind } from '../check-fields.ts';
import { elementsOf, isObject, numberOf, objectsOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { checkFunction, checkName } from '../wire/index.ts';
import { checkMessages } from './check-messages.ts';

const fieldKinds: Readonly<Record<string, FieldKind>> = {
  model: 'string',
  messages: 'array',
  tools: 'array',
  functions: 'array',
  parallel_tool_calls: 'boolean',
  store: 'boolean',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'number',
  top_p: 'number',
  n: 'integer',
  max_tokens: 'integer',
  max_completion_tokens: 'integer',
  response_format: 'object',
  reasoning_effort: 'string',
  metadata: 'object',
  user: 'string',
};

/** The longest name of a tool (`openai` 7.59 `FunctionDefinition`); the Responses API takes 128. */
const longestName = 64;

/** Checks a request; throws an `ApiError` about the first fault. */
export function checkChat(body: JsonObject): void {
  const model = body['model'];
  if (model === undefined || model === null) {
    throw invalid(null, null, 'you must provide a model parameter');
  }
  checkFields(body, fieldKinds);
  if (body['messages'] === undefined || body['messages'] === null) throw missing('messages');
  checkMessages(elementsOf(body['messages']));
  checkTemperature(body);
  checkNumbers(body);
  checkTools(body);
  checkToolChoice(body);
  if (isGiven(body['stream_options']) && body['stream'] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw invalid('stream_options', null, message);
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function checkNumbers(body: JsonObject): void {
  for (const field of ['n', 'max_tokens', 'max_completion_tokens']) {
    const value = numberOf(body[field]);
    if (value === undefined || value >= 1) continue;
    const message = `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${String(value)} instead.`;
    throw invalid(field, 'integer_below_min_value', message);
  }
}

function checkTools(body: JsonObject): void {
  const tools = body['tools'];
  if (!isGiven(tools)) return;
  const all = elementsOf(tools);
  if (all.length === 0) {
    const message =
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    throw invalid('tools', 'empty_array', message);
  }
  const names = new Set<string>();
  for (const [at, tool] of all.entries()) {
    const where = `tools[${String(at)}]`;
    if (!isObject(tool)) throw wrongType(where, 'an object', tool);
    checkTool(tool, where, names);
  }
}

function checkTool(tool: JsonObject, where: string, names: Set<string>): void {
  const type = tool['type'];
  if (type === undefined) throw missing(`${where}.type`);
  if (type !== 'function' && type !== 'custom') {
    const message = `Invalid value: '${stringOr(type, '?')}'. Supported values are: 'function' and 'custom'.`;
    throw invalid(`${where}.type`, 'invalid_value', message);
  }
  const inner = tool[type];
  if (!isGiven(inner)) throw missing(`${where}.${type}`);
  if (!isObject(inner)) throw wrongType(`${where}.${type}`, 'an object', inner);
  const name = checkName(inner['name'], `${where}.${type}.name`, longestName);
  if (names.has(name)) throw invalid(where, 'invalid_value', `Duplicate tool name: '${name}'.`);
  names.add(name);
  if (type === 'function') checkFunction(inner, name, `${where}.function`);
}

function checkToolChoice(body: JsonObject): void {
  const tools = objectsOf(body['tools']);
  for (const field of ['tool_choice', 'parallel_tool_calls']) {
    if (tools.length > 0 || !isGiven(body[field])) continue;
    const message = `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`;
    throw invalid(field, null, message);
  }
  const choice = body['tool_choice'];
  if (!isGiven(choice)) return;
  if (typeof choice === 'string') {
    if (['auto', 'none', 'required'].includes(choice)) return;
    const message = `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`;
    throw invalid('tool_choice', 'invalid_value', message);
  }
  if (!isObject(choice)) throw wrongType('tool_choice', 'one of a string or object', choice);
  if (choice['type'] !== 'allowed_tools') {
    checkNamed(choice, tools, 'tool_choice');
    return;
  }
  const allowed = choice['allowed_tools'];
  if (!isObject(allowed)) throw missing('tool_choice.allowed_tools');
  if (!Array.isArray(allowed['tools'])) throw missing('tool_choice.allowed_tools.tools');
  for (const [at, tool] of objectsOf(allowed['tools']).entries()) {
    checkNamed(tool, tools, `tool_choice.allowed_tools.tools[${String(at)}]`);
  }
}

function checkNamed(choice: JsonObject, tools: readonly JsonObject[], where: string): void {
  const type = choice['type'];
  if (type === undefined) throw missing(`${where}.type`);
  if (type !== 'function' && type !== 'custom') {
    const message = `Invalid value: '${stringOr(type, '?')}'. Supported values are: 'allowed_tools', 'function', and 'custom'.`;
    throw invalid(`${where}.type`, 'invalid_value', message);
  }
  const inner = choice[type];
  const name = isObject(inner) ? inner['name'] : undefined;
  if (typeof name !== 'string') throw missing(`${where}.${type}.name`);
  const known = tools.some((tool) => {
    const offered = tool[type];
    return tool['type'] === type && isObject(offered) && offered['name'] === name;
  });
  if (!known) {
    throw invalid('tool_choice', null, `Tool choice '${type}' not found in 'tools' parameter: '${name}'.`);
  }
}
