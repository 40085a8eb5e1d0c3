import request from 'supertest';
import { ToolrollError } from '../../proxy/core/errors.ts';
import { rulesYaml, startControl } from './control-setup.ts';
import type { ControlUnderTest } from './control-setup.ts';

let control: ControlUnderTest;

afterEach(async () => {
  await control.close();
});

function apply(body: string): request.Test {
  return request(control.url).post('/api/tools/apply').set('content-type', 'application/json').send(body);
}

describe('POST /api/tools/apply', () => {
  beforeEach(async () => {
    control = await startControl();
  });

  it('shows tools, operations, plan and the request, character for character', async () => {
    const requestBody = '{ "n": 12345678901234567890, "f": 1.0, "s": "\\ud83d", "n": 2, "x": null }';
    const answer = await apply(`{"endpoint": "responses", "request_body" : ${requestBody} }`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(control.previews).toEqual([{ requestBody, endpoint: 'responses' }]);
    expect(answer.text).toBe(
      '{"original_tools":[{"n":1.0}],"modified_tools":[],' +
        '"operations":[{"operation":"filter","rule":"filter-0","tool":"delete_file"}],' +
        '"plan":{"name":"direct","reasons":["selection is off"],"rule_set":"default"},' +
        `"final_request":${requestBody}}`,
    );
  });

  it('takes the last of two request bodies, as every JSON reader does', async () => {
    await apply('{"request_body":{"a":1},"request_body":{"a":2}}');
    expect(control.previews[0]?.requestBody).toBe('{"a":2}');
  });

  it('finds the body behind an escaped key', async () => {
    await apply(String.raw`{"request\u005fbody":{"a":1e999}}`);
    expect(control.previews[0]?.requestBody).toBe('{"a":1e999}');
  });

  it('hands over rules given as text and as an object', async () => {
    await apply(JSON.stringify({ request_body: {}, rules: rulesYaml('trial') }));
    const object =
      '{"apiVersion":"toolroll.dev/v1alpha1","kind":"RuleSet","metadata":{"name":"t"},"spec":{"mode":"off"}}';
    await apply(`{"request_body":{},"rules":${object}}`);
    expect(control.previews.map(({ rules }) => rules)).toEqual([rulesYaml('trial'), object]);
  });

  it('hands over headers by their lower-case names, and refuses what is no text', async () => {
    await apply('{"request_body":{},"headers":{"X-Team":"pay"}}');
    expect(control.previews[0]?.headers).toEqual({ 'x-team': 'pay' });
    const answer = await apply('{"request_body":{},"headers":{"X-Team":1}}');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { param: 'headers' } });
  });

  it('answers 422 with the errors of rules that are not valid', async () => {
    const answer = await apply(JSON.stringify({ request_body: {}, rules: 'kind: Nothing' }));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ valid: false });
    expect(control.previews).toEqual([]);
  });

  it.each([
    ['no JSON', '{"request_body":', null],
    ['an array', '[]', null],
    ['no request_body', '{}', 'request_body'],
    ['a request_body that is a text', '{"request_body":"{}"}', 'request_body'],
    ['an unknown endpoint', '{"request_body":{},"endpoint":"nope"}', 'endpoint'],
    ['rules that are a number', '{"request_body":{},"rules":1}', 'rules'],
    ['a field that does not exist', '{"request_body":{},"rule":""}', 'rule'],
    ['deep nesting', '['.repeat(50_000), null],
  ])('answers 400 to %s', async (_name, body, param) => {
    const answer = await apply(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it('answers 400 to bytes that are not UTF-8', async () => {
    const answer = await fetch(`${control.url}/api/tools/apply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect(answer.status).toBe(400);
  });

  it('answers 413 above the limit of turns', async () => {
    const answer = await apply(JSON.stringify({ request_body: { input: 'x'.repeat(100_000) } }));
    expect(answer.status).toBe(413);
  });
});

describe('a preview that fails', () => {
  it('by a rule is answered with that error', async () => {
    const refusal = new ToolrollError(
      'tool_denied',
      { tool: 't', rule: 'r', ruleSet: 's' },
      { param: 'tool_choice' },
    );
    control = await startControl({
      previewTurn: () => {
        throw refusal;
      },
    });
    const answer = await apply('{"request_body":{}}');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'tool_denied', param: 'tool_choice' } });
  });

  it('by a bug is answered 500 without a word of it, which goes to the log', async () => {
    control = await startControl({
      previewTurn: () => {
        throw new Error('secret detail');
      },
    });
    const answer = await apply('{"request_body":{}}');
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ error: { code: 'internal' } });
    expect(answer.text).not.toContain('secret detail');
    expect(control.logLines.join('')).toContain('secret detail');
  });
});
