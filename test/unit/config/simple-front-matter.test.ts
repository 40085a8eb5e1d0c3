import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { readSimpleLines } from '../../../proxy/config/simple-front-matter.ts';

const word = fc.constantFrom(
  'a',
  'é',
  '技',
  '1',
  ' ',
  '-',
  '?',
  "'",
  '"',
  '{',
  '|',
  '>',
  '&',
  '*',
  '!',
  '%',
  '@',
  '\t',
  '~',
  '.',
  ',',
  '#',
  ':',
);
const value = fc.oneof(
  fc.array(word, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.constantFrom(
    'true',
    'Null',
    'yes',
    'e1',
    'x: y',
    'a #b',
    'a# b',
    'a:b',
    'nan',
    'inf',
    'a\u0085b',
    'a\u00a0',
  ),
);
const line = fc
  .tuple(fc.constantFrom('name', 'description', 'a-b', 'constructor', '1'), value)
  .map(([key, text]) => `${key}: ${text}`);

describe('simple front matter', () => {
  it('means what a parser of YAML finds in it', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, end) => {
          const yaml = lines.join(end) + end;
          const fields = readSimpleLines(yaml);
          fc.pre(fields !== undefined);
          const parsed = parseDocument(yaml, { schema: 'core' });
          expect([parsed.errors, parsed.warnings]).toEqual([[], []]);
          expect(parsed.toJS()).toEqual(Object.fromEntries(fields));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is what most skills have', () => {
    expect(readSimpleLines('name: pdf\r\ndescription: Fills in forms, (all of them). \r\n')).toEqual(
      new Map([
        ['name', 'pdf'],
        ['description', 'Fills in forms, (all of them).'],
      ]),
    );
  });

  it.each([
    '',
    'name:',
    'name: "pdf"',
    'name: pdf # note',
    'name: a\nname: b',
    'name: a\n  b',
    'name: true',
    '- a',
  ])('is not %j, which a parser has to read', (yaml) => {
    expect(readSimpleLines(yaml)).toBeUndefined();
  });
});
