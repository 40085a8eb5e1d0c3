import {
  ask,
  call,
  closing,
  eventsOf,
  field,
  json,
  response,
  sse,
  startScript,
  startWith,
  stream,
  terminalOf,
  turn,
  twoHops,
  usage,
} from './support/index.ts';
import type { Answer, Json } from './support/index.ts';

const started = closing();

const first = usage(100, 10, { cached: 40, thought: 4 });
const second = usage(150, 20, { cached: 90, thought: 6 });
const sum = usage(250, 30, { cached: 130, thought: 10 });

async function run(format: string, counts: readonly (Json | null)[], selection: Json = {}) {
  const outputs = [call('call_tool', { names: ['get_w'] }), call('get_w', { city: 'Rome' })];
  const script = counts.map((count, index): Answer => {
    const parts = { items: [outputs[index]!], usage: count };
    return format === 'JSON' ? json(response(parts)) : sse(stream(parts));
  });
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, spec: twoHops(selection) }));
  const answered = await ask(toolroll, turn({ stream: format === 'stream' }));
  const told =
    format === 'JSON'
      ? field(answered.json(), 'usage')
      : field(terminalOf(eventsOf(answered.text)).data, 'response', 'usage');
  return { told, toolroll };
}

describe.each(['JSON', 'stream'])('G2: usage of a %s turn of two hops', (format) => {
  it('is the sum of both, in the answer, the metrics and the audit record', async () => {
    const { told, toolroll } = await run(format, [first, second]);

    expect(told).toEqual(sum);
    expect(await toolroll.metric('toolroll_input_tokens_total{model="other",kind="fresh"}')).toBe(120);
    expect(await toolroll.metric('toolroll_input_tokens_total{model="other",kind="cached"}')).toBe(130);
    expect(await toolroll.metric('toolroll_output_tokens_total{model="other"}')).toBe(30);
    expect(field(await toolroll.audit(), 'events', 0, 'tokens')).toMatchObject({
      input: 250,
      cached: 130,
      output: 30,
      estimated: false,
    });
  });

  it("is the second hop's where the first gave none, and the record says so", async () => {
    const { told, toolroll } = await run(format, [null, second]);

    expect(told).toEqual(second);
    expect(field(await toolroll.audit(), 'events', 0, 'tokens')).toMatchObject({
      input: 150,
      estimated: true,
    });
  });

  it("is the last hop's where the rules want that; the metrics count both", async () => {
    const { told, toolroll } = await run(format, [first, second], { usage: 'final' });

    expect(told).toEqual(second);
    expect(await toolroll.metric('toolroll_output_tokens_total{model="other"}')).toBe(30);
  });

  it('adds up fields that only one hop has, and leaves out none that are not numbers', async () => {
    const { told } = await run(format, [
      { input_tokens: 1, output_tokens: 2, input_tokens_details: { cache_write_tokens: 5 } },
      { input_tokens: 10, output_tokens: 20, input_tokens_details: null, service: 'x', cost: { total: 1.5 } },
    ]);

    expect(told).toEqual({
      input_tokens: 11,
      output_tokens: 22,
      input_tokens_details: { cache_write_tokens: 5 },
      service: 'x',
      cost: { total: 1.5 },
    });
  });

  it.each([
    ['negative', { input_tokens: -5, output_tokens: -1 }],
    ['no numbers', { input_tokens: '12', output_tokens: null, input_tokens_details: [] }],
  ])('with counts that are %s spoils no metric', async (_, odd) => {
    const { toolroll } = await run(format, [odd, second]);

    expect(await toolroll.metric('toolroll_output_tokens_total{model="other"}')).toBe(20);
  });
});
