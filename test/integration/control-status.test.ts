import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import request from 'supertest';
import { routes } from '../../control/routes/index.ts';
import { turnEvent } from '../unit/telemetry/events.ts';
import { rulesYaml, startControl } from './control-setup.ts';
import type { ControlUnderTest } from './control-setup.ts';

let control: ControlUnderTest;

afterEach(async () => {
  await control.close();
});

describe('GET /api/status', () => {
  it('tells version, uptime, revision, files, rule sets and options', async () => {
    control = await startControl();
    const answer = await request(control.url).get('/api/status');
    expect(answer.body).toMatchObject({
      version: '1.2.3',
      startedAt: '2023-11-14T22:13:20.000Z',
      uptimeSeconds: 12.5,
      draining: false,
      status: 'ready',
      loadedAt: '2023-11-14T22:13:20.000Z',
      lastError: null,
      files: [{ name: 'default.yaml', state: 'loaded', ruleSets: ['default'], faults: [] }],
      faults: [],
      ruleSets: ['default'],
      options: { adminApiKey: 'set' },
    });
  });

  it('names what is wrong beside the revision that serves', async () => {
    control = await startControl();
    await writeFile(join(control.directory, 'new.yaml'), 'kind: Nothing\n');
    await control.store.reload();
    const answer = await request(control.url).get('/api/status');
    expect(answer.body).toMatchObject({
      status: 'ready',
      lastError: expect.stringContaining('new.yaml:1') as unknown,
      files: [
        { name: 'default.yaml', state: 'loaded' },
        { name: 'new.yaml', state: 'faulty', sha256: null },
      ],
      ruleSets: ['default'],
    });
  });
});

describe('GET /readyz', () => {
  it('is 200 with rules, stays so with a broken change, and is 503 while draining', async () => {
    control = await startControl();
    expect((await request(control.url).get('/readyz')).body).toMatchObject({ status: 'ready' });
    await writeFile(join(control.directory, 'default.yaml'), '{');
    await control.store.reload();
    expect((await request(control.url).get('/readyz')).status).toBe(200);
    control.drain();
    const answer = await request(control.url).get('/readyz');
    expect([answer.status, answer.body]).toEqual([
      503,
      { status: 'not_ready', reason: 'The process is shutting down.' },
    ]);
    expect((await request(control.url).get('/healthz')).status).toBe(200);
  });

  it('is 503 with the fault while no valid rules were ever loaded, and 200 once there are', async () => {
    control = await startControl({ files: { 'default.yaml': '' } });
    const before = await request(control.url).get('/readyz');
    expect(before.status).toBe(503);
    expect(JSON.stringify(before.body)).toContain('default.yaml:1');
    expect((await request(control.url).get('/healthz')).body).toEqual({ status: 'ok' });
    await writeFile(join(control.directory, 'default.yaml'), rulesYaml());
    await control.store.reload();
    expect((await request(control.url).get('/readyz')).status).toBe(200);
  });

  it('is 200 without any rule file: everything passes through', async () => {
    control = await startControl({ files: {} });
    expect((await request(control.url).get('/readyz')).status).toBe(200);
  });
});

describe('GET /api/audit', () => {
  it('gives the newest turns first, 100 if nothing else is asked for', async () => {
    control = await startControl();
    for (let id = 1; id <= 120; id += 1)
      control.telemetry.recordTurn({ event: turnEvent({ id: String(id) }) });
    const all = (await request(control.url).get('/api/audit')).body as { events: { id: string }[] };
    expect(all.events).toHaveLength(100);
    expect(all.events[0]).toEqual(turnEvent({ id: '120' }));
    const two = (await request(control.url).get('/api/audit?limit=2')).body as { events: { id: string }[] };
    expect(two.events.map(({ id }) => id)).toEqual(['120', '119']);
  });

  it.each(['0', '-1', '1001', '1.5', 'x', '', '1e3', '5&limit=6'])('refuses the limit %p', async (limit) => {
    control = await startControl();
    const answer = await request(control.url).get(`/api/audit?limit=${limit}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param: 'limit' } });
  });
});

it('GET /metrics gives what Prometheus reads', async () => {
  control = await startControl();
  const answer = await request(control.url).get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('text/plain; version=0.0.4');
  expect(answer.text).toContain('# TYPE toolroll_turns_total counter');
});

describe('the document', () => {
  interface OpenApi {
    readonly openapi: string;
    readonly paths: Record<string, Record<string, { security: unknown[] }>>;
    readonly components: { readonly schemas: Record<string, unknown> };
  }

  async function document(): Promise<OpenApi> {
    control = await startControl();
    return (await request(control.url).get('/docs/openapi.json')).body as OpenApi;
  }

  it('holds every route, and every route that it holds answers', async () => {
    const { paths } = await document();
    const documented = Object.entries(paths).flatMap(([path, own]) =>
      Object.keys(own).map((method) => [method, path]),
    );
    expect(documented).toEqual(routes.map(({ method, path }) => [method, path]));
    for (const [method, path] of documented) {
      const answer = await fetch(control.url + (path ?? '').replace('{asset}', 'start.js'), {
        method: method ?? '',
      });
      expect([404, 405]).not.toContain(answer.status);
    }
  });

  it('says which routes are behind the key, as they are', async () => {
    const { paths } = await document();
    for (const [path, own] of Object.entries(paths)) {
      for (const { security } of Object.values(own))
        expect(security.length > 0).toBe(path.startsWith('/api/'));
    }
  });

  it('refers to nothing that it does not hold', async () => {
    const parsed = await document();
    const references = JSON.stringify(parsed).matchAll(/"\$ref":"([^"]*)"/g);
    const names = [...new Set([...references].map(([, reference]) => reference ?? ''))];
    expect(names).toContain('#/components/schemas/RuleSet');
    for (const name of names) {
      expect(name).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(parsed.components.schemas).toHaveProperty(name.replace('#/components/schemas/', ''));
    }
  });
});

describe('the page', () => {
  it('holds nothing inline and nothing from elsewhere, so that its policy can be strict', async () => {
    control = await startControl();
    const answer = await request(control.url).get('/docs');
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    expect(answer.headers['content-security-policy']).not.toContain('unsafe');
    expect(answer.text).not.toMatch(/<script>|<style|style=|onload|https?:/);
    const files = [...answer.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const asset = await fetch(new URL(file, `${control.url}/docs`));
      expect(asset.status).toBe(200);
      expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50);
      expect(asset.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/png)/);
    }
  });

  it('is found with a slash too', async () => {
    control = await startControl();
    const answer = await fetch(`${control.url}/docs/`);
    expect(answer.url).toBe(`${control.url}/docs`);
    expect(answer.status).toBe(200);
  });
});
