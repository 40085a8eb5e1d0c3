/** One turn, sent as an app would send it: with the official client. */
import type OpenAI from 'openai';
import type { FunctionTool } from '../scenarios/index.ts';

/** What an app learns from a turn. */
export interface TurnResult {
  readonly tool: string;
  /** The arguments as they came, a JSON text. */
  readonly argumentsText: string;
  readonly inputTokens: number;
  /** Calls to the upstream that the turn took. */
  readonly hops: number;
}

/** What is asked. */
export interface Asked {
  readonly question: string;
  readonly tools: readonly FunctionTool[];
}

type Format = 'json' | 'stream';

const MODEL = 'gpt-5-mini';

/**
 * Sends a question with its tools and gives the call that came back.
 *
 * @throws the client's error where the turn fails, Error where no tool was called
 */
export async function askModel(client: OpenAI, asked: Asked, format: Format): Promise<TurnResult> {
  const request = { model: MODEL, input: asked.question, tools: asked.tools.map(toClientTool) };
  const { response, headers } =
    format === 'json' ? await askOnce(client, request) : await askStreaming(client, request);
  const call = response.output.find((item) => item.type === 'function_call');
  if (call === undefined)
    throw new Error(`no tool was called, the answer is ${response.status ?? 'unknown'}`);
  return {
    tool: call.name,
    argumentsText: call.arguments,
    inputTokens: response.usage?.input_tokens ?? Number.NaN,
    hops: Number(headers.get('x-toolroll-hops') ?? 1),
  };
}

function toClientTool({ parameters, ...rest }: FunctionTool): OpenAI.Responses.FunctionTool {
  return { ...rest, parameters: { ...parameters } };
}

interface Request {
  readonly model: string;
  readonly input: string;
  readonly tools: OpenAI.Responses.FunctionTool[];
}

interface Answer {
  readonly response: OpenAI.Responses.Response;
  readonly headers: Headers;
}

async function askOnce(client: OpenAI, request: Request): Promise<Answer> {
  const { data, response } = await client.responses.create(request).withResponse();
  return { response: data, headers: response.headers };
}

async function askStreaming(client: OpenAI, request: Request): Promise<Answer> {
  const { data, response } = await client.responses.create({ ...request, stream: true }).withResponse();
  let ended: OpenAI.Responses.Response | undefined;
  for await (const event of data) {
    if (event.type === 'response.completed') ended = event.response;
  }
  if (ended === undefined) throw new Error('the stream ended without response.completed');
  return { response: ended, headers: response.headers };
}
