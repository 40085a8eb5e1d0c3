import { startUpstream } from '../../../../../benchmark/upstream/index.ts';
import type { Upstream } from '../../../../../benchmark/upstream/index.ts';
import type { JsonObject } from '../../../../../benchmark/upstream/json-value.ts';
import { ask, call, errorOf, outputOf, tool } from '../ask.ts';

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(async () => {
  await upstream.close();
});

const weather = tool('get_weather', 'Current weather for a location.', 'location');
const mail = tool('send_email', 'Sends an email.', 'to', 'body');
const rain = { model: 'm', input: 'Will it rain in Oslo?', tools: [weather, mail] };

describe('conversations', () => {
  test('a follow-up must answer every call of the response before', async () => {
    const first = await ask(upstream, rain);
    const bare = await ask(upstream, { ...rain, previous_response_id: first.body['id'], input: 'and?' });
    expect(errorOf(bare)['message']).toBe(
      `No tool output found for function call ${String(outputOf(first)[0]?.['call_id'])}.`,
    );
  });

  test('a response that is not stored cannot be continued, read or deleted', async () => {
    const id = String((await ask(upstream, { ...rain, store: false })).body['id']);
    expect((await ask(upstream, { ...rain, previous_response_id: id })).status).toBe(400);
    expect((await call(upstream, 'GET', `/responses/${id}`)).status).toBe(404);
    expect((await call(upstream, 'DELETE', `/responses/${id}`)).status).toBe(404);
  });

  test('a stored response can be read, listed and deleted', async () => {
    const { body } = await ask(upstream, rain);
    const path = `/responses/${String(body['id'])}`;
    expect((await call(upstream, 'GET', path)).body).toEqual(body);
    expect((await call(upstream, 'GET', `${path}/input_items`)).body).toMatchObject({
      data: [{ role: 'user', content: rain.input }],
    });
    expect((await call(upstream, 'POST', `${path}/cancel`)).status).toBe(400);
    expect((await call(upstream, 'DELETE', path)).body).toMatchObject({ deleted: true });
    expect((await call(upstream, 'GET', path)).status).toBe(404);
  });

  test('a background response can be cancelled', async () => {
    const { body } = await ask(upstream, { ...rain, background: true });
    expect(body['status']).toBe('queued');
    const cancelled = await call(upstream, 'POST', `/responses/${String(body['id'])}/cancel`);
    expect(cancelled.body['status']).toBe('cancelled');
  });

  describe('with reasoning', () => {
    const thinking = {
      ...rain,
      store: false,
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
    };
    const follow = async (
      change: (items: readonly JsonObject[]) => readonly JsonObject[],
    ): Promise<{ status: number; message: unknown }> => {
      const output = outputOf(await ask(upstream, thinking));
      const result = { type: 'function_call_output', call_id: output[1]?.['call_id'], output: 'dry' };
      const input = [{ role: 'user', content: rain.input }, ...change(output), result];
      const answer = await ask(upstream, { ...thinking, input });
      return { status: answer.status, message: errorOf(answer)['message'] };
    };

    test('items replayed as they came are accepted', async () => {
      expect((await follow((items) => items)).status).toBe(200);
    });

    test('a call without its reasoning is refused', async () => {
      const { status, message } = await follow((items) => items.slice(1));
      expect([status, message]).toEqual([
        400,
        expect.stringContaining("without its required 'reasoning' item"),
      ]);
    });

    test('reasoning without its sealed content cannot be found', async () => {
      const { status, message } = await follow((items) =>
        items.map((item) => ({ ...item, encrypted_content: undefined })),
      );
      expect([status, message]).toEqual([404, expect.stringContaining('not persisted')]);
    });

    test('altered sealed content is refused', async () => {
      const alter = (item: JsonObject): JsonObject =>
        item['type'] === 'reasoning'
          ? { ...item, encrypted_content: `${String(item['encrypted_content'])}A` }
          : item;
      const { status, message } = await follow((items) => items.map(alter));
      expect([status, message]).toEqual([400, expect.stringContaining('could not be verified')]);
    });
  });
});
