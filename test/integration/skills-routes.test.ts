import { rm } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import express from 'express';
import request from 'supertest';
import { ConfigStore } from '../../proxy/config/index.ts';
import { createSkillRoutes } from '../../proxy/server/skill-routes.ts';
import { recordingLog, ruleSet, temporaryDirectory } from '../unit/config/rules-directory.ts';
import { skillText, writeFiles } from '../unit/config/skill-files.ts';

let directory: string;
let remove: () => Promise<void>;
let store: ConfigStore;
let failures: unknown[];

beforeEach(async () => {
  ({ path: directory, remove } = await temporaryDirectory());
  store = new ConfigStore({ directory, now: Date.now, log: recordingLog().log });
  failures = [];
});
afterEach(() => remove());

/** An app with the routes, and behind them something that says where a request went on to. */
function app(settings: Partial<Parameters<typeof createSkillRoutes>[0]> = {}): express.Express {
  const made = express();
  made.use(
    createSkillRoutes({
      config: () => store.current(),
      reload: () => store.reload(),
      bodyLimitBytes: 1_000,
      onFailure: (error) => failures.push(error),
      ...settings,
    }),
  );
  made.use((_request, response) => {
    response.status(299).send('passed on');
  });
  return made;
}

describe('GET /v1/skills/list', () => {
  it('names the skills that serve, in order, and the revision', async () => {
    await writeFiles(directory, { 'skills/b.md': skillText('pdf'), 'skills/c.md': skillText('融资') });
    const { revision } = await store.reload();
    const answer = await request(app()).get('/v1/skills/list').expect(200);

    expect(answer.body).toEqual({
      object: 'list',
      data: [
        { name: 'pdf', description: 'For pdf.' },
        { name: '融资', description: 'For 融资.' },
      ],
      revision,
    });
  });

  it('is refused while nothing serves', async () => {
    const answer = await request(app()).get('/v1/skills/list').expect(503);

    expect(answer.body).toMatchObject({ error: { code: 'rules_unavailable', param: null } });
  });

  it.each([
    ['post', '/v1/skills/list'],
    ['get', '/v1/skills'],
    ['get', '/v1/skills/list/x'],
    ['get', '/v1/skills/clear'],
    ['delete', '/v1/skills/reload'],
  ] as const)('leaves %s %s to what follows', async (method, path) => {
    await request(app())[method](path).expect(299, 'passed on');
  });
});

describe('/v1/skills/reload', () => {
  it.each(['get', 'post'] as const)('takes what is on disk and lists it, with %s', async (method) => {
    await store.reload();
    await writeFiles(directory, { 'skills/a.md': skillText('pdf'), 'skills/b.md': 'Text.' });
    const answer = await request(app())[method]('/v1/skills/reload').expect(200);

    expect(answer.body).toMatchObject({
      object: 'list',
      data: [{ name: 'pdf' }],
      faults: [{ file: 'skills/b.md', line: 1, severity: 'error' }],
    });
    await rm(path.join(directory, 'skills', 'b.md'));
    const mended = await request(app())[method]('/v1/skills/reload').expect(200);
    expect(mended.body).toMatchObject({ faults: [] });
  });

  it('says why nothing was taken, and what served goes on', async () => {
    await writeFiles(directory, { 'a.yaml': ruleSet('one'), 'skills/a.md': skillText('pdf') });
    await store.reload();
    await writeFiles(directory, { 'a.yaml': ruleSet('one').replace('filter', 'filtr') });
    const answer = await request(app()).post('/v1/skills/reload').expect(422);

    expect(answer.body).toEqual({
      error: {
        message:
          "What is on disk was not taken, and what served before goes on: a.yaml:4: unknown field 'filtr'; did you mean 'filter'?",
        type: 'invalid_request_error',
        param: null,
        code: 'reload_refused',
      },
    });
    await request(app()).get('/v1/skills/list').expect(200);
  });

  it('hides a fault of ours from the app and tells it to the log', async () => {
    const fault = new Error('secret');
    const answer = await request(app({ reload: () => Promise.reject(fault) }))
      .get('/v1/skills/reload')
      .expect(500);

    expect(answer.body).toMatchObject({ error: { code: 'internal' } });
    expect(answer.text).not.toContain('secret');
    expect(failures).toEqual([fault]);
  });
});

describe('POST /v1/skills/clear', () => {
  const messages =
    '{ "n":1.0, "messages":[ {"role":"user","content":"q"},{"role":"assistant","content":"a\\n\\n<!-- @skill:pdf -->"} ] }';
  const clear = (body: string | Buffer, headers: Record<string, string> = {}): request.Test =>
    request(app())
      .post('/v1/skills/clear')
      .set({ 'content-type': 'application/json', ...headers })
      .send(body);

  it('gives the conversation back without what skills put there, the rest as it was written', async () => {
    const answer = await clear(messages)
      .expect(200)
      .expect('content-type', /application\/json/);

    expect(answer.text).toBe(
      '{ "n":1.0, "messages":[ {"role":"user","content":"q"},{"role":"assistant","content":"a"} ] }',
    );
  });

  it('takes input too, and a body that is packed', async () => {
    const body = messages.replace('messages', 'input');
    const packed = request(app())
      .post('/v1/skills/clear')
      .set({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
    packed.write(gzipSync(body));
    const answer = await packed.expect(200);

    expect(answer.text).toContain(
      '"input":[ {"role":"user","content":"q"},{"role":"assistant","content":"a"} ]',
    );
  });

  it.each([
    ['no JSON', 'nope', '400 invalid_request', null],
    ['neither list', '{}', '400 invalid_request', null],
    ['something else for messages', '{"messages":"hi"}', '400 invalid_request', 'messages'],
    ['something else for input', '{"input":{}}', '400 invalid_request', 'input'],
    ['more than the limit', `{"input":"${'x'.repeat(1_000)}"}`, '413 body_too_large', null],
  ])('refuses %s', async (_, body, told, param) => {
    const answer = await clear(body);

    const [status, code] = told.split(' ');
    expect(answer.status).toBe(Number(status));
    expect(answer.body).toMatchObject({ error: { code, param, type: 'invalid_request_error' } });
  });

  it('refuses a body that cannot be read', async () => {
    const answer = await clear('{}', { 'content-encoding': 'gzip' }).expect(400);

    expect(answer.body).toMatchObject({ error: { code: 'body_unreadable' } });
  });
});
