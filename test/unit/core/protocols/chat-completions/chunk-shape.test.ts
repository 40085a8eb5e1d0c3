import fc from 'fast-check';

import { ChunkShapes } from '../../../../../proxy/core/protocols/chat-completions/chunk-shape.ts';
import { StringBytes } from '../../../../../proxy/core/protocols/chat-completions/string-bytes.ts';

/** A frame as OpenAI sends it, with usage asked for. */
function frame(content: unknown, rest = {}): string {
  const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
  const data = { id: 'chatcmpl-é', object: 'chat.completion.chunk', choices, usage: null, ...rest };
  return `data: ${JSON.stringify(data)}\n\n`;
}

function learnt(text: string): { readonly shapes: ChunkShapes; readonly sink: StringBytes } {
  const shapes = new ChunkShapes();
  const sink = new StringBytes();
  shapes.learn(text, text.slice('data: '.length, -2), {
    items: [1],
    calls: [],
    hasRole: false,
    usage: 'null',
    sink,
    path: ['delta', 'content'],
  });
  return { shapes, sink };
}

describe('a chunk like one that was read', () => {
  it('is told by its bytes, its words and the place of its token counts found, for any words', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\\"', '","usage":null')),
        ),
        fc.option(fc.string(), { nil: undefined }),
        (contents, filler) => {
          const rest = filler === undefined ? {} : { obfuscation: filler };
          const { shapes, sink } = learnt(frame('', filler === undefined ? {} : { obfuscation: '' }));
          for (const content of contents) {
            const raw = Buffer.from(frame(content, rest));
            const chunk = shapes.match(raw);
            const { start, end } = chunk?.cut ?? { start: 0, end: 0 };

            expect(Buffer.concat([raw.subarray(0, start), raw.subarray(end)]).toString()).toBe(
              frame(content, { ...rest, usage: undefined }),
            );
          }
          expect(sink.toText()).toBe(contents.join(''));
        },
      ),
    );
  });

  it.each([
    frame('', { usage: { prompt_tokens: 1 } }),
    frame(null),
    frame(5),
    frame('a', { more: 1 }),
    frame('a').replace('"finish_reason":null', '"finish_reason":"stop"'),
    frame('a').replace('"index":0', '"index":1'),
    frame('a').slice(0, -1),
    'data: [DONE]\n\n',
    '',
  ])('is not %j', (text) => {
    const { shapes, sink } = learnt(frame('x'));

    expect(shapes.match(Buffer.from(text))).toBeUndefined();
    expect(sink.isEmpty).toBe(true);
  });
});
