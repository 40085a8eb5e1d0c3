import fc from 'fast-check';

import { applyEdits } from '../../../../proxy/core/json/index.ts';
import { editData, EncodedTexts, parseFrame } from '../../../../proxy/core/sse/index.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** What a client reads after the data was edited. */
function edited(text: string, find: string, replacement: string): string | undefined {
  const raw = new TextEncoder().encode(text);
  const data = parseFrame(text).data ?? '';
  const start = data.indexOf(find);
  const pieces = editData(
    { raw, text, data },
    [{ start, end: start + find.length, text: replacement }],
    new EncodedTexts(),
  );
  const whole = pieces.map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece))).join('');
  expect(whole.endsWith('\n\n')).toBe(true);
  return parseFrame(whole).data;
}

const large = `[${'{"name":"tool"},'.repeat(100)}0]`;

describe('data that is edited in its frame', () => {
  it.each([
    ['in plain ASCII', 'event: e\ndata: {"a":"x","tools":[1],"b":2}\n\n'],
    ['beside characters of several bytes', 'event: e\ndata: {"a":"北京😀","tools":[1],"b":"é"}\n\n'],
    ['behind a comment', ': hi\nevent: e\ndata: {"a":1,"tools":[1],"b":2}\n\n'],
    ['over two data lines', 'data: {"a":1,"tools":[1],\ndata: "b":2}\n\n'],
  ])('reads as it was meant, %s', (_where, text) => {
    const before = parseFrame(text).data ?? '';
    expect(edited(text, '[1]', large)).toBe(before.replace('[1]', large));
    expect(edited(text, '[1]', '[]')).toBe(before.replace('[1]', '[]'));
  });

  it('stays one event where what goes in has line ends of its own', () => {
    const text = 'event: e\ndata: {"a":1,"tools":[1],"b":2}\n\n';
    const pretty = `[\n${'  {"name": "tool"},\n'.repeat(60)}\n  0\n]`;
    expect(edited(text, '[1]', pretty)).toBe(`{"a":1,"tools":${pretty},"b":2}`);
  });

  it('is, byte for byte, the text edited and encoded, whatever stands around the edits', () => {
    const piece = fc.string({
      unit: fc.constantFrom('a', '"', ',', 'é', '京', '😀', '\uFFFD'),
      maxLength: 12,
    });
    const parts = fc.array(fc.tuple(piece, piece, fc.oneof(piece, fc.constant(large))), { maxLength: 5 });
    fc.assert(
      fc.property(parts, piece, (stretches, rest) => {
        let data = '{';
        const edits = stretches.map(([kept, gone, text]) => {
          const start = data.length + kept.length;
          data += kept + gone;
          return { start, end: start + gone.length, text };
        });
        data += `${rest}}`;
        const text = `event: é\ndata: ${data}\n\n`;
        const pieces = editData({ raw: encoder.encode(text), text, data }, edits, new EncodedTexts());
        const whole = Buffer.concat(
          pieces.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)),
        );
        expect(whole.toString('utf8')).toBe(`event: é\ndata: ${applyEdits(data, edits)}\n\n`);
      }),
    );
  });

  it('does not lose its place behind bytes that are no UTF-8', () => {
    const raw = Buffer.from('event: e\ndata: {"a":"\xff\xfe","tools":[1],"b":"\xc3"}\n\n', 'latin1');
    const text = decoder.decode(raw);
    const data = parseFrame(text).data ?? '';
    const start = data.indexOf('[1]');
    const pieces = editData(
      { raw, text, data },
      [{ start, end: start + 3, text: '[2]' }],
      new EncodedTexts(),
    );
    const whole = pieces.map((part) => (typeof part === 'string' ? part : decoder.decode(part))).join('');
    expect(whole).toBe(text.replace('[1]', '[2]'));
  });
});
