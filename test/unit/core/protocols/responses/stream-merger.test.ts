import fc from 'fast-check';
import { eventsOf, outputOf, terminalOf } from '../../../../integration/support/events.ts';
import type { SentEvent } from '../../../../integration/support/events.ts';
import { field, items, objectOf } from '../../../../integration/support/json.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { tools, turn } from '../../../../integration/support/turn.ts';
import { call, message, reasoning, response, restyle, stream } from '../../../../integration/support/wire.ts';
import type { Style } from '../../../../integration/support/wire.ts';
import { mergeHops } from './merge-hops.ts';

/** Two, three and four bytes a character, a combining one, a line end that is none here. */
const tricky = '北😀e\u0301\n\u2028';
const request = JSON.stringify(turn({ stream: true }));

function bytesOf(frames: readonly string[]): Buffer {
  return Buffer.from(frames.join(''));
}

describe('A7: a stream cut at every byte', () => {
  const pick = call('call_tool', { names: ['get_w'], why: tricky });
  const answer = call('get_w', { city: tricky });
  const second = { id: 'resp_2', items: [message(tricky, { id: 'msg_2' }), answer] };
  const hopsOf: Record<string, (style: Style) => [Buffer, Buffer]> = {
    'a hidden first hop': (style) => [
      bytesOf(stream({ items: [pick], style })),
      bytesOf(stream({ ...second, style })),
    ],
    'joined hops': (style) => [
      bytesOf(stream({ items: [message(tricky, { id: 'msg_0' }), pick], style })),
      bytesOf(stream({ ...second, style })),
    ],
  };
  const styles: Record<string, Style> = {
    LF: {},
    CRLF: { lineEnd: '\r\n' },
    CR: { lineEnd: '\r' },
    'no event lines': { noEventLines: true },
    'another id in every event and no index': { without: ['output_index'], bend: rotateIds },
    'no numbers': { without: ['sequence_number', 'output_index'] },
  };

  /** As LiteLLM does it. */
  function rotateIds(data: Json, index: number): Json {
    const id = `it_${String(index)}`;
    const item = 'item' in data ? { item: { ...objectOf(data['item']), id } } : {};
    return { ...data, ...item, ...('item_id' in data ? { item_id: id } : {}) };
  }

  /** A hidden hop is read in the same way as one that is joined: the line ends are enough of it. */
  const cases = Object.keys(styles).flatMap((style) =>
    ['LF', 'CRLF'].includes(style)
      ? Object.keys(hopsOf).map((name) => [name, style] as const)
      : [['joined hops', style] as const],
  );

  it.each(cases)(
    '%s with %s: gives what the uncut stream gives',
    (name, style) => {
      const [first, last] = hopsOf[name]!(styles[style]!);
      const whole = mergeHops({ request, hops: [[first], [last]] }).text;
      // A lone LF after a CR ends the same line, so of CRLF streams the events are compared.
      const seen = (text: string): string => (style === 'CRLF' ? JSON.stringify(eventsOf(text)) : text);

      expect(outputOf(eventsOf(whole)).at(-1)).toMatchObject({ ...answer, id: expect.any(String) as string });
      const deltas = eventsOf(whole).filter(({ type }) => type === 'response.output_text.delta');
      // Until something is left out, events go on as they came, without a place.
      const places = new Set(deltas.flatMap(({ data }) => data['output_index'] ?? []));
      if (name === 'joined hops') expect(places).toContain(1);
      expect(places).not.toContain(2);
      expect(whole).not.toMatch(/\uFFFD|call_tool/);
      const strays: string[] = [];
      const compare = (hops: Buffer[][], what: string): void => {
        const { text } = mergeHops({ request, hops });
        if (text !== whole && seen(text) !== seen(whole)) strays.push(what);
      };
      for (let at = 1; at < first.length; at += 1) {
        compare([[first.subarray(0, at), first.subarray(at)], [last]], `first at ${String(at)}`);
      }
      for (let at = 1; at < last.length; at += 1) {
        compare([[first], [last.subarray(0, at), last.subarray(at)]], `second at ${String(at)}`);
      }
      compare([singles(first), singles(last)], 'single bytes');
      expect(strays).toEqual([]);
    },
    120_000,
  );

  function singles(bytes: Buffer): Buffer[] {
    return Array.from(bytes.keys(), (index) => bytes.subarray(index, index + 1));
  }
});

/** One item of a random answer, by what it is to the machine. */
const kinds = ['reasoning', 'message', 'pick', 'bad pick', 'named', 'sticky', 'unknown', 'hosted'] as const;
type Kind = (typeof kinds)[number];

function itemOf(kind: Kind, id: string): Json {
  switch (kind) {
    case 'reasoning':
      return reasoning(`rs_${id}`);
    case 'message':
      return message(`text ${id} 😀`, { id: `msg_${id}` });
    case 'pick':
      return call('call_tool', { names: ['get_w', 'add_event'] }, { id: `fc_${id}` });
    case 'bad pick':
      return call('call_tool', { names: ['nothing'] }, { id: `fc_${id}` });
    case 'named':
      return call('find_file', { city: id }, { id: `fc_${id}` });
    case 'sticky':
      return call('send_mail', { city: id }, { id: `fc_${id}` });
    case 'unknown':
      return call('nobody_offered', {}, { id: `fc_${id}` });
    case 'hosted':
      return { type: 'web_search_call', id: `ws_${id}`, status: 'completed' };
    default:
      return kind satisfies never;
  }
}

/** The events of the items of a hop, interleaved as the choices say; each item keeps its own order. */
function interleave(lists: readonly (readonly Json[])[], choices: readonly number[]): Json[] {
  const left = lists.map((list) => [...list]);
  // Items begin in their order, as on every wire; what follows may mix.
  const result = left.flatMap((list) => list.splice(0, 1));
  for (let step = 0; left.some((list) => list.length > 0); step += 1) {
    const open = left.filter((list) => list.length > 0);
    const chosen = open[(choices[step % Math.max(choices.length, 1)] ?? 0) % open.length];
    result.push(...(chosen?.splice(0, 1) ?? []));
  }
  return result;
}

interface RandomHop {
  readonly kinds: readonly Kind[];
  readonly choices: readonly number[];
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly style: Style;
  readonly emptyOutput: boolean;
  readonly cuts: readonly number[];
}

const style: fc.Arbitrary<Style> = fc.record({
  lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
  noEventLines: fc.boolean(),
  without: fc.constantFrom([], ['output_index']),
});

const hop: fc.Arbitrary<RandomHop> = fc.record({
  kinds: fc.array(fc.constantFrom(...kinds), { maxLength: 5 }),
  choices: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 6 }),
  status: fc.oneof(
    { weight: 8, arbitrary: fc.constant('completed' as const) },
    fc.constantFrom('incomplete', 'failed'),
  ),
  style,
  emptyOutput: fc.boolean(),
  cuts: fc.array(fc.nat({ max: 3000 }), { maxLength: 8 }),
});

/** The chunks of a random hop: its items, their events mixed, its bytes cut. */
function chunksOf(script: RandomHop, hopNumber: number): Buffer[] {
  const list = script.kinds.map((kind, index) => itemOf(kind, `${String(hopNumber)}_${String(index)}`));
  const id = `resp_${String(hopNumber)}`;
  const parsed = eventsOf(stream({ id, items: list, status: script.status }).join('')).map(
    ({ data }) => data,
  );
  const middle = list.map((_, index) => parsed.filter((event) => event['output_index'] === index));
  const end = parsed.at(-1)!;
  const last = script.emptyOutput
    ? { ...end, response: response({ id, items: [], status: script.status }) }
    : end;
  const events = [...parsed.slice(0, 2), ...interleave(middle, script.choices), last];
  const bytes = bytesOf(restyle(events, script.style));
  const cuts = [...new Set(script.cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  return [...cuts, bytes.length].map((cut, index) => bytes.subarray(cuts[index - 1] ?? 0, cut));
}

function checkInvariants(events: readonly SentEvent[], text: string): void {
  expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
  expect(events[0]?.type).toBe('response.created');
  const terminal = terminalOf(events);
  expect(events.at(-1)).toBe(terminal);
  expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, index) => index));
  expect(text).not.toContain('call_tool');
  const ids = events
    .filter(({ data }) => 'response' in data)
    .map(({ data }) => field(data, 'response', 'id'));
  expect(new Set(ids).size).toBe(1);
}

/** Items and their places, as the events tell of them. */
function toldItems(events: readonly SentEvent[], type: string): Map<unknown, unknown> {
  const told = events.filter((event) => event.type === type);
  return new Map(told.map(({ data }) => [data['output_index'], field(data, 'item', 'id')]));
}

describe('the stream merger, whatever the hops say and however they are cut', () => {
  it('opens once, ends once, numbers without gaps, and its output is what its events told of', () => {
    fc.assert(
      fc.property(
        fc.array(hop, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (scripts, acceptUnseenCalls) => {
          const numbered = scripts.map((script) => ({ ...script, style: { ...script.style, without: [] } }));
          const { text, nexts } = mergeHops({
            request,
            selection: { pinned: ['send_mail'], acceptUnseenCalls },
            hops: [...numbered.map(chunksOf), chunksOf(lastHop, 99)],
          });
          if (nexts.at(-1)?.kind !== 'answer') return;
          const events = eventsOf(text);
          checkInvariants(events, text);
          const added = toldItems(events, 'response.output_item.added');
          const done = toldItems(events, 'response.output_item.done');
          expect([...added].sort()).toEqual([...done].sort());
          expect(new Set(added.keys())).toEqual(new Set([...added.keys()].map((_, index) => index)));
          const isRewritten = nexts.length > 1 || text.includes('msg_0');
          const output = outputOf(events);
          if (isRewritten && output.length > 0) {
            expect(output.map(({ id }) => id)).toEqual(output.map((_, index) => added.get(index)));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives the same bytes however the hops are cut', () => {
    fc.assert(
      fc.property(fc.array(hop, { minLength: 1, maxLength: 4 }), (scripts) => {
        const uncut = scripts.map((script) => ({
          ...script,
          style: { ...script.style, lineEnd: '\n' as const },
        }));
        const merge = (list: readonly RandomHop[]): string =>
          mergeHops({ request, hops: [...list.map(chunksOf), chunksOf(lastHop, 99)] }).text;
        expect(merge(uncut)).toBe(merge(uncut.map((script) => ({ ...script, cuts: [] }))));
      }),
      { numRuns: 200 },
    );
  });

  it('loses no text and no arguments of what it shows', () => {
    fc.assert(
      fc.property(fc.array(hop, { minLength: 1, maxLength: 6 }), (scripts) => {
        const { text, nexts } = mergeHops({
          request,
          hops: [...scripts.map(chunksOf), chunksOf(lastHop, 99)],
        });
        if (nexts.at(-1)?.kind !== 'answer') return;
        const events = eventsOf(text);
        const done = events
          .filter(({ type }) => type === 'response.output_item.done')
          .map(({ data }) => data['item']);
        const deltas = new Map<unknown, string>();
        for (const { data } of events) {
          if (typeof data['delta'] !== 'string') continue;
          deltas.set(data['item_id'], (deltas.get(data['item_id']) ?? '') + data['delta']);
        }
        for (const item of done) {
          const whole = field(item, 'arguments') ?? field(item, 'content', 0, 'text');
          if (whole !== undefined) expect(deltas.get(field(item, 'id'))).toBe(whole);
        }
      }),
      { numRuns: 200 },
    );
  });

  const lastHop: RandomHop = {
    kinds: ['message'],
    choices: [0],
    status: 'completed',
    style: {},
    emptyOutput: false,
    cuts: [],
  };
});

it('the request of the merger has the tools that the scripts speak of', () => {
  expect(items(JSON.parse(request), 'tools')).toEqual(tools());
});
