import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as zlib from 'node:zlib';

import { inWords, passTurn, rules, startRecorder, upstreamRefusal } from './rules-setup.ts';
import {
  ask,
  call,
  closing,
  field,
  json,
  response,
  startScript,
  startWith,
  tool,
  turn,
  twoHops,
} from './support/index.ts';

const started = closing();

/** Rules that would touch any turn with a tool called `del`. */
const spec = twoHops({}, rules({ filter: { deny: ['del'] } }));
const body = JSON.stringify(turn({ tools: [tool('get_w'), tool('send_mail'), tool('del')] }));

describe('a body that is no turn', () => {
  const typed = { 'content-type': 'application/json' };
  const row = (what: string, bytes: Buffer | string, headers: Record<string, string>, reason: string) =>
    [what, Buffer.from(bytes), headers, reason] as const;

  it.each([
    row('not JSON', '{"model":', typed, 'not_json'),
    row('empty', '', typed, 'not_json'),
    row('a list', '[1]', typed, 'not_an_object'),
    row('a text', '"hi"', typed, 'not_an_object'),
    row('null', 'null', typed, 'not_an_object'),
    row('of another content type', body, { 'content-type': 'text/plain' }, 'content_type'),
    row('a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 'content_type'),
    row('not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), typed, 'not_utf8'),
    row('UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), typed, 'not_utf8'),
    row('`tools` an object', '{"tools":{"del":1},"input":"hi"}', typed, 'tools_not_an_array'),
    row('`tools` a text', '{"tools":"del"}', typed, 'tools_not_an_array'),
    row('`tools` false', '{"tools":false}', typed, 'tools_not_an_array'),
    row(
      'of a coding that is not known',
      body,
      { ...typed, 'content-encoding': 'snappy' },
      'content_encoding',
    ),
    row('not gzip though it says so', body, { ...typed, 'content-encoding': 'gzip' }, 'content_encoding'),
  ])('goes on untouched, and the error of the upstream comes back: %s', async (_, bytes, headers, reason) => {
    const upstream = await started(startRecorder());
    const toolroll = await started(startWith({ upstream, spec }));

    const answer = await ask(toolroll, bytes, { headers });

    expect(upstream.bodies[0]?.equals(bytes)).toBe(true);
    expect(answer.status).toBe(400);
    expect(answer.text).toBe(upstreamRefusal);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'req_1', 'x-toolroll-plan': 'bypass' });
    expect(field(await toolroll.audit(), 'events', 0, 'reasons')).toEqual([reason]);
    expect(
      await toolroll.metric(
        'toolroll_turns_total{protocol="responses",plan="bypass",outcome="upstream_error"',
      ),
    ).toBe(1);
  });

  it('is a turn without tools where `tools` is null, and goes on as the very bytes', async () => {
    const bytes = Buffer.from('{ "tools" : null, "input":"hi" }');
    const upstream = await started(startRecorder());
    const toolroll = await started(startWith({ upstream, spec }));

    await ask(toolroll, bytes);

    expect(upstream.bodies[0]?.equals(bytes)).toBe(true);
    expect(field(await toolroll.audit(), 'events', 0, 'reasons')).toEqual(['no_tools']);
  });

  it('is a turn behind a byte order mark, since some servers read past it: the deny rule holds', async () => {
    const { sent } = await passTurn(started, { spec, body: `\uFEFF${body}` });

    expect(field(JSON.parse(sent[0] ?? ''), 'tools', 0, 'name')).toBe('call_tool');
    expect(sent[0]).not.toContain('"del"');
  });

  it('is refused above the limit in the shape of the API, logged and counted', async () => {
    const upstream = await started(startRecorder());
    const toolroll = await started(startWith({ upstream, spec, options: { bodyLimitBytes: 1_000 } }));

    const answer = await ask(toolroll, `{"input":"${'x'.repeat(1_000)}"}`);

    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'body_too_large', param: null },
    });
    expect(upstream.bodies).toEqual([]);
    expect(await toolroll.metric('toolroll_requests_refused_total{code="body_too_large"}')).toBe(1);
    expect(toolroll.logLines).toContainEqual(
      expect.objectContaining({ event: 'turn_refused', code: 'body_too_large' }),
    );
  });

  it('is refused where it decodes to more than the limit', async () => {
    const upstream = await started(startRecorder());
    const toolroll = await started(startWith({ upstream, spec, options: { bodyLimitBytes: 100_000 } }));

    const bomb = zlib.gzipSync(`{"input":"${'x'.repeat(10_000_000)}"}`);
    const answer = await ask(toolroll, bomb, { headers: { 'content-encoding': 'gzip' } });

    expect(bomb.byteLength).toBeLessThan(100_000);
    expect(answer.status).toBe(413);
    expect(upstream.bodies).toEqual([]);
  });
});

describe('a coded body', () => {
  const codings: [string, (text: string) => Buffer][] = [
    ['gzip', (text) => zlib.gzipSync(text)],
    ['x-gzip', (text) => zlib.gzipSync(text)],
    ['deflate', (text) => zlib.deflateSync(text)],
    ['br', (text) => zlib.brotliCompressSync(text)],
  ];
  // Node decodes zstd from 22.15 on; before, such a body passes through.
  if ('zstdCompressSync' in zlib)
    codings.push(['zstd', (text) => (zlib as unknown as Zstd).zstdCompressSync(text)]);

  it.each(codings)(
    '%s is read, and goes on without its coding where it is rewritten',
    async (coding, encode) => {
      const upstream = await started(startRecorder());
      const toolroll = await started(startWith({ upstream, spec }));

      await ask(toolroll, encode(body), { headers: { 'content-encoding': coding } });

      const sent = upstream.bodies[0]?.toString() ?? '';
      expect(field(JSON.parse(sent), 'tools', 0, 'name')).toBe('call_tool');
      const names = (upstream.rawHeaders[0] ?? [])
        .filter((_, index) => index % 2 === 0)
        .map((name) => name.toLowerCase());
      expect(names).not.toContain('content-encoding');
      expect(names.filter((name) => name === 'content-length')).toHaveLength(1);
    },
  );

  it.each(codings)('%s goes on as the very bytes where nothing is changed', async (coding, encode) => {
    const bytes = encode('{"input":"hi"}');
    const upstream = await started(startRecorder());
    const toolroll = await started(startWith({ upstream, spec }));

    await ask(toolroll, bytes, { headers: { 'content-encoding': coding } });

    expect(upstream.bodies[0]?.equals(bytes)).toBe(true);
    expect(upstream.rawHeaders[0]?.includes(coding)).toBe(true);
  });
});

/** The part of Node's zlib that its types for Node 20 do not have. */
interface Zstd {
  zstdCompressSync(text: string): Buffer;
}

describe('hostile bodies', () => {
  it('of 100,000 levels are rewritten as any other', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const picked = `{"type":"function","name":"get_w","parameters":{"x":${deep}}}`;

    const { sent, answer } = await passTurn(started, {
      spec,
      body: `{"model":"m","x":${deep},"tools":[${picked},{"type":"function","name":"b"}],"input":[${deep}]}`,
      script: [json(response({ items: [call('call_tool', { names: ['get_w'] })] })), inWords],
    });

    expect(sent[1]).toBe(`{"model":"m","x":${deep},"tools":[${picked}],"input":[${deep}]}`);
    expect(answer.status).toBe(200);
  });

  it.each([
    ['tool_choice', 'tool_choice'],
    ['include', 'store":false,"reasoning":{},"include'],
    ['model', 'model'],
    ['metadata', 'metadata'],
  ])('deep in %s do no harm', async (_, key) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

    const { answer, sent } = await passTurn(started, {
      spec,
      body: `{"${key}":${deep},"tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}],"input":"hi"}`,
    });

    expect(answer.status).toBe(200);
    expect(sent[0]).toContain('['.repeat(99_999));
  });

  it('with an image of 20 MB are rewritten', async () => {
    const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(2_000_000)}`;

    const { sent } = await passTurn(started, {
      spec,
      body: turn({
        tools: [tool('del')],
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: image }] }],
      }),
    });

    expect(sent[0]?.length).toBeGreaterThan(20_000_000);
    expect(sent[0]).not.toContain('"del"');
  });
});

describe('rules that are not there', () => {
  const files = { 'rules.yaml': 'kind: RuleSet\nspec: {' };

  it('since the first ones were invalid: turns get a 503 that says why, until valid ones come', async () => {
    const upstream = await started(startScript([inWords]));
    const toolroll = await started(startWith({ upstream, files }));

    const refused = await ask(toolroll, body);

    expect(refused.status).toBe(503);
    expect(refused.json()).toMatchObject({ error: { type: 'server_error', code: 'rules_unavailable' } });
    expect(String(field(refused.json(), 'error', 'message'))).toContain('rules.yaml');
    expect(await toolroll.metric('toolroll_requests_refused_total{code="rules_unavailable"}')).toBe(1);
    expect(upstream.requests).toEqual([]);

    const valid = { apiVersion: 'toolroll.dev/v1alpha1', kind: 'RuleSet', metadata: { name: 'test' }, spec };
    await writeFile(join(toolroll.rulesDir, 'rules.yaml'), JSON.stringify(valid));
    await fetch(`${toolroll.controlUrl}/api/tools/reload`, {
      method: 'POST',
      headers: { connection: 'close' },
    });

    expect((await ask(toolroll, body)).status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
  });

  it('and pass where that is what the operator wants', async () => {
    const { sent, answer } = await passTurn(started, { files, options: { withoutRules: 'pass' }, body });

    expect(sent).toEqual([body]);
    expect(answer.headers['x-toolroll-plan']).toBe('bypass');
  });

  it('since there are none: everything passes, and the log says so once', async () => {
    const { sent, answer, toolroll } = await passTurn(started, {
      files: {},
      body,
      script: [inWords, inWords],
    });

    expect(sent).toEqual([body]);
    expect(answer.status).toBe(200);
    await ask(toolroll, body);
    const told = toolroll.logLines.filter(({ event }) => event === 'rules_none');
    expect(told).toHaveLength(1);
  });
});
