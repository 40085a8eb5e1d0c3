import type { SkillLoader } from '../../../../../proxy/core/plan/index.ts';
import { endItems } from '../../../../../proxy/core/protocols/responses/ending.ts';
import { eventsOf, outputOf, textOf } from '../../../../integration/support/events.ts';
import type { SentEvent } from '../../../../integration/support/events.ts';
import { field, items } from '../../../../integration/support/json.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { turn } from '../../../../integration/support/turn.ts';
import { call, message, reasoning, response, restyle, stream } from '../../../../integration/support/wire.ts';
import type { Style } from '../../../../integration/support/wire.ts';
import { mergeHops } from './merge-hops.ts';

const marker = '\n\n<!-- @skill:pdf -->';
const request = JSON.stringify(turn({ stream: true }));
const skillTool: SkillLoader = {
  definition: { name: 'Skill', description: 'Loads skills.', parameters: '{"type":"object"}' },
  resolve: (argumentsText) => ({
    kind: 'load',
    names: [String(field(JSON.parse(argumentsText), 'command'))],
  }),
};

function asks(name = 'pdf', rest: Json = {}): Json {
  return call('Skill', { command: name }, rest);
}

function bytesOf(frames: readonly string[]): Buffer {
  return Buffer.from(frames.join(''));
}

function merged(hops: readonly (readonly string[])[]): SentEvent[] {
  const { text } = mergeHops({
    request,
    selection: { strategy: 'off' },
    skillTool,
    hops: hops.map((frames) => [bytesOf(frames)]),
  });
  return eventsOf(text);
}

/** What a client builds from the events has to be what the last event repeats. */
function checked(events: readonly SentEvent[]): Json[] {
  const output = outputOf(events);
  const numbers = events.flatMap(({ data }) => ('sequence_number' in data ? [data['sequence_number']] : []));
  expect(numbers).toEqual(numbers.map((_, index) => index));
  const texts = new Map<string, string>();
  for (const { type, data } of events) {
    if (type !== 'response.output_text.delta' && type !== 'response.output_text.done') continue;
    const at = `${String(data['item_id'])} ${String(data['content_index'])}`;
    if (type === 'response.output_text.delta') {
      texts.set(at, (texts.get(at) ?? '') + String(data['delta']));
    } else expect({ at, text: data['text'] }).toEqual({ at, text: texts.get(at) });
  }
  for (const item of output) {
    if (item['type'] !== 'message') continue;
    items(item, 'content').forEach((part, index) => {
      const streamed = texts.get(`${String(item['id'])} ${String(index)}`);
      if (part['type'] === 'output_text' && streamed !== undefined) expect(part['text']).toBe(streamed);
    });
  }
  const done = events.filter(({ type }) => type === 'response.output_item.done');
  const closed = new Map(done.map(({ data }) => [data['output_index'], data['item']]));
  for (const [index, item] of closed) if (typeof index === 'number') expect(output[index]).toEqual(item);
  return output;
}

/** A message of several parts, each with all its events. */
function partsStream(parts: readonly Json[], leftOut: readonly string[] = []): string[] {
  const item = message('', { id: 'msg_2', content: parts });
  const events: Json[] = [
    { type: 'response.created', response: response({ id: 'resp_2', items: [] }) },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...parts.flatMap((part, index): Json[] => {
      const at = { item_id: 'msg_2', output_index: 0, content_index: index };
      const kind = part['type'] === 'refusal' ? 'refusal' : 'output_text';
      const key = kind === 'refusal' ? 'refusal' : 'text';
      return [
        { type: 'response.content_part.added', ...at, part: { ...part, [key]: '' } },
        { type: `response.${kind}.delta`, ...at, delta: part[key] },
        { type: `response.${kind}.done`, ...at, [key]: part[key] },
        { type: 'response.content_part.done', ...at, part },
      ];
    }),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response({ id: 'resp_2', items: [item] }) },
  ];
  return restyle(events.filter(({ type }) => !leftOut.includes(String(type))));
}

const textPart = (text: string, annotations: readonly Json[] = []): Json => ({
  type: 'output_text',
  text,
  annotations,
});
const refusal: Json = { type: 'refusal', refusal: 'I would rather not.' };

describe('words of ours at the end of a stream', () => {
  const styles: Record<string, Style> = {
    'all that OpenAI sends': {},
    'CR LF': { lineEnd: '\r\n' },
    CR: { lineEnd: '\r' },
    'no event lines': { noEventLines: true },
    'no numbers': { without: ['sequence_number', 'output_index'] },
  };

  it.each(Object.keys(styles))('are the same wherever the stream is cut, with %s', (name) => {
    const style = styles[name]!;
    const first = bytesOf(stream({ items: [message('Wait 北😀', { id: 'msg_1' }), asks()], style }));
    const last = bytesOf(stream({ id: 'resp_2', items: [message('é"\n', { id: 'msg_2' })], style }));
    const run = (hops: readonly (readonly Uint8Array[])[]): string =>
      mergeHops({ request, selection: { strategy: 'off' }, skillTool, hops }).text;
    const whole = run([[first], [last]]);

    expect(checked(eventsOf(whole)).map((item) => field(item, 'content', 0, 'text'))).toEqual([
      'Wait 北😀',
      `é"\n${marker}`,
    ]);
    // A lone LF after a CR ends the same line, so of CRLF streams the events are compared.
    const seen = (text: string): unknown => (name === 'CR LF' ? eventsOf(text) : text);
    const seenWhole = seen(whole);
    for (let at = 0; at <= last.length; at += 1) {
      expect(seen(run([[first], [last.subarray(0, at), last.subarray(at)]]))).toEqual(seenWhole);
    }
  });

  it.each([
    ['all events', []],
    ['no output_text.done', ['response.output_text.done']],
    ['no content_part.done', ['response.content_part.done']],
    ['neither', ['response.output_text.done', 'response.content_part.done']],
    ['no parts at all', ['response.content_part.added', 'response.content_part.done']],
    ['no end of the item', ['response.output_item.done']],
  ])('end the text where the server sends %s', (_, leftOut) => {
    const output = checked(merged([stream({ items: [asks()] }), partsStream([textPart('Done.')], leftOut)]));

    expect(output.map((item) => field(item, 'content', 0, 'text')).join('')).toBe(`Done.${marker}`);
  });

  it('say the delta before the part is closed where only that tells of its end', () => {
    const events = merged([
      stream({ items: [asks()] }),
      partsStream([textPart('Done.')], ['response.output_text.done']),
    ]);
    const types = events.map(({ type }) => type);

    expect(types.indexOf('response.content_part.done')).toBeGreaterThan(
      types.lastIndexOf('response.output_text.delta'),
    );
    const closed = events.find(({ type }) => type === 'response.content_part.done');
    expect(field(closed?.data, 'part', 'text')).toBe(`Done.${marker}`);
  });

  it.each([
    [[]],
    [['response.output_text.done']],
    [['response.output_text.done', 'response.content_part.done']],
  ])('end one of several texts, without %j', (leftOut) => {
    const output = checked(
      merged([stream({ items: [asks()] }), partsStream([textPart('One.'), textPart('Two.')], leftOut)]),
    );

    expect(JSON.stringify(output).split('@skill:')).toHaveLength(2);
  });

  it.each([
    ['before', [refusal, textPart('Text.')]],
    ['behind', [textPart('Text.'), refusal]],
  ])('leave a refusal %s the text alone', (_, parts) => {
    for (const leftOut of [[], ['response.output_text.done', 'response.content_part.done']]) {
      const output = checked(merged([stream({ items: [asks()] }), partsStream(parts, leftOut)]));

      expect(output).toHaveLength(1);
      expect(items(output[0], 'content')).toContainEqual(refusal);
      expect(items(output[0], 'content')).toContainEqual(textPart(`Text.${marker}`));
    }
  });

  it('come in a message of their own where there is no text that could be ended', () => {
    for (const frames of [
      partsStream([refusal]),
      partsStream([textPart('Only the last event has it.')]).filter((_, index) => index === 0 || index === 7),
      stream({ id: 'resp_2', items: [reasoning(), call('get_w', { city: 'Rome' })] }),
      stream({ id: 'resp_2', items: [] }),
    ]) {
      const output = checked(merged([stream({ items: [asks()] }), frames]));

      expect(output.at(-1)).toMatchObject({
        type: 'message',
        role: 'assistant',
        content: [{ text: marker }],
      });
    }
  });

  it('keep annotations and whatever else stands in the text part', () => {
    const part = { ...textPart('Done.', [{ type: 'url_citation', start_index: 0, end_index: 4 }]), x: 1.5 };
    const [item] = checked(merged([stream({ items: [asks()] }), partsStream([part])]));

    expect(field(item, 'content', 0)).toEqual({ ...part, text: `Done.${marker}` });
  });

  it('are said once where a further hop follows the text', () => {
    const events = merged([
      stream({ items: [asks()] }),
      stream({ id: 'resp_2', items: [message('One.', { id: 'msg_2' }), asks('xls', { id: 'fc_2' })] }),
      stream({ id: 'resp_3', items: [message('Two.', { id: 'msg_3' })] }),
    ]);
    checked(events);

    expect(textOf(events)).toBe(`One.${marker}Two.\n\n<!-- @skill:xls -->`);
  });
});

describe('words of ours at the end of a JSON answer', () => {
  it('end the last text of the last message that has one', () => {
    const first = '{"type":"message","content":[{"type":"output_text","text":"\\u0041"}]}';
    const second =
      '{"type":"message","content":[{"text":"b","type":"output_text"},{"type":"refusal"}], "n":1.0}';

    expect(endItems([first, second, '{"type":"message","content":[]}'], ' z')).toEqual([
      first,
      '{"type":"message","content":[{"text":"b z","type":"output_text"},{"type":"refusal"}], "n":1.0}',
      '{"type":"message","content":[]}',
    ]);
  });

  it.each(['{"type":"message","content":"text"}', '{"type":"message"}', 'null', '{"type":"reasoning"}'])(
    'stand alone beside %s',
    (item) => {
      const ended = endItems([item], ' z');

      expect(ended[0]).toBe(item);
      expect(field(JSON.parse(ended[1]!), 'content', 0, 'text')).toBe(' z');
    },
  );
});
