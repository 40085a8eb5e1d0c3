import fc from 'fast-check';

import { compilePattern, shorten } from '../../../../proxy/core/rules/index.ts';

describe('a pattern', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['get_w', ['get_w'], ['get_w2', 'xget_w', 'GET_W', '']],
    ['*', ['', 'a', 'a.b'], []],
    ['get_*', ['get_', 'get_w'], ['get', 'xget_w']],
    ['*_w', ['_w', 'get_w'], ['get_w2']],
    ['a*b*c', ['abc', 'axbyc', 'abbc'], ['acb', 'ab', 'ac']],
    ['a*a', ['aa', 'aba'], ['a']],
    ['**', ['', 'x'], []],
    ['a.b', ['a.b'], ['axb']],
    ['a[b]*', ['a[b]c'], ['ab']],
    ['/^get_/', ['get_w'], ['xget_w']],
    ['/get/', ['xgety'], ['got']],
    ['/^(?i)get$/', ['GET'], ['gets']],
    ['/', ['/'], ['']],
    ['a/b', ['a/b'], ['ab']],
  ])('%s', (pattern, fits, others) => {
    const matches = compilePattern(pattern);

    expect(fits.filter((value) => !matches(value))).toEqual([]);
    expect(others.filter((value) => matches(value))).toEqual([]);
  });

  it('with stars fits what the same pattern as a regular expression fits', () => {
    const part = fc.stringMatching(/^[ab*.]{0,6}$/);
    fc.assert(
      fc.property(part, fc.stringMatching(/^[ab.]{0,8}$/), (glob, value) => {
        const source = glob.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*');
        expect(compilePattern(glob)(value)).toBe(new RegExp(`^${source}$`).test(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes a hostile text in a time that grows with its length alone', () => {
    const matches = compilePattern('/^(a+)+$/');

    expect(matches(`${'a'.repeat(100_000)}!`)).toBe(false);
    expect(compilePattern(`${'*a'.repeat(50)}*`)(`${'a'.repeat(49)}${'b'.repeat(100_000)}`)).toBe(false);
  });

  it.each(['/(/', '/(?=a)/', '/(a)\\1/'])('%s is refused with what is wrong with it', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(`pattern ${pattern} is not valid RE2`);
  });

  it('is compiled once where it stands in many rules', () => {
    expect(compilePattern('/^once_/')).toBe(compilePattern('/^once_/'));
  });

  it('is compiled again where many others came after it, or where it is huge: memory is bounded', () => {
    const first = compilePattern('/^first_/');
    for (let i = 0; i < 5_000; i += 1) compilePattern(`/^other_${String(i)}$/`);
    expect(compilePattern('/^first_/')).not.toBe(first);
    expect(compilePattern('/^first_/')('first_one')).toBe(true);
    const huge = `/${'a{1000}'.repeat(5)}/`;
    expect(compilePattern(huge)).not.toBe(compilePattern(huge));
  });
});

describe('shorten', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly 10', 10, 'exactly 10'],
    ['cuts at the last blank', 20, 'cuts at the last...'],
    ['onelongwordwithoutblanks', 10, 'onelong...'],
    ['anything', 0, ''],
    ['anything', 1, '.'],
    ['anything', 3, '...'],
    ['anything', 4, 'a...'],
    ['😀😀😀', 5, '😀...'],
    ['😀😀😀', 4, '...'],
  ])('%s to %i', (text, limit, expected) => {
    expect(shorten(text, limit)).toBe(expected);
  });

  it('never gives more than the limit, nor half of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, limit) => {
        const short = shorten(text, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(/\p{Surrogate}/u.test(short)).toBe(/\p{Surrogate}/u.test(text));
      }),
    );
  });
});
