/** Refuses messages of a chat as OpenAI does: roles, contents, and calls without their results. */
import { invalid, missing, wrongType } from '../api-error.ts';
import { elementsOf, isObject, objectsOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';

/** What the parts of a role's content may be (`openai` 7.59 `ChatCompletionMessageParam`). */
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: ['text'],
};

/** Checks all messages; throws an `ApiError` about the first fault. */
export function checkMessages(messages: readonly unknown[]): void {
  if (messages.length === 0) throw emptyArray('messages');
  for (const [at, message] of messages.entries()) {
    const where = `messages[${String(at)}]`;
    if (!isObject(message)) throw wrongType(where, 'an object', message);
    checkMessage(message, where);
  }
  checkResults(messages.filter(isObject));
}

function emptyArray(param: string): Error {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return invalid(param, 'empty_array', message);
}

function checkMessage(message: JsonObject, where: string): void {
  const role = message['role'];
  if (role === undefined) throw missing(`${where}.role`);
  const types = typeof role === 'string' && Object.hasOwn(partTypes, role) ? partTypes[role] : undefined;
  if (types === undefined) {
    const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
    const text = `Invalid value: '${stringOr(role, JSON.stringify(role))}'. Supported values are: ${supported}.`;
    throw invalid(`${where}.role`, 'invalid_value', text);
  }
  if (role === 'assistant') checkCalls(message, where);
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string') throw missing(`${where}.tool_call_id`);
  checkContent(message, where, types);
}

function checkContent(message: JsonObject, where: string, types: readonly string[]): void {
  const content = message['content'];
  if (typeof content === 'string') return;
  if (content === undefined || content === null) {
    const stands = ['tool_calls', 'function_call', 'refusal', 'audio'].some(
      (field) => message[field] != null,
    );
    if (message['role'] === 'assistant' && stands) return;
    throw invalid(`${where}.content`, null, "Invalid value for 'content': expected a string, got null.");
  }
  if (!Array.isArray(content)) {
    throw wrongType(`${where}.content`, 'one of a string or array of objects', content);
  }
  for (const [at, part] of elementsOf(content).entries()) {
    const place = `${where}.content[${String(at)}]`;
    if (!isObject(part)) throw wrongType(place, 'an object', part);
    const type = part['type'];
    if (type === undefined) throw missing(`${place}.type`);
    if (typeof type !== 'string' || !types.includes(type)) {
      const supported = types.map((name) => `'${name}'`).join(', ');
      const text = `Invalid value: '${stringOr(type, JSON.stringify(type))}'. Supported values are: ${supported}.`;
      throw invalid(`${place}.type`, 'invalid_value', text);
    }
    if (type === 'text' && typeof part['text'] !== 'string') throw missing(`${place}.text`);
  }
}

function checkCalls(message: JsonObject, where: string): void {
  const calls = message['tool_calls'];
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls)) throw wrongType(`${where}.tool_calls`, 'an array of objects', calls);
  if (calls.length === 0) throw emptyArray(`${where}.tool_calls`);
  for (const [at, call] of elementsOf(calls).entries()) {
    const place = `${where}.tool_calls[${String(at)}]`;
    if (!isObject(call)) throw wrongType(place, 'an object', call);
    if (typeof call['id'] !== 'string') throw missing(`${place}.id`);
    const kind = call['type'];
    if (kind === undefined) throw missing(`${place}.type`);
    if (kind !== 'function' && kind !== 'custom') {
      const text = `Invalid value: '${stringOr(kind, '?')}'. Supported values are: 'function' and 'custom'.`;
      throw invalid(`${place}.type`, 'invalid_value', text);
    }
    const inner = call[kind];
    if (!isObject(inner)) throw missing(`${place}.${kind}`);
    for (const field of ['name', kind === 'function' ? 'arguments' : 'input']) {
      const value = inner[field];
      if (value === undefined) throw missing(`${place}.${kind}.${field}`);
      if (typeof value !== 'string') throw wrongType(`${place}.${kind}.${field}`, 'a string', value);
    }
  }
}

/** Every call is answered by the `tool` messages right after it, and these answer nothing else. */
function checkResults(messages: readonly JsonObject[]): void {
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      if (open.delete(stringOr(message['tool_call_id'], ''))) continue;
      const text =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      throw invalid(`messages.[${String(at)}].role`, null, text);
    }
    refuseOpen(open, at);
    open = new Set(objectsOf(message['tool_calls']).map((call) => stringOr(call['id'], '')));
  }
  refuseOpen(open, messages.length);
}

function refuseOpen(open: ReadonlySet<string>, at: number): void {
  if (open.size === 0) return;
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  throw invalid(`messages.[${String(at)}].role`, null, text);
}
