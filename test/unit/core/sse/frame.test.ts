import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { formatComment, formatEvent, parseFrame, replaceData } from '../../../../proxy/core/sse/index.ts';

interface Read {
  readonly event: string | undefined;
  readonly data: string;
}

/** The one event of a frame, by a parser that is not ours; undefined where there is none. */
function readByOther(frame: string): Read | undefined {
  let read: Read | undefined;
  const parser = createParser({ onEvent: ({ event, data }) => (read = { event, data }) });
  parser.feed(frame.endsWith('\r') ? `${frame}\n` : frame);
  return read;
}

const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const frames = fc
  .tuple(
    fc.array(
      fc.constantFrom(
        'data: {"a":1}',
        'data:{"b":"\u2028\u2029\u0085"}',
        'data:  two spaces',
        'data',
        'data:',
        'event: response.created',
        'event:x',
        ': a comment',
        'id: 7',
        'database: no',
        'events: no',
        ' data: indented',
      ),
      { minLength: 1, maxLength: 5 },
    ),
    lineEnds,
  )
  .map(([lines, end]) => lines.map((line) => line + end).join('') + end);

describe('parseFrame', () => {
  it('reads what another parser reads', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        const other = readByOther(frame);
        const { event, data } = parseFrame(frame);
        expect(data).toBe(other?.data);
        if (other !== undefined) expect(event).toBe(other.event);
      }),
      { numRuns: 2000 },
    );
  });

  it('tells a frame without data from one with empty data', () => {
    expect(parseFrame(': comment\n\n').data).toBeUndefined();
    expect(parseFrame('data\n\n').data).toBe('');
  });
});

describe('replaceData', () => {
  it('changes the data and nothing else', () => {
    fc.assert(
      fc.property(frames, fc.jsonValue(), (frame, value) => {
        const data = JSON.stringify(value);
        const replaced = replaceData(frame, data);
        const isData = (line: string): boolean => /^data(:|$)/.test(line);
        const others = (text: string): string[] => text.split(/\r\n|\n|\r/).filter((line) => !isData(line));
        expect(others(replaced)).toEqual(others(frame));
        if (parseFrame(frame).data !== undefined) expect(parseFrame(replaced).data).toBe(data);
      }),
      { numRuns: 2000 },
    );
  });

  it('writes data of several lines as several lines, with the line ends of the frame', () => {
    expect(replaceData('event: a\r\ndata: 1\r\ndata: 2\r\n\r\n', '{\n}')).toBe(
      'event: a\r\ndata: {\r\ndata: }\r\n\r\n',
    );
  });
});

it('what is written here is read by another parser', () => {
  expect(readByOther(formatEvent('response.failed', '{"a":1}'))).toEqual({
    event: 'response.failed',
    data: '{"a":1}',
  });
  expect(readByOther(formatComment('keepalive'))).toBeUndefined();
});
