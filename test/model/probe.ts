/** What the server is like, asked directly: what it has, and what the official client makes of its own streams. */
import { answersItself } from './client.ts';
import type { Question, StreamReader, Target } from './client.ts';
import type { ModelTestOptions } from './options.ts';
import { objectsAt } from './read-wire.ts';
import { toolHistory } from './scenarios.ts';
import type { Api, Talk } from './talk.ts';

/** What there is of one API. */
export interface ApiTraits {
  /** How its streams are read. */
  readonly streamReader: StreamReader;
  /** Whether it takes calls and their outputs in the conversation. */
  readonly takesToolHistory: boolean;
  /** Whether it takes a second system message. */
  readonly takesSecondSystem: boolean;
}

/** What the server has; an API that it does not answer is absent. */
export type ServerTraits = Readonly<Partial<Record<Api, ApiTraits>>>;

const hello: Talk = { said: [{ by: 'user', text: 'Say hello.' }], tools: [] };
const secondSystem: Talk = {
  ...hello,
  system: 'Be brief.',
  said: [{ by: 'system', text: 'Be kind.' }, ...hello.said],
};

/**
 * The model to ask: the one that was named, or the first of `GET /v1/models`.
 *
 * @throws Error that says, in one line, why there is none
 */
export async function findModel({ baseUrl, model, timeoutSeconds }: ModelTestOptions): Promise<string> {
  const response = await fetch(`${baseUrl}/models`, {
    headers: { authorization: `Bearer ${process.env['OPENAI_API_KEY'] ?? 'none'}` },
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  }).catch((error: unknown) => {
    throw new Error(`${baseUrl} cannot be reached: ${reasonOf(error)}`);
  });
  const body: unknown = await response.json().catch(() => undefined);
  const id = model ?? objectsAt(body, 'data')[0]?.['id'];
  if (typeof id === 'string') return id;
  throw new Error(
    `${baseUrl}/models answers ${String(response.status)} and lists no model: name one with --model`,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** Looks at both APIs. */
export async function probe(target: Target): Promise<ServerTraits> {
  const chat = await probeApi(target, 'chat');
  const responses = await probeApi(target, 'responses');
  return { ...(chat === undefined ? {} : { chat }), ...(responses === undefined ? {} : { responses }) };
}

async function probeApi(target: Target, api: Api): Promise<ApiTraits | undefined> {
  const ask = (talk: Talk, rest: Pick<Question, 'shape' | 'streamReader'>): Promise<boolean> =>
    answersItself(target, { api, talk, wantsUsage: false, ...rest });
  const json = { shape: 'json', streamReader: 'events' } as const;
  if (!(await ask(hello, json))) return undefined;
  return {
    streamReader: (await ask(hello, { shape: 'stream', streamReader: 'helper' })) ? 'helper' : 'events',
    takesToolHistory: await ask(toolHistory, json),
    takesSecondSystem: await ask(secondSystem, json),
  };
}
