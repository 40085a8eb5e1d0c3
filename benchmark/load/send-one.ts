/** Requests one after the other over one connection, timed finer than a load generator does. */
import { Agent, request } from 'node:http';

/** An answer and how long it took. */
export interface TimedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** From sending to the last byte, in milliseconds. */
  readonly wholeMs: number;
}

/** A kept connection. */
export interface Connection {
  send(url: string, body: string): Promise<TimedAnswer>;
  close(): void;
}

/** Opens one; it connects on the first request. */
export function openConnection(): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (url, body) => send(agent, url, body),
    close: () => {
      agent.destroy();
    },
  };
}

function send(agent: Agent, url: string, body: string): Promise<TimedAnswer> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const wholeMs = performance.now() - began;
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, wholeMs });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
