/**
 * The upstream of the benchmark, a process: canned answers, so that it is not what is measured. Streams go out event by
 * event, as a model sends them: each event is a write of its own.
 */
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { answerFlat } from './flat-answers.ts';
import type { FlatAnswer } from './flat-answers.ts';
import { announce } from './announce.ts';

/** As many different requests as the benchmark has, and some. */
const MOST_ANSWERS = 64;
const answers = new Map<string, FlatAnswer>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    send(response, answerTo(Buffer.concat(chunks).toString('latin1')));
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  announce(server);
});

/** The bytes as Latin-1 are a cheap key. */
function answerTo(bytes: string): FlatAnswer {
  const known = answers.get(bytes);
  if (known !== undefined) return known;
  if (answers.size >= MOST_ANSWERS) answers.clear();
  const made = answerFlat(Buffer.from(bytes, 'latin1').toString('utf8'));
  answers.set(bytes, made);
  return made;
}

function send(response: ServerResponse, { contentType, pieces }: FlatAnswer): void {
  const [first] = pieces;
  const whole = pieces.length === 1 && first !== undefined;
  response.writeHead(200, {
    'content-type': contentType,
    ...(whole ? { 'content-length': first.length } : { 'cache-control': 'no-cache' }),
    'x-request-id': 'req_0123456789abcdef0123456789abcdef',
    'openai-processing-ms': '3',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
  });
  if (whole) response.end(first);
  else sendEvents(response, pieces, 0);
}

function sendEvents(response: ServerResponse, events: readonly Buffer[], at: number): void {
  if (response.destroyed) return;
  const event = events[at];
  if (event === undefined) {
    response.end();
    return;
  }
  response.write(event);
  setImmediate(sendEvents, response, events, at + 1);
}
