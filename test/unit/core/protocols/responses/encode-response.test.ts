import fc from 'fast-check';
import { responsesAdapter } from '../../../../../proxy/core/protocols/index.ts';
import { sumUsage } from '../../../../../proxy/core/protocols/sum-usage.ts';
import type { ResponseRewrite } from '../../../../../proxy/core/protocols/index.ts';
import { call, message, response } from '../../../../integration/support/wire.ts';

const names = { backward: new Map<string, string>(), isDeclared: () => false };

function encode(text: string, rewrite: Partial<ResponseRewrite> = {}): string {
  const decoded = responsesAdapter.decodeResponse(text);
  if (decoded === undefined) throw new TypeError('not an answer');
  const shown = new Set(decoded.items.map((_, index) => index));
  return responsesAdapter.encodeResponse(decoded, {
    shown,
    earlier: [],
    echo: {},
    names,
    usage: [],
    appended: undefined,
    ...rewrite,
  });
}

describe('a JSON answer', () => {
  it('is its own text where nothing has to change, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (body, space) => {
        const text = JSON.stringify(body, null, space);
        expect(encode(text)).toBe(text);
      }),
    );
  });

  it('keeps numbers, escapes, order and spacing of what is not left out', () => {
    const kept = '{ "type":"message","n":12345678901234567890,"x":1.0, "e":"\\ud83d" }';
    const text = `{"z":1.0,"output":[ {"type":"reasoning"} ,${kept}] , "a":1e5}`;

    expect(encode(text, { shown: new Set([1]) })).toBe(`{"z":1.0,"output":[${kept}] , "a":1e5}`);
  });

  it('has what earlier hops kept before its own', () => {
    const earlier = responsesAdapter.decodeResponse(
      JSON.stringify(response({ items: [message('a')] })),
    )!.items;
    const text = encode(JSON.stringify(response({ items: [call('x', {})] })), { earlier });

    expect(JSON.parse(text)).toMatchObject({ output: [message('a'), call('x', {})] });
  });

  it('puts back only the fields that the upstream repeats', () => {
    expect(encode('{"tools":[1],"output":[]}', { echo: { tools: '[2]', tool_choice: '"auto"' } })).toBe(
      '{"tools":[2],"output":[]}',
    );
  });

  it('with several answers under one key leaves none as it was', () => {
    const text = encode(
      '{"output":[{"type":"function_call","name":"call_tool"}],"output":[{"type":"message"}]}',
      {
        shown: new Set(),
      },
    );

    expect(text).toBe('{"output":[],"output":[]}');
  });

  it.each(['', 'null', '[]', '"x"', '{"output":', '12'])('is none: %s', (text) => {
    expect(responsesAdapter.decodeResponse(text)).toBeUndefined();
  });

  it.each([
    ['completed', 'completed'],
    ['incomplete', 'incomplete'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
    [undefined, 'completed'],
  ])('with status %s has ended %s', (status, ended) => {
    expect(responsesAdapter.decodeResponse(JSON.stringify({ status, output: [] }))?.status).toBe(ended);
  });
});

describe('sumUsage', () => {
  it('adds up numbers at every level, and keeps what only one hop has', () => {
    expect(
      sumUsage([
        { a: 1, d: { x: 1 } },
        { a: 2, b: 5, d: { x: 2, y: 3 } },
      ]),
    ).toEqual({
      a: 3,
      b: 5,
      d: { x: 3, y: 3 },
    });
  });

  it('does not lose a count to a null', () => {
    expect(
      sumUsage([
        { a: 1, d: { x: 1 } },
        { a: null, d: null },
      ]),
    ).toEqual({ a: 1, d: { x: 1 } });
  });

  it('touches no prototype and does not go deeper than any usage is', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const odd = JSON.parse('{"__proto__":{"polluted":1}}') as Record<string, unknown>;

    expect(() => sumUsage([{ d: deep }, { d: deep }])).not.toThrow();
    expect(Reflect.get(sumUsage([odd, odd]), 'polluted')).toBeUndefined();
  });
});
