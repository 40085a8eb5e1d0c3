import fc from 'fast-check';

import { ANSWERS } from './answers.ts';
import {
  bytes,
  eventsOf,
  itemsOf,
  jsonAnswer,
  open,
  run,
  streamAnswer,
  sumOfChat,
  sumOfItems,
} from './wire.ts';
import type { ChatChunk, ResponsesEvent, ResponsesItem, Sum, Wire } from './wire.ts';

const PROTOCOLS: readonly Wire[] = ['chat', 'responses'];
const FORMATS = ['xml', 'json', 'any'] as const;
type Format = (typeof FORMATS)[number];

function jsonSum(protocol: Wire, format: Format, text: string): Sum {
  const answer = open({ protocol, format }).decodeResponse(jsonAnswer(protocol, text));
  return protocol === 'chat'
    ? sumOfChat([JSON.parse(answer) as ChatChunk])
    : sumOfItems((JSON.parse(answer) as { output: ResponsesItem[] }).output);
}

function streamSum(protocol: Wire, format: Format, deltas: readonly string[]): Sum {
  const out = run(open({ protocol, format }), [bytes(streamAnswer(protocol, deltas).join(''))]);
  if (protocol === 'chat') return sumOfChat(eventsOf<ChatChunk>(out));
  const events = eventsOf<ResponsesEvent>(out);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const items = itemsOf(events);
  expect(events.at(-1)?.response?.output).toEqual(items);
  return sumOfItems(items);
}

describe.each(PROTOCOLS)('an answer of %s', (protocol) => {
  describe.each(FORMATS)('as %s', (format) => {
    it.each(ANSWERS)('has its calls and its text, in JSON and in a stream: $about', (answer) => {
      const { text } = answer;
      const read = answer[format];
      const calls = read.filter((piece) => typeof piece !== 'string');
      const expected = {
        text: read.filter((piece) => typeof piece === 'string').join(''),
        calls,
        finish: protocol === 'responses' ? undefined : calls.length > 0 ? 'tool_calls' : 'stop',
      };
      expect(jsonSum(protocol, format, text)).toEqual(expected);
      for (const size of [1, 4, 1000]) {
        const deltas = text.match(new RegExp(`[^]{1,${String(size)}}`, 'gu')) ?? [];
        expect(streamSum(protocol, format, deltas)).toEqual(expected);
      }
    });
  });

  it('without any call is passed on byte for byte', () => {
    const unit = fc.constantFrom('a', 'it ', '`', '{', '京', '😀', '\n', '"', ' b');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const stream = streamAnswer(
          protocol,
          ['x', ...units, '.'].map((text) => (text === '\n' ? '\\n' : text)),
        ).join('');
        expect(run(open({ protocol }), [bytes(stream)])).toBe(
          stream.replaceAll('"tools":[],', toolsEcho(protocol)),
        );
        const answer = jsonAnswer(protocol, units.join(''));
        expect(open({ protocol, request: { tools: [] } }).decodeResponse(answer)).toBe(answer);
      }),
    );
  });

  it('A7: is the same for every cut of its bytes', () => {
    const text =
      '<think>北</think>好 <tool_call>{"name":"get_w","arguments":{"city":"北京😀"}}</tool_call> 完';
    const stream = bytes(streamAnswer(protocol, text.match(/[^]{1,3}/gu) ?? []).join(''));
    const whole = run(open({ protocol }), [stream]);
    expect(whole).toContain('北京😀');
    expect(whole).not.toContain('\uFFFD');
    for (let cut = 1; cut < stream.length; cut += 7) {
      expect(run(open({ protocol }), [stream.subarray(0, cut), stream.subarray(cut)])).toBe(whole);
    }
    expect(
      run(
        open({ protocol }),
        [...stream].map((byte) => Uint8Array.of(byte)),
      ),
    ).toBe(whole);
  });
});

/** What the answer's echo of the tools becomes: what the app sent. */
function toolsEcho(protocol: Wire): string {
  const names = ['get_w', 'get', 'a', 'b', 'now', 'e', 's', 'w', 'x'];
  const tools = names.map((name) => ({ type: 'function', name }));
  return protocol === 'chat' ? '"tools":[],' : `"tools":${JSON.stringify(tools)},`;
}
