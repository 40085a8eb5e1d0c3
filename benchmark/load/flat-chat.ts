/** The flat answers of a chat: the texts and calls of the Responses ones, in as many deltas, so that both compare. */

type JsonObject = Readonly<Record<string, unknown>>;

/** Something that an answer says, and in how many deltas. */
export interface FlatPart {
  /** The tool that is called; undefined: words. */
  readonly call?: string;
  /** The words, or the arguments of the call. */
  readonly text: string;
  readonly deltas: number;
}

const ID = 'chatcmpl-0123456789abcdef0123456789abcdef';
const CREATED = 1_796_083_200;
const usage = {
  prompt_tokens: 512,
  completion_tokens: 96,
  total_tokens: 608,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

/** The completion as JSON. */
export function completionOf(request: JsonObject, parts: readonly FlatPart[]): JsonObject {
  const words = parts.filter(({ call }) => call === undefined).map(({ text }) => text);
  const calls = parts.filter(({ call }) => call !== undefined);
  const message = {
    role: 'assistant',
    content: words.length === 0 ? null : words.join(''),
    refusal: null,
    annotations: [],
  };
  const toolCalls = calls.map(({ call, text }) => callOf(call, text));
  return {
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: request['model'],
    choices: [
      {
        index: 0,
        message: calls.length === 0 ? message : { ...message, tool_calls: toolCalls },
        logprobs: null,
        finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
      },
    ],
    usage,
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
  };
}

function callOf(name: string | undefined, text: string): JsonObject {
  return { id: 'call_0123456789abcdef01234567', type: 'function', function: { name, arguments: text } };
}

/** One buffer per chunk, `[DONE]` last. */
export function chunksOf(request: JsonObject, parts: readonly FlatPart[]): readonly Buffer[] {
  const options = request['stream_options'];
  const asked =
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true;
  const head = {
    id: ID,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: request['model'],
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
  };
  const chunk = (delta: JsonObject, finish: string | null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(asked ? { usage: null } : {}),
    obfuscation: 'x'.repeat(12),
  });
  const called = parts.some(({ call }) => call !== undefined);
  const worded = parts.some(({ call }) => call === undefined);
  const chunks = [
    chunk({ role: 'assistant', content: worded ? '' : null, refusal: null }, null),
    ...parts.flatMap(deltasOf).map((delta) => chunk(delta, null)),
    chunk({}, called ? 'tool_calls' : 'stop'),
    ...(asked ? [{ ...head, choices: [], usage }] : []),
  ];
  return [...chunks.map((each) => JSON.stringify(each)), '[DONE]'].map((data) =>
    Buffer.from(`data: ${data}\n\n`),
  );
}

function deltasOf({ call, text, deltas }: FlatPart): readonly JsonObject[] {
  const pieces = cut(text, deltas);
  if (call === undefined) return pieces.map((content) => ({ content }));
  return [
    { tool_calls: [{ index: 0, ...callOf(call, '') }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

/** Cuts a text into so many pieces. */
export function cut(text: string, pieces: number): readonly string[] {
  const length = Math.ceil(text.length / pieces);
  return Array.from({ length: pieces }, (_, at) => text.slice(at * length, (at + 1) * length));
}
