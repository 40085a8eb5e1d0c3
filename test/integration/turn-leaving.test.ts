import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ask,
  call,
  closing,
  eventsOf,
  gate,
  hang,
  json,
  message,
  openTurn,
  outputOf,
  response,
  sse,
  startScript,
  startWith,
  stream,
  tool,
  turn,
} from './support/index.ts';
import type { Answer, OpenTurn, RunningToolroll, ScriptedUpstream } from './support/index.ts';

const started = closing();

const picking = stream({ items: [call('call_tool', { names: ['get_w'] })] });
const answering = stream({ id: 'resp_2', items: [message('It is sunny in Rome.')] });
const streaming = turn({ stream: true });

const rejections: unknown[] = [];
const note = (reason: unknown): number => rejections.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));
afterEach(() => {
  expect(rejections).toEqual([]);
});

interface Left {
  readonly upstream: ScriptedUpstream;
  readonly toolroll: RunningToolroll;
}

/** Runs a turn to the point where `then` resolves, and leaves. */
async function leaveWhen(
  script: readonly Answer[],
  body: unknown,
  then: (open: OpenTurn, upstream: ScriptedUpstream) => Promise<void>,
): Promise<Left> {
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream }));
  const open = openTurn(toolroll, body);
  open.ended.catch(() => undefined);
  await then(open, upstream);
  open.leave();
  return { upstream, toolroll };
}

/** The upstream sees the connection of that request close within a second, and no further request. */
async function expectAborted({ upstream, toolroll }: Left, requests: number): Promise<void> {
  const over = upstream.requests[requests - 1]!.over;
  const seen = await Promise.race([over, sleep(1000, 'still open', { ref: false })]);
  expect(seen).toBe(false);
  await until(() =>
    toolroll.metric('toolroll_turns_total{protocol="responses",plan="two_hop",outcome="client_closed"}'),
  );
  expect(upstream.requests).toHaveLength(requests);
}

/** A turn that is over must leave no timer behind: one of ten minutes would hold its buffers as long. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

async function until(isTrue: () => Promise<unknown>): Promise<void> {
  while (!(await isTrue())) await sleep(10);
}

describe('H1: an app that goes away', () => {
  it.each([
    ['a stream', streaming],
    ['JSON', turn()],
  ])('while the first hop of %s is waited for: the upstream call is aborted', async (_, body) => {
    const left = await leaveWhen([{ before: [hang], steps: [] }], body, (_open, upstream) =>
      upstream.received(1),
    );

    await expectAborted(left, 1);
  });

  it('in the middle of the first hop, before anything was sent: no second hop starts', async () => {
    const first = sse([...picking.slice(0, 4), { pauseMs: 30 }, hang]);
    const left = await leaveWhen([first], streaming, async (_open, upstream) => {
      await upstream.received(1);
      await sleep(20);
    });

    await expectAborted(left, 1);
  });

  it('in the middle of a JSON answer: no second hop starts', async () => {
    const whole = JSON.stringify(response({ items: [call('call_tool', { names: ['get_w'] })] }));
    const half = { headers: { 'content-type': 'application/json' }, steps: [whole.slice(0, 40), hang] };
    const left = await leaveWhen([half], turn(), async (_open, upstream) => {
      await upstream.received(1);
      await sleep(20);
    });

    await expectAborted(left, 1);
  });

  it.each([
    ['a stream', streaming, sse(picking)],
    ['JSON', turn(), json(response({ items: [call('call_tool', { names: ['get_w'] })] }))],
  ])(
    'while the second hop of %s is waited for: its call is aborted and none follows',
    async (_, body, first) => {
      const left = await leaveWhen([first, { before: [hang], steps: [] }], body, (_open, upstream) =>
        upstream.received(2),
      );

      await expectAborted(left, 2);
    },
  );

  it('in the middle of the second hop: its call is aborted', async () => {
    const left = await leaveWhen([sse(picking), sse([...answering.slice(0, 5), hang])], streaming, (open) =>
      open.until((text) => text.includes('output_text.delta')),
    );

    await expectAborted(left, 2);
  });

  it('in the middle of its own request: the upstream hears nothing of it', async () => {
    const upstream = await started(startScript([]));
    const toolroll = await started(startWith({ upstream }));
    const open = openTurn(toolroll, '', { headers: { 'content-length': '1000' } });
    open.ended.catch(() => undefined);
    open.head.catch(() => undefined);
    await sleep(30);
    open.leave();
    await until(() =>
      toolroll.metric('toolroll_turns_total{protocol="responses",plan="bypass",outcome="client_closed"}'),
    );

    expect(upstream.requests).toHaveLength(0);
  });

  it('while the rest of a finished first hop still comes in: that connection is closed too', async () => {
    const left = await leaveWhen(
      [sse([...picking, hang]), { before: [hang], steps: [] }],
      streaming,
      (_open, upstream) => upstream.received(2),
    );

    await expectAborted(left, 2);
    expect(
      await Promise.race([left.upstream.requests[0]!.over, sleep(1500, 'still open', { ref: false })]),
    ).toBe(false);
  });
});

describe('H2: an app that does not read', () => {
  it('stops the upstream; little is kept here, and the turn ends when the app goes', async () => {
    const delta = `event: response.output_text.delta\ndata: ${JSON.stringify({
      type: 'response.output_text.delta',
      output_index: 0,
      item_id: 'msg_1',
      content_index: 0,
      delta: 'x'.repeat(64 * 1024),
    })}\n\n`;
    const deltas = (200 * 1024 * 1024) / (64 * 1024);
    let sent = 0;
    const counted = Array.from({ length: deltas }, () => delta);
    const upstream = await started(
      startScript([
        sse(picking),
        sse([
          ...answering.slice(0, 4),
          ...counted.flatMap((text) => [text, counting()]),
          ...answering.slice(4),
        ]),
      ]),
    );
    function counting(): { readonly until: Promise<void> } {
      // Read when its step is reached: so it counts the chunks that the upstream could write.
      return {
        get until() {
          sent += 1;
          return Promise.resolve();
        },
      };
    }
    const toolroll = await started(startWith({ upstream }));
    const before = process.memoryUsage().rss;
    const timersBefore = timers();

    const open = openTurn(toolroll, streaming);
    const head = await open.head;
    head.pause();
    let seen = -1;
    while (seen !== sent) {
      seen = sent;
      await sleep(500);
    }

    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(deltas / 4);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    open.leave();
    await until(() =>
      toolroll.metric('toolroll_turns_total{protocol="responses",plan="two_hop",outcome="client_closed"}'),
    );
    expect(await Promise.race([upstream.requests[1]!.over, sleep(1000, 'still open', { ref: false })])).toBe(
      false,
    );
    expect(timers()).toBeLessThanOrEqual(timersBefore);
  });

  it('for a while loses nothing', async () => {
    const long = message('y'.repeat(4 * 1024 * 1024), { id: 'msg_long' });
    const upstream = await started(startScript([sse(picking), sse(stream({ id: 'resp_2', items: [long] }))]));
    const toolroll = await started(startWith({ upstream }));

    const open = openTurn(toolroll, streaming);
    const head = await open.head;
    head.pause();
    await sleep(200);
    head.resume();

    expect(outputOf(eventsOf((await open.ended).text))).toEqual([long]);
  });
});

describe('a shutdown', () => {
  it('lets a stream that is under way come to its end, on a connection that the app keeps', async () => {
    const later = gate();
    const upstream = await started(
      startScript([
        sse(picking),
        sse([...answering.slice(0, 5), { until: later.opened }, ...answering.slice(5)]),
      ]),
    );
    const toolroll = await startWith({ upstream, options: { drainSeconds: 20 } });
    const agent = new Agent({ keepAlive: true });
    const open = openTurn(toolroll, streaming, { agent });
    await open.until((text) => text.includes('output_text.delta'));

    const closed = toolroll.close();
    await expect(ask(toolroll, streaming)).rejects.toThrow('ECONNREFUSED');
    later.open();
    const { text, whole } = await open.ended;
    await closed;
    agent.destroy();

    expect(whole).toBe(true);
    expect(eventsOf(text).at(-1)?.type).toBe('response.completed');
    expect(toolroll.logLines.map(({ event }) => event)).not.toContain('drain_cut');
  });

  it('breaks off what is not done when the time is up', async () => {
    const upstream = await started(startScript([sse(picking), sse([...answering.slice(0, 5), hang])]));
    const toolroll = await startWith({ upstream, options: { drainSeconds: 0.1 } });
    const open = openTurn(toolroll, streaming);
    await open.until((text) => text.includes('output_text.delta'));

    await toolroll.close();

    expect((await open.ended).whole).toBe(false);
    expect(toolroll.logLines.map(({ event }) => event)).toContain('drain_cut');
    await upstream.requests[1]!.over;
  });

  it('starts no further hop in a turn whose app has gone with it', async () => {
    const later = gate();
    const upstream = await started(startScript([sse([{ until: later.opened }, ...picking])]));
    const toolroll = await startWith({ upstream, options: { drainSeconds: 0.05 } });
    const open = openTurn(toolroll, streaming);
    open.ended.catch(() => undefined);
    await upstream.received(1);

    await toolroll.close();
    later.open();

    await expect(open.ended).rejects.toThrow();
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('H3: large requests', () => {
  const image = (megabytes: number): unknown => ({
    ...turn(),
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          {
            type: 'input_image',
            image_url: `data:image/png;base64,${'QUJD'.repeat(megabytes * 256 * 1024)}`,
          },
        ],
      },
    ],
  });

  it.each([3, 40])('of %d MB are taken, and reach the upstream whole in both hops', async (megabytes) => {
    const upstream = await started(
      startScript([
        json(response({ items: [call('call_tool', { names: ['get_w'] })] })),
        json(response({ items: [call('get_w', { city: 'x' })] })),
      ]),
    );
    const toolroll = await started(startWith({ upstream }));
    const body = image(megabytes);

    const { status } = await ask(toolroll, body);

    expect(status).toBe(200);
    const sent = JSON.stringify((body as { input: unknown }).input);
    expect(upstream.requests.map(({ bodyText }) => bodyText.includes(sent))).toEqual([true, true]);
  });

  it('over the limit are a 413 in OpenAI’s shape, logged and counted', async () => {
    const upstream = await started(startScript([]));
    const toolroll = await started(startWith({ upstream, options: { bodyLimitBytes: 1_000_000 } }));

    const { status, text } = await ask(toolroll, image(3));

    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({
      error: { type: 'invalid_request_error', code: 'body_too_large', param: null },
    });
    expect(upstream.requests).toHaveLength(0);
    expect(toolroll.logLines).toContainEqual(
      expect.objectContaining({ event: 'turn_refused', code: 'body_too_large' }),
    );
    expect(
      await toolroll.metric('toolroll_turns_total{protocol="responses",plan="bypass",outcome="refused"}'),
    ).toBe(1);
  });

  it('with a thousand tools are rolled up', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => tool(`tool_${String(index)}`));
    const upstream = await started(
      startScript([
        json(response({ items: [call('call_tool', { names: ['tool_999'] })] })),
        json(response({ items: [call('tool_999', { city: 'x' })] })),
      ]),
    );
    const toolroll = await started(startWith({ upstream }));

    const { status } = await ask(toolroll, turn({ tools: many }));

    expect(status).toBe(200);
    expect(upstream.requests[1]?.body).toMatchObject({ tools: [{ name: 'tool_999' }] });
  });
});
