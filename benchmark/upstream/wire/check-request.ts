/** Refuses requests as OpenAI does, before anything is read from them. */
import { invalid, missing, wrongType } from '../api-error.ts';
import { elementsOf, isObject, numberOf, objectsOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { checkFields, checkTemperature } from '../check-fields.ts';
import type { FieldKind } from '../check-fields.ts';
import { checkTools } from './check-tools.ts';

const fieldKinds: Readonly<Record<string, FieldKind>> = {
  model: 'string',
  instructions: 'string',
  previous_response_id: 'string',
  parallel_tool_calls: 'boolean',
  store: 'boolean',
  stream: 'boolean',
  background: 'boolean',
  temperature: 'number',
  top_p: 'number',
  max_output_tokens: 'integer',
  max_tool_calls: 'integer',
  metadata: 'object',
  reasoning: 'object',
  text: 'object',
  include: 'array',
  user: 'string',
};

/** Checks a Responses request; throws an `ApiError` about the first fault. */
export function checkRequest(body: JsonObject): void {
  const model = body['model'];
  if (model === undefined || model === null) throw missing('model');
  checkFields(body, fieldKinds);
  checkInput(body);
  if (body['tools'] !== undefined && body['tools'] !== null) checkTools(body['tools'], 'tools');
  checkRanges(body);
  checkToolChoice(body);
}

function checkRanges(body: JsonObject): void {
  const most = numberOf(body['max_output_tokens']);
  if (most !== undefined && most < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${String(most)} instead.`;
    throw invalid('max_output_tokens', 'integer_below_min_value', message);
  }
  checkTemperature(body);
}

function checkInput(body: JsonObject): void {
  const input = body['input'];
  if (input === undefined || input === null) {
    const elsewhere = ['previous_response_id', 'prompt', 'conversation'].some((field) =>
      isGiven(body[field]),
    );
    if (!elsewhere) throw missing('input');
    return;
  }
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) {
    throw wrongType('input', 'one of an array of objects or string', input);
  }
  for (const [at, item] of elementsOf(input).entries()) checkItem(item, `input[${String(at)}]`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Fields that an item of a type must have (`openai` 7.59 `ResponseInputItem`). */
const itemFields: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content'],
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
  custom_tool_call: ['call_id', 'name', 'input'],
  custom_tool_call_output: ['call_id', 'output'],
  reasoning: ['summary'],
  item_reference: ['id'],
  additional_tools: ['tools'],
};

/** Accepted without a look inside. */
const otherItems =
  /^(?:file_search_call|computer_call|computer_call_output|web_search_call|image_generation_call|code_interpreter_call|local_shell_call|local_shell_call_output|shell_call|shell_call_output|apply_patch_call|apply_patch_call_output|mcp_list_tools|mcp_approval_request|mcp_approval_response|mcp_call|compaction|compaction_trigger|tool_search_call|tool_search_output|program|program_output|configuration_update)$/;

function checkItem(item: unknown, where: string): void {
  if (!isObject(item)) throw wrongType(where, 'an object', item);
  const type = item['type'] ?? 'message';
  if (typeof type !== 'string') throw wrongType(`${where}.type`, 'a string', type);
  const fields = itemFields[type];
  if (fields === undefined) {
    if (otherItems.test(type)) return;
    const supported = Object.keys(itemFields)
      .map((name) => `'${name}'`)
      .join(', ');
    throw invalid(where, 'invalid_value', `Invalid value: '${type}'. Supported values are: ${supported}.`);
  }
  for (const field of fields) if (!isGiven(item[field])) throw missing(`${where}.${field}`);
  if (type === 'message') checkMessage(item, where);
  if (type === 'additional_tools') checkTools(item['tools'], `${where}.tools`);
}

const roles = ['user', 'assistant', 'system', 'developer'];
const contentTypes = [
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
  'summary_text',
];

function checkMessage(item: JsonObject, where: string): void {
  const role = stringOr(item['role'], '');
  if (!roles.includes(role)) {
    const supported = roles.map((name) => `'${name}'`).join(', ');
    throw invalid(
      `${where}.role`,
      'invalid_value',
      `Invalid value: '${role}'. Supported values are: ${supported}.`,
    );
  }
  const content = item['content'];
  if (typeof content === 'string') return;
  if (!Array.isArray(content))
    throw wrongType(`${where}.content`, 'one of an array of objects or string', content);
  for (const [at, part] of elementsOf(content).entries()) checkPart(part, `${where}.content[${String(at)}]`);
}

function checkPart(part: unknown, where: string): void {
  if (!isObject(part)) throw wrongType(where, 'an object', part);
  const type = part['type'];
  if (type === undefined) throw missing(`${where}.type`);
  if (typeof type !== 'string' || !contentTypes.includes(type)) {
    const supported = contentTypes.map((name) => `'${name}'`).join(', ');
    throw invalid(
      where,
      'invalid_value',
      `Invalid value: '${stringOr(type, '?')}'. Supported values are: ${supported}.`,
    );
  }
  if (type.endsWith('_text') && typeof part['text'] !== 'string') throw missing(`${where}.text`);
}

function checkToolChoice(body: JsonObject): void {
  const choice = body['tool_choice'];
  if (choice === undefined || choice === null) return;
  if (typeof choice === 'string') {
    if (['auto', 'none', 'required'].includes(choice)) return;
    const message = `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`;
    throw invalid('tool_choice', 'invalid_value', message);
  }
  if (!isObject(choice)) throw wrongType('tool_choice', 'one of a string or object', choice);
  const names = toolNames(body);
  const type = choice['type'];
  if (type === 'allowed_tools') {
    if (!Array.isArray(choice['tools'])) throw missing('tool_choice.tools');
    for (const tool of objectsOf(choice['tools'])) checkNamed(tool, names);
  } else checkNamed(choice, names);
}

function checkNamed(choice: JsonObject, names: ReadonlySet<string>): void {
  const type = choice['type'];
  if (type === undefined) throw missing('tool_choice.type');
  if (type !== 'function' && type !== 'custom') return;
  const name = choice['name'];
  if (typeof name !== 'string') throw missing('tool_choice.name');
  if (!names.has(name)) {
    throw invalid('tool_choice', null, `Tool choice '${type}' not found in 'tools' parameter: '${name}'.`);
  }
}

/** Names in sight: top level, inside namespaces, inside `additional_tools` items. */
function toolNames(body: JsonObject): ReadonlySet<string> {
  const items = objectsOf(body['input']).filter((item) => item['type'] === 'additional_tools');
  const tools = [...objectsOf(body['tools']), ...items.flatMap((item) => objectsOf(item['tools']))];
  const inner = tools.flatMap((tool) =>
    objectsOf(tool['tools']).map((each) => ({ space: tool['name'], each })),
  );
  return new Set([
    ...tools.map((tool) => stringOr(tool['name'], '')),
    ...inner.flatMap(({ space, each }) => {
      const name = stringOr(each['name'], '');
      return [name, `${stringOr(space, '')}.${name}`];
    }),
  ]);
}
