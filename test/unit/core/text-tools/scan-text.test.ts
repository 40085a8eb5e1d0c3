import fc from 'fast-check';

import { TextScanner } from '../../../../proxy/core/text-tools/scan-text.ts';
import type { ScanEvent } from '../../../../proxy/core/text-tools/scan-output.ts';
import type { CallFormat } from '../../../../proxy/core/text-tools/scan-text.ts';
import { ANSWERS } from './answers.ts';

const FORMATS: readonly CallFormat[] = ['xml', 'json', 'any'];

/** What a scanner makes of the pieces: its events with neighbouring texts joined, and what it could not read. */
function scan(format: CallFormat, pieces: readonly string[]): { events: ScanEvent[]; unreadable: number } {
  const scanner = new TextScanner({ format, judge: () => 'calls' });
  const events: ScanEvent[] = [];
  for (const event of [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()]) {
    const last = events.at(-1);
    if (event.kind === 'text' && last?.kind === 'text')
      events[events.length - 1] = { kind: 'text', text: last.text + event.text };
    else events.push(event);
  }
  return { events, unreadable: scanner.unreadable };
}

/** The same in short: texts as they are, calls as name and arguments. */
function short(format: CallFormat, answer: string): (string | string[])[] {
  return scan(format, [answer]).events.flatMap((event): (string | string[])[] =>
    event.kind === 'text'
      ? [event.text]
      : event.calls.map(({ name, argumentsText }) => [name, argumentsText]),
  );
}

describe('an answer that is scanned for calls', () => {
  it.each(ANSWERS)('is read for what it is: $about', ({ text, xml, json, any }) => {
    expect(short('xml', text)).toEqual(xml);
    expect(short('json', text)).toEqual(json);
    expect(short('any', text)).toEqual(any);
  });

  describe.each(FORMATS)('as %s', (format) => {
    it.each(ANSWERS)('is the same cut anywhere, and one character at a time: $about', ({ text }) => {
      const whole = scan(format, [text]);
      expect(
        scan(
          format,
          Array.from({ length: text.length }, (_, at) => text.charAt(at)),
        ),
      ).toEqual(whole);
      for (let cut = 1; cut < text.length; cut += 1) {
        expect(scan(format, [text.slice(0, cut), text.slice(cut)])).toEqual(whole);
      }
    });
  });

  it('is the same for any mix of marks in any pieces', () => {
    const unit = fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<think>',
      '</think>',
      '{"name":"a","arguments":{"x":1}}',
      '{"name":"a","arguments":{',
      '"x":',
      '```',
      '```json\n',
      '~~~',
      '`',
      '\n',
      '\n\n',
      ' ',
      '{',
      '[',
      ']',
      '}}',
      '"',
      "'",
      ',',
      'word',
      '\\',
      '1.0',
      'True',
    );
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(...FORMATS),
        (units, sizes, format) => {
          const text = units.join('');
          const pieces: string[] = [];
          let at = 0;
          for (let index = 0; at < text.length; index += 1) {
            const size = sizes[index % sizes.length] ?? 1;
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          expect(scan(format, pieces)).toEqual(scan(format, [text]));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('without any call is passed on character for character', () => {
    const unit = fc.constantFrom(
      '<tool_call',
      '<tool',
      '</tool_call>',
      '{',
      '{"a":',
      '1}',
      '`',
      '```',
      '\n',
      ' ',
      'é',
      '京',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.constantFrom(...FORMATS), (units, format) => {
        const text = units.join('');
        expect(scan(format, units).events).toEqual(text === '' ? [] : [{ kind: 'text', text }]);
      }),
      { numRuns: 2000 },
    );
  });
});
