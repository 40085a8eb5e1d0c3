import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { UpstreamFailure } from '../../../proxy/upstream/index.ts';
import {
  answering,
  asking,
  bytesOf,
  cleanUp,
  clientOf,
  failureOf,
  onEachRequest,
  speaking,
} from './real-servers.ts';

afterEach(cleanUp);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('a request and its answer', () => {
  it('arrive as they were sent: method, path, fields and bytes', async () => {
    const sent = randomBytes(3_000_000);
    let seen: { line: string; headers: string[]; body: string } | undefined;
    const server = await answering((request, response) => {
      void bodyOf(request).then((body) => {
        seen = {
          line: `${request.method ?? ''} ${request.url ?? ''}`,
          headers: request.rawHeaders,
          body: sha(body),
        };
        response.writeHead(201, 'Made', ['X-Request-Id', 'req_1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
        response.end(body);
      });
    });
    const response = await clientOf(server).send(
      asking({
        method: 'POST',
        path: '/v1/responses?x=1',
        headers: ['X-Many', '1', 'User-Agent', 'app', 'X-Many', '2', 'Connection', 'x-hop', 'X-Hop', 'h'],
        body: sent,
      }),
    );
    expect(sha(await bytesOf(response))).toBe(sha(sent));
    expect(seen).toEqual({
      line: 'POST /v1/responses?x=1',
      headers: [
        ...['Host', new URL(server.url).host, 'X-Many', '1', 'User-Agent', 'app', 'X-Many', '2'],
        ...['Content-Length', '3000000', 'Connection', 'keep-alive'],
      ],
      body: sha(sent),
    });
    expect(response).toMatchObject({ status: 201, statusMessage: 'Made' });
    expect(response.rawHeaders.slice(0, 6)).toEqual([
      'X-Request-Id',
      'req_1',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
    ]);
    expect(response.headers).toMatchObject({ 'x-request-id': 'req_1', 'set-cookie': ['a=1', 'b=2'] });
    expect(response.headers).not.toHaveProperty('connection');
  });

  it('H8: a 429 comes back whole, with retry-after and the limits', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(429, {
        'retry-after': '30',
        'x-ratelimit-remaining-requests': '0',
        'x-should-retry': 'true',
      });
      response.end('{"error":{"code":"rate_limit_exceeded"}}');
    });
    const response = await clientOf(server).send(asking());
    expect(response.status).toBe(429);
    expect(response.headers).toMatchObject({ 'retry-after': '30', 'x-ratelimit-remaining-requests': '0' });
    expect((await bytesOf(response)).toString()).toContain('rate_limit_exceeded');
  });

  it('a redirect is not followed', async () => {
    let asked = 0;
    const server = await answering((_request, response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const response = await clientOf(server).send(asking());
    await bytesOf(response);
    expect([response.status, response.headers.location, asked]).toEqual([307, '/elsewhere', 1]);
  });

  it('the configured key is sent in place of the app’s', async () => {
    const server = await answering((request, response) => {
      response.end(request.headers.authorization);
    });
    const response = await clientOf(server, { apiKey: 'ours' }).send(
      asking({ headers: { authorization: 'Bearer app' } }),
    );
    expect((await bytesOf(response)).toString()).toBe('Bearer ours');
  });

  it('connections are kept: ten requests in turn take one', async () => {
    const sockets = new Set<unknown>();
    const server = await answering((request, response) => {
      sockets.add(request.socket);
      response.end('x');
    });
    const upstream = clientOf(server);
    for (let turn = 0; turn < 10; turn += 1) await bytesOf(await upstream.send(asking()));
    expect(sockets.size).toBe(1);
  });

  it('close ends idle connections and lets an answer that is coming finish', async () => {
    let finish: (() => void) | undefined;
    let open = 0;
    const server = await answering((request, response) => {
      request.socket.once('close', () => (open -= 1));
      open += 1;
      if (request.url === '/v1/slow') {
        response.write('first ');
        finish = () => response.end('last');
      } else response.end('quick');
    });
    const upstream = clientOf(server);
    const slow = await upstream.send(asking({ path: '/v1/slow' }));
    await bytesOf(await upstream.send(asking()));
    expect(open).toBe(2);
    upstream.close();
    while (open > 1) await sleep(5);
    finish?.();
    expect((await bytesOf(slow)).toString()).toBe('first last');
    while (open > 0) await sleep(5);
  });
});

describe('an answer in a content coding', () => {
  const text = Buffer.from('{"text":"北京😀"}'.repeat(5000));

  test.each([
    ['gzip', zlib.gzipSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
  ])('%s is decoded where asked, and untouched where not', async (encoding, bytes) => {
    const server = await answering((_request, response) => {
      response.writeHead(200, {
        'content-encoding': encoding,
        'content-length': bytes.byteLength,
        'x-kept': '1',
      });
      response.end(bytes);
    });
    const upstream = clientOf(server);
    const decoded = await upstream.send(asking({ answer: 'decoded' }));
    expect(decoded.headers).toMatchObject({ 'x-kept': '1' });
    expect(decoded.headers).not.toHaveProperty('content-encoding');
    expect(decoded.headers).not.toHaveProperty('content-length');
    expect(sha(await bytesOf(decoded))).toBe(sha(text));
    const raw = await upstream.send(asking({ answer: 'raw' }));
    expect(raw.headers['content-encoding']).toBe(encoding);
    expect(sha(await bytesOf(raw))).toBe(sha(bytes));
  });

  it('that this Node cannot decode is given raw, and named', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'snappy' }).end('bytes');
    });
    const response = await clientOf(server).send(asking({ answer: 'decoded' }));
    expect(response).toMatchObject({ undecodable: 'snappy', headers: { 'content-encoding': 'snappy' } });
    expect((await bytesOf(response)).toString()).toBe('bytes');
  });

  it('of zstd is decoded or named, as this Node can', async () => {
    const compress: unknown = Reflect.get(zlib, 'zstdCompressSync');
    const native = typeof compress === 'function';
    const bytes: unknown = native ? Reflect.apply(compress, zlib, [text]) : text;
    const server = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'zstd' }).end(bytes);
    });
    const response = await clientOf(server).send(asking({ answer: 'decoded' }));
    expect(response.undecodable).toBe(native ? undefined : 'zstd');
    expect(sha(await bytesOf(response))).toBe(sha(text));
  });

  it('comes out event by event while the stream goes on', async () => {
    const gzip = zlib.createGzip();
    const server = await answering((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      gzip.pipe(response);
      gzip.write('data: 1\n\n');
      gzip.flush();
    });
    const response = await clientOf(server).send(asking({ answer: 'decoded' }));
    const seen: string[] = [];
    await response.body.consume((chunk) => {
      seen.push(Buffer.from(chunk).toString());
      // The server goes on only once the first event has been read.
      if (seen.length === 1) gzip.end('data: 2\n\n');
      return undefined;
    });
    expect(seen).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('that is broken inside is malformed, and one whose connection was cut is closed', async () => {
    const bytes = zlib.gzipSync(randomBytes(50_000));
    const broken = Buffer.from(bytes).fill(0xff, 1000, 3000);
    const server = await answering((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.byteLength });
      if (request.url === '/v1/broken') response.end(broken);
      else response.write(bytes.subarray(0, 10_000), () => request.socket.destroy());
    });
    const upstream = clientOf(server);
    const malformed = await failureOf(
      upstream.send(asking({ path: '/v1/broken', answer: 'decoded' })).then(bytesOf),
    );
    expect(malformed).toMatchObject({ kind: 'malformed' });
    const cut = await failureOf(upstream.send(asking({ path: '/v1/cut', answer: 'decoded' })).then(bytesOf));
    expect(cut).toMatchObject({ kind: 'closed' });
  });

  it('to HEAD, or with a status that has no body, is not decoded', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 99 }).end();
    });
    const response = await clientOf(server).send(asking({ method: 'HEAD', answer: 'decoded' }));
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': '99' });
    expect(await bytesOf(response)).toHaveLength(0);
  });
});

describe('an upstream that fails', () => {
  it('is unreachable where nobody listens, or the name leads nowhere', async () => {
    const server = await answering(() => undefined);
    await server.close();
    const refused = await failureOf(clientOf(server).send(asking()));
    expect(refused).toBeInstanceOf(UpstreamFailure);
    expect(refused).toMatchObject({ kind: 'unreachable', reason: 'ECONNREFUSED', staleConnection: false });
    expect(refused instanceof UpstreamFailure && refused.toToolrollError().toBody().error).toMatchObject({
      code: 'upstream_unreachable',
      message: 'The upstream could not be reached: ECONNREFUSED.',
    });
  });

  it('that resets a new connection is asked once only', async () => {
    let connections = 0;
    const server = await speaking((socket, connection) => {
      connections = connection;
      socket.once('data', () => socket.resetAndDestroy());
    });
    const failure = await failureOf(clientOf(server).send(asking()));
    expect(failure).toMatchObject({ kind: 'closed', bytesReceived: 0, staleConnection: false });
    expect(connections).toBe(1);
  });

  it('that drops a kept connection is asked once more, on a new connection', async () => {
    const asked: string[] = [];
    const server = await speaking((socket, connection) => {
      onEachRequest(socket, (request) => {
        asked.push(`${String(connection)}.${String(request)}`);
        if (request === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const upstream = clientOf(server);
    await bytesOf(await upstream.send(asking()));
    expect((await bytesOf(await upstream.send(asking()))).toString()).toBe('ok');
    expect(asked).toEqual(['1.1', '1.2', '2.1']);
  });

  it('that drops the new connection of the retry too is not asked a third time', async () => {
    const asked: string[] = [];
    const server = await speaking((socket, connection) => {
      onEachRequest(socket, (request) => {
        asked.push(`${String(connection)}.${String(request)}`);
        if (connection === 1 && request === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else socket.end();
      });
    });
    const upstream = clientOf(server);
    await bytesOf(await upstream.send(asking()));
    expect(await failureOf(upstream.send(asking()))).toMatchObject({ kind: 'closed' });
    expect(asked).toEqual(['1.1', '1.2', '2.1']);
  });

  it('is not asked again once a byte of the answer has come', async () => {
    const asked: string[] = [];
    const server = await speaking((socket, connection) => {
      onEachRequest(socket, (request) => {
        asked.push(`${String(connection)}.${String(request)}`);
        if (request === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else socket.write('HTTP/1.1 200 OK\r\nContent-Le', () => socket.end());
      });
    });
    const upstream = clientOf(server);
    await bytesOf(await upstream.send(asking()));
    expect(await failureOf(upstream.send(asking()))).toMatchObject({
      kind: 'closed',
      staleConnection: false,
    });
    expect(asked).toEqual(['1.1', '1.2']);
  });

  test.each([
    ['a short content-length', 'Content-Length: 100\r\n\r\nHel', 'end'],
    ['a chunked body without its end', 'Transfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n', 'end'],
    ['a chunk cut in the middle', 'Transfer-Encoding: chunked\r\n\r\n9\r\nHel', 'end'],
    ['a reset in a chunked body', 'Transfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n', 'reset'],
    ['a reset in a body that runs to the end of the connection', 'Connection: close\r\n\r\nHel', 'reset'],
  ])('with %s gives what came, then closed, never a normal end', async (_name, answer, end) => {
    const server = await speaking((socket) => {
      onEachRequest(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\n${answer}`);
        // Later, so that the head has been read when the reset throws away what lies in the socket.
        setTimeout(() => (end === 'end' ? socket.end() : socket.resetAndDestroy()), 50);
      });
    });
    const response = await clientOf(server).send(asking());
    let text = '';
    const failure = await failureOf(
      response.body.consume((chunk) => {
        text += Buffer.from(chunk).toString();
        return undefined;
      }),
    );
    expect(failure).toMatchObject({ kind: 'closed', bytesReceived: 3 });
    expect(text).toBe('Hel');
  });

  it('that ends a body with the connection, as HTTP/1.0 does, has ended it well', async () => {
    const server = await speaking((socket) => {
      onEachRequest(socket, () => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
    });
    expect((await bytesOf(await clientOf(server).send(asking()))).toString()).toBe('all of it');
  });

  it('that speaks something else than HTTP is malformed', async () => {
    const server = await speaking((socket) => {
      onEachRequest(socket, () => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    });
    expect(await failureOf(clientOf(server).send(asking()))).toMatchObject({ kind: 'malformed' });
  });
});

describe('our own limits on silence', () => {
  it('H4: before the head of the answer', async () => {
    const server = await answering(() => undefined);
    const failure = await failureOf(clientOf(server, { firstByteTimeoutMs: 100 }).send(asking()));
    expect(failure).toMatchObject({ kind: 'first_byte_timeout', timeoutMs: 100 });
    expect(failure instanceof UpstreamFailure && failure.toToolrollError()).toMatchObject({
      status: 504,
      message: 'The upstream sent nothing for 0.1 seconds (waiting for its answer).',
    });
  });

  it('H4: between two pieces of it', async () => {
    const server = await answering((_request, response) => {
      response.write('data: 1\n\n');
    });
    const response = await clientOf(server, { idleTimeoutMs: 100 }).send(asking());
    const failure = await failureOf(bytesOf(response));
    expect(failure).toMatchObject({ kind: 'idle_timeout', timeoutMs: 100, bytesReceived: 9 });
  });

  it('do not count against a reader who pauses', async () => {
    const server = await answering((_request, response) => {
      response.write('one');
      setTimeout(() => response.end('two'), 150);
    });
    const response = await clientOf(server, { idleTimeoutMs: 300 }).send(asking());
    let text = '';
    await response.body.consume((chunk) => {
      text += Buffer.from(chunk).toString();
      return sleep(500);
    });
    expect(text).toBe('onetwo');
  });

  it('before TLS stands, which is part of connecting', async () => {
    const server = await speaking(() => undefined);
    const upstream = clientOf({ url: server.url.replace('http:', 'https:') }, { connectTimeoutMs: 100 });
    expect(await failureOf(upstream.send(asking()))).toMatchObject({
      kind: 'connect_timeout',
      timeoutMs: 100,
    });
  });

  it('do not count while a request body is on its way', async () => {
    const server = await answering((request, response) => {
      // Slower in sum than the limit allows for silence, and never silent; what the sockets hold at the end goes fast.
      let received = 0;
      request.on('data', (chunk: Buffer) => {
        received += chunk.byteLength;
        if (received > 32_000_000) return;
        request.pause();
        setTimeout(() => request.resume(), 2);
      });
      request.once('end', () => response.end('thanks'));
    });
    const upstream = clientOf(server, { firstByteTimeoutMs: 500 });
    const response = await upstream.send(asking({ method: 'POST', body: Buffer.alloc(40_000_000) }));
    expect((await bytesOf(response)).toString()).toBe('thanks');
  });
});

describe('a caller who goes away', () => {
  const leaving = async (path: string): Promise<unknown> => {
    const controller = new AbortController();
    const gone: Promise<unknown>[] = [];
    const server = await answering((request, response) => {
      gone.push(once(request.socket, 'close'));
      if (request.url === '/v1/started') response.write('data: 1\n\n');
      setTimeout(() => {
        controller.abort();
      }, 50);
    });
    const request = asking({ path, signal: controller.signal });
    const failure = await failureOf(clientOf(server).send(request).then(bytesOf));
    await Promise.all(gone);
    expect(gone).toHaveLength(1);
    return failure;
  };

  it('H1: closes the upstream’s connection before the first byte', async () => {
    expect(await leaving('/v1/silent')).toMatchObject({ kind: 'aborted', bytesReceived: 0 });
  });

  it('H1: closes it in the middle of an answer', async () => {
    expect(await leaving('/v1/started')).toMatchObject({ kind: 'aborted', bytesReceived: 9 });
  });

  it('before anything was sent, connects nowhere', async () => {
    let connections = 0;
    const server = await speaking(() => (connections += 1));
    const failure = await failureOf(clientOf(server).send(asking({ signal: AbortSignal.abort() })));
    expect(failure).toMatchObject({ kind: 'aborted' });
    await sleep(50);
    expect(connections).toBe(0);
  });

  it('in the middle of the answer, by a reader that fails, closes the connection too', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await answering((request, response) => {
      closed.push(once(request.socket, 'close'));
      response.write('data: 1\n\n');
    });
    const response = await clientOf(server).send(asking());
    const failure = await failureOf(
      response.body.consume(() => {
        throw new Error('no more');
      }),
    );
    expect(failure).toMatchObject({ message: 'no more' });
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });

  it('leaves nothing on the signal after a whole answer', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    const server = await answering((_request, response) => response.end('x'));
    const upstream = clientOf(server);
    for (let turn = 0; turn < 3; turn += 1) await bytesOf(await upstream.send(asking({ signal })));
    await sleep(20);
    expect(listeners).toBe(0);
  });
});

describe('a reader slower than the upstream', () => {
  it('H2: stops the upstream’s writes: 200 MB do not pile up here', async () => {
    const chunk = Buffer.alloc(1_000_000);
    let written = 0;
    let stalled: (() => void) | undefined;
    const hasStalled = new Promise<void>((resolve) => (stalled = resolve));
    const server = await answering((_request, response: ServerResponse) => {
      const pump = (): void => {
        while (written < 200_000_000) {
          written += chunk.byteLength;
          if (!response.write(chunk)) {
            const timer = setTimeout(() => stalled?.(), 500);
            response.once('drain', () => {
              clearTimeout(timer);
              pump();
            });
            return;
          }
        }
        response.end();
      };
      pump();
    });
    const response = await clientOf(server).send(asking());
    await hasStalled;
    // What the two sockets hold, far from 200 MB.
    expect(written).toBeLessThan(30_000_000);
    let received = 0;
    await response.body.consume((bytes) => {
      received += bytes.byteLength;
      return undefined;
    });
    expect(received).toBe(200_000_000);
  });
});
