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
  reasoning,
  response,
  restyle,
  sse,
  startScript,
  startWith,
  stream,
  turn,
  twoHops,
} from './support/index.ts';
import type { Answer, Json, Received } from './support/index.ts';

const started = closing();

const pick = call('call_tool', { names: ['get_w'] }, { id: 'fc_1' });
const answer = call('get_w', { city: 'Rome' }, { id: 'fc_2' });
const carrying = twoHops({ carry: 'picks' });
const question = { role: 'user', content: 'How is the weather in Rome?' };

async function run(script: readonly Answer[], body: Json, spec: Json = carrying) {
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, spec }));
  return { ...(await ask(toolroll, body)), upstream, toolroll };
}

function inputOf(request: Received | undefined): Json[] {
  return items(request?.body, 'input');
}

/** The API's rule: a call needs the reasoning that led to it, and the reverse. */
function rejectUnpaired({ body }: Received, then: Answer): Answer {
  const list: unknown = field(body, 'input');
  const input = Array.isArray(list) ? items(body, 'input') : [];
  const calls = input.filter(({ type }) => type === 'function_call').length;
  const thoughts = input.filter(({ type }) => type === 'reasoning').length;
  const outputs = input.filter(({ type }) => type === 'function_call_output').length;
  const isPaired = calls === thoughts && calls === outputs;
  const error = {
    message: 'function_call was provided without its required reasoning item',
    type: 'invalid_request_error',
  };
  return isPaired ? then : json({ error: { ...error, param: 'input', code: null } }, { status: 400 });
}

describe.each(['JSON', 'stream'])('C1: hop 2 of a %s turn', (format) => {
  const asStream = format === 'stream';
  const body = turn(asStream ? { stream: true } : {});
  const hop = (output: readonly Json[], id: string): Answer =>
    asStream ? sse(stream({ id, items: output })) : json(response({ id, items: output }));
  const script = [hop([reasoning('rs_1'), pick], 'resp_1'), hop([reasoning('rs_2'), answer], 'resp_2')];

  it('clean: has nothing of hop 1', async () => {
    const { upstream } = await run(script, body, twoHops());

    expect(field(upstream.requests[1]?.body, 'input')).toBe('How is the weather in Rome?');
    expect(upstream.requests[1]?.bodyText).not.toMatch(/rs_1|fc_1|call_tool/);
  });

  it('carry: picks: has the reasoning, the call and its output, in order and unmodified', async () => {
    const { upstream } = await run(script, body);

    const input = inputOf(upstream.requests[1]);
    expect(input.slice(0, 3)).toEqual([question, reasoning('rs_1'), pick]);
    expect(input[3]).toMatchObject({ type: 'function_call_output', call_id: pick['call_id'] });
    expect(input[3]?.['output']).toMatch(/^The tools are shown to you now: get_w\./);
    expect(input).toHaveLength(4);
  });

  it("the next turn, which replays what the app got, is accepted by an upstream that wants each call's reasoning", async () => {
    const upstream = await started(
      startScript((request, index) => rejectUnpaired(request, script[index % 2]!)),
    );
    const toolroll = await started(startWith({ upstream, spec: twoHops() }));

    const first = await ask(toolroll, body);
    const output = asStream ? outputOf(eventsOf(first.text)) : items(first.json(), 'output');
    const result = { type: 'function_call_output', call_id: answer['call_id'], output: 'sunny' };
    const second = await ask(toolroll, { ...body, input: [question, ...output, result] });

    expect(output).toEqual([reasoning('rs_2'), answer]);
    expect(second.status).toBe(200);
  });
});

it('a hop asked again carries both earlier answers, in order', async () => {
  const wrong = call('call_tool', { names: ['nope'] }, { id: 'fc_0' });
  const { upstream } = await run(
    [
      json(response({ items: [reasoning('rs_0'), wrong] })),
      json(response({ items: [reasoning('rs_1'), pick] })),
      json(response({ items: [answer] })),
    ],
    turn(),
  );

  const third = inputOf(upstream.requests[2]).map(({ type, id, call_id: callId }) => id ?? callId ?? type);
  expect(third).toEqual([undefined, 'rs_0', 'fc_0', 'call_0', 'rs_1', 'fc_1', 'call_1']);
});

it('A6: items that end in another order than they began are carried in the order of their places', async () => {
  const thought = reasoning('rs_1', { encrypted_content: 'gAAAA+/=\\u00e9' });
  const frames = stream({ id: 'resp_1', items: [thought, pick] });
  const [done] = frames.splice(3, 1);
  const interleaved = [...frames.slice(0, -1), done ?? '', frames.at(-1) ?? ''];
  expect(
    eventsOf(interleaved.join(''))
      .filter(({ type }) => type.startsWith('response.output_item'))
      .map(({ type, data }) => `${type.slice(21)} ${String(data['output_index'])}`),
  ).toEqual(['added 0', 'added 1', 'done 1', 'done 0']);
  const { upstream } = await run(
    [sse(interleaved), sse(stream({ id: 'resp_2', items: [answer] }))],
    turn({ stream: true }),
  );

  expect(inputOf(upstream.requests[1]).slice(1, 3)).toEqual([thought, pick]);
  expect(upstream.requests[1]?.bodyText).toContain(JSON.stringify(thought));
});

it('a carried item keeps every character of its text: numbers, escapes, spaces', async () => {
  const text =
    '{"type":"reasoning", "id":"rs_1","summary":[ ],"n":12345678901234567890,"x":1.0,"e":"\\u00e9"}';
  const body = `{"id":"resp_1","status":"completed","output":[${text},${JSON.stringify(pick)}]}`;
  const { upstream } = await run([json(body), json(response({ items: [answer] }))], turn());

  expect(upstream.requests[1]?.bodyText).toContain(text);
});

describe('C2: reasoning with store: false', () => {
  const blob = 'gAAAAABn+encrypted/blob==';
  const thought = reasoning('rs_1', { encrypted_content: blob });
  const script = [
    json(response({ items: [thought, pick] })),
    json(response({ id: 'resp_2', items: [answer] })),
  ];

  it('keeps the blob byte for byte, the include and the store, in both hops', async () => {
    const body = turn({
      store: false,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    });
    const { upstream, status } = await run(script, body);

    expect(status).toBe(200);
    expect(upstream.requests[1]?.bodyText).toContain(`"encrypted_content":"${blob}"`);
    for (const request of upstream.requests) {
      expect(request.body).toMatchObject({ store: false, include: body['include'] });
      expect(request.bodyText).not.toContain('previous_response_id');
    }
  });

  it('asks for the blob in hop 1 alone where the app did not and hop 1 may be carried', async () => {
    const body = turn({ store: false, reasoning: { effort: 'low' } });
    const { upstream } = await run(script, body);

    expect(upstream.requests.map((request) => field(request.body, 'include'))).toEqual([
      ['reasoning.encrypted_content'],
      undefined,
    ]);
  });

  it('passes the 400 of an upstream that takes no reasoning by id on as it came', async () => {
    const error =
      '{"error":{"message":"Item rs_1 not found","type":"invalid_request_error","param":"input","code":null}}';
    const { status, text } = await run([script[0]!, json(error, { status: 400 })], turn({ store: false }));

    expect(status).toBe(400);
    expect(text).toBe(error);
  });
});

/** Remembers answers by id, as the API does, and demands an output for every call of the one that is continued. */
function remembering(): (request: Received, index: number) => Answer {
  const known = new Map<string, Json[]>();
  return ({ body, bodyText }, index) => {
    const previous = field(body, 'previous_response_id');
    const before = typeof previous === 'string' ? known.get(previous) : [];
    if (before === undefined) return refusal('Previous response not found');
    const input: unknown = field(body, 'input');
    const given = Array.isArray(input) ? items(body, 'input').map((item) => item['call_id']) : [];
    const open = before
      .filter(({ type }) => type === 'function_call')
      .find((item) => !given.includes(item['call_id']));
    if (open !== undefined)
      return refusal(`No tool output found for function call ${String(open['call_id'])}.`);
    const id = `resp_${String(index)}`;
    const isAnswered = bodyText.includes('function_call_output');
    const output = isAnswered ? [message('Sunny.')] : [bodyText.includes('"call_tool"') ? pick : answer];
    known.set(id, output);
    const parts = { id, items: output };
    return field(body, 'stream') === true ? sse(stream(parts)) : json(response(parts));
  };
}

function refusal(text: string): Answer {
  return json(
    { error: { message: text, type: 'invalid_request_error', param: null, code: null } },
    { status: 400 },
  );
}

describe.each([false, true])('C3: continuing by previous_response_id, stream: %s', (isStream) => {
  async function twoTurns(callId: unknown) {
    const upstream = await started(startScript(remembering()));
    const toolroll = await started(startWith({ upstream, spec: twoHops() }));
    const first = await ask(toolroll, turn({ stream: isStream }));
    const got = isStream ? field(eventsOf(first.text).at(-1)?.data, 'response') : first.json();
    const input = [{ type: 'function_call_output', call_id: callId, output: 'ok' }];
    const second = await ask(
      toolroll,
      turn({ stream: isStream, previous_response_id: field(got, 'id'), input }),
    );
    return { first: got, second };
  }

  it('the id that the app got knows the call that the app got', async () => {
    const { first, second } = await twoTurns(answer['call_id']);

    expect(items(first, 'output')).toEqual([answer]);
    expect(second.status).toBe(200);
    expect(second.text).toContain('Sunny.');
  });

  it("an upstream's 400 arrives as 400, never as an empty stream", async () => {
    const { second } = await twoTurns('call_of_nobody');

    expect(second.status).toBe(400);
    expect(second.text).toContain('No tool output found');
  });
});

it('C4: both hops continue the same response, and the new message stands once in each', async () => {
  const { upstream } = await run(
    [
      sse(stream({ id: 'resp_1', items: [reasoning('rs_1'), pick] })),
      sse(stream({ id: 'resp_2', items: [answer] })),
    ],
    turn({ stream: true, previous_response_id: 'resp_0', input: [{ id: 'msg_u', ...question }] }),
  );

  for (const { body, bodyText } of upstream.requests) {
    expect(field(body, 'previous_response_id')).toBe('resp_0');
    for (const id of ['msg_u', 'rs_1', 'fc_1"', 'How is the weather']) {
      expect(bodyText.split(`"${id}`).length - 1).toBeLessThanOrEqual(1);
    }
    expect(bodyText.split('msg_u')).toHaveLength(2);
  }
});

it('reasoning summaries of the answer are streamed as they come', async () => {
  const summary = [
    {
      type: 'response.created',
      response: response({ id: 'resp_2', items: [], status: 'completed', usage: null }),
    },
    { type: 'response.output_item.added', output_index: 0, item: reasoning('rs_2') },
    {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_2',
      output_index: 0,
      summary_index: 0,
      delta: 'Rome.',
    },
    { type: 'response.output_item.done', output_index: 0, item: reasoning('rs_2') },
    { type: 'response.completed', response: response({ id: 'resp_2', items: [reasoning('rs_2')] }) },
  ];
  const second = restyle(summary).join('');
  const { text } = await run(
    [sse(stream({ items: [pick] })), sse([second])],
    turn({ stream: true }),
    twoHops({ usage: 'final' }),
  );

  expect(text).toBe(second);
});
