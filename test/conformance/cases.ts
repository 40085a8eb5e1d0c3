import type { CallSaid, Combination, Hop } from './words.ts';
import type { Heard } from './heard.ts';

/** The third axis. */
export type Meta = 'none' | 'call_tool' | 'Skill' | 'both';

/** One row of the table, for one combination of the axes. */
export interface Case {
  readonly name: string;
  /** What the upstream says, hop by hop. */
  readonly hops: readonly Hop[];
  readonly heard: Partial<Heard>;
  /** What the last request to the upstream says. */
  readonly wordsSent?: string;
  /** Why the row makes no sense for a combination; undefined where it does. */
  readonly skip?: (combination: Combination) => string | undefined;
}

const rome: CallSaid = { name: 'get_w', args: { city: 'Rome' } };
const oslo: CallSaid = { name: 'get_w', args: { city: 'Oslo' } };
const pick = (...names: readonly string[]): CallSaid => ({ name: 'call_tool', args: { names } });
const skill = (command: string): CallSaid => ({ name: 'Skill', args: { command } });

const words: Case = {
  name: 'no call',
  hops: [{ text: 'Hello.' }],
  heard: { text: 'Hello.', calls: [], end: 'stop' },
};
const refused: Case = {
  name: 'upstream error',
  hops: [
    { status: 429, body: { error: { message: 'slow down', type: 'rate_limit', param: null, code: null } } },
  ],
  heard: { status: 429 },
};
const cutAtOnce = (...before: readonly Hop[]): Case => ({
  name: 'cut stream',
  hops: [...before, { text: 'A long sentence that never ends.', isCut: true }],
  heard: { end: 'error', calls: [] },
});
const nativeOnly = ({ transport }: Combination): string | undefined =>
  transport === 'text' ? 'arguments that are no JSON are no call in text, but text' : undefined;
const textOnly = ({ transport }: Combination): string | undefined =>
  transport === 'native' ? 'native calls are the app’s to judge' : undefined;

/** All rows, by meta tool. */
export const cases: Readonly<Record<Meta, readonly Case[]>> = {
  none: [
    words,
    { name: 'one call', hops: [{ calls: [rome] }], heard: { calls: [rome], end: 'calls' } },
    { name: 'parallel calls', hops: [{ calls: [rome, oslo] }], heard: { calls: [rome, oslo], end: 'calls' } },
    {
      name: 'words and a call',
      hops: [{ text: 'Wait.', calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
    },
    {
      name: 'wrong name',
      hops: [{ calls: [{ name: 'get_x', args: {} }] }, { calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
      skip: textOnly,
    },
    {
      name: 'bad arguments',
      hops: [{ calls: [{ name: 'get_w', args: { city: 7 } }] }, { calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
      skip: textOnly,
    },
    {
      name: 'bad arguments, passed on',
      hops: [{ calls: [{ name: 'get_w', args: '{"city":' }] }],
      heard: { calls: [{ name: 'get_w', args: '{"city":' }], end: 'calls' },
      skip: nativeOnly,
    },
    cutAtOnce(),
    refused,
  ],
  call_tool: [
    words,
    {
      name: 'one call',
      hops: [{ calls: [pick('get_w')] }, { calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
    },
    {
      name: 'parallel calls',
      hops: [{ calls: [pick('get_w'), pick('send_mail')] }, { calls: [rome, oslo] }],
      heard: { calls: [rome, oslo], end: 'calls' },
    },
    {
      name: 'wrong name',
      hops: [{ calls: [pick('get_x')] }, { calls: [pick('get_w')] }, { calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
    },
    {
      name: 'bad arguments',
      hops: [
        { calls: [{ name: 'call_tool', args: { names: 7 } }] },
        { calls: [pick('get_w')] },
        { calls: [rome] },
      ],
      heard: { calls: [rome], end: 'calls' },
    },
    {
      name: 'a call of what was only named',
      hops: [{ calls: [oslo] }, { calls: [rome] }],
      heard: { calls: [rome], end: 'calls' },
    },
    cutAtOnce({ calls: [pick('get_w')] }),
    refused,
  ],
  Skill: [
    words,
    {
      name: 'one call',
      hops: [{ calls: [skill('release')] }, { text: 'Tag it.' }],
      heard: { text: 'Tag it.\n\n<!-- @skill:release -->', calls: [], end: 'stop' },
    },
    {
      name: 'words and a call',
      hops: [{ text: 'Let me see. ', calls: [skill('release')] }, { text: 'Tag it.' }],
      heard: { calls: [], end: 'stop' },
    },
    {
      name: 'parallel calls',
      hops: [{ calls: [skill('release'), skill('review')] }, { text: 'Both.' }],
      heard: { text: 'Both.\n\n<!-- @skill:release -->\n\n<!-- @skill:review -->', calls: [], end: 'stop' },
    },
    {
      name: 'the same skill again',
      hops: [{ calls: [skill('release')] }, { calls: [skill('release')] }, { text: 'Tag it.' }],
      heard: { text: 'Tag it.\n\n<!-- @skill:release -->', calls: [], end: 'stop' },
      wordsSent: 'You have this already',
    },
    {
      name: 'a skill, then a call of the app',
      hops: [{ calls: [skill('release')] }, { calls: [rome] }],
      heard: { text: '\n\n<!-- @skill:release -->', calls: [rome], end: 'calls' },
    },
    {
      name: 'wrong name',
      hops: [{ calls: [skill('nope')] }, { text: 'Without.' }],
      heard: { text: 'Without.', calls: [], end: 'stop' },
    },
    {
      name: 'bad arguments',
      hops: [{ calls: [{ name: 'Skill', args: { command: 7 } }] }, { text: 'Without.' }],
      heard: { text: 'Without.', calls: [], end: 'stop' },
    },
    cutAtOnce({ calls: [skill('release')] }),
    refused,
  ],
  both: [
    {
      name: 'a pick and a skill at once',
      hops: [{ calls: [pick('get_w'), skill('release')] }, { calls: [rome] }],
      heard: { text: '\n\n<!-- @skill:release -->', calls: [rome], end: 'calls' },
    },
    {
      name: 'a skill, then a pick',
      hops: [{ calls: [skill('release')] }, { calls: [pick('get_w')] }, { calls: [rome] }],
      heard: { text: '\n\n<!-- @skill:release -->', calls: [rome], end: 'calls' },
    },
  ],
};
