import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolrollError } from '../../../proxy/core/errors.ts';
import { ClientClosedError, readBody } from '../../../proxy/server/read-body.ts';
import { answering, cleanUp } from '../upstream/real-servers.ts';
import type { RunningServer } from '../upstream/real-servers.ts';

afterEach(cleanUp);

/** A server that answers with the hash of the body, or with the catalogue's error. */
function startReader(limitBytes: number, seen: unknown[] = []): Promise<RunningServer> {
  return answering((request, response) => {
    readBody(request, limitBytes).then(
      (body) => response.end(`${String(body.byteLength)} ${createHash('sha256').update(body).digest('hex')}`),
      (error: unknown) => {
        seen.push(error);
        if (!(error instanceof ToolrollError)) return;
        response
          .writeHead(error.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(error.toBody()));
      },
    );
  });
}

async function post(
  server: RunningServer,
  body: Uint8Array,
  headers: http.OutgoingHttpHeaders,
): Promise<string> {
  const request = http.request(server.url, { method: 'POST', headers, agent: false });
  // A large body in one write: the client is still writing when the answer comes.
  request.end(body);
  const responded: unknown[] = await once(request, 'response');
  const [response] = responded;
  if (!(response instanceof http.IncomingMessage)) throw new Error('no answer');
  let text = `${String(response.statusCode)} `;
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe('the body of a request', () => {
  test.each([0, 1, 70_000, 3_000_000])('of %d bytes is read as it was sent', async (length) => {
    const body = randomBytes(length);
    const server = await startReader(3_000_000);
    const expected = `200 ${String(length)} ${createHash('sha256').update(body).digest('hex')}`;
    expect(await post(server, body, { 'content-length': length })).toBe(expected);
    expect(await post(server, body, { 'transfer-encoding': 'chunked' })).toBe(expected);
  });

  test.each([
    ['a content-length', { 'content-length': 40_000_000 }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
    ['a content-length, on a connection that ends', { 'content-length': 40_000_000, connection: 'close' }],
    ['chunks, on a connection that ends', { 'transfer-encoding': 'chunked', connection: 'close' }],
  ])(
    'H3: over the limit by %s gets a 413 that the client, still writing, can read',
    async (_name, headers) => {
      const answer = await post(await startReader(1_000_000), Buffer.alloc(40_000_000), headers);
      expect(answer).toMatch(
        /^413 \{"error":\{"message":"The request body is larger than the limit of 1000000 bytes/,
      );
      expect(answer).toContain('"code":"body_too_large"');
    },
  );

  it('is refused by its content-length before a byte of it is sent', async () => {
    const server = await startReader(10);
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n');
    const received: unknown[] = await once(socket, 'data');
    expect(String(received[0])).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it('leaves the connection usable after a 413', async () => {
    const server = await startReader(10);
    const socket = net.connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n${'x'.repeat(20)}`);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok');
    while (!text.includes('200 OK')) await sleep(5);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it('of a client that leaves is an error of its own kind', async () => {
    const seen: unknown[] = [];
    const server = await startReader(1000, seen);
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of it', () =>
      socket.destroy(),
    );
    while (seen.length === 0) await sleep(5);
    expect(seen[0]).toBeInstanceOf(ClientClosedError);
  });
});
