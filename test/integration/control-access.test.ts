import { request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import request from 'supertest';
import { startControl } from './control-setup.ts';
import type { ControlSetup, ControlUnderTest } from './control-setup.ts';

let control: ControlUnderTest;

async function start(setup: ControlSetup = {}): Promise<void> {
  control = await startControl(setup);
}

afterEach(async () => {
  await control.close();
});

/** Sends headers exactly as given, `Host` included. */
function getRaw(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    sent.on('error', reject).end();
  });
}

describe('with an admin key', () => {
  const key = 'adm\u00efn-k\u00e9y-1';
  const asSent = Buffer.from(key, 'utf8').toString('latin1');

  beforeEach(() => start({ settings: { adminApiKey: key } }));

  it.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['a prefix of it', { authorization: `Bearer ${asSent.slice(0, -1)}` }],
    ['it with more behind', { authorization: `Bearer ${asSent}x` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${asSent}` }],
    ['the key alone', { authorization: asSent }],
  ])('%s is answered 401 with the scheme to use', async (_name, headers) => {
    const answer = await request(control.url).get('/api/status').set(headers);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="toolroll"');
    expect(answer.body).toMatchObject({ error: { code: 'unauthorized', type: 'authentication_error' } });
  });

  it("the right one is let in, whatever the scheme's case and the host name", async () => {
    const headers = { authorization: `bEARER ${asSent}`, host: 'toolroll.example:9090' };
    expect(await getRaw(`${control.url}/api/status`, headers)).toMatchObject({ status: 200 });
  });

  it.each(['/api', '/api/', '/api/unknown', '/api/status/', '/api/tools/rules/'])(
    '%s is not shown without it',
    async (path) => {
      expect((await request(control.url).get(path)).status).toBe(401);
    },
  );

  it.each(['/healthz', '/readyz', '/metrics', '/docs', '/docs/openapi.json'])(
    '%s stays open',
    async (path) => {
      expect((await request(control.url).get(path)).status).toBe(200);
    },
  );

  it('is never written to the log', async () => {
    await request(control.url)
      .post('/api/tools/reload')
      .set({ authorization: `Bearer ${asSent}` });
    await request(control.url).get('/api/status').set({ authorization: 'Bearer wrong-key' });
    expect(control.logLines.join('')).not.toMatch(/wrong-key|adm.{1,12}n-k/);
  });
});

describe('without an admin key', () => {
  it.each(['127.0.0.1:9090', 'localhost:9090', 'LOCALHOST', '[::1]:9090', '127.9.9.9'])(
    'a caller on loopback that says Host: %s is let in',
    async (host) => {
      await start();
      expect(await getRaw(`${control.url}/api/status`, { host })).toMatchObject({ status: 200 });
    },
  );

  it.each([
    'evil.example:9090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'a b',
    '::1',
  ])('a page that rebound its name to loopback (Host: %s) is refused', async (host) => {
    await start();
    const answer = await getRaw(`${control.url}/api/status`, { host });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('host_refused');
  });

  it('a caller on loopback is let in over IPv6 and over a mapped address too', async () => {
    await start({ host: '::' });
    const port = new URL(control.url).port;
    for (const host of ['127.0.0.1', '[::1]']) {
      expect((await request(`http://${host}:${port}`).get('/api/status')).status).toBe(200);
    }
  });

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

  (outside === undefined ? it.skip : it)(
    'a caller from the network is refused, and still sees health',
    async () => {
      await start({ host: '0.0.0.0' });
      const base = `http://${outside ?? ''}:${new URL(control.url).port}`;
      const answer = await request(base)
        .get('/api/status')
        .set({ host: 'localhost', 'x-forwarded-for': '127.0.0.1' });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ error: { code: 'loopback_only' } });
      expect((await request(base).get('/healthz')).status).toBe(200);
    },
  );
});

describe('a page of a browser', () => {
  beforeEach(() => start());

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://localhost', 'garbage', 'file://'])(
    'of the origin %s is refused',
    async (origin) => {
      const answer = await request(control.url).post('/api/tools/reload').set({ origin });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ error: { code: 'origin_refused' } });
    },
  );

  it('of our own origin is let in', async () => {
    const answer = await request(control.url).post('/api/tools/reload').set({ origin: control.url });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['https://tools.example', 'tools.example', 200],
    ['https://tools.example', 'tools.example:443', 200],
    ['https://tools.example:8443', 'tools.example', 403],
  ])('of %s behind a proxy that says Host: %s gets %i', async (origin, host, status) => {
    expect((await getRaw(`${control.url}/healthz`, { origin, host })).status).toBe(status);
  });

  it('gets no leave to read across origins', async () => {
    const answer = await request(control.url)
      .options('/api/tools/rules')
      .set({ origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what cannot be served', () => {
  beforeEach(() => start());

  it('on an unknown path is 404 as JSON', async () => {
    const answer = await request(control.url).get('/nowhere');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.body).toMatchObject({ error: { code: 'not_found' } });
  });

  it.each([
    ['delete', '/api/tools/rules', 'GET, HEAD, PUT'],
    ['get', '/api/tools/apply', 'POST'],
    ['post', '/healthz', 'GET, HEAD'],
    ['options', '/api/status', 'GET, HEAD'],
  ] as const)('by %s on %s is 405 with the methods that are', async (method, path, allow) => {
    const answer = await request(control.url)[method](path);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.body).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  it.each([
    '/docs/%E0%A4%A',
    '/docs/..%2f..%2fpackage.json',
    '/docs/__proto__',
    '/docs/package.json',
    '/%00',
  ])('(%s) shows neither a stack nor a file', async (path) => {
    const answer = await getRaw(control.url + path, {});
    expect([400, 404]).toContain(answer.status);
    expect(JSON.parse(answer.body)).toHaveProperty('error.code');
    expect(answer.body).not.toMatch(/node_modules|\.ts|at /);
  });

  it('is counted by its code', async () => {
    await request(control.url).get('/nowhere');
    const metrics = await request(control.url).get('/metrics');
    expect(metrics.text).toContain('toolroll_requests_refused_total{code="not_found"} 1');
  });

  it('names neither the server nor its version, and forbids framing and guessing', async () => {
    const { headers } = await request(control.url).get('/api/status');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });
});
