import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { WebSocket, WebSocketServer } from 'ws';
import { createPassthrough } from '../../../proxy/server/passthrough.ts';
import type { UpstreamOptions } from '../../../proxy/upstream/index.ts';
import {
  answering,
  atEnd,
  cleanUp,
  clientOf,
  onEachRequest,
  run,
  speaking,
} from '../upstream/real-servers.ts';
import type { RunningServer } from '../upstream/real-servers.ts';
import { startForwardProxy } from '../upstream/forward-proxy-server.ts';

afterEach(cleanUp);

interface Line {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A proxy that passes everything through to `server`. */
async function proxyTo(
  server: { readonly url: string },
  options: Partial<UpstreamOptions> & { readonly before?: (response: http.ServerResponse) => void } = {},
): Promise<RunningServer & { readonly lines: Line[] }> {
  const { before, ...upstreamOptions } = options;
  const lines: Line[] = [];
  const passthrough = createPassthrough({
    upstream: clientOf(server, upstreamOptions),
    log: { warn: (event, fields) => lines.push({ event, fields }) },
  });
  const listener = http.createServer((request, response) => {
    before?.(response);
    passthrough.handle(request, response);
  });
  passthrough.attachUpgrades(listener);
  return { ...(await run(listener)), lines };
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders | readonly string[];
  readonly body?: Uint8Array | Readable;
}

/** Sends a request and waits for the head of its answer. */
async function ask(server: RunningServer, asked: Asked = {}): Promise<http.IncomingMessage> {
  const { method = 'GET', path = '/v1/models', headers = {}, body } = asked;
  const request = http.request({ host: '127.0.0.1', port: server.port, method, path, headers });
  // An upload may outlive its answer: its end is no news then.
  request.on('error', () => undefined);
  if (body instanceof Readable) body.pipe(request);
  else request.end(body);
  const response = await firstOf(once(request, 'response'));
  if (!(response instanceof http.IncomingMessage)) throw new Error('no answer');
  return response;
}

/** What an awaited event brought. */
async function firstOf(event: Promise<unknown[]>): Promise<unknown> {
  const values = await event;
  return values[0];
}

async function textOf(response: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

async function hashOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) hash.update(chunk);
  return hash.digest('hex');
}

/** Sends raw text, and gives back all that comes until the connection ends. */
async function exchangeText(server: RunningServer, text: string): Promise<string> {
  const socket = net.connect(server.port, '127.0.0.1');
  socket.write(text);
  return textOf(socket.setEncoding('latin1'));
}

const megabyte = randomBytes(1_000_000);

/** `count` megabytes that are never in memory together. */
function megabytes(count: number): Readable {
  return Readable.from(
    (function* () {
      for (let index = 0; index < count; index += 1) yield megabyte;
    })(),
  );
}

describe('what passes through', () => {
  it('is the request line, the fields and the body as the app sent them', async () => {
    const seen: string[] = [];
    const server = await speaking((socket) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!text.endsWith('{"a":1.0}')) return;
        seen.push(text);
        socket.end(
          'HTTP/1.1 299 Odd But Fine\r\nX-ONE: 1\r\nx-one: 2\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\nbody',
        );
      });
    });
    const proxy = await proxyTo(server);
    const head =
      "POST /v1//files/{x}|'?q=http://a//b HTTP/1.1\r\nhost: app\r\nX-Many: 1\r\nCookie: c\r\nX-Many: 2\r\n";
    const rest =
      'Connection: close, x-hop\r\nX-Hop: 1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{"a":1.0}';
    const answer = await exchangeText(proxy, head + rest);
    expect(seen[0]?.split('\r\n')).toEqual([
      "POST /v1//files/{x}|'?q=http://a//b HTTP/1.1",
      `Host: ${new URL(server.url).host}`,
      ...[
        'X-Many: 1',
        'X-Many: 2',
        'Cookie: c',
        'Content-Length: 9',
        'Connection: keep-alive',
        '',
        '{"a":1.0}',
      ],
    ]);
    expect(answer.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n')).toEqual([
      ...['HTTP/1.1 299 Odd But Fine', 'X-ONE: 1', 'x-one: 2', 'Set-Cookie: a', 'Set-Cookie: b'],
      ...['Connection: close', 'Transfer-Encoding: chunked', '', '4', 'body', '0', '', ''],
    ]);
  });

  it('keeps repeated fields beside headers that the proxy has set before', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'x-ours', 'theirs']).end();
    });
    const proxy = await proxyTo(server, { before: (response) => response.setHeader('x-ours', 'ours') });
    const { headers } = await ask(proxy);
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-ours': 'theirs' });
  });

  it('carries no x-forwarded-* and follows no redirect', async () => {
    const server = await answering((request, response) => {
      const names = Object.keys(request.headers).filter((name) => name.startsWith('x-forwarded'));
      response.writeHead(302, { location: '/v1/else', 'x-names': names.join() }).end();
    });
    const response = await ask(await proxyTo(server));
    expect([response.statusCode, response.headers.location, response.headers['x-names']]).toEqual([
      302,
      '/v1/else',
      '',
    ]);
  });

  it('H8: keeps a 429 with retry-after, and a coding that nobody here needs to read', async () => {
    const bytes = zlib.gzipSync('{"error":{}}');
    const server = await answering((_request, response) => {
      response
        .writeHead(429, { 'retry-after': '30', 'x-request-id': 'r', 'content-encoding': 'gzip' })
        .end(bytes);
    });
    const response = await ask(await proxyTo(server));
    expect(response.statusCode).toBe(429);
    expect(response.headers).toMatchObject({
      'retry-after': '30',
      'x-request-id': 'r',
      'content-encoding': 'gzip',
    });
    expect(await hashOf(response)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('has the operator’s key in place of the app’s', async () => {
    const server = await answering((request, response) => response.end(request.headers.authorization));
    const proxy = await proxyTo(server, { apiKey: 'ours' });
    expect(await textOf(await ask(proxy, { headers: { authorization: 'Bearer app' } }))).toBe('Bearer ours');
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PUT', 'PATCH', 'PROPFIND'])(
    '%s works, without a body',
    async (method) => {
      const server = await answering((request, response) => {
        const { 'content-length': length = 'none', 'transfer-encoding': coding = 'none' } = request.headers;
        response.writeHead(200, { 'x-seen': `${request.method ?? ''} ${length} ${coding}` }).end();
      });
      const direct = await ask(server, { method });
      const through = await ask(await proxyTo(server), { method });
      expect(through.headers['x-seen']).toBe(direct.headers['x-seen']);
      direct.resume();
      through.resume();
    },
  );

  test.each([
    ['DELETE', { 'content-length': 4 }, 'DELETE 4 none body'],
    ['DELETE', { 'transfer-encoding': 'chunked' }, 'DELETE none chunked body'],
    ['GET', { 'transfer-encoding': 'chunked' }, 'GET none chunked body'],
  ])('%s with a body framed by %j keeps body and framing', async (method, headers, expected) => {
    const server = await answering((request, response) => {
      const { 'content-length': length = 'none', 'transfer-encoding': coding = 'none' } = request.headers;
      void textOf(request).then((body) =>
        response.end(`${request.method ?? ''} ${length} ${coding} ${body}`),
      );
    });
    const response = await ask(await proxyTo(server), { method, headers, body: Buffer.from('body') });
    expect(await textOf(response)).toBe(expected);
  });

  it('goes to the operator’s host, whatever host the request names', async () => {
    const server = await answering((request, response) =>
      response.end(`${request.headers.host ?? ''} ${request.url ?? ''}`),
    );
    const proxy = await proxyTo(server);
    const { host } = new URL(server.url);
    for (const [target, path] of [
      ['http://evil.invalid/v1/models', '/v1/models'],
      ['//evil.invalid/x', '//evil.invalid/x'],
      ['//user@[bad/x', '//user@[bad/x'],
      ['/\\evil.invalid', '/\\evil.invalid'],
      ['/v1/../admin', '/admin'],
    ] as const) {
      const answer = await exchangeText(
        proxy,
        `GET ${target} HTTP/1.1\r\nHost: evil.invalid\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toContain(`${host} ${path}`);
    }
  });
});

describe('bodies of any size', () => {
  it('stream through: 200 MB up and down, byte for byte', async () => {
    const server = await answering((request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      request.pipe(response);
    });
    const proxy = await proxyTo(server);
    const response = await ask(proxy, { method: 'POST', path: '/v1/files', body: megabytes(200) });
    expect(await hashOf(response)).toBe(await hashOf(megabytes(200)));
  });

  it('H2: stop at a reader that does not read, and end when it leaves', async () => {
    let written = 0;
    let stalled = false;
    let leave: (() => void) | undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const server = await answering((_request, response) => {
      const source = megabytes(200);
      source.on('data', (chunk: Buffer) => (written += chunk.byteLength));
      response.on('close', () => leave?.());
      source.pipe(response);
    });
    const proxy = await proxyTo(server);
    const socket = net.connect(proxy.port, '127.0.0.1');
    socket.pause();
    socket.write('GET /v1/files/f/content HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let before = -1; !stalled; before = written) {
      await sleep(300);
      stalled = written > 0 && written === before;
    }
    expect(written).toBeLessThan(60_000_000);
    socket.destroy();
    await left;
  });

  it('an event reaches the app before the next one is sent, and the head before the first', async () => {
    let send: ((text: string) => void) | undefined;
    const server = await answering((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      send = (text) => response.write(text);
    });
    const response = await ask(await proxyTo(server));
    expect(response.headers['content-type']).toBe('text/event-stream');
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      const received = once(response, 'data');
      send?.(event);
      expect(String((await received)[0])).toBe(event);
    }
    response.destroy();
  });
});

describe('an upstream that fails under the pass-through', () => {
  async function errorOf(proxy: RunningServer, asked: Asked = {}): Promise<unknown> {
    const response = await ask(proxy, asked);
    const body: unknown = JSON.parse(await textOf(response));
    return { status: response.statusCode, body };
  }

  it('is a 502 in OpenAI’s shape where it cannot be reached, and one line in the log', async () => {
    const server = await answering(() => undefined);
    await server.close();
    const proxy = await proxyTo(server);
    expect(await errorOf(proxy, { method: 'POST', body: Buffer.alloc(100_000) })).toMatchObject({
      status: 502,
      body: { error: { code: 'upstream_unreachable', type: 'server_error', param: null } },
    });
    expect(proxy.lines).toEqual([
      {
        event: 'passthrough_failed',
        fields: { method: 'POST', kind: 'unreachable', reason: 'ECONNREFUSED' },
      },
    ]);
  });

  it('is a 502 where it resets before an answer, or answers something else than HTTP', async () => {
    const resetting = await speaking((socket) => {
      onEachRequest(socket, () => {
        socket.resetAndDestroy();
      });
    });
    expect(await errorOf(await proxyTo(resetting))).toMatchObject({
      status: 502,
      body: { error: { code: 'upstream_closed' } },
    });
    const babbling = await speaking((socket) => {
      onEachRequest(socket, () => socket.write('220 smtp.example ready\r\n'));
    });
    expect(await errorOf(await proxyTo(babbling))).toMatchObject({
      status: 502,
      body: { error: { code: 'upstream_malformed' } },
    });
    const odd = await speaking((socket) => {
      onEachRequest(socket, () => socket.write('HTTP/1.1 099 Odd\r\n\r\n'));
    });
    expect(await errorOf(await proxyTo(odd))).toMatchObject({
      status: 502,
      body: { error: { code: 'upstream_malformed' } },
    });
  });

  it('H4: is a 504 where no answer begins', async () => {
    const server = await answering(() => undefined);
    const proxy = await proxyTo(server, { firstByteTimeoutMs: 100 });
    expect(await errorOf(proxy)).toMatchObject({
      status: 504,
      body: { error: { code: 'upstream_timeout' } },
    });
  });

  test.each([
    ['ends', 'Content-Length: 100\r\n\r\nHel'],
    ['ends', 'Transfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n'],
    ['resets', 'Transfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n'],
  ])('that %s in the middle of an answer cuts the app’s connection after what came', async (end, answer) => {
    const server = await speaking((socket) => {
      onEachRequest(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\n${answer}`);
        setTimeout(() => (end === 'ends' ? socket.end() : socket.resetAndDestroy()), 50);
      });
    });
    const response = await ask(await proxyTo(server));
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const error = await firstOf(once(response, 'error'));
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect([text, response.complete]).toEqual(['Hel', false]);
  });

  it('H4: that falls silent in the middle of an answer is given up', async () => {
    const server = await answering((_request, response) => {
      response.write('data: 1\n\n');
    });
    const response = await ask(await proxyTo(server, { idleTimeoutMs: 100 }));
    response.resume();
    await once(response, 'error');
    expect(response.complete).toBe(false);
  });

  it('is asked again for the next request on the same connection of the app', async () => {
    let asked = 0;
    const server = await speaking((socket) => {
      onEachRequest(socket, () => {
        asked += 1;
        if (asked === 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const proxy = await proxyTo(server);
    expect((await ask(proxy)).statusCode).toBe(502);
    expect((await ask(proxy)).statusCode).toBe(200);
  });
});

describe('a kept connection that the upstream has dropped', () => {
  /** Drops each connection at so many bytes of its second request; answers with the body's hash otherwise. */
  async function startDropping(asked: string[], afterBytes = 0): Promise<RunningServer> {
    let connections = 0;
    const numbers = new WeakMap<object, string>();
    const requests = new WeakMap<object, number>();
    return answering((request, response) => {
      const { socket } = request;
      if (!numbers.has(socket)) numbers.set(socket, String((connections += 1)));
      const count = (requests.get(socket) ?? 0) + 1;
      requests.set(socket, count);
      asked.push(`${numbers.get(socket) ?? ''}.${String(count)}`);
      if (count === 2) dropAfter(request, afterBytes);
      else void hashOf(request).then((hash) => response.end(hash));
    });
  }

  function dropAfter(request: http.IncomingMessage, bytes: number): void {
    if (bytes === 0) request.socket.resetAndDestroy();
    let received = 0;
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => {
      received += chunk.byteLength;
      if (received >= bytes) request.socket.resetAndDestroy();
    });
  }

  test.each([0, 10, 100_000])(
    'is no failure: a request of %d bytes goes once more, whole, on a new one',
    async (length) => {
      const asked: string[] = [];
      const proxy = await proxyTo(await startDropping(asked));
      await textOf(await ask(proxy));
      const body = megabyte.subarray(0, length);
      const response = await ask(proxy, {
        method: 'POST',
        headers: { 'transfer-encoding': 'chunked' },
        body,
      });
      expect(await textOf(response)).toBe(createHash('sha256').update(body).digest('hex'));
      expect(asked).toEqual(['1.1', '1.2', '2.1']);
      expect(proxy.lines).toEqual([]);
    },
  );

  it('is a 502 where the body was too large to be kept for a second time', async () => {
    const asked: string[] = [];
    const proxy = await proxyTo(await startDropping(asked, 500_000));
    await textOf(await ask(proxy));
    const response = await ask(proxy, { method: 'POST', body: megabytes(2) });
    expect([response.statusCode, asked]).toEqual([502, ['1.1', '1.2']]);
  });
});

describe('an app that goes away', () => {
  test.each([
    ['before the answer', '/v1/silent', 'GET'],
    ['in the middle of it', '/v1/started', 'GET'],
    ['in the middle of its own upload', '/v1/silent', 'POST'],
  ])('H1: %s, closes the upstream’s connection', async (_when, path, method) => {
    let close: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    let arrived: (() => void) | undefined;
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    const server = await answering((request, response) => {
      request.on('error', () => undefined);
      request.socket.once('close', () => close?.());
      if (request.url === '/v1/started') response.write('data: 1\n\n');
      arrived?.();
    });
    const proxy = await proxyTo(server);
    const socket = net.connect(proxy.port, '127.0.0.1');
    const length = method === 'POST' ? 'Content-Length: 100\r\n' : '';
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${length}\r\n${method === 'POST' ? 'half' : ''}`);
    await hasArrived;
    socket.destroy();
    await closed;
    expect(proxy.lines).toEqual([]);
  });
});

describe('WebSockets', () => {
  /** An upstream that sends back what it gets, behind its path and authorization. */
  async function startEcho(): Promise<RunningServer> {
    const server = http.createServer((_request, response) => response.end('no WebSocket'));
    const sockets = new WebSocketServer({ server });
    atEnd(() => {
      sockets.close();
    });
    sockets.on('connection', (socket, request) => {
      socket.send(
        `${request.url ?? ''} ${request.headers.authorization ?? ''} ${request.headers.host ?? ''}`,
      );
      socket.on('message', (data, binary) => {
        if (Buffer.isBuffer(data) && data.equals(Buffer.from('drop'))) socket.terminate();
        else socket.send(data, { binary });
      });
    });
    return run(server);
  }

  function connect(proxy: RunningServer, path: string): WebSocket {
    const socket = new WebSocket(`ws://127.0.0.1:${String(proxy.port)}${path}`, {
      headers: { authorization: 'Bearer app' },
    });
    atEnd(() => {
      socket.terminate();
    });
    return socket;
  }

  it('pass both ways, with the operator’s host and key', async () => {
    const server = await startEcho();
    const proxy = await proxyTo(server, { apiKey: 'ours' });
    const socket = connect(proxy, '/v1/responses?model=m');
    const greeting = await firstOf(once(socket, 'message'));
    expect(String(greeting)).toBe(`/v1/responses?model=m Bearer ours ${new URL(server.url).host}`);
    socket.send(megabyte);
    const echo = await firstOf(once(socket, 'message'));
    expect(Buffer.isBuffer(echo) && echo.equals(megabyte)).toBe(true);
    socket.close(1000, 'done');
    const code = await firstOf(once(socket, 'close'));
    expect(code).toBe(1000);
  });

  it('whose upstream dies end for the app too', async () => {
    const socket = connect(await proxyTo(await startEcho()), '/v1/responses');
    await once(socket, 'message');
    socket.send('drop');
    const code = await firstOf(once(socket, 'close'));
    expect(code).toBe(1006);
  });

  it('of an app that leaves end for the upstream too', async () => {
    const server = http.createServer();
    const sockets = new WebSocketServer({ server });
    atEnd(() => {
      sockets.close();
    });
    const closed = new Promise((resolve) => {
      sockets.on('connection', (socket) => {
        socket.on('close', resolve);
        socket.send('hello');
      });
    });
    const socket = connect(await proxyTo(await run(server)), '/v1/responses');
    await once(socket, 'message');
    socket.terminate();
    expect(await closed).toBe(1006);
  });

  it('and requests take the forward proxy of the environment, tunnelled and in absolute form', async () => {
    const forward = await startForwardProxy();
    const server = await startEcho();
    const { host } = new URL(server.url);
    const proxy = await proxyTo(server, { environment: { HTTP_PROXY: forward.url } });
    const socket = connect(proxy, '/v1/responses');
    expect(String(await firstOf(once(socket, 'message')))).toBe(`/v1/responses Bearer app ${host}`);
    const response = await ask(proxy, { method: 'POST', path: '/v1//x?y', body: Buffer.from('body') });
    expect(await textOf(response)).toBe('no WebSocket');
    expect(forward.asked).toEqual([`CONNECT ${host}`, `POST http://${host}/v1//x?y`]);
  });

  const offer =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n';

  it('that the upstream refuses get its answer, whole and framed', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(426, { 'x-reason': 'no', 'set-cookie': ['a=1', 'b=2'] });
      response.write('upgrade ');
      response.end('elsewhere');
    });
    const answer = await exchangeText(
      await proxyTo(server),
      `GET /v1/responses HTTP/1.1\r\nHost: x\r\n${offer}`,
    );
    const [head = '', body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\n/);
    expect(head).toContain('x-reason: no\r\nset-cookie: a=1\r\nset-cookie: b=2');
    expect(head).toMatch(/connection: close$/);
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(body).toBe('upgrade elsewhere');
  });

  it('get a 502 or a 504 in OpenAI’s shape where the upstream cannot answer', async () => {
    const gone = await answering(() => undefined);
    await gone.close();
    const request = `GET /v1/responses HTTP/1.1\r\nHost: x\r\n${offer}`;
    const unreachable = await exchangeText(await proxyTo(gone), request);
    expect(unreachable).toMatch(/^HTTP\/1.1 502 Bad Gateway\r\n[^]*"code":"upstream_unreachable"/);
    const silent = await speaking(() => undefined);
    const timedOut = await exchangeText(await proxyTo(silent, { firstByteTimeoutMs: 100 }), request);
    expect(timedOut).toMatch(/^HTTP\/1.1 504 Gateway Timeout\r\n[^]*"code":"upstream_timeout"/);
  });

  it('are not what an offer of h2c is: that request is served as if it had not offered', async () => {
    const server = await answering((request, response) => {
      const offered = `${String(request.headers.upgrade)} ${String(request.headers['http2-settings'])}`;
      void textOf(request).then((body) => response.end(`${request.method ?? ''} ${offered} ${body}`));
    });
    const proxy = await proxyTo(server);
    const socket = net.connect(proxy.port, '127.0.0.1');
    const answers = textOf(socket.setEncoding('latin1'));
    socket.write('POST /v1/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n');
    socket.write(
      'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nContent-Length: 9\r\n\r\nfirst',
    );
    await sleep(50);
    socket.write('last');
    await sleep(50);
    socket.write('GET /v1/y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const text = await answers;
    expect(text).toContain('POST undefined undefined firstlast');
    expect(text).toContain('GET undefined undefined ');
  });
});
