import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * One thing that the upstream does while it answers:
 * a text or bytes is one chunk, read by Toolroll before the next step begins; `until` waits for somebody, `pauseMs` for
 * the time; {@link reset}, {@link cut} and {@link hang} are the last step where one of them stands.
 */
export type Step =
  | string
  | Uint8Array
  | { readonly until: Promise<unknown> }
  | { readonly pauseMs: number }
  | { readonly end: 'reset' | 'cut' | 'hang' };

/** Ends the connection with a reset. */
export const reset: Step = { end: 'reset' };
/** Ends the connection in the middle of the body. */
export const cut: Step = { end: 'cut' };
/** Says nothing ever more, and leaves the connection open. */
export const hang: Step = { end: 'hang' };

/** What the upstream answers to one request. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is waited for before the head goes out. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

/** A request as the upstream got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyText: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown;
  /** Resolves when its connection has closed or its answer has ended; true if the answer was whole by then. */
  readonly over: Promise<boolean>;
}

export interface ScriptedUpstream {
  /** Base URL, `/v1` included. */
  readonly url: string;
  /** What has been received, oldest first. */
  readonly requests: readonly Received[];
  /** Resolves when that many requests have been received. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** An answer that is one JSON text; a string goes as it is. */
export function json(body: unknown, rest: Omit<Answer, 'steps'> = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...rest, headers: { 'content-type': 'application/json', ...rest.headers }, steps: [text] };
}

/** An answer that is an event stream. Each step is a chunk of its own. */
export function sse(steps: readonly Step[], rest: Omit<Answer, 'steps'> = {}): Answer {
  return { ...rest, headers: { 'content-type': 'text/event-stream; charset=utf-8', ...rest.headers }, steps };
}

type Script = readonly Answer[] | ((request: Received, index: number) => Answer);

/**
 * Starts an upstream on the loopback that answers its first request with the first answer of the script, and so on.
 * A script that is a function is asked for each. A request beyond the script gets 599, which no test expects.
 */
export async function startScript(script: Script): Promise<ScriptedUpstream> {
  const requests: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void receive(request, response).then(
      (received) => {
        requests.push(received);
        for (const wait of waiting) if (requests.length >= wait.count) wait.resolve();
        const index = requests.length - 1;
        const answer = typeof script === 'function' ? script(received, index) : script[index];
        return play(response, answer ?? { status: 599, steps: ['beyond the script'] });
      },
      () => undefined,
    );
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that goes away in the middle is part of many scripts.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const over = new Promise<boolean>((resolve) => {
    response.once('close', () => {
      resolve(response.writableFinished);
    });
  });
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const bodyText = Buffer.concat(chunks).toString('utf8');
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, bodyText, body: parsed(bodyText), over };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function play(response: ServerResponse, answer: Answer): Promise<void> {
  for (const step of answer.before ?? []) if (!(await take(response, step))) return;
  if (response.destroyed) return;
  response.writeHead(answer.status ?? 200, answer.headers);
  response.flushHeaders();
  for (const step of answer.steps) if (!(await take(response, step))) return;
  response.end();
}

/** @returns false if nothing more is to be done */
async function take(response: ServerResponse, step: Step): Promise<boolean> {
  if (response.destroyed) return false;
  if (typeof step === 'string' || step instanceof Uint8Array) {
    if (!response.write(step)) await drained(response);
    // The reader lives in this process: a few rounds of the event loop, and the chunk has been read by itself.
    for (let round = 0; round < 3; round += 1) await setImmediate();
    return true;
  }
  if ('end' in step) {
    if (step.end === 'reset') response.socket?.resetAndDestroy();
    if (step.end === 'cut') response.socket?.destroySoon();
    return false;
  }
  if ('until' in step) await step.until;
  else await setTimeout(step.pauseMs);
  return true;
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
