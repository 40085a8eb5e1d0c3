/**
 * Answers of a model that does not think: the same request gets the same bytes, made once. Like OpenAI it echoes the
 * tools it was sent, in every event that carries the response, which is what makes restoring them cost something.
 */

import { chunksOf, completionOf, cut } from './flat-chat.ts';
import type { FlatPart } from './flat-chat.ts';

/** An answer ready to be written. */
export interface FlatAnswer {
  readonly contentType: string;
  /** One piece for JSON, one per event for a stream. */
  readonly pieces: readonly Buffer[];
}

type JsonObject = Readonly<Record<string, unknown>>;

const TEXT =
  'Let me look that up for you. I will use the tool that fits best and tell you what it says in a moment, ' +
  'together with anything that you should know about the result before you decide what to do with it next, ' +
  'such as how fresh it is, where it comes from, and what I had to assume in order to ask for it at all. ' +
  'If something is missing, say so, and I will ask again with what you add.';
const ARGUMENTS = JSON.stringify({ city: 'Lisbon', date: '2026-12-02', unit: 'celsius', language: 'en' });
const TEXT_DELTAS = 40;
const ARGUMENT_DELTAS = 8;
const PICK_DELTAS = 3;

/**
 * Answers a request body: with a pick of the first name if a `call_tool` is there, else with a text and a call of the first
 * function. A body with `messages` is a chat and is answered as one.
 */
export function answerFlat(body: string): FlatAnswer {
  const request = asObject(JSON.parse(body));
  const chat = Array.isArray(request['messages']);
  const tools = Array.isArray(request['tools']) ? request['tools'].map(asObject) : [];
  const parts = partsOf(chat ? tools.map((tool) => asObject(tool['function'])) : tools.filter(isFunction));
  if (request['stream'] === true) {
    const pieces = chat ? chunksOf(request, parts) : streamOf(request, parts.map(itemOf));
    return { contentType: 'text/event-stream; charset=utf-8', pieces };
  }
  const whole = chat ? completionOf(request, parts) : responseOf(request, parts.map(itemOf));
  return { contentType: 'application/json', pieces: [Buffer.from(JSON.stringify(whole))] };
}

interface FlatItem {
  readonly item: JsonObject;
  readonly deltas: number;
}

function isFunction(tool: JsonObject): boolean {
  return tool['type'] === 'function';
}

/** What is said, whatever the protocol. */
function partsOf(functions: readonly JsonObject[]): readonly FlatPart[] {
  const menu = functions.find(({ name }) => name === 'call_tool');
  if (menu !== undefined) {
    const names = asObject(asObject(asObject(menu['parameters'])['properties'])['names']);
    const listed = asObject(names['items'])['enum'];
    const first: unknown = Array.isArray(listed) ? listed[0] : undefined;
    return [{ call: 'call_tool', text: JSON.stringify({ names: [first] }), deltas: PICK_DELTAS }];
  }
  const text = { text: TEXT, deltas: TEXT_DELTAS };
  const named = functions.find(({ name }) => typeof name === 'string');
  return named === undefined
    ? [text]
    : [text, { call: String(named['name']), text: ARGUMENTS, deltas: ARGUMENT_DELTAS }];
}

function itemOf({ call, text, deltas }: FlatPart): FlatItem {
  if (call !== undefined) return { item: callOf(call, text), deltas };
  const item = {
    id: 'msg_0123456789abcdef01234567',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
  };
  return { item, deltas };
}

function callOf(name: string, args: string): JsonObject {
  const id = '0123456789abcdef01234567';
  return {
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    arguments: args,
    call_id: `call_${id}`,
    name,
  };
}

function responseOf(request: JsonObject, items: readonly FlatItem[] | undefined): JsonObject {
  const done = items !== undefined;
  return {
    id: 'resp_0123456789abcdef0123456789abcdef',
    object: 'response',
    created_at: 1_796_083_200,
    status: done ? 'completed' : 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: request['model'],
    output: items?.map(({ item }) => item) ?? [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: request['tools'] ?? [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: done
      ? {
          input_tokens: 512,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 96,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 608,
        }
      : null,
    user: null,
    metadata: {},
  };
}

/** One buffer per event; an answer of text and call has about 60. */
function streamOf(request: JsonObject, items: readonly FlatItem[]): readonly Buffer[] {
  const running = responseOf(request, undefined);
  const events: readonly JsonObject[] = [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    ...items.flatMap(itemEvents),
    { type: 'response.completed', response: responseOf(request, items) },
  ];
  return events.map(({ type, ...rest }, at) =>
    Buffer.from(
      `event: ${String(type)}\ndata: ${JSON.stringify({ type, sequence_number: at, ...rest })}\n\n`,
    ),
  );
}

function itemEvents({ item, deltas }: FlatItem, at: number): readonly JsonObject[] {
  const place = { item_id: item['id'], output_index: at };
  const added = { type: 'response.output_item.added', output_index: at };
  const done = { type: 'response.output_item.done', output_index: at, item };
  if (item['type'] === 'message') {
    const part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
    const inside = { ...place, content_index: 0 };
    return [
      { ...added, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...inside, part },
      ...cut(TEXT, deltas).map((delta) => ({
        type: 'response.output_text.delta',
        ...inside,
        delta,
        logprobs: [],
        obfuscation: 'x'.repeat(16 - delta.length),
      })),
      { type: 'response.output_text.done', ...inside, text: TEXT, logprobs: [] },
      { type: 'response.content_part.done', ...inside, part: { ...part, text: TEXT } },
      done,
    ];
  }
  const args = String(item['arguments']);
  return [
    { ...added, item: { ...item, status: 'in_progress', arguments: '' } },
    ...cut(args, deltas).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...place,
      delta,
      obfuscation: 'x'.repeat(16),
    })),
    { type: 'response.function_call_arguments.done', ...place, arguments: args },
    done,
  ];
}

function asObject(value: unknown): JsonObject {
  // An object from JSON has string keys; anything else counts as one without fields.
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
