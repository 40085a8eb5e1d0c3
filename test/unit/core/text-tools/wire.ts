import { createTextTransport } from '../../../../proxy/core/text-tools/index.ts';
import type { TextToolsSettings, TextTransport } from '../../../../proxy/core/text-tools/index.ts';

export type Wire = 'chat' | 'responses';

const encoder = new TextEncoder();

export const GET_W = {
  name: 'get_w',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** A tool in the shape of a protocol. */
export function toolOf(protocol: Wire, definition: object): object {
  return protocol === 'chat'
    ? { type: 'function', function: definition }
    : { type: 'function', ...definition };
}

/** A custom tool in the shape of a protocol. */
export function customOf(protocol: Wire, definition: object): object {
  return protocol === 'chat' ? { type: 'custom', custom: definition } : { type: 'custom', ...definition };
}

export interface OpenOptions {
  readonly protocol: Wire;
  readonly format?: TextToolsSettings['format'];
  readonly attempt?: 'more_follow' | 'last';
  readonly tools?: readonly object[];
  readonly request?: object;
}

/** A transport that has seen a request with these tools; by default every name of the hand-made answers is one. */
export function open({
  protocol,
  format = 'xml',
  attempt = 'last',
  tools,
  request = {},
}: OpenOptions): TextTransport {
  let count = 0;
  const transport = createTextTransport({
    protocol,
    settings: { format, placement: 'own' },
    attempt,
    newId: () => (count++).toString(16).padStart(24, '0'),
  });
  const anything = ['get_w', 'get', 'a', 'b', 'now', 'e', 's', 'w', 'x'].map((name) =>
    toolOf(protocol, { name }),
  );
  const conversation =
    protocol === 'chat' ? { messages: [{ role: 'user', content: 'hi' }] } : { input: 'hi' };
  transport.encodeRequest(
    JSON.stringify({ model: 'm', ...conversation, tools: tools ?? anything, ...request }),
  );
  return transport;
}

/** What an answer comes to: its texts and calls. In the chat API text and calls have no order between them. */
export interface Sum {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, content: string])[];
  readonly finish: unknown;
}

/** A JSON answer of the upstream with that text. */
export function jsonAnswer(protocol: Wire, text: string): string {
  return protocol === 'chat'
    ? JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
        usage: { total_tokens: 3 },
      })
    : JSON.stringify({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        tools: [],
        tool_choice: 'auto',
        output: [
          {
            id: 'msg_1',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ],
        usage: { total_tokens: 3 },
      });
}

interface ChatDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly type?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
    readonly custom?: { readonly name?: string; readonly input?: string };
  }[];
}

export interface ChatChunk {
  readonly id?: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly message?: ChatDelta;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: object | null;
}

export interface ResponsesItem {
  readonly id?: string;
  readonly type: string;
  readonly status?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly call_id?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

export interface ResponsesEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly output_index?: number;
  readonly content_index?: number;
  readonly item_id?: string;
  readonly item?: ResponsesItem;
  readonly delta?: string;
  readonly text?: string;
  readonly arguments?: string;
  readonly part?: { readonly text?: string };
  readonly response?: { readonly output?: readonly ResponsesItem[]; readonly tools?: unknown };
}

/** The events of the upstream's stream that says these deltas. */
export function streamAnswer(protocol: Wire, deltas: readonly string[], finish = 'stop'): string[] {
  return protocol === 'chat' ? chatStream(deltas, finish) : responsesStream(deltas);
}

function chatStream(deltas: readonly string[], finish: string): string[] {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunk = (delta: ChatDelta, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((content) => chunk({ content })),
    chunk({}, finish),
    `data: ${JSON.stringify({ ...head, choices: [], usage: { total_tokens: 3 } })}\n\n`,
    'data: [DONE]\n\n',
  ];
}

function responsesStream(deltas: readonly string[]): string[] {
  const text = deltas.join('');
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const item = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const response = { id: 'resp_1', object: 'response', status: 'in_progress', tools: [], output: [] };
  const done = { ...item, status: 'completed', content: [{ ...part, text }] };
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...place, part },
    ...deltas.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: { ...part, text } },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [done] } },
  ].map(
    (event, sequence_number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

/** The bytes that come out for bytes that go in, in these pieces. */
export function run(transport: TextTransport, pieces: readonly Uint8Array[]): string {
  const stream = transport.createStream();
  const out = [...pieces.flatMap((piece) => [...stream.push(piece)]), ...stream.flush()];
  return Buffer.concat(out).toString('utf8');
}

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The JSON of a stream's events. */
export function eventsOf<T>(stream: string): T[] {
  return stream
    .split('\n\n')
    .flatMap((frame) => frame.split('\n').filter((line) => line.startsWith('data: {')))
    .map((line) => JSON.parse(line.slice(6)) as T);
}

export function sumOfChat(chunks: readonly ChatChunk[]): Sum {
  const calls: [string, string][] = [];
  let text = '';
  let finish: unknown = null;
  for (const { choices } of chunks) {
    for (const choice of choices) {
      const said = choice.message ?? choice.delta;
      text += said.content ?? '';
      finish = choice.finish_reason ?? finish;
      (said.tool_calls ?? []).forEach((call, place) => {
        const entry = (calls[call.index ?? place] ??= ['', '']);
        entry[0] += call.function?.name ?? call.custom?.name ?? '';
        entry[1] += call.function?.arguments ?? call.custom?.input ?? '';
      });
    }
  }
  return { text, calls, finish };
}

export function sumOfItems(items: readonly ResponsesItem[]): Sum {
  return {
    text: items
      .flatMap(({ content }) => content ?? [])
      .map((part) => part.text ?? '')
      .join(''),
    calls: items.flatMap(({ name, arguments: text, input }) =>
      name === undefined ? [] : [[name, text ?? input ?? ''] as const],
    ),
    finish: undefined,
  };
}

/** The items that a client builds from the events alone, by place. */
export function itemsOf(events: readonly ResponsesEvent[]): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  const texts = new Map<string, string>();
  for (const event of events) {
    const index = event.output_index ?? -1;
    const key = `${String(index)}/${String(event.content_index)}`;
    switch (event.type) {
      case 'response.output_item.added':
        expect(items[index]).toBeUndefined();
        expect(index).toBe(items.length);
        items[index] = event.item!;
        break;
      case 'response.output_text.delta':
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        expect(event.item_id).toBe(items[index]?.id);
        texts.set(key, (texts.get(key) ?? '') + event.delta!);
        break;
      case 'response.output_text.done':
        expect(event.text).toBe(texts.get(key) ?? '');
        break;
      case 'response.content_part.done':
        expect(event.part?.text).toBe(texts.get(key) ?? '');
        break;
      case 'response.function_call_arguments.done':
        expect(event.arguments).toBe(texts.get(key) ?? '');
        break;
      case 'response.output_item.done':
        expect(event.item?.id).toBe(items[index]?.id);
        items[index] = event.item!;
        break;
    }
  }
  return items;
}
