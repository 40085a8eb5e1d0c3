import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import request from 'supertest';
import { startControl, rulesYaml } from './control-setup.ts';
import type { ControlSetup, ControlUnderTest } from './control-setup.ts';

let control: ControlUnderTest;

async function start(setup: ControlSetup = {}): Promise<void> {
  control = await startControl(setup);
}

afterEach(async () => {
  await control.close();
});

const broken =
  'apiVersion: toolroll.dev/v1alpha1\nkind: RuleSet\nmetadata: { name: default }\nspec:\n  tols: []\n';

function put(body: string, query = ''): request.Test {
  return request(control.url)
    .put(`/api/tools/rules${query}`)
    .set('content-type', 'application/yaml')
    .send(body);
}

describe('GET /api/tools/rules', () => {
  it('shows the files that serve and their revision', async () => {
    await start({ files: { 'a.yaml': rulesYaml('one'), 'b.json': JSON.stringify(ruleSet('two')) } });
    const answer = await request(control.url).get('/api/tools/rules');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      revision: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
      files: [
        expect.objectContaining({
          name: 'a.yaml',
          ruleSets: ['one'],
          bytes: rulesYaml('one').length,
        }) as unknown,
        expect.objectContaining({ name: 'b.json', ruleSets: ['two'] }) as unknown,
      ],
    });
  });
});

describe('PUT /api/tools/rules', () => {
  it('writes the file under the name of its rule set and serves it at once', async () => {
    await start();
    const before = control.store.current();
    const answer = await put(rulesYaml('payments'));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ file: 'payments.yaml', outcome: 'applied', errors: [] });
    expect(await readFile(join(control.directory, 'payments.yaml'), 'utf8')).toBe(rulesYaml('payments'));
    expect(control.store.current()).not.toBe(before);
    const rules = await request(control.url).get('/api/tools/rules');
    expect(rules.body).toHaveProperty('revision', (answer.body as { revision: string }).revision);
  });

  it('replaces a file by name, keeps its bytes and takes JSON', async () => {
    await start();
    const json = `${JSON.stringify(ruleSet('default'), null, 3)}\n\n`;
    const answer = await request(control.url)
      .put('/api/tools/rules?file=default.yaml')
      .set('content-type', 'application/json')
      .send(json);
    expect(answer.body).toMatchObject({ file: 'default.yaml', outcome: 'applied' });
    expect(await readdir(control.directory)).toEqual(['default.yaml']);
    expect(await readFile(join(control.directory, 'default.yaml'), 'utf8')).toBe(json);
  });

  it('says unchanged for the same bytes again', async () => {
    await start();
    expect((await put(rulesYaml(), '?file=default.yaml')).body).toMatchObject({ outcome: 'unchanged' });
  });

  it('refuses faulty rules with every error and its place, and writes nothing', async () => {
    await start();
    const answer = await put(broken, '?file=default.yaml');
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      valid: false,
      errors: [{ file: 'default.yaml', line: 5, pointer: '/spec/tols' }],
    });
    expect(await readFile(join(control.directory, 'default.yaml'), 'utf8')).toBe(rulesYaml());
    expect(control.store.current()).toMatchObject({ status: 'ready', lastFaults: [] });
  });

  it('checks the whole directory: a second rule set of the same name is refused', async () => {
    await start();
    const answer = await put(rulesYaml('default'), '?file=other.yaml');
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('default.yaml');
    expect(await readdir(control.directory)).toEqual(['default.yaml']);
  });

  it.each(['../x.yaml', 'a/b.yaml', '..data.yaml', '.hidden.yaml', 'x.txt', '', 'x.yaml/', 'C:\\x.yaml'])(
    'refuses the file name %p',
    async (name) => {
      await start();
      const answer = await put(rulesYaml('x'), `?file=${encodeURIComponent(name)}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param: 'file' } });
      expect(await readdir(control.directory)).toEqual(['default.yaml']);
    },
  );

  it('asks for a name where the body gives none', async () => {
    await start();
    const answer = await put('just: text');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { param: 'file' } });
  });

  it('says 409 and what to do instead where the directory is a ConfigMap', async () => {
    await start();
    await mkdir(join(control.directory, '..one'));
    await writeFile(join(control.directory, '..one', 'default.yaml'), rulesYaml());
    await symlink('..one', join(control.directory, '..data'));
    const answer = await put(rulesYaml('more'));
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ error: { code: 'rules_read_only' } });
    expect(await readdir(join(control.directory, '..one'))).toEqual(['default.yaml']);
  });

  // Root may write anywhere, so that this can only be seen by another user.
  (process.getuid?.() === 0 ? it.skip : it)('says 409 where the directory is read-only', async () => {
    await start();
    await chmod(control.directory, 0o555);
    expect((await put(rulesYaml('more'))).status).toBe(409);
    await chmod(control.directory, 0o755);
  });

  it('serves two writers one after the other, so that together they cannot break the directory', async () => {
    await start();
    const answers = await Promise.all([
      put(rulesYaml('twin'), '?file=a.yaml'),
      put(rulesYaml('twin'), '?file=b.yaml'),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422]);
    expect(control.store.current()).toMatchObject({ status: 'ready', lastFaults: [] });
  });
});

describe('POST /api/tools/reload', () => {
  it('takes what lies in the directory', async () => {
    await start();
    await writeFile(join(control.directory, 'more.yaml'), rulesYaml('more'));
    const answer = await request(control.url).post('/api/tools/reload');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ outcome: 'applied', errors: [] });
  });

  it('answers 422 with the faults for a broken file, and names the revision that serves on', async () => {
    await start();
    const { revision } = (await request(control.url).get('/api/status')).body as { revision: string };
    await writeFile(join(control.directory, 'default.yaml'), '');
    const answer = await request(control.url).post('/api/tools/reload');
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      outcome: 'refused',
      revision,
      errors: [{ file: 'default.yaml', line: 1 }],
    });
  });
});

describe('POST /api/tools/validate', () => {
  beforeEach(() => start());

  it.each([
    ['YAML', 'application/yaml', rulesYaml()],
    ['YAML with a charset', 'text/yaml; charset=utf-8', rulesYaml()],
    ['JSON', 'application/json', JSON.stringify(ruleSet('x'))],
    ['several documents', 'application/yaml', `${rulesYaml('a')}---\n${rulesYaml('b')}`],
  ])('accepts valid %s', async (_name, contentType, body) => {
    const answer = await request(control.url)
      .post('/api/tools/validate')
      .set('content-type', contentType)
      .send(body);
    expect([answer.status, answer.body]).toEqual([200, { valid: true, errors: [] }]);
  });

  it('tells every error with file, line and pointer', async () => {
    const body = broken.replace('kind: RuleSet', 'kind: Rules');
    const answer = await request(control.url)
      .post('/api/tools/validate?file=mine.yaml')
      .set('content-type', 'application/yaml')
      .send(body);
    expect(answer.status).toBe(422);
    const { valid, errors } = answer.body as { valid: boolean; errors: { file: string; pointer: string }[] };
    expect(valid).toBe(false);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/kind', '/spec/tols']);
    expect(errors.every(({ file }) => file === 'mine.yaml')).toBe(true);
  });

  it.each([
    ['JSON that is none', 'application/json', Buffer.from('{"apiVersion":')],
    ['bytes that are not UTF-8', 'application/yaml', Buffer.from([0x61, 0x3a, 0xff, 0xfe])],
    ['nothing', 'application/yaml', Buffer.from('')],
    ['a bomb of aliases', 'application/yaml', Buffer.from(bomb())],
    ['deep nesting', 'application/yaml', Buffer.from('['.repeat(50_000))],
  ])('calls %s not valid', async (_name, contentType, body) => {
    const answer = await request(control.url)
      .post('/api/tools/validate')
      .set('content-type', contentType)
      .serialize((raw: Buffer) => raw as unknown as string)
      .send(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ valid: false });
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'refuses the content type %p, which any page may send',
    async (contentType) => {
      const answer = await fetch(`${control.url}/api/tools/validate`, {
        method: 'POST',
        body: Buffer.from('a: 1'),
        ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
      });
      expect(answer.status).toBe(415);
      expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
    },
  );

  it('refuses a body over 5 MiB, told beforehand or not, so that the client can read why', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x23);
    const stream = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 6; index += 1) controller.enqueue(chunk);
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/yaml' };
    const url = `${control.url}/api/tools/validate`;
    const told = await fetch(url, { method: 'POST', headers, body: new Uint8Array(6 * 1024 * 1024) });
    const untold = await fetch(url, { method: 'POST', headers, body: stream, duplex: 'half' });
    for (const answer of [told, untold]) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ error: { code: 'document_too_large' } });
    }
  });
});

function ruleSet(name: string): object {
  return {
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name },
    spec: { tools: [{ filter: { deny: ['x'] } }] },
  };
}

/** Ten levels of ten aliases each. */
function bomb(): string {
  const levels = Array.from({ length: 10 }, (_, level) =>
    level === 0
      ? 'a0: &a0 [x]'
      : `a${String(level)}: &a${String(level)} [${`*a${String(level - 1)},`.repeat(10)}]`,
  );
  return levels.join('\n');
}
