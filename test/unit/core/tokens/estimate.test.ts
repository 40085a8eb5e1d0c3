import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { chineseTools, makeTools } from '../../../../benchmark/scenarios/index.ts';
import { estimateOutside, estimateTokens } from '../../../../proxy/core/tokens/index.ts';

/** How far an estimate is from the tokenizer's count, as a part of it. */
function errorOf(texts: readonly string[]): number {
  const counted = texts.reduce((sum, text) => sum + countTokens(text), 0);
  const estimated = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return Math.abs(estimated / counted - 1);
}

const nouns =
  'invoice customer meeting room shipment refund playlist thermostat branch ticket flight recipe'.split(' ');
const verbs = 'create update cancel list search approve archive compare export translate schedule'.split(' ');
const phrases = [
  'Returns every entry that matches, newest first',
  'The caller must have permission to see it',
  'Use this only after the user has confirmed',
  'Dates are given as YYYY-MM-DD; amounts in cents (e.g. 1999)',
  'Maximum number of results, between 1 and 100',
  "Leave it out to use the account's default",
];
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A tool that somebody could have written, named in either style. */
const madeTool = fc
  .record({
    verb: fc.constantFrom(...verbs),
    noun: fc.constantFrom(...nouns),
    camel: fc.boolean(),
    about: fc.array(fc.constantFrom(...phrases), { minLength: 1, maxLength: 3 }),
    parameters: fc.array(
      fc.record({
        noun: fc.constantFrom(...nouns),
        type: fc.constantFrom('string', 'integer', 'boolean'),
        about: fc.constantFrom(...phrases),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ verb, noun, camel, about, parameters }) => {
    const named = (first: string, second: string): string =>
      camel ? first + capital(second) : `${first}_${second}`;
    return {
      type: 'function',
      name: named(verb, noun),
      description: `${capital(verb)}s a ${noun}. ${about.join('. ')}.`,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map((each, index) => [
            named(each.noun, index % 2 === 0 ? 'id' : 'name'),
            { type: each.type, description: `${each.about}.` },
          ]),
        ),
        required: [],
        additionalProperties: false,
      },
    };
  });

describe('estimateTokens', () => {
  it.each([
    ['37 tools in English', makeTools(37)],
    ['200 tools in English', makeTools(200)],
    ['tools in Chinese', chineseTools],
  ])('is within 3 % of the tokenizer for %s', (_, tools) => {
    expect(errorOf(tools.map((tool) => JSON.stringify(tool)))).toBeLessThan(0.03);
  });

  it('is within 5 % for sets of made-up tools, and within 15 % for each of them', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const texts = fc.sample(madeTool, { numRuns: 40, seed }).map((tool) => JSON.stringify(tool));

      expect(errorOf(texts)).toBeLessThan(0.05);
      for (const text of texts) expect(errorOf([text])).toBeLessThan(0.15);
    }
  });

  it('counts the values and not their spelling: spaces between them, escapes in them', () => {
    const tool = { name: '查询天气', description: '查询城市的天气', parameters: { a: [1, 2] } };
    const text = JSON.stringify(tool);
    const escaped = text.replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );

    expect(estimateTokens(JSON.stringify(tool, null, 4))).toBeCloseTo(estimateTokens(text));
    expect(estimateTokens(escaped)).toBeCloseTo(estimateTokens(text));
  });

  it('reads no more than a sample of a text of any size, and comes near the whole', () => {
    const sentence = 'The shipment leaves the warehouse on Monday and arrives two days later. ';
    const one = estimateTokens(JSON.stringify(sentence.repeat(100))) / 100;

    expect(estimateTokens(JSON.stringify(sentence.repeat(50_000))) / 50_000 / one).toBeCloseTo(1, 1);
  });

  it('gives a finite number of at least nothing for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isFinite(tokens) && tokens >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(estimateTokens('\\u12')).toBeGreaterThan(0);
    expect(estimateTokens('')).toBe(0);
  });
});

describe('estimateOutside', () => {
  it('counts what stands outside the spans, in whatever order they come', () => {
    const text = '{"tools":[1,2,3],"input":"hello","more":[4]}';
    const spans = [
      { start: text.indexOf('[4]'), end: text.indexOf('[4]') + 3 },
      { start: 9, end: 16 },
    ];

    expect(estimateOutside(text, spans)).toBeCloseTo(
      estimateTokens('{"tools":') + estimateTokens(',"input":"hello","more":') + estimateTokens('}'),
    );
  });
});
