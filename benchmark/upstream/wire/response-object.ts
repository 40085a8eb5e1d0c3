/** The Response object, complete as OpenAI's: every field that a request can set is echoed. */
import { isObject, objectsOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { DecodedRequest } from './decode-request.ts';
import type { OutputItem } from './output-items.ts';

/** Token counts of a response. */
export interface Usage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** Where a response stands. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** The part of a response that is known before its output is. */
export interface ResponseHead {
  readonly id: string;
  readonly createdAt: number;
  readonly request: DecodedRequest;
}

/** The part that its end brings. */
export interface ResponseEnd {
  readonly status: ResponseStatus;
  readonly output: readonly OutputItem[];
  readonly usage: Usage | null;
}

/** Builds the object. */
export function responseObject(head: ResponseHead, end: ResponseEnd): JsonObject {
  const { body } = head.request;
  const done = end.status === 'completed';
  return {
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    status: end.status,
    background: head.request.background,
    completed_at: done ? head.createdAt : null,
    error: null,
    frequency_penalty: body['frequency_penalty'] ?? 0,
    incomplete_details: end.status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    model: head.request.model,
    output: end.output,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    presence_penalty: body['presence_penalty'] ?? 0,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    prompt_cache_retention: body['prompt_cache_retention'] ?? null,
    reasoning: echoReasoning(body['reasoning']),
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier:
      body['service_tier'] === undefined || body['service_tier'] === 'auto'
        ? 'default'
        : body['service_tier'],
    store: head.request.store,
    temperature: body['temperature'] ?? 1,
    text: echoText(body['text']),
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: echoTools(body),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: end.usage,
    user: body['user'] ?? null,
    metadata: body['metadata'] ?? {},
  };
}

function echoReasoning(reasoning: unknown): JsonObject {
  if (!isObject(reasoning)) return { effort: null, summary: null };
  const { effort, summary, generate_summary: older, ...rest } = reasoning;
  return { ...rest, effort: effort ?? 'medium', summary: summary ?? older ?? null };
}

function echoText(text: unknown): JsonObject {
  const given = isObject(text) ? text : {};
  return { ...given, format: given['format'] ?? { type: 'text' }, verbosity: given['verbosity'] ?? 'medium' };
}

const echoed = new WeakMap<JsonObject, readonly JsonObject[]>();

/** The tools of a body, the same array at every call. */
function echoTools(body: JsonObject): readonly JsonObject[] {
  const known = echoed.get(body);
  if (known !== undefined) return known;
  const tools = objectsOf(body['tools']).map(echoTool);
  echoed.set(body, tools);
  return tools;
}

/** OpenAI fills in what a function tool leaves out; `strict` is true where nothing is said. */
function echoTool(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function') return tool;
  const { type, description, name, parameters, strict, ...rest } = tool;
  return {
    type,
    ...rest,
    description: description ?? null,
    name,
    parameters: parameters ?? null,
    strict: strict ?? true,
  };
}
