import {
  ask,
  call,
  closing,
  eventsOf,
  field,
  items,
  json,
  outputOf,
  response,
  sse,
  startScript,
  startWith,
  stream,
  turn,
} from './support/index.ts';

const started = closing();

const pick = call('call_tool', { names: ['get_w'] });
const answer = call('get_w', { city: 'Rome' });

describe('a turn of two hops', () => {
  it('gives the app the second answer as JSON, and shows the upstream a menu, then the picked tool', async () => {
    const upstream = await started(
      startScript([json(response({ items: [pick] })), json(response({ id: 'resp_2', items: [answer] }))]),
    );
    const toolroll = await started(startWith({ upstream }));

    const { status, headers, json: body } = await ask(toolroll, turn());

    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-toolroll-plan': 'two_hop', 'x-toolroll-hops': '2' });
    expect(field(body(), 'id')).toBe('resp_2');
    expect(field(body(), 'output')).toEqual([answer]);
    const shown = upstream.requests.map((request) => items(request.body, 'tools').map(({ name }) => name));
    expect(shown).toEqual([['call_tool'], ['get_w']]);
  });

  it('gives the app the second answer as a stream', async () => {
    const upstream = await started(
      startScript([sse(stream({ items: [pick] })), sse(stream({ id: 'resp_2', items: [answer] }))]),
    );
    const toolroll = await started(startWith({ upstream }));

    const { text, headers } = await ask(toolroll, turn({ stream: true }));

    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(outputOf(eventsOf(text))).toEqual([answer]);
    expect(text).not.toContain('call_tool');
  });
});
