import fc from 'fast-check';

/** White space that JSON allows between tokens. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** A JSON string as it may stand on the wire: raw characters, escapes of every kind, lone surrogates. */
const stringText = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'name', '{', '}', '[', ']', ',', ':', '/', 'é', '北', '😀', "'"),
      fc.constantFrom(
        '\\"',
        '\\\\',
        '\\/',
        '\\n',
        '\\u00e9',
        '\\ud83d',
        '\\ude00',
        '\\u0000',
        '\\uD83D\\uDE00',
      ),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => `"${pieces.join('')}"`);

const scalarText = fc.oneof(
  stringText,
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1.0',
    '1e5',
    '-1E+5',
    '12345678901234567890',
    '0.1e-7',
  ),
);

/** A key: few different ones, so that duplicates are common, and some spelled with escapes. */
const keyText = fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"__proto__"', '"c d"', '"\\ud83d"');

/** JSON text with everything that re-serialising loses: spacing, spelling, key order, duplicate keys. */
export const {
  value: jsonText,
  object: objectText,
  array: arrayText,
} = fc.letrec<{
  value: string;
  object: string;
  array: string;
}>((tie) => {
  const spaced = fc.tuple(space, tie('value'), space).map(([before, value, after]) => before + value + after);
  const member = fc
    .tuple(space, keyText, space, spaced)
    .map(([before, key, after, value]) => `${before}${key}${after}:${value}`);
  return {
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalarText, tie('object'), tie('array')),
    object: fc
      .tuple(fc.array(member, { maxLength: 5 }), space)
      .map(([members, empty]) => `{${members.length === 0 ? empty : members.join(',')}}`),
    array: fc
      .tuple(fc.array(spaced, { maxLength: 5 }), space)
      .map(([elements, empty]) => `[${elements.length === 0 ? empty : elements.join(',')}]`),
  };
});
