import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { SseSplitter } from '../../../../proxy/core/sse/index.ts';

function framesOf(chunks: readonly Uint8Array[]): string[] {
  const splitter = new SseSplitter();
  const frames = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.flush();
  return [...frames, ...(rest === undefined ? [] : [rest])].map((frame) =>
    Buffer.from(frame).toString('utf8'),
  );
}

/** What a parser that is not ours reads from a text. */
function eventsIn(text: string): string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push(`${event ?? ''}|${data}`) });
  parser.feed(text.endsWith('\r') ? `${text}\n` : text);
  return events;
}

/** Streams of short lines with every line end, blank lines among them. */
const streams = fc
  .array(
    fc.record({
      line: fc.constantFrom(
        '',
        '',
        'data: x',
        'data:y',
        'event: e',
        ': c',
        'data: 北😀\u2028',
        'id: 1',
        'retry: 5',
        'data',
      ),
      end: fc.constantFrom('\n', '\r\n', '\r'),
    }),
    { maxLength: 14 },
  )
  .map((lines) => lines.map(({ line, end }) => line + end).join(''));

describe('SseSplitter', () => {
  it('gives frames that end with their blank line', () => {
    expect(framesOf([Buffer.from('event: a\ndata: 1\n\n: c\n\ndata: 2\n\n')])).toEqual([
      'event: a\ndata: 1\n\n',
      ': c\n\n',
      'data: 2\n\n',
    ]);
  });

  it('gives a frame as soon as its last byte is there', () => {
    const splitter = new SseSplitter();

    expect(splitter.push(Buffer.from('data: 1\n'))).toHaveLength(0);
    expect(splitter.push(Buffer.from('\n'))).toHaveLength(1);
    expect(splitter.flush()).toBeUndefined();
  });

  it('takes a lone CR for a line end without waiting for a LF', () => {
    const splitter = new SseSplitter();

    expect(splitter.push(Buffer.from('data: 1\r\r'))).toHaveLength(1);
    // The LF belongs to the CR before it, and ends no line of its own.
    expect(splitter.push(Buffer.from('\ndata: 2\n\n'))).toHaveLength(1);
  });

  it('keeps no more of one event than it may have, however many there are', () => {
    const splitter = new SseSplitter(16);
    expect(splitter.push(Buffer.from('data: 1\n\n'.repeat(10)))).toHaveLength(10);
    splitter.push(Buffer.from('data: 0123456789'));
    expect(() => splitter.push(Buffer.from('x'))).toThrow('an event of its stream has no end');
  });

  it('keeps what has no end yet, and gives it at the end of the stream', () => {
    const splitter = new SseSplitter();
    splitter.push(Buffer.from('data: 1\n\ndata: 2'));

    expect(Buffer.from(splitter.flush()!).toString()).toBe('data: 2');
    expect(splitter.flush()).toBeUndefined();
  });

  it('loses and adds no byte, and reads the same events, however a stream is cut', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(200)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const places = [0, ...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));

        const frames = framesOf(chunks);

        expect(frames.join('')).toBe(text);
        expect(frames.flatMap(eventsIn)).toEqual(eventsIn(text));
        // Each but the last, which the stream may leave without its end, is one frame: no blank line inside of it.
        for (const frame of frames.slice(0, -1)) {
          expect(frame).toMatch(/^\n?(?:[^\r\n]+(?:\r\n|\n|\r))*(?:\r\n|\n|\r)$/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('takes time in proportion to the bytes of one long line that comes in small chunks', () => {
    const splitter = new SseSplitter();
    const chunk = Buffer.alloc(1024, 'x');
    const chunks = 16 * 1024;
    let frames = 0;
    for (let index = 0; index < chunks; index += 1) frames += splitter.push(chunk).length;

    expect(frames).toBe(0);
    expect(splitter.push(Buffer.from('\n\n'))[0]).toHaveLength(chunks * 1024 + 2);
  });
});
