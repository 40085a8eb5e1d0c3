/** From the JSON body of `POST /v1/chat/completions` to what the stand-in works with. */
import type { BrainRequest, BrainTool, HistoryEntry, TextForm, ToolDemand } from '../brain/index.ts';
import { isObject, numberOf, objectsOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { segmentOf } from '../usage/index.ts';
import type { PromptSegment } from '../usage/index.ts';

/** What an image counts in the prompt, and what wraps a message and a tool. */
const imageTokens = 85;
const messageTokens = 4;
const toolTokens = 1;

/** A request, decoded. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** How many choices. */
  readonly choices: number;
  readonly brain: BrainRequest;
  /** How hard the model thinks; undefined: not at all. */
  readonly effort: string | undefined;
  readonly maxTokens: number;
  /** The calls go into `function_call`, as before there were tools. */
  readonly legacy: boolean;
  readonly prompt: readonly PromptSegment[];
  readonly cacheKey: string;
}

/** Decodes a checked body. */
export function decodeChat(body: JsonObject): ChatRequest {
  const messages = objectsOf(body['messages']);
  const functions = objectsOf(body['functions']);
  const tools = [
    ...objectsOf(body['tools']),
    ...functions.map((each) => ({ type: 'function', function: each })),
  ];
  const options = body['stream_options'];
  const model = stringOr(body['model'], '');
  return {
    model,
    stream: body['stream'] === true,
    includeUsage: isObject(options) && options['include_usage'] === true,
    choices: numberOf(body['n']) ?? 1,
    brain: {
      tools: tools.flatMap(decodeTool),
      demand: decodeDemand(body['tool_choice'] ?? legacyChoice(body['function_call'])),
      parallel: body['parallel_tool_calls'] !== false && functions.length === 0,
      history: messages.flatMap(decodeMessage),
      form: decodeForm(body['response_format']),
    },
    effort: decodeEffort(body),
    maxTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']) ?? Infinity,
    legacy: functions.length > 0,
    prompt: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), toolTokens)),
      ...messages.map(messageSegment),
    ],
    cacheKey: `${model}\n${stringOr(body['prompt_cache_key'], '')}`,
  };
}

function decodeTool(tool: JsonObject): readonly BrainTool[] {
  const kind = tool['type'];
  if (kind !== 'function' && kind !== 'custom') return [];
  const inner = tool[kind];
  if (!isObject(inner)) return [];
  const parameters = isObject(inner['parameters']) ? inner['parameters'] : null;
  const [name, description] = [stringOr(inner['name'], ''), stringOr(inner['description'], '')];
  return [{ kind, name, description, parameters }];
}

function decodeMessage(message: JsonObject): readonly HistoryEntry[] {
  const role = stringOr(message['role'], 'user');
  const { text, images } = readContent(message['content']);
  if (role === 'tool') return [{ kind: 'output', callId: stringOr(message['tool_call_id'], ''), text }];
  if (role === 'function') return [{ kind: 'output', callId: stringOr(message['name'], ''), text }];
  const calls = [
    ...objectsOf(message['tool_calls']).map(decodeCall),
    ...(isObject(message['function_call']) ? [legacyCall(message['function_call'])] : []),
  ];
  if (calls.length > 0 && text === '') return calls;
  return [{ kind: 'message', role, text, images }, ...calls];
}

function decodeCall(call: JsonObject): HistoryEntry {
  const inner = call['type'] === 'custom' ? call['custom'] : call['function'];
  const given = isObject(inner) ? inner : {};
  return {
    kind: 'call',
    callId: stringOr(call['id'], ''),
    name: stringOr(given['name'], ''),
    arguments: stringOr(given['arguments'], stringOr(given['input'], '')),
  };
}

function legacyCall(call: JsonObject): HistoryEntry {
  const name = stringOr(call['name'], '');
  return { kind: 'call', callId: name, name, arguments: stringOr(call['arguments'], '') };
}

function readContent(content: unknown): { readonly text: string; readonly images: number } {
  if (typeof content === 'string') return { text: content, images: 0 };
  const parts = objectsOf(content);
  const texts = parts.map((part) => stringOr(part['text'], stringOr(part['refusal'], '')));
  const images = parts.filter((part) => part['type'] === 'image_url').length;
  return { text: texts.filter((text) => text !== '').join('\n'), images };
}

function messageSegment(message: JsonObject): PromptSegment {
  const { text, images } = readContent(message['content']);
  const calls = message['tool_calls'] ?? message['function_call'];
  const said = calls === undefined || calls === null ? text : `${text}\n${JSON.stringify(calls)}`;
  return segmentOf(`${stringOr(message['role'], '')}\n${said}`, messageTokens + images * imageTokens);
}

function decodeDemand(choice: unknown): ToolDemand {
  if (choice === 'none' || choice === 'required') return { mode: choice };
  if (!isObject(choice)) return { mode: 'auto' };
  const allowed = choice['allowed_tools'];
  if (choice['type'] === 'allowed_tools' && isObject(allowed)) {
    const names = new Set(objectsOf(allowed['tools']).flatMap(nameIn));
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', allowed: names };
  }
  const [name] = nameIn(choice);
  return name === undefined ? { mode: 'auto' } : { mode: 'named', name };
}

/** The name in `{type, function: {name}}` or `{type, custom: {name}}`. */
function nameIn(choice: JsonObject): readonly string[] {
  const inner = choice['type'] === 'custom' ? choice['custom'] : choice['function'];
  const name = isObject(inner) ? inner['name'] : undefined;
  return typeof name === 'string' ? [name] : [];
}

/** `function_call` in the words of `tool_choice`. */
function legacyChoice(choice: unknown): unknown {
  return isObject(choice) ? { type: 'function', function: choice } : choice;
}

function decodeForm(format: unknown): TextForm {
  if (!isObject(format)) return { kind: 'text' };
  if (format['type'] === 'json_object') return { kind: 'json' };
  const inner = format['json_schema'];
  const schema = isObject(inner) ? inner['schema'] : undefined;
  return format['type'] === 'json_schema' && isObject(schema) ? { kind: 'schema', schema } : { kind: 'text' };
}

function decodeEffort(body: JsonObject): string | undefined {
  const reasoning = body['reasoning'];
  const fromObject = isObject(reasoning) ? stringOr(reasoning['effort'], 'medium') : undefined;
  const effort = stringOr(body['reasoning_effort'], '') || fromObject;
  return effort === 'none' ? undefined : effort;
}
