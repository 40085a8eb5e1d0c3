import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { fillArguments } from '../../../../../benchmark/upstream/brain/fill-arguments.ts';
import type { JsonObject } from '../../../../../benchmark/upstream/json-value.ts';

// Another validator than the one that the filling itself uses.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const words = 'Send 3 red boxes to anna@example.com in Oslo on 2026-12-24 at 5pm, "Happy holidays".';

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 5, max: 30 }) }),
  fc.record({ type: fc.constant('string'), minLength: fc.integer({ min: 0, max: 200 }) }),
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.constant({ type: ['null', 'integer'] }),
  fc.constantFrom({ enum: ['red', 'blue'] }, { enum: [null, 4] }, { const: { a: [1] } }),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 10, max: 60 }))
    .map(([low, span]) => ({ type: 'integer', minimum: low, maximum: low + span, multipleOf: 5 })),
  fc
    .integer({ min: -9, max: 9 })
    .map((low) => ({ type: 'number', exclusiveMinimum: low, maximum: low + 0.5 })),
  fc
    .constantFrom('^[A-Z]{3}$', '^\\d{4}-\\d{2}$', '^(a|b)+c?$', '^ORD-[0-9]{3,}$')
    .map((pattern) => ({ type: 'string', pattern })),
);

const { schema } = fc.letrec<{ schema: object; object: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    tie('object'),
    fc
      .tuple(tie('schema'), fc.integer({ min: 0, max: 3 }))
      .map(([items, minItems]) => ({ type: 'array', items, minItems, maxItems: 4 })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('city', 'to', 'date', 'count', 'note', '__proto__x'), tie('schema')),
      fc.boolean(),
    )
    .map(([properties, closed]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: !closed,
    })),
}));

test('arguments satisfy any schema made of the usual keywords', () => {
  fc.assert(
    fc.property(schema, (given) => {
      const filled = fillArguments(given as JsonObject, words);
      expect({ given, filled, valid: ajv.validate(given, filled) }).toEqual({ given, filled, valid: true });
    }),
    { numRuns: 300 },
  );
});

const odd: readonly (readonly [string, JsonObject])[] = [
  [
    'alternatives at the root',
    {
      type: 'object',
      properties: { u: { type: 'string' }, c: { type: 'integer' } },
      anyOf: [{ required: ['u'] }, { required: ['c'] }],
    },
  ],
  [
    'exactly one of two',
    { oneOf: [{ type: 'object', required: ['a'], properties: { a: { const: 1 } } }, { type: 'string' }] },
  ],
  [
    'a reference',
    {
      type: 'object',
      properties: { at: { $ref: '#/$defs/place' } },
      required: ['at'],
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    },
  ],
  [
    'an optional cycle',
    {
      $defs: {
        node: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/node' }, id: { type: 'integer' } },
          required: ['id'],
        },
      },
      $ref: '#/$defs/node',
    },
  ],
  [
    'a cycle that ends in null',
    {
      $defs: {
        n: {
          type: 'object',
          properties: { next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } },
          required: ['next'],
        },
      },
      $ref: '#/$defs/n',
    },
  ],
  [
    'parts that add up',
    {
      allOf: [
        { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] },
        { properties: { n: { maximum: 4 } } },
      ],
    },
  ],
  [
    'places in a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
  ],
  ['different members', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }],
  [
    'as many properties as asked',
    { type: 'object', minProperties: 2, additionalProperties: { type: 'integer' } },
  ],
  [
    'a second alternative only',
    {
      type: 'object',
      properties: { k: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      required: ['k'],
      not: { properties: { k: { type: 'string' } } },
    },
  ],
];

test.each(odd)('a schema with %s is satisfied', (_, given) => {
  expect(ajv.validate(given, fillArguments(given, words))).toBe(true);
});

test('a reference cycle without an end, a null schema and an unreadable one still give an answer', () => {
  const endless = {
    $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, required: ['n'] } },
    $ref: '#/$defs/n',
  };
  expect(fillArguments(endless, words)).toEqual({});
  expect(fillArguments(null, words)).toEqual({});
  expect(
    fillArguments(
      { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/x' } }, required: ['a'] },
      words,
    ),
  ).toHaveProperty('a');
});

const string = { type: 'string' };
const said: readonly (readonly [string, object, unknown])[] = [
  ['to', { type: 'array', items: { type: 'string', format: 'email' } }, ['anna@example.com']],
  ['city', string, 'Oslo'],
  ['date', { type: 'string', format: 'date' }, '2026-12-24'],
  ['start', { type: 'string', format: 'date-time' }, '2026-12-24T17:00:00Z'],
  ['message', string, 'Happy holidays'],
  ['quantity', { type: 'integer', minimum: 1 }, 3],
  ['color', { type: 'string', enum: ['blue', 'red'] }, 'red'],
];

test.each(said)('the user’s words fill %s', (name, property, value) => {
  expect(
    fillArguments({ type: 'object', properties: { [name]: property }, required: [name] }, words),
  ).toEqual({ [name]: value });
});

test('an optional parameter is left out where nothing was said about it', () => {
  const properties = {
    city: string,
    unit: { enum: ['celsius', 'fahrenheit'] },
    url: { type: 'string', format: 'uri' },
  };
  expect(fillArguments({ type: 'object', properties, required: ['city'] }, words)).toEqual({ city: 'Oslo' });
});
