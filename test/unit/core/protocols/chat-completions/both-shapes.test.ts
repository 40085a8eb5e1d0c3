import fc from 'fast-check';

import { chatCall, chatStream, chatTurn, completion } from '../../../../integration/support/chat-wire.ts';
import type { ChatParts } from '../../../../integration/support/chat-wire.ts';
import type { Json } from '../../../../integration/support/json.ts';
import { receive } from './chunks.ts';
import { mergeHops, mergeJson } from './merge-hops.ts';

/** Calls by what they are to the machine: picks, tools that are shown, tools of which only the name is told, inventions. */
const callOf = fc.constantFrom(
  chatCall('call_tool', { names: ['get_w'] }),
  chatCall('call_tool', { names: ['nothing'] }),
  chatCall('send_mail', { city: 'x' }),
  chatCall('find_file', { city: '😀"' }),
  chatCall('nobody_offered', {}),
);

const hop: fc.Arbitrary<ChatParts> = fc
  .record({
    content: fc.constantFrom(null, 'Hm. ', 'words "in" 北 pieces'),
    calls: fc.array(callOf, { maxLength: 3 }),
    thought: fc.constantFrom(undefined, 'think'),
    cut: fc.boolean(),
  })
  .map(({ content, calls, thought, cut }) => ({
    content,
    calls,
    fields: thought === undefined ? {} : { reasoning_content: thought },
    ...(cut && calls.length === 0 ? { finish: 'length' } : {}),
  }));

describe('a turn of any hops', () => {
  it('comes to the same message as a stream and as JSON, whatever stays inside', () => {
    const history = [{ role: 'assistant', tool_calls: [chatCall('send_mail', '{}')] }];
    const request = chatTurn({ messages: history });
    fc.assert(
      fc.property(fc.array(hop, { minLength: 1, maxLength: 6 }), fc.boolean(), (hops, carries) => {
        const spec = { selection: carries ? { carry: 'picks' as const } : {} };
        const json = mergeJson({
          request: JSON.stringify(request),
          spec,
          hops: hops.map((parts) => JSON.stringify(completion(parts))),
        });
        fc.pre(json.nexts.at(-1)?.kind === 'answer');
        const stream = mergeHops({
          request: JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } }),
          spec,
          hops: hops.map((parts, index) => [
            Buffer.from(chatStream({ ...parts, id: `c-${String(index)}` }).join('')),
          ]),
        });
        const { choices, usage } = JSON.parse(json.text) as { choices: [Json]; usage: Json };
        const [{ message, finish_reason: finish }] = choices;
        const { content, reasoning_content: reasoning, tool_calls: calls } = message as Json;

        expect(stream.nexts).toEqual(json.nexts);
        const received = receive(stream.text);
        expect(received).toMatchObject({
          content: content ?? '',
          reasoning: reasoning ?? '',
          finishes: [finish],
          roles: ['assistant'],
          usages: [usage],
          dones: 1,
          errors: [],
        });
        expect(received.ids).toHaveLength(1);
        expect(
          received.calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
        ).toEqual(calls ?? []);
      }),
      { numRuns: 400 },
    );
  });
});
