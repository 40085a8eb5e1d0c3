import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ask, json, message, response, startScript, startWith } from './support/index.ts';
import type {
  Answer,
  Answered,
  Json,
  RunningToolroll,
  ScriptedUpstream,
  Sent,
  ToolrollSetup,
} from './support/index.ts';

/** One turn and what it runs under. */
export interface Passed extends Omit<Sent, 'path'>, Omit<ToolrollSetup, 'upstream'> {
  /** What the upstream answers, hop by hop; `ok` in words if left out. */
  readonly script?: readonly Answer[];
}

/** What became of it. */
export interface Passage {
  readonly answer: Answered;
  readonly toolroll: RunningToolroll;
  readonly upstream: ScriptedUpstream;
  /** The bodies that the upstream got, hop by hop. */
  readonly sent: readonly string[];
}

type Starting = <T extends { close(): Promise<void> }>(starting: Promise<T>) => Promise<T>;

/** The answer of an upstream that is content with words. */
export const inWords: Answer = json(response({ items: [message('ok')] }));

/** Sends one turn through a Toolroll of its own. */
export async function passTurn(started: Starting, passed: Passed): Promise<Passage> {
  const { body, headers, script = [inWords], ...setup } = passed;
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, ...setup }));
  const answer = await ask(toolroll, body, headers === undefined ? {} : { headers });
  return { answer, toolroll, upstream, sent: upstream.requests.map(({ bodyText }) => bodyText) };
}

/** A rule set's spec that only changes tools. */
export function rules(...tools: readonly Json[]): Json {
  return { tools };
}

/** An upstream that keeps what it gets as bytes and answers with the API's own error for bad JSON. */
export interface Recorder {
  readonly url: string;
  readonly bodies: readonly Buffer[];
  readonly rawHeaders: readonly (readonly string[])[];
  close(): Promise<void>;
}

/** What {@link Recorder} answers: the app has to get exactly this. */
export const upstreamRefusal = '{ "error":{"message":"We could not parse the JSON body.","code":null} }';

export async function startRecorder(): Promise<Recorder> {
  const bodies: Buffer[] = [];
  const rawHeaders: string[][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks));
      rawHeaders.push(request.rawHeaders);
      response.writeHead(400, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
      response.end(upstreamRefusal);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    bodies,
    rawHeaders,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
