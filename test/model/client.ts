import OpenAI from 'openai';
import { openTurn } from '../integration/support/ask.ts';
import { objectOf } from '../integration/support/json.ts';
import type { Json } from '../integration/support/json.ts';
import { answerOf, answerOfEvents } from './read-wire.ts';
import type { Answer, Api, Talk, Way } from './talk.ts';
import { chatRequest, responsesRequest } from './write-request.ts';

/** Whom to ask, and how. */
export interface Target {
  /** `/v1` included. */
  readonly baseUrl: string;
  readonly model: string;
  readonly timeoutSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the official client reads a stream: with its helper that builds the answer, or event by event. */
export type StreamReader = 'helper' | 'events';

/** What is asked. */
export interface Question extends Way {
  readonly talk: Talk;
  readonly streamReader: StreamReader;
  /** Asks for usage in a chat stream. */
  readonly wantsUsage: boolean;
}

/** What came back: the bytes, and what the official client made of them. */
export interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Absent where the client could not read the answer. */
  readonly heard?: Answer;
  readonly clientError?: string;
  readonly seconds: number;
}

/** Sends one turn through the official client over plain HTTP, and keeps the bytes that it read. */
export async function exchange(target: Target, question: Question): Promise<Exchange> {
  const kept: { status: number; headers: Headers; body: string } = {
    status: 0,
    headers: new Headers(),
    body: '',
  };
  const client = clientOf(target, async (url, init) => {
    const response = await sendWhole(new URL(url), init);
    kept.status = response.status;
    kept.headers = response.headers;
    kept.body = await response.clone().text();
    return response;
  });
  const startedAt = performance.now();
  const secondsSince = (): number => (performance.now() - startedAt) / 1000;
  try {
    const heard = await hear(client, target.model, question);
    return { ...kept, heard, seconds: secondsSince() };
  } catch (error) {
    return { ...kept, clientError: String(error), seconds: secondsSince() };
  }
}

/** Whether the server's own answer to a question is one that the official client reads. */
export async function answersItself(target: Target, question: Question): Promise<boolean> {
  try {
    await hear(clientOf(target), target.model, question);
    return true;
  } catch {
    return false;
  }
}

type Fetch = (url: string | URL, init: RequestInit) => Promise<Response>;

function clientOf({ baseUrl, timeoutSeconds, headers }: Target, fetchOne?: Fetch): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: process.env['OPENAI_API_KEY'] ?? 'none',
    maxRetries: 0,
    timeout: timeoutSeconds * 1000,
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    ...(fetchOne === undefined
      ? {}
      : {
          fetch: (url, init) => fetchOne(url instanceof Request ? url.url : url, { ...init }),
        }),
  });
}

/** Not `fetch`: that has limits of its own, which slow models pass. The client's limit ends it. */
async function sendWhole(url: URL, { body, headers, signal }: RequestInit): Promise<Response> {
  const turn = openTurn({ proxyUrl: url.origin }, body, {
    path: url.pathname,
    headers: Object.fromEntries(new Headers(headers)),
  });
  signal?.addEventListener('abort', turn.leave);
  const answered = await turn.ended;
  signal?.removeEventListener('abort', turn.leave);
  if (!answered.whole)
    throw new Error(`the connection ended before the answer: ${answered.text.slice(-200)}`);
  const head = Object.entries(answered.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(answered.text, { status: answered.status, headers: head });
}

function hear(client: OpenAI, model: string, question: Question): Promise<Answer> {
  return question.api === 'chat' ? hearChat(client, model, question) : hearResponses(client, model, question);
}

async function hearChat(client: OpenAI, model: string, question: Question): Promise<Answer> {
  const request = chatRequest(model, question.talk);
  if (question.shape === 'json') return answerOf(await client.chat.completions.create(request), 'chat');
  const streamed = {
    ...request,
    stream: true as const,
    ...(question.wantsUsage ? { stream_options: { include_usage: true } } : {}),
  };
  if (question.streamReader === 'events') {
    return collect(await client.chat.completions.create(streamed), 'chat');
  }
  return answerOf(await client.chat.completions.stream(streamed).finalChatCompletion(), 'chat');
}

async function hearResponses(client: OpenAI, model: string, question: Question): Promise<Answer> {
  const request = responsesRequest(model, question.talk);
  if (question.shape === 'json') return answerOf(await client.responses.create(request), 'responses');
  const streamed = { ...request, stream: true as const };
  if (question.streamReader === 'events')
    return collect(await client.responses.create(streamed), 'responses');
  return answerOf(await client.responses.stream(streamed).finalResponse(), 'responses');
}

async function collect(stream: AsyncIterable<object>, api: Api): Promise<Answer> {
  const events: Json[] = [];
  for await (const event of stream) events.push(objectOf(event));
  return answerOfEvents(events, api);
}
