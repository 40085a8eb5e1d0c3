import fc from 'fast-check';
import { NextMark } from '../../../../proxy/core/text-tools/next-mark.ts';

const marks = ['<tool_call>', '<think>', '`', '\n'];

/** By looking at every place. */
function plainly(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1)
    if (marks.some((mark) => text.startsWith(mark, at))) return at;
  return text.length;
}

describe('the next mark in a text', () => {
  it('is the first of all marks from any place on, in one text after another, equal ones too', () => {
    const text = fc
      .array(fc.constantFrom(...marks, 'a', '<tool_call', '<', 'é', ' '), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.array(fc.nat(40), { maxLength: 6 })), { maxLength: 6 }),
        (texts) => {
          const next = new NextMark(marks);
          for (const [piece, places] of [...texts, ...texts]) {
            for (const from of places.filter((place) => place <= piece.length)) {
              expect(next.after(piece, from)).toBe(plainly(piece, from));
            }
          }
        },
      ),
    );
  });
});
