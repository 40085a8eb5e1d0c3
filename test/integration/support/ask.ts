import { request } from 'node:http';
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request body (an object is sent as JSON) and its headers. */
export interface Sent {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `/v1/responses` if left out. */
  readonly path?: string;
  /** Keeps connections for further turns; without one, each turn has its own. */
  readonly agent?: Agent;
}

/** An answer that was read to its end. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The parsed body. @throws SyntaxError where it is not JSON */
  json(): unknown;
  /** False if the connection ended before the answer did. */
  readonly whole: boolean;
}

/** A turn whose answer is still coming in. */
export interface OpenTurn {
  /** Resolves with the head. Rejects if the connection ended without one. */
  readonly head: Promise<IncomingMessage>;
  /** What of the body has come so far. */
  text(): string;
  /** Resolves when the body so far passes; rejects if it has ended without. */
  until(passes: (text: string) => boolean): Promise<void>;
  /** Resolves at the end of the answer or of its connection. */
  readonly ended: Promise<Answered>;
  /** The app goes away. */
  leave(): void;
  readonly request: ClientRequest;
}

/** Sends a turn and reads its answer to the end. */
export async function ask(
  { proxyUrl }: { readonly proxyUrl: string },
  body: unknown,
  rest: Omit<Sent, 'body'> = {},
): Promise<Answered> {
  return openTurn({ proxyUrl }, body, rest).ended;
}

/** Sends a turn and hands out its answer while it comes. */
export function openTurn(
  { proxyUrl }: { readonly proxyUrl: string },
  body: unknown,
  { headers = {}, path = '/v1/responses', agent }: Omit<Sent, 'body'> = {},
): OpenTurn {
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const client = request(proxyUrl + path, {
    method: 'POST',
    agent: agent ?? false,
    headers: { 'content-type': 'application/json', 'content-length': bytes.byteLength, ...headers },
  });
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    client.once('response', resolve);
    client.once('error', reject);
  });
  const ended = head.then(
    (incoming) =>
      new Promise<Answered>((resolve) => {
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          notify();
        });
        incoming.on('error', () => undefined);
        incoming.once('close', () => {
          resolve(answered(incoming, text()));
        });
      }),
  );
  let over = false;
  const finish = (): void => {
    over = true;
    notify();
  };
  // Both are handled where they are awaited; a test that leaves awaits neither.
  ended.then(finish, finish);
  client.end(bytes);
  return {
    head,
    text,
    ended,
    request: client,
    until: (passes) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (passes(text())) resolve();
          else if (over) reject(new Error(`ended without what was waited for: ${text().slice(0, 2000)}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
    leave: () => {
      client.destroy();
    },
  };
}

function answered(incoming: IncomingMessage, text: string): Answered {
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    text,
    json: () => JSON.parse(text) as unknown,
    whole: incoming.complete,
  };
}
