import {
  ask,
  call,
  closing,
  eventsOf,
  field,
  items,
  json,
  message,
  outputOf,
  response,
  sse,
  startScript,
  startWith,
  stream,
  tool,
  tools,
  turn,
  twoHops,
} from './support/index.ts';
import type { Answer, Json, Received } from './support/index.ts';

const started = closing();

const ALL = ['get_w', 'send_mail', 'find_file', 'add_event', 'play_song'];
const answer = call('get_w', { city: 'Rome' });

function picking(...names: readonly string[]): Json {
  return call('call_tool', { names }, { id: `fc_pick_${names.join('_')}` });
}

/** What the upstream answers, hop by hop, as the items of each answer. */
type Hops = readonly (readonly Json[])[];

interface Ran {
  readonly status: number;
  readonly text: string;
  readonly output: readonly Json[];
  readonly requests: readonly Received[];
  /** Names of the tools that each hop showed. */
  readonly shown: readonly unknown[][];
  metric(start: string): Promise<number>;
}

type Format = 'JSON' | 'stream';

async function run(format: Format, hops: Hops, selection: Json = {}, fields: Json = {}): Promise<Ran> {
  const script = hops.map((output, index): Answer => {
    const parts = { id: `resp_${String(index + 1)}`, items: output };
    return format === 'JSON' ? json(response(parts)) : sse(stream(parts));
  });
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, spec: twoHops(selection) }));
  const { status, text } = await ask(
    toolroll,
    turn({ ...(format === 'stream' ? { stream: true } : {}), ...fields }),
  );
  const { requests } = upstream;
  return {
    status,
    text,
    output: status === 200 ? outputFrom(format, text) : [],
    requests,
    shown: requests.map(({ body }) => items(body, 'tools').map(({ name }) => name)),
    metric: toolroll.metric,
  };
}

function outputFrom(format: Format, text: string): Json[] {
  return format === 'JSON' ? items(JSON.parse(text), 'output') : outputOf(eventsOf(text));
}

/** The outputs that a hop's input carries, by call. */
function outputsIn({ body }: Received): Json[] {
  return items(body, 'input').filter(({ type }) => type === 'function_call_output');
}

describe.each<Format>(['JSON', 'stream'])('picks in a %s turn', (format) => {
  it('of several tools are revealed together, in the order of the app and each once', async () => {
    const { shown, output } = await run(format, [[picking('play_song', 'get_w', 'get_w')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w', 'play_song']]);
    expect(output).toEqual([answer]);
  });

  it('in two calls of call_tool are revealed in one hop', async () => {
    const { shown, output } = await run(format, [[picking('get_w'), picking('find_file')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w', 'find_file']]);
    expect(output).toEqual([answer]);
  });

  it('with an unknown name beside a known one reveal the known one', async () => {
    const { shown } = await run(format, [[picking('get_wether', 'get_w')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w']]);
  });

  it('that name nothing known are answered with the closest names and asked again', async () => {
    const wrong = picking('get_weather');
    const { shown, requests, output, text } = await run(format, [[wrong], [picking('get_w')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['call_tool'], ['get_w']]);
    const [, second] = requests;
    expect(items(second?.body, 'input').slice(0, 2)).toEqual([
      { role: 'user', content: 'How is the weather in Rome?' },
      wrong,
    ]);
    const [told] = outputsIn(second!);
    expect(told?.['call_id']).toBe(wrong['call_id']);
    expect(told?.['output']).toMatch(/no tool "get_weather"\. The closest names: get_w,/);
    expect(field(requests[2]?.body, 'input')).toBe('How is the weather in Rome?');
    expect(output).toEqual([answer]);
    expect(text).not.toContain('call_tool');
  });

  it('that name nothing known are asked for at most maxRounds times, then all tools are shown', async () => {
    const { shown, output, metric } = await run(format, [[picking('a')], [picking('b')], [answer]], {
      maxRounds: 2,
    });

    expect(shown).toEqual([['call_tool'], ['call_tool'], ALL]);
    expect(output).toEqual([answer]);
    expect(await metric('toolroll_fallbacks_total{reason="rounds_exhausted"}')).toBe(1);
  });

  it('that name nothing known are a 422 where the rules want that', async () => {
    const { status, text, requests } = await run(format, [[picking('a')], [picking('b')]], {
      maxRounds: 2,
      onExhausted: { error: 422 },
    });

    expect(status).toBe(422);
    expect(requests).toHaveLength(2);
    expect(JSON.parse(text)).toEqual({
      error: {
        message: 'The model named no known tool in 2 rounds of selection.',
        type: 'invalid_request_error',
        param: null,
        code: 'selection_exhausted',
      },
    });
  });

  it.each([
    ['cut off', '{"names":["get_w"'],
    ['empty', ''],
    ['of another shape', '{"name":"get_w"}'],
    ['a list', '["get_w"]'],
    ['nested deep', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['for a prototype', '{"__proto__":{"names":["get_w"]}}'],
    ['names of other types', '{"names":[1,null,{}]}'],
    ['no names', '{"names":[]}'],
  ])('E6: with arguments that are %s are asked again, never guessed', async (_, args) => {
    const bad = call('call_tool', args, { id: 'fc_bad' });
    const { shown, output } = await run(format, [[bad], [picking('get_w')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['call_tool'], ['get_w']]);
    expect(output).toEqual([answer]);
  });

  it('with a single name in place of the list are understood', async () => {
    const { shown } = await run(format, [[call('call_tool', { names: 'get_w' })], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w']]);
  });

  it('whose arguments are an object in place of a text are understood', async () => {
    const { shown } = await run(format, [[{ ...picking(), arguments: { names: ['get_w'] } }], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w']]);
  });

  it('E6: by calling a tool that was only named reveal it, and the guessed arguments are thrown away', async () => {
    const guessed = call('get_w', { where: 'GUESSED' }, { id: 'fc_guess' });
    const { shown, output, text, requests } = await run(format, [[guessed], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w']]);
    expect(output).toEqual([answer]);
    expect(text).not.toContain('GUESSED');
    expect(requests[1]?.bodyText).not.toContain('GUESSED');
  });

  it('again after a reveal reveal more, and the first stay', async () => {
    const { shown, output } = await run(format, [[picking('get_w')], [picking('send_mail')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w'], ['get_w', 'send_mail']]);
    expect(output).toEqual([answer]);
  });

  it('E6: of the same tool again after its reveal end in all tools, not in a loop', async () => {
    const { shown, output, metric } = await run(format, [[picking('get_w')], [picking('get_w')], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w'], ALL]);
    expect(output).toEqual([answer]);
    expect(await metric('toolroll_fallbacks_total{reason="picked_again"}')).toBe(1);
  });
});

describe.each<Format>(['JSON', 'stream'])('calls of names that nobody offered, in a %s turn', (format) => {
  const invented = call('teleport', { to: 'Rome' });

  it('are asked once more with all tools shown, and counted', async () => {
    const { shown, output, text, metric } = await run(format, [[picking('get_w')], [invented], [answer]]);

    expect(shown).toEqual([['call_tool'], ['get_w'], ALL]);
    expect(output).toEqual([answer]);
    expect(text).not.toContain('teleport');
    expect(await metric('toolroll_fallbacks_total{reason="unknown_call"}')).toBe(1);
  });

  it('in the first hop as well', async () => {
    const { shown, output } = await run(format, [[invented], [answer]]);

    expect(shown).toEqual([['call_tool'], ALL]);
    expect(output).toEqual([answer]);
  });

  it('with all tools shown are the app’s to answer, as without us', async () => {
    const { shown, output, status } = await run(format, [[invented], [invented]]);

    expect(shown).toHaveLength(2);
    expect(status).toBe(200);
    expect(output).toEqual([invented]);
  });

  it('never reach a denied tool', async () => {
    const upstream = await started(
      startScript((_, index) => json(response({ items: [index === 0 ? picking('send_mail') : answer] }))),
    );
    const spec = twoHops({ maxRounds: 1 }, { tools: [{ filter: { deny: ['send_mail'] } }] });
    const toolroll = await started(startWith({ upstream, spec }));

    await ask(toolroll, turn());

    expect(upstream.requests.map(({ bodyText }) => bodyText.includes('send_mail'))).toEqual([false, false]);
  });
});

describe.each<Format>(['JSON', 'stream'])('real calls beside call_tool, in a %s turn', (format) => {
  const pinned = call('send_mail', { city: 'x' });
  const selection = { pinned: ['send_mail'] };

  it("are kept and come before the next hop's", async () => {
    const { output, shown } = await run(format, [[pinned, picking('get_w')], [answer]], selection);

    expect(shown).toEqual([
      ['call_tool', 'send_mail'],
      ['get_w', 'send_mail'],
    ]);
    expect(output).toEqual([pinned, answer]);
  });

  it('are kept where they stand behind it', async () => {
    const { output } = await run(format, [[picking('get_w'), pinned], [answer]], selection);

    expect(output).toEqual([pinned, answer]);
  });

  it('are given once where the next hop makes them again', async () => {
    const again = { ...pinned, id: 'fc_again', call_id: 'call_again' };
    const { output } = await run(
      format,
      [
        [pinned, picking('get_w')],
        [again, answer],
      ],
      selection,
    );

    expect(output).toEqual([pinned, answer]);
  });

  it('are given both where the next hop calls the tool with other arguments', async () => {
    const other = call('send_mail', { city: 'y' }, { id: 'fc_other' });
    const { output } = await run(
      format,
      [
        [pinned, picking('get_w')],
        [other, answer],
      ],
      selection,
    );

    expect(output).toEqual([pinned, other, answer]);
  });

  it('B4: are the answer where the app wants one call at a time', async () => {
    const { output, shown } = await run(format, [[pinned, picking('get_w')]], selection, {
      parallel_tool_calls: false,
    });

    expect(shown).toHaveLength(1);
    expect(output).toEqual([pinned]);
  });
});

describe.each<Format>(['JSON', 'stream'])('acceptUnseenCalls in a %s turn', (format) => {
  const accepting = { acceptUnseenCalls: true };

  it('takes a call whose arguments fit the schema as the answer', async () => {
    const { output, shown } = await run(format, [[answer]], accepting);

    expect(shown).toHaveLength(1);
    expect(output).toEqual([answer]);
  });

  it('takes one that does not fit as a pick', async () => {
    const guessed = call('get_w', { where: 'Rome' }, { id: 'fc_guess' });
    const { output, shown } = await run(format, [[guessed], [answer]], accepting);

    expect(shown).toEqual([['call_tool'], ['get_w']]);
    expect(output).toEqual([answer]);
  });

  it('takes the one that fits and reveals the one that does not', async () => {
    const guessed = call('send_mail', { to: 'x' });
    const second = call('send_mail', { city: 'x' }, { id: 'fc_2' });
    const { output, shown } = await run(format, [[guessed, answer], [second]], accepting);

    expect(shown).toEqual([['call_tool'], ['send_mail']]);
    expect(output).toEqual([answer, second]);
  });

  it('takes a call of a tool with a schema that cannot be read as a pick', async () => {
    const odd = tool('now', { parameters: { type: 'object', $ref: '#/nowhere' } });
    const { shown } = await run(format, [[call('now', {})], [message('Noon.')]], accepting, {
      tools: tools(odd),
    });

    expect(shown).toEqual([['call_tool'], ['now']]);
  });
});

describe.each<Format>(['JSON', 'stream'])('a first hop that needs no tool, in a %s turn', (format) => {
  it('is the answer', async () => {
    const { output, requests } = await run(format, [[message('Hello.')]]);

    expect(requests).toHaveLength(1);
    expect(output).toEqual([message('Hello.')]);
  });

  it('is the answer too where it says nothing at all', async () => {
    const { output, requests } = await run(format, [[]]);

    expect(requests).toHaveLength(1);
    expect(output).toEqual([]);
  });
});

it('B7: a custom tool is picked like any other, shown verbatim, and its raw input comes back unchanged', async () => {
  const patch = {
    type: 'custom',
    name: 'patch',
    description: 'Applies a patch.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/s' },
  };
  const raw = {
    type: 'custom_tool_call',
    id: 'ctc_1',
    call_id: 'call_1',
    name: 'patch',
    input: '*** "a"\n+é\\n',
  };
  const { output, requests, text } = await run(
    'stream',
    [[picking('patch')], [raw]],
    {},
    { tools: tools(patch) },
  );

  expect(field(requests[1]?.body, 'tools')).toEqual([patch]);
  expect(output).toEqual([raw]);
  const deltas = eventsOf(text).filter(({ type }) => type === 'response.custom_tool_call_input.delta');
  expect(deltas.map(({ data }) => data['delta']).join('')).toBe(raw.input);
});
