/** A conversation as a request of either API. */
import type OpenAI from 'openai';
import type { Said, Talk } from './talk.ts';

/** Small models can babble to the end of their context. */
const maxTokens = 160;

type ChatRequest = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type ResponsesRequest = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;

/** As `POST /v1/chat/completions` wants it. */
export function chatRequest(model: string, { system, said, tools }: Talk): ChatRequest {
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...said.flatMap(chatMessages),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...parameters } },
          })),
        }),
    max_completion_tokens: maxTokens,
    temperature: 0,
  };
}

function chatMessages(said: Said): OpenAI.Chat.ChatCompletionMessageParam[] {
  if (said.by !== 'tool') return [{ role: said.by, content: said.text }];
  const { id, name, arguments: text } = said.call;
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
    },
    { role: 'tool', tool_call_id: id, content: said.output },
  ];
}

/** As `POST /v1/responses` wants it. */
export function responsesRequest(model: string, { system, said, tools }: Talk): ResponsesRequest {
  return {
    model,
    ...(system === undefined ? {} : { instructions: system }),
    input: said.flatMap(inputItems),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: { ...parameters } })) }),
    max_output_tokens: maxTokens,
    temperature: 0,
  };
}

function inputItems(said: Said, at: number): OpenAI.Responses.ResponseInputItem[] {
  if (said.by === 'assistant') return [outputMessage(said.text, at)];
  if (said.by !== 'tool') return [{ role: said.by, content: said.text }];
  const { id, name, arguments: text } = said.call;
  return [
    { type: 'function_call', call_id: id, name, arguments: text },
    { type: 'function_call_output', call_id: id, output: said.output },
  ];
}

/** As an answer holds it and apps send it back: not every server takes the short form from an assistant. */
function outputMessage(text: string, at: number): OpenAI.Responses.ResponseOutputMessage {
  return {
    type: 'message',
    id: `msg_${String(at)}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}
