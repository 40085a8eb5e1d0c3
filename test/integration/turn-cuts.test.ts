import {
  ask,
  call,
  closing,
  cut,
  eventsOf,
  field,
  gate,
  hang,
  items,
  json,
  message,
  openTurn,
  outputOf,
  reasoning,
  reset,
  response,
  restyle,
  sse,
  startScript,
  startWith,
  stream,
  terminalOf,
  tools,
  textOf,
  turn,
  twoHops,
} from './support/index.ts';
import type { Answer, Json, Step } from './support/index.ts';

const started = closing();

const pick = call('call_tool', { names: ['get_w'] });
const answer = call('get_w', { city: 'Rome' });
const streaming = turn({ stream: true });
const picking = sse(stream({ id: 'resp_1', items: [pick] }));
/** The frames of a hop up to its first text. */
const begun = stream({ id: 'resp_2', items: [message('Here is what I found.')] }).slice(0, 5);

async function run(script: readonly Answer[], body: Json = streaming, options = {}, spec: Json = twoHops()) {
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, options, spec }));
  const answered = await ask(toolroll, body);
  return { ...answered, events: eventsOf(answered.text), upstream, toolroll };
}

const ends: [string, Step[]][] = [
  ['a clean end', []],
  ['a cut', [cut]],
  ['a reset', [reset]],
];

describe('A3: a second hop that stops in the middle', () => {
  it.each(ends)('after text, by %s, ends with an error and response.failed', async (_, end) => {
    const { events, whole, status, toolroll, upstream } = await run([picking, sse([...begun, ...end])]);

    expect(status).toBe(200);
    expect(whole).toBe(true);
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['error', 'response.failed']);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, index) => index));
    expect(textOf(events)).toBe('Here is');
    expect(terminalOf(events).data).toMatchObject({
      response: { id: 'resp_2', status: 'failed', error: { code: 'upstream_closed' } },
    });
    expect(upstream.requests).toHaveLength(2);
    expect(
      await toolroll.metric('toolroll_turns_total{protocol="responses",plan="two_hop",outcome="failed"}'),
    ).toBe(1);
    expect(field(await toolroll.audit(), 'events', 0, 'outcome')).toBe('failed');
  });

  it.each(ends)('inside of an event, by %s, drops the half and spoils nothing', async (_, end) => {
    const half = 'event: response.output_text.delta\ndata: {"type":"response.output_text.del';
    const { events, text } = await run([picking, sse([...begun, half, ...end])]);

    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(text).not.toContain('output_text.del"');
    expect(textOf(events)).toBe('Here is');
  });

  it.each(ends)('before anything was sent, by %s, is a 502', async (_, end) => {
    const { status, text } = await run([picking, sse([...end])]);

    expect(status).toBe(502);
    expect(field(JSON.parse(text), 'error', 'code')).toBe('upstream_closed');
  });

  it.each(ends.slice(1))('of a JSON answer, by %s, is a 502', async (_, end) => {
    const { status, text } = await run(
      [
        json(response({ items: [pick] })),
        { headers: { 'content-type': 'application/json' }, steps: ['{"id":"resp_2","outp', ...end] },
      ],
      turn(),
    );

    expect(status).toBe(502);
    expect(field(JSON.parse(text), 'error', 'code')).toBe('upstream_closed');
  });
});

describe('A3: a first hop that stops in the middle', () => {
  it.each(ends)('of a pick, by %s, is a 502, since nothing was sent yet', async (_, end) => {
    const { status, text, upstream } = await run([sse([...stream({ items: [pick] }).slice(0, 4), ...end])]);

    expect(status).toBe(502);
    expect(text).not.toContain('call_tool');
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(ends)('of text that is streamed already, by %s, ends with response.failed', async (_, end) => {
    const { events } = await run([sse([...begun, ...end])]);

    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(textOf(events)).toBe('Here is');
  });

  it('under a keepalive comment opens the response, says the error and closes it', async () => {
    const later = gate();
    const upstream = await started(
      startScript([sse([...stream({ items: [pick] }).slice(0, 4), { until: later.opened }, reset])]),
    );
    const toolroll = await started(startWith({ upstream, options: { keepaliveSeconds: 0.02 } }));

    const open = openTurn(toolroll, streaming);
    await open.until((text) => text.includes(': keepalive'));
    later.open();
    const { text } = await open.ended;

    const types = eventsOf(text).map(({ type }) => type);
    expect(types).toEqual(['response.created', 'response.in_progress', 'error', 'response.failed']);
    expect(eventsOf(text).map(({ data }) => data['sequence_number'])).toEqual([0, 1, 2, 3]);
    expect(text).not.toContain('call_tool');
  });
});

describe('a later hop that cannot be had once text of the first is out', () => {
  const text = sse(stream({ id: 'resp_1', items: [message('Let me see.'), pick] }));
  const failures: [string, Answer, string][] = [
    ['refused with 500', json({ error: { message: 'boom' } }, { status: 500 }), 'upstream_refused'],
    ['refused with 429', json({ error: { message: 'slow down' } }, { status: 429 }), 'upstream_refused'],
    ['reset before its head', { before: [reset], steps: [] }, 'upstream_closed'],
    ['silent', { before: [hang], steps: [] }, 'upstream_timeout'],
    ['malformed JSON', json('{"id":'), 'upstream_malformed'],
    ['cut in its head', sse([reset]), 'upstream_closed'],
  ];

  it.each(failures)('%s: the stream ends with an error and response.failed', async (_, second, code) => {
    const { events, whole, toolroll } = await run([text, second], streaming, {
      firstByteTimeoutSeconds: 0.2,
    });

    expect(whole).toBe(true);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, index) => index));
    expect(terminalOf(events).data).toMatchObject({
      response: { id: 'resp_1', status: 'failed', error: { code }, output: [message('Let me see.')] },
    });
    expect(
      await toolroll.metric('toolroll_turns_total{protocol="responses",plan="two_hop",outcome="ok"}'),
    ).toBe(0);
  });
});

it('a fallback that fails after text of the first hop repeats nothing of the menu', async () => {
  const echo = { tools: [{ type: 'function', name: 'call_tool' }] };
  const first = stream({ items: [message('Let me see.'), call('nobody_offered', {})], fields: echo });
  const { events, text } = await run([sse(first), sse([...begun, reset])]);

  expect(field(terminalOf(events).data, 'response', 'tools')).toEqual(tools());
  expect(text).not.toContain('call_tool');
});

describe('H4: an upstream that is silent for longer than our own limits', () => {
  it('before its head is a 504', async () => {
    const { status, text } = await run([picking, { before: [hang], steps: [] }], streaming, {
      firstByteTimeoutSeconds: 0.1,
    });

    expect(status).toBe(504);
    expect(field(JSON.parse(text), 'error', 'code')).toBe('upstream_timeout');
  });

  it('between events is an error and response.failed', async () => {
    const { events } = await run([picking, sse([...begun, hang])], streaming, { idleTimeoutSeconds: 0.1 });

    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(field(terminalOf(events).data, 'response', 'error', 'code')).toBe('upstream_timeout');
  });

  it('after the head, before any event, is a 504', async () => {
    const { status } = await run([sse([hang])], streaming, { idleTimeoutSeconds: 0.1 });

    expect(status).toBe(504);
  });

  it('but within them is waited for, however often', async () => {
    const slow = begun.flatMap((frame): Step[] => [{ pauseMs: 60 }, frame]);
    const rest = stream({ id: 'resp_2', items: [message('Here is what I found.')] }).slice(5);
    const { events } = await run([picking, sse([...slow, ...rest])], streaming, { idleTimeoutSeconds: 0.2 });

    expect(textOf(events)).toBe('Here is what I found.');
  });
});

describe('H6: a hop that fails is not asked again', () => {
  it('after text was delivered: nothing is repeated', async () => {
    const { events, upstream } = await run([
      picking,
      sse([...begun, reset]),
      sse(stream({ items: [answer] })),
    ]);

    expect(textOf(events)).toBe('Here is');
    expect(upstream.requests).toHaveLength(2);
  });

  it('with 500 after a good first hop: the 500 comes through as it is', async () => {
    const error = '{"error": {"message":"boom","type":"server_error","param":null,"code":null}}';
    const { status, text, upstream } = await run([picking, json(error, { status: 500 })]);

    expect(status).toBe(500);
    expect(text).toBe(error);
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('H8: a 429', () => {
  const error =
    '{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}';
  const limits = {
    'retry-after': '30',
    'retry-after-ms': '30000',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-tokens': '6m0s',
    'x-request-id': 'req_123',
    'openai-processing-ms': '7',
    'x-should-retry': 'true',
  };
  const limited = json(error, { status: 429, headers: limits });

  it.each([
    ['in the first hop', [limited], streaming],
    ['in the second hop', [picking, limited], streaming],
    ['in the second hop of a JSON turn', [json(response({ items: [pick] })), limited], turn()],
  ])('%s keeps its status, its body and its headers, and is not retried', async (_, script, body) => {
    const { status, text, headers, upstream } = await run(script, body);

    expect(status).toBe(429);
    expect(text).toBe(error);
    expect(headers).toMatchObject(limits);
    expect(upstream.requests).toHaveLength(script.length);
  });

  it('a stream carries no header that belongs to one connection alone', async () => {
    const { rawHeaders } = await run([
      picking,
      sse(stream({ items: [answer] }), { headers: { connection: 'x-hop', 'x-hop': '1' } }),
    ]);

    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names).not.toEqual(expect.arrayContaining(['connection']));
    expect(names).not.toEqual(expect.arrayContaining(['keep-alive']));
    expect(names).not.toEqual(expect.arrayContaining(['x-hop']));
  });
});

describe('what a first hop says of itself', () => {
  it('incomplete: is the answer, without the pick that was cut off', async () => {
    const { events, upstream, text } = await run([
      sse(
        stream({
          items: [message('Hm.'), { ...pick, arguments: '{"names":["ge', status: 'incomplete' }],
          status: 'incomplete',
        }),
      ),
    ]);

    expect(upstream.requests).toHaveLength(1);
    expect(terminalOf(events).type).toBe('response.incomplete');
    expect(outputOf(events)).toEqual([message('Hm.')]);
    expect(text).not.toContain('call_tool');
  });

  it('incomplete, as JSON: is the answer', async () => {
    const { text, upstream } = await run(
      [json(response({ items: [reasoning(), pick], status: 'incomplete' }))],
      turn(),
    );

    expect(upstream.requests).toHaveLength(1);
    expect(JSON.parse(text)).toMatchObject({ status: 'incomplete', output: [reasoning()] });
    expect(text).not.toContain('call_tool');
  });

  it('failed: is told as it came, and counted', async () => {
    const error = { code: 'server_error', message: 'overloaded' };
    const { events, toolroll } = await run([sse(stream({ items: [], status: 'failed', fields: { error } }))]);

    expect(terminalOf(events)).toMatchObject({ type: 'response.failed', data: { response: { error } } });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
    expect(
      await toolroll.metric(
        'toolroll_turns_total{protocol="responses",plan="two_hop",outcome="upstream_error"}',
      ),
    ).toBe(1);
  });

  it('an error event, then response.failed: both are passed on, without the pick', async () => {
    const error = {
      type: 'error',
      error: { type: 'server_error', code: 'x', message: 'overloaded', param: null },
    };
    const open = stream({ items: [pick] }).slice(0, 4);
    const failed = { type: 'response.failed', response: response({ items: [pick], status: 'failed' }) };
    const last = restyle([error, failed], {
      bend: (data, index) => ({ ...data, sequence_number: 4 + index }),
    });
    const { events, text } = await run([sse([...open, ...last])]);

    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ]);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual([0, 1, 2, 3]);
    expect(text).not.toContain('call_tool');
  });

  it('an error event and nothing more: is passed on and the stream ends', async () => {
    const { text, whole } = await run([sse(['event: error\ndata: {"type":"error","message":"no"}\n\n'])]);

    expect(text).toBe('event: error\ndata: {"type":"error","message":"no"}\n\n');
    expect(whole).toBe(true);
  });
});

describe('JSON answers that are none', () => {
  it.each([
    ['half a text', '{"id":"resp_1","output":[{"type":"function_call","name":"call_to'],
    ['a list', '["call_tool"]'],
    ['nothing', ''],
  ])('%s, where a menu was shown, is a 502', async (_, body) => {
    const { status, text } = await run([json(body)], turn());

    expect(status).toBe(502);
    expect(field(JSON.parse(text), 'error', 'code')).toBe('upstream_malformed');
  });

  it('half a text as the answer passes as it came: the app reads what the upstream wrote', async () => {
    const { status, text } = await run([json(response({ items: [pick] })), json('{"id":"resp_2"')], turn());

    expect(status).toBe(200);
    expect(text).toBe('{"id":"resp_2"');
  });

  it('an object without output is an answer', async () => {
    const { text } = await run([json('{"error": {"message":"odd"}, "n":1.0}')], turn());

    expect(text).toBe('{"error": {"message":"odd"}, "n":1.0}');
  });
});

it('a hop asked again that the upstream refuses for its form falls back to all tools', async () => {
  const nope = call('call_tool', { names: ['nope'] });
  const { events, upstream, toolroll } = await run([
    sse(stream({ items: [nope] })),
    json({ error: { message: 'No tool output found' } }, { status: 400 }),
    sse(stream({ id: 'resp_3', items: [answer] })),
  ]);

  expect(outputOf(events)).toEqual([answer]);
  expect(items(upstream.requests[2]?.body, 'tools')).toHaveLength(5);
  expect(upstream.requests[2]?.bodyText).not.toContain('nope');
  expect(await toolroll.metric('toolroll_fallbacks_total{reason="reselect_refused"}')).toBe(1);
});

describe('a turn that goes on as it came', () => {
  const off = { selection: { strategy: 'off' } };

  it('gives the app the stream byte for byte, to its end', async () => {
    const frames = stream({ items: [message('Hello.')], style: { lineEnd: '\r\n', noEventLines: true } });
    const { text, whole, rawHeaders, upstream } = await run(
      [sse([...frames, 'data: [DONE]'])],
      streaming,
      {},
      off,
    );

    expect(text).toBe(`${frames.join('')}data: [DONE]`);
    expect(whole).toBe(true);
    expect(rawHeaders.map((name) => name.toLowerCase())).not.toContain('keep-alive');
    expect(upstream.requests[0]?.bodyText).toBe(JSON.stringify(streaming));
  });

  it.each(ends.slice(1))(
    'is cut where the upstream is, by %s: the app sees what it would see without us',
    async (_, end) => {
      const { text, whole, toolroll } = await run([sse([...begun, ...end])], streaming, {}, off);

      expect(whole).toBe(false);
      expect(text).toBe(begun.join(''));
      expect(
        await toolroll.metric('toolroll_turns_total{protocol="responses",plan="direct",outcome="failed"}'),
      ).toBe(1);
    },
  );
});
