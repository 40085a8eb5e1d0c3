import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  ask,
  call,
  closing,
  eventsOf,
  field,
  gate,
  items,
  json,
  message,
  openTurn,
  outputOf,
  reasoning,
  response,
  restyle,
  sse,
  startScript,
  startWith,
  stream,
  terminalOf,
  textOf,
  tool,
  tools,
  turn,
  twoHops,
} from './support/index.ts';
import type { Answer, Json, SentEvent, Step, Style } from './support/index.ts';

const started = closing();

const pick = call('call_tool', { names: ['get_w'] });
const answer = call('get_w', { city: '北京😀' });
const ask2 = turn({ stream: true });
/** Leaves the last event's usage as the upstream wrote it, so that nothing has to change. */
const untouched = twoHops({ usage: 'final' });

/** Runs one streamed turn over a script and gives what the app got. */
async function run(script: readonly Answer[], body: Json = ask2, spec: Json = twoHops()) {
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, spec }));
  const answered = await ask(toolroll, body);
  return { ...answered, events: eventsOf(answered.text), upstream, toolroll };
}

function numbersOf(events: readonly SentEvent[]): unknown[] {
  return events.map(({ data }) => data['sequence_number']);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Every `[output_index, item id]` that the events of a stream give. */
function placesOf(events: readonly SentEvent[]): [unknown, unknown][] {
  return events
    .filter(({ data }) => 'item' in data || 'item_id' in data)
    .map(({ data }) => [data['output_index'], data['item_id'] ?? field(data, 'item', 'id')]);
}

describe('two hops as one stream', () => {
  it('A1: gives one created, one terminal event and numbers from 0, and no trace of the menu', async () => {
    const { events, text, headers } = await run([
      sse(stream({ id: 'resp_1', items: [pick] })),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);

    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
    expect(numbersOf(events)).toEqual(upTo(events.length));
    expect(field(events[0]?.data, 'response', 'id')).toBe(field(terminalOf(events).data, 'response', 'id'));
    expect(placesOf(events).every(([place]) => place === 0)).toBe(true);
    expect(outputOf(events)).toEqual([answer]);
    expect(text).not.toMatch(/call_tool|resp_1/);
    expect(headers['x-toolroll-hops']).toBe('2');
  });

  it("passes the second hop's bytes on as they are where nothing of it has to change", async () => {
    const second = stream({ id: 'resp_2', items: [reasoning(), answer] }).join('');
    const { text } = await run([sse(stream({ items: [reasoning(), pick] })), sse([second])], ask2, untouched);

    expect(text).toBe(second);
  });

  it('gives the echoed fields back as the app sent them, in every event that repeats them', async () => {
    const echo = {
      tools: [{ type: 'function', name: 'call_tool' }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    };
    const { events } = await run([
      sse(stream({ items: [pick], fields: echo })),
      sse(stream({ items: [answer], fields: { ...echo, tools: [tool('get_w')] } })),
    ]);

    const repeating = events.filter(({ data }) => 'response' in data);
    expect(repeating).toHaveLength(3);
    for (const { data } of repeating) expect(field(data, 'response', 'tools')).toEqual(tools());
  });

  it('forwards each event of the second hop while the upstream still holds the next one back', async () => {
    const rest = gate();
    const frames = stream({ id: 'resp_2', items: [message('It is sunny in Rome.')] });
    const first = frames.findIndex((frame) => frame.includes('output_text.delta')) + 1;
    const upstream = await started(
      startScript([
        sse(stream({ items: [pick] })),
        sse([...frames.slice(0, first), { until: rest.opened }, ...frames.slice(first)]),
      ]),
    );
    const toolroll = await started(startWith({ upstream, spec: untouched }));

    const open = openTurn(toolroll, ask2);
    await open.until((text) => text === frames.slice(0, first).join(''));
    rest.open();

    expect((await open.ended).text).toBe(frames.join(''));
  });

  it('starts the second hop as soon as the first has said its last word, though its connection stays open', async () => {
    const never = gate();
    const { events } = await run([
      sse([...stream({ items: [pick] }), { until: never.opened }]),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);
    never.open();

    expect(outputOf(events)).toEqual([answer]);
  });
});

describe('text before call_tool', () => {
  const before = message('Let me look that up.', { id: 'msg_before' });
  const first = stream({ id: 'resp_1', items: [before, pick] });
  const after = message('It is sunny.', { id: 'msg_after' });
  const second = stream({ id: 'resp_2', items: [answer, after] });

  it('joins both hops under one id, with numbers without gaps and an output that fits the events', async () => {
    const { events, text } = await run([sse(first), sse(second)]);

    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
    expect(numbersOf(events)).toEqual(upTo(events.length));
    expect(field(terminalOf(events).data, 'response', 'id')).toBe('resp_1');
    expect(outputOf(events)).toEqual([before, answer, after]);
    expect(new Set(placesOf(events).map(([place, id]) => `${String(place)} ${String(id)}`))).toEqual(
      new Set(['0 msg_before', '1 fc_get_w', '2 msg_after']),
    );
    expect(textOf(events)).toBe('Let me look that up.It is sunny.');
    expect(text).not.toContain('call_tool');
  });

  it('is streamed while the first hop still goes on', async () => {
    const rest = gate();
    const cutAt = first.findIndex((frame) => frame.includes('output_text.delta')) + 1;
    const upstream = await started(
      startScript([
        sse([...first.slice(0, cutAt), { until: rest.opened }, ...first.slice(cutAt)]),
        sse(second),
      ]),
    );
    const toolroll = await started(startWith({ upstream }));

    const open = openTurn(toolroll, ask2);
    await open.until((text) => text.includes('output_text.delta'));
    expect(upstream.requests).toHaveLength(1);
    rest.open();

    expect(outputOf(eventsOf((await open.ended).text))).toEqual([before, answer, after]);
  });

  it('is kept in a JSON answer too', async () => {
    const upstream = await started(
      startScript([
        json(response({ id: 'resp_1', items: [before, pick] })),
        json(response({ id: 'resp_2', items: [answer] })),
      ]),
    );
    const toolroll = await started(startWith({ upstream }));

    const body = (await ask(toolroll, turn())).json();

    expect(items(body, 'output')).toEqual([before, answer]);
  });

  it('joins three hops where the second has text and another pick', async () => {
    const again = call('send_mail', { to: 'x' }, { id: 'fc_named' });
    const { events } = await run([
      sse(first),
      sse(stream({ id: 'resp_2', items: [message('One more.', { id: 'msg_2' }), again] })),
      sse(stream({ id: 'resp_3', items: [after] })),
    ]);

    expect(outputOf(events)).toEqual([before, message('One more.', { id: 'msg_2' }), after]);
    expect(numbersOf(events)).toEqual(upTo(events.length));
    expect(placesOf(events).map(([place]) => place)).toEqual(
      placesOf(events)
        .map(([place]) => place)
        .sort(),
    );
  });
});

describe('reasoning of the first hop', () => {
  it('stays inside with a pick', async () => {
    const { text } = await run([
      sse(stream({ items: [reasoning('rs_hidden'), pick] })),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);

    expect(text).not.toContain('rs_hidden');
  });

  it('is released with a call that the app gets, since one cannot be replayed without the other', async () => {
    const pinned = call('send_mail', { city: 'x' });
    const { events } = await run(
      [sse(stream({ items: [reasoning(), pick, pinned] })), sse(stream({ id: 'resp_2', items: [answer] }))],
      ask2,
      twoHops({ pinned: ['send_mail'] }),
    );

    expect(outputOf(events)).toEqual([reasoning(), pinned, answer]);
    expect(numbersOf(events)).toEqual(upTo(events.length));
    expect(new Set(placesOf(events).map(([place]) => place))).toEqual(new Set([0, 1, 2]));
  });

  it('is all that the app gets where it is all there is', async () => {
    const { events } = await run([sse(stream({ items: [reasoning()] }))]);

    expect(outputOf(events)).toEqual([reasoning()]);
  });
});

describe('what a stream holds beside items', () => {
  const extra = [
    ': from the upstream\n\n',
    'event: response.weather\ndata: {"type":"response.weather","wind":1.0}\n\n',
    'retry: 5000\n\n',
    'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
  ];

  it('is forwarded: unknown events, comments, retry times, and [DONE] where the upstream sends it', async () => {
    const frames = stream({ id: 'resp_2', items: [answer] });
    const second = [...frames.slice(0, 2), ...extra, ...frames.slice(2), 'data: [DONE]\n\n'].join('');
    const { text } = await run([sse(stream({ items: [pick] })), sse([second])], ask2, untouched);

    expect(text).toBe(second);
  });

  it('is forwarded too where the streams are joined, and [DONE] comes once', async () => {
    const first = stream({ items: [message('Hm.'), pick] });
    const second = stream({ id: 'resp_2', items: [answer] });
    const { text, events } = await run([
      sse([...first, 'data: [DONE]\n\n']),
      sse([...second.slice(0, 2), ...extra, ...second.slice(2), 'data: [DONE]\n\n']),
    ]);

    expect(text).toContain(': from the upstream\n\n');
    expect(text).toContain('"wind":1.0');
    expect(text.match(/\[DONE\]/g)).toHaveLength(1);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const numbered = events.filter(({ data }) => 'sequence_number' in data);
    expect(numbersOf(numbered)).toEqual(
      upTo(numbered.length + 1).filter((number) => number !== unnumbered(events)),
    );
  });

  /** The place of the one event that came without a number. */
  function unnumbered(events: readonly SentEvent[]): number {
    return events.findIndex(({ data }) => !('sequence_number' in data));
  }
});

describe('keepalive comments', () => {
  it('come while the first hop is silent, between whole events only, and commit the status', async () => {
    const later = gate();
    const frames = stream({ id: 'resp_2', items: [message('It is sunny.')] });
    const halves = frames.flatMap((frame): Step[] => [frame.slice(0, 20), { pauseMs: 15 }, frame.slice(20)]);
    const upstream = await started(
      startScript([
        sse([
          ...stream({ items: [pick] }).slice(0, 3),
          { until: later.opened },
          ...stream({ items: [pick] }).slice(3),
        ]),
        sse(halves),
      ]),
    );
    const toolroll = await started(
      startWith({ upstream, spec: untouched, options: { keepaliveSeconds: 0.01 } }),
    );

    const open = openTurn(toolroll, ask2);
    await open.until((text) => text.split(': keepalive\n\n').length > 3);
    expect((await open.head).statusCode).toBe(200);
    later.open();
    const { text } = await open.ended;

    expect(text.replaceAll(': keepalive\n\n', '')).toBe(frames.join(''));
    expect(text.lastIndexOf(': keepalive')).toBeGreaterThan(text.indexOf('event:'));
  });

  it('never enter an answer that is not a stream, though a hop before it was one', async () => {
    const later = gate();
    const body = JSON.stringify(response({ items: [answer] }));
    const upstream = await started(
      startScript([
        sse(stream({ items: [pick] })),
        {
          headers: { 'content-type': 'application/json' },
          steps: [body.slice(0, 9), { until: later.opened }, body.slice(9)],
        },
      ]),
    );
    const toolroll = await started(startWith({ upstream, options: { keepaliveSeconds: 3 } }));

    const open = openTurn(toolroll, ask2);
    await upstream.received(2);
    later.open();

    expect((await open.ended).json()).toMatchObject({ output: [answer] });
  });

  it('never enter the body of an error that comes after a silent hop', async () => {
    const later = gate();
    const error = '{"error":{"message":"over capacity","type":"server_error","param":null,"code":null}}';
    const upstream = await started(
      startScript([
        sse(stream({ items: [pick] })),
        {
          status: 503,
          headers: { 'content-type': 'application/json' },
          steps: [error.slice(0, 9), { until: later.opened }, error.slice(9)],
        },
      ]),
    );
    const toolroll = await started(startWith({ upstream, options: { keepaliveSeconds: 0.2 } }));

    const open = openTurn(toolroll, ask2);
    await open.until((text) => text !== '');
    setTimeout(later.open, 500);

    expect((await open.ended).text).toBe(error);
  });
});

describe('streams that are not quite as they should be', () => {
  const styles: Record<string, Style> = {
    'CRLF line ends': { lineEnd: '\r\n' },
    'CR line ends': { lineEnd: '\r' },
    'no event: lines': { noEventLines: true },
    'no output_index': { without: ['output_index'] },
    'no sequence_number': { without: ['sequence_number'] },
    'none of the three numbers': { without: ['output_index', 'sequence_number', 'content_index'] },
    'another id in every event': { bend: rotateIds },
  };

  /** As LiteLLM does it: no event of an item names it as another did. */
  function rotateIds(data: Json, index: number): Json {
    const suffix = `_${String(index)}`;
    const item =
      'item' in data ? { item: { ...items({ a: [data['item']] }, 'a')[0], id: `it${suffix}` } } : {};
    return { ...data, ...item, ...('item_id' in data ? { item_id: `it${suffix}` } : {}) };
  }

  describe.each(Object.entries(styles))('%s', (_, style) => {
    const wanted = [message('Let me see.'), answer];

    it('A5: a pick is found and nothing of the text and the arguments is lost', async () => {
      const { events, text } = await run([
        sse(stream({ items: [reasoning(), message('Let me see.'), pick], style })),
        sse(stream({ id: 'resp_2', items: [answer], style })),
      ]);

      expect(text).not.toContain('call_tool');
      const output = outputOf(events).map(({ id, ...rest }) => ({ ...rest, known: typeof id }));
      expect(output).toEqual(
        [reasoning(), ...wanted].map(({ id, ...rest }) => ({ ...rest, known: typeof id })),
      );
      expect(textOf(events)).toBe('Let me see.');
      const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
      expect(deltas.map(({ data }) => data['delta']).join('')).toBe(answer['arguments']);
    });

    it('A5: gives one id and one index to each item once events are rewritten', async () => {
      const { events } = await run([
        sse(stream({ items: [message('Let me see.'), pick], style })),
        sse(stream({ id: 'resp_2', items: [answer], style })),
      ]);

      const ids = new Map<unknown, Set<unknown>>();
      for (const [place, id] of placesOf(events.filter(({ data }) => data['output_index'] !== undefined))) {
        ids.set(place, (ids.get(place) ?? new Set()).add(id));
      }
      const ofSecond = ids.get(1);
      expect(ofSecond?.size).toBe(1);
      expect([...(ofSecond ?? [])][0]).toBe(outputOf(events)[1]?.['id']);
    });
  });

  it('two items under one output_index are both seen', async () => {
    const collide = (data: Json): Json => ('output_index' in data ? { ...data, output_index: 0 } : data);
    const { events, text } = await run([
      sse(stream({ items: [message('Let me see.'), pick], style: { bend: collide } })),
      sse(stream({ id: 'resp_2', items: [answer], style: { bend: collide } })),
    ]);

    expect(outputOf(events)).toEqual([message('Let me see.'), answer]);
    expect(text).not.toContain('call_tool');
  });

  it('a call that only the last event knows is a call', async () => {
    const [created = '', , ...rest] = stream({ items: [pick] });
    const { events, text } = await run([
      sse([created, rest.at(-1) ?? '']),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);

    expect(text).not.toContain('call_tool');
    expect(outputOf(events)).toEqual([answer]);
  });

  it.each([
    ['the last event has it', [pick]],
    ['only its deltas tell', []],
  ])('a call without done events is read to its end: %s', async (_, output) => {
    const opened = stream({ items: [pick] }).filter((frame) => !frame.includes('.done"'));
    const last = restyle([{ type: 'response.completed', response: response({ items: output }) }]);
    const { events } = await run([
      sse([...opened.slice(0, -1), ...last]),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);

    expect(outputOf(events)).toEqual([answer]);
  });

  it('an item that is shown and never closed has its place in the output', async () => {
    const first = stream({ items: [message('Let me see.'), pick] }).filter(
      (frame) => !frame.includes('item.done'),
    );
    const { events } = await run([sse(first), sse(stream({ id: 'resp_2', items: [answer] }))]);

    expect(outputOf(events)).toEqual([message('Let me see.'), answer]);
    expect(placesOf(events).at(-1)).toEqual([1, answer['id']]);
  });

  it('a call that is named only when it is whole is a pick', async () => {
    const bend = (data: Json): Json =>
      data['type'] === 'response.output_item.added'
        ? { ...data, item: { ...pick, name: '', arguments: '' } }
        : data;
    const { events, text, upstream } = await run([
      sse(stream({ items: [pick], style: { bend } })),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ]);

    expect(upstream.requests).toHaveLength(2);
    expect(outputOf(events)).toEqual([answer]);
    expect(text).not.toContain('call_tool');
  });

  it('characters that end lines elsewhere but not here hide no event', async () => {
    const odd = call('call_tool', '{"names":["get_w"],"why":"\u2028\u2029\u0085"}');
    const { events } = await run([
      sse(stream({ items: [odd] }).map((frame) => frame.replaceAll(': {', ':  {'))),
      sse(stream({ id: 'resp_2', items: [message('a\u2028b')] })),
    ]);

    expect(outputOf(events)).toEqual([message('a\u2028b')]);
  });

  it('a last event without its blank line ends the stream well', async () => {
    const frames = stream({ id: 'resp_2', items: [answer] });
    const last = frames.pop() ?? '';
    const { events, whole } = await run([sse(stream({ items: [pick] })), sse([...frames, last.trimEnd()])]);

    expect(whole).toBe(true);
    expect(outputOf(events)).toEqual([answer]);
  });
});

describe('answers in another shape than asked for', () => {
  it('JSON to a turn that asked for a stream is read and comes back as JSON', async () => {
    const { headers, text } = await run([
      json(response({ items: [pick] })),
      json(response({ id: 'resp_2', items: [answer] })),
    ]);

    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({ id: 'resp_2', output: [answer] });
  });

  it('a stream to a turn that asked for JSON is read and comes back as a stream', async () => {
    const { events } = await run(
      [sse(stream({ items: [pick] })), sse(stream({ id: 'resp_2', items: [answer] }))],
      turn(),
    );

    expect(outputOf(events)).toEqual([answer]);
  });

  it.each([
    [
      'JSON, then a stream',
      json(response({ items: [pick] })),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ],
    [
      'a stream, then JSON',
      sse(stream({ items: [pick] })),
      json(response({ id: 'resp_2', items: [answer] })),
    ],
  ])('%s: the app gets the last one', async (_, first, second) => {
    const { status, text } = await run([first, second]);

    expect(status).toBe(200);
    expect(text).toContain('"get_w"');
    expect(text).not.toContain('call_tool');
    expect(text).toContain('"total_tokens":220');
  });

  it('JSON after text has been streamed fails inside the stream', async () => {
    const { events } = await run([
      sse(stream({ items: [message('Hm.'), pick] })),
      json(response({ id: 'resp_2', items: [answer] })),
    ]);

    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
    expect(field(terminalOf(events).data, 'response', 'error', 'code')).toBe('upstream_malformed');
  });
});

describe('content codings', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('%s answers are read, JSON and streams', async (encoding, encode) => {
    const coded = (text: string, type: string): Answer => ({
      headers: { 'content-type': type, 'content-encoding': encoding },
      steps: [encode(text)],
    });
    const bodies = [response({ items: [pick] }), response({ id: 'resp_2', items: [answer] })];
    const asJson = await run(
      bodies.map((body) => coded(JSON.stringify(body), 'application/json')),
      turn(),
    );
    const streams = [stream({ items: [pick] }), stream({ id: 'resp_2', items: [answer] })];
    const asStream = await run(streams.map((frames) => coded(frames.join(''), 'text/event-stream')));

    expect(asJson.json()).toMatchObject({ output: [answer] });
    expect(asJson.headers['content-encoding']).toBeUndefined();
    expect(outputOf(asStream.events)).toEqual([answer]);
  });

  it('a coding that cannot be undone is a 502, since a menu could stand in it', async () => {
    const { status, text } = await run([sse(['x'], { headers: { 'content-encoding': 'snappy' } })]);

    expect(status).toBe(502);
    expect(field(JSON.parse(text), 'error', 'code')).toBe('upstream_malformed');
  });
});

describe('names in what comes back', () => {
  it('a namespace that only repeats the name is taken out, in every event', async () => {
    const repeated = { ...answer, namespace: 'get_w' };
    const { events, text } = await run([
      sse(stream({ items: [pick] })),
      sse(stream({ id: 'resp_2', items: [repeated] })),
    ]);

    expect(text).not.toContain('namespace');
    expect(outputOf(events)).toEqual([answer]);
  });

  it("an app's own namespace stays", async () => {
    const named = tool('lookup');
    const namespace = { type: 'namespace', name: 'mcp__gh', description: 'GitHub', tools: [named] };
    const found = call('lookup', { city: 'x' }, { namespace: 'mcp__gh' });
    const { events, upstream } = await run(
      [
        sse(stream({ items: [call('call_tool', { names: ['mcp__gh.lookup'] })] })),
        sse(stream({ id: 'resp_2', items: [found] })),
      ],
      turn({ stream: true, tools: tools(namespace) }),
    );

    expect(items(upstream.requests[1]?.body, 'tools')).toEqual([namespace]);
    expect(outputOf(events)).toEqual([found]);
  });

  it('a renamed tool comes back under its own name, in every event', async () => {
    const theirs = call('weather_lookup', { city: 'Rome' });
    const done = (data: Json): Json =>
      data['type'] === 'response.function_call_arguments.done' ? { ...data, name: 'weather_lookup' } : data;
    const { events, text } = await run(
      [
        sse(stream({ items: [call('call_tool', { names: ['weather_lookup'] })] })),
        sse(stream({ id: 'resp_2', items: [theirs], style: { bend: done } })),
      ],
      ask2,
      twoHops({}, { tools: [{ rename: { from: 'get_w', to: 'weather_lookup' } }] }),
    );

    expect(text.replaceAll('_weather_lookup', '')).not.toContain('weather_lookup');
    expect(outputOf(events)).toEqual([{ ...theirs, name: 'get_w' }]);
    const ended = events.find(({ type }) => type === 'response.function_call_arguments.done');
    expect(ended?.data['name']).toBe('get_w');
  });
});
