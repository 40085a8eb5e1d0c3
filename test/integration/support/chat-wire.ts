import type { Json } from './json.ts';
import { turn } from './turn.ts';

/** A call of a function as chat completions write it. */
export function chatCall(name: string, args: unknown, rest: Json = {}): Json {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { id: `call_${name}`, type: 'function', function: { name, arguments: text }, ...rest };
}

/** Token counts as chat completions give them. */
export function chatUsage(prompt: number, completion: number, { cached = 0, thought = 0 } = {}): Json {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

export interface ChatParts {
  readonly id?: string;
  readonly content?: string | null;
  readonly calls?: readonly Json[];
  /** `tool_calls` where there are calls, else `stop`, if left out. */
  readonly finish?: string;
  readonly usage?: Json | null;
  /** Further members of the message, such as `reasoning_content`. */
  readonly fields?: Json;
}

/** A whole chat completion. */
export function completion(parts: ChatParts): Json {
  const { id = 'chatcmpl-1', content = null, calls = [], fields = {} } = parts;
  return {
    id,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm-1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          refusal: null,
          ...fields,
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishOf(parts),
      },
    ],
    ...(parts.usage === null ? {} : { usage: parts.usage ?? chatUsage(100, 10) }),
  };
}

/** The frames of a whole chat stream, as OpenAI sends it when usage was asked for: texts and arguments in three deltas. */
export function chatStream(parts: ChatParts): string[] {
  const { id = 'chatcmpl-1', content, calls = [], fields = {} } = parts;
  const chunk = (choices: readonly Json[], usage: Json | null = null): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm-1', choices, usage })}\n\n`;
  const delta = (inner: Json, finish: string | null = null): string =>
    chunk([{ index: 0, delta: inner, logprobs: null, finish_reason: finish }]);
  const last = parts.usage === null ? [] : [chunk([], parts.usage ?? chatUsage(100, 10))];
  return [
    delta({ role: 'assistant', content: content === undefined || content === null ? null : '', ...fields }),
    ...inThree(content ?? '').map((text) => delta({ content: text })),
    ...calls.flatMap((call, index) => callDeltas(call, index).map((inner) => delta({ tool_calls: [inner] }))),
    delta({}, finishOf(parts)),
    ...last,
    'data: [DONE]\n\n',
  ];
}

function finishOf({ finish, calls = [] }: ChatParts): string {
  return finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
}

function callDeltas(call: Json, index: number): Json[] {
  const { function: definition, ...rest } = call;
  // A call of ours holds a function with a name and arguments.
  const { name, arguments: args } = definition as { name: string; arguments: string };
  return [
    { index, ...rest, function: { name, arguments: '' } },
    ...inThree(args).map((part) => ({ index, function: { arguments: part } })),
  ];
}

function inThree(text: string): string[] {
  const letters = Array.from(text);
  const size = Math.max(Math.ceil(letters.length / 3), 1);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, index) =>
    letters.slice(index * size, (index + 1) * size).join(''),
  );
}

/** The body of a chat turn: the question and tools of {@link turn} in chat's shapes, and what the test adds. */
export function chatTurn(fields: Json = {}): Json {
  const { model, input, tools } = turn();
  return {
    model,
    messages: [{ role: 'user', content: input }],
    tools: Array.isArray(tools) ? tools.map(nested) : [],
    ...fields,
  };
}

/** A flat tool in chat's shape. */
export function nested(tool: Json): Json {
  const { type, ...definition } = tool;
  return { type, [String(type)]: definition };
}
