import fc from 'fast-check';

import {
  applyEdits,
  editElements,
  editMembers,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../../../proxy/core/json/index.ts';
import type { ElementChange, MemberChanges } from '../../../../proxy/core/json/index.ts';
import { arrayText, jsonText, objectText } from './json-texts.ts';

const runs = { numRuns: 400 };

/** Every member of an object in the text's order, keys resolved: `JSON.parse` alone would drop duplicates. */
function membersOf(text: string): [string, string][] {
  return scanObject(text).members.map(({ key, value }) => [key, sliceSpan(text, value)]);
}

function elementsOf(text: string): string[] {
  return scanArray(text).elements.map((span) => sliceSpan(text, span));
}

describe('applyEdits', () => {
  it('leaves every character outside the edits as it stands', () => {
    expect(applyEdits('{"a": 1.0 , "b":\t2}', [{ start: 6, end: 9, text: 'null' }])).toBe(
      '{"a": null , "b":\t2}',
    );
  });

  it('refuses edits that overlap, since one of them would be lost', () => {
    expect(() =>
      applyEdits('abcdef', [
        { start: 0, end: 3, text: 'x' },
        { start: 2, end: 4, text: 'y' },
      ]),
    ).toThrow(RangeError);
  });
});

describe('scanning', () => {
  it('finds every member and element of any JSON text, whatever its spacing and spelling', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const inObject = `{"x":${text},"y":0}`;
        expect(sliceSpan(inObject, scanObject(inObject).members[0]!.value)).toBe(text);
        const inArray = `[${text},0]`;
        expect(elementsOf(inArray)).toEqual([text, '0']);
      }),
      runs,
    );
  });

  it('reads the members as JSON.parse does, the last of equal keys winning', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const parsed: unknown = JSON.parse(text);
        const scanned = membersOf(text).map(([key, value]): [string, unknown] => [key, JSON.parse(value)]);
        expect(Object.fromEntries(scanned)).toEqual(parsed);
      }),
      runs,
    );
  });

  it('takes 100,000 levels of nesting without a stack of its own', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const text = `{"a":${deep},"b":1}`;

    expect(membersOf(text).map(([key]) => key)).toEqual(['a', 'b']);
    expect(applyEdits(text, editMembers(text, scanObject(text), { b: '2' }))).toBe(`{"a":${deep},"b":2}`);
  });

  it.each([
    ['a string of ten million characters', 'x'.repeat(10_000_000)],
    ['a string of a million quotes', '\\"'.repeat(1_000_000)],
    ['a string of a million backslashes', '\\\\'.repeat(1_000_000)],
  ])('takes %s', (_, inner) => {
    const text = `{"a":"${inner}","b":1}`;

    expect(scanObject(text).members.map(({ value }) => value.end - value.start)).toEqual([
      inner.length + 2,
      1,
    ]);
  });

  it('looks at each character a bounded number of times, however hostile the text', () => {
    for (const hostile of [
      (size: number) => `{"a":"${'\\\\'.repeat(size)}"}`,
      (size: number) => `{"a":"${'\\"'.repeat(size)}"}`,
      (size: number) => `{${'"a":1,'.repeat(size)}"a":1}`,
      (size: number) => '{"a":'.repeat(size) + '1' + '}'.repeat(size),
      (size: number) => `{"a":[${'[],'.repeat(size)}[]]}`,
    ]) {
      const small = stepsOf(hostile(1_000));
      const large = stepsOf(hostile(8_000));
      expect(large / small).toBeLessThan(9);
    }
  });
});

/** How often scanning looks at a character of the text. */
function stepsOf(text: string): number {
  let steps = 0;
  const counting = {
    length: text.length,
    charCodeAt: (at: number) => {
      steps += 1;
      return text.charCodeAt(at);
    },
    indexOf: (needle: string, from: number) => {
      const found = text.indexOf(needle, from);
      steps += (found === -1 ? text.length : found) - from + 1;
      return found;
    },
    slice: (start: number, end: number) => {
      steps += end - start;
      return text.slice(start, end);
    },
  };
  // A stand-in with the four members that scanning uses, so that its looks can be counted.
  scanObject(counting as unknown as string);
  return steps;
}

describe('editMembers', () => {
  it('returns the text as it stands where nothing is asked for', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        expect(applyEdits(text, editMembers(text, scanObject(text), {}))).toBe(text);
      }),
      runs,
    );
  });

  it('keeps, replaces, removes and adds exactly what is asked for, in every combination', () => {
    const change = fc.option(fc.oneof(jsonText, fc.constant(null)), { nil: undefined });
    const changes = fc.record({ a: change, b: change, 'c d': change, new: change, other: change });
    fc.assert(
      fc.property(objectText, changes, fc.array(fc.nat(4), { maxLength: 2 }), (text, asked, drop) => {
        const dropped = new Set(drop);
        const wanted: MemberChanges = Object.fromEntries(
          Object.entries(asked).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
        );
        const edited = applyEdits(text, editMembers(text, scanObject(text), wanted, dropped));

        expect(() => JSON.parse(edited) as unknown).not.toThrow();
        const remaining = membersOf(text).filter((_, index) => !dropped.has(index));
        const kept = remaining.flatMap(([key, value]): [string, string][] => {
          const becomes = Object.hasOwn(wanted, key) ? wanted[key] : value;
          return becomes === null || becomes === undefined ? [] : [[key, becomes]];
        });
        const added = Object.entries(wanted).flatMap(([key, value]): [string, string][] =>
          value === null || remaining.some(([own]) => own === key) ? [] : [[key, value]],
        );
        expect(membersOf(edited)).toEqual([...kept, ...added]);
      }),
      { numRuns: 1000 },
    );
  });

  it('changes every occurrence of a key, so that no old value survives', () => {
    const text = '{"name":"del", "n\\u0061me":"del"}';

    expect(applyEdits(text, editMembers(text, scanObject(text), { name: '"ok"' }))).toBe(
      '{"name":"ok", "n\\u0061me":"ok"}',
    );
  });
});

describe('editElements', () => {
  it('keeps, replaces, removes and inserts exactly what is asked for, in every combination', () => {
    const change: fc.Arbitrary<ElementChange> = fc.oneof(fc.constant(undefined), fc.constant(null), jsonText);
    const insertion = fc.record({ before: fc.nat(6), text: jsonText });
    fc.assert(
      fc.property(
        arrayText,
        fc.array(change, { maxLength: 6 }),
        fc.array(insertion, { maxLength: 3 }),
        (text, asked, insertions) => {
          const elements = elementsOf(text);
          const edited = applyEdits(text, editElements(text, scanArray(text), asked, insertions));

          expect(() => JSON.parse(edited) as unknown).not.toThrow();
          const wanted = [...elements, null].flatMap((element, index) => {
            const inserted = insertions
              .filter(({ before }) => (element === null ? before >= index : before === index))
              .map(({ text: own }) => own);
            const becomes = asked[index] === undefined || element === null ? element : asked[index];
            return [...inserted, ...(becomes == null ? [] : [becomes])];
          });
          // Insertions before a removed element stand with those before the next kept one, in the order given.
          expect(elementsOf(edited).toSorted()).toEqual(wanted.toSorted());
          if (new Set(insertions.map(({ before }) => before)).size <= 1) {
            expect(elementsOf(edited)).toEqual(wanted);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('returns the text as it stands where nothing is asked for', () => {
    fc.assert(
      fc.property(arrayText, (text) => {
        expect(applyEdits(text, editElements(text, scanArray(text), []))).toBe(text);
      }),
      runs,
    );
  });
});
