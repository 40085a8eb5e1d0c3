import fc from 'fast-check';
import { endingMarkers, marker, stripMarkers } from '../../../../proxy/core/skills/index.ts';

describe('markers', () => {
  it('are one HTML comment each', () => {
    expect(marker('融资')).toBe('<!-- @skill:融资 -->');
  });

  it('leave a text as it was before they were put to its end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\n', ' ', '<!--', '-->', '@skill:'), { maxLength: 12 }),
        fc.array(fc.constantFrom('pdf', 'français', 'a b', 'x-'), { maxLength: 3 }),
        (pieces, names) => {
          const { text } = stripMarkers(pieces.join(''));
          // What is left may read as a new marker's beginning; only a text without one is what a model wrote.
          fc.pre(!text.includes('<!--'));
          expect(stripMarkers(text + endingMarkers(names))).toEqual({ text, names });
        },
      ),
    );
  });

  it.each([
    ['in the middle', 'a <!-- @skill:pdf --> b', 'a  b', ['pdf']],
    ['several times', '<!-- @skill:a -->x<!-- @skill:b --><!-- @skill:a -->', 'x', ['a', 'b', 'a']],
    ['without blanks', 'x<!-- @skill:pdf-->', 'x', ['pdf']],
    ['behind another comment', '<!-- note --> y<!-- @skill:pdf -->', '<!-- note --> y', ['pdf']],
    ['inside one that never ends', 'x <!-- @skill:a <!-- @skill:pdf -->', 'x <!-- @skill:a ', ['pdf']],
    ['behind one that never ends', 'x <!-- @skill:\n<!-- @skill:pdf -->', 'x <!-- @skill:\n', ['pdf']],
  ])('are found %s', (_, text, rest, names) => {
    expect(stripMarkers(text)).toEqual({ text: rest, names });
  });

  it.each([
    'no marker',
    '<!-- @skill:pdf',
    '<!-- @skill: -->',
    '<!-- @skill:a\nb -->',
    `<!-- @skill:${'x'.repeat(500)} -->`,
    '@skill:pdf',
  ])('are not seen in %j', (text) => {
    expect(stripMarkers(text)).toEqual({ text, names: [] });
  });

  it('are looked for in time that grows with the text, however many openings it has', () => {
    const text = `${'<!-- @skill:'.repeat(200_000)}-->`;

    expect(stripMarkers(text).names).toEqual([]);
  });
});
