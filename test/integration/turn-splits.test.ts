import {
  ask,
  call,
  closing,
  eventsOf,
  message,
  reasoning,
  sse,
  startScript,
  startWith,
  stream,
  turn,
  twoHops,
} from './support/index.ts';
import type { RunningToolroll, ScriptedUpstream } from './support/index.ts';

const started = closing();

/** As many turns at once as keep one process busy without making any of them wait for long. */
const AT_ONCE = 16;

interface Hops {
  readonly first: Buffer;
  readonly second: Buffer;
}

function bytesOf(frames: readonly string[]): Buffer {
  return Buffer.from(frames.join(''));
}

/** Characters of two, three and four bytes, a combining one, escapes, and text that looks like a stream. */
const tricky = '北京😀é e\u0301 "data: {}"\n\nevent: x\u2028';

function joined(): Hops {
  const pick = call('call_tool', { names: ['get_w'], why: tricky });
  return {
    first: bytesOf(stream({ items: [reasoning(), message(tricky, { id: 'msg_0' }), pick] })),
    second: bytesOf(stream({ id: 'resp_2', items: [call('get_w', { city: tricky })] })),
  };
}

function hidden(): Hops {
  const pick = call('call_tool', { names: ['get_w'], why: tricky });
  return {
    first: bytesOf(stream({ items: [pick] })),
    second: bytesOf(stream({ id: 'resp_2', items: [message(tricky)] })),
  };
}

/** Serves turns whose chunks the request itself asks for: `metadata.cut` says which hop is cut where. */
async function serving(hops: Hops): Promise<{ upstream: ScriptedUpstream; toolroll: RunningToolroll }> {
  const upstream = await started(
    startScript((received) => {
      const asked: unknown = received.body;
      const { hop, at } = cutOf(asked);
      const isFirst = received.bodyText.includes('"call_tool"');
      const bytes = isFirst ? hops.first : hops.second;
      if (hop !== (isFirst ? 1 : 2)) return sse([bytes]);
      if (at < 0) return sse(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)));
      return sse([bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0));
    }),
  );
  const toolroll = await started(
    startWith({
      upstream,
      spec: twoHops({ usage: 'final' }),
      options: { auditEntries: 0, keepaliveSeconds: 0 },
    }),
  );
  return { upstream, toolroll };
}

function cutOf(body: unknown): { hop: number; at: number } {
  // The test's own request, as askCut wrote it.
  const { metadata } = body as { metadata: { hop: string; at: string } };
  return { hop: Number(metadata.hop), at: Number(metadata.at) };
}

async function askCut(toolroll: RunningToolroll, hop: number, at: number): Promise<string> {
  const metadata = { hop: String(hop), at: String(at) };
  return (await ask(toolroll, turn({ stream: true, metadata }))).text;
}

/** Sends a turn for each cut and gives the answers that are not what is wanted, by cut. */
async function strays(
  toolroll: RunningToolroll,
  hop: number,
  cuts: readonly number[],
  wanted: (text: string) => boolean,
) {
  const found: [number, string][] = [];
  const queue = [...cuts];
  const work = async (): Promise<void> => {
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      const text = await askCut(toolroll, hop, at);
      if (!wanted(text)) found.push([at, text]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** One byte at a time, then a cut in two at every place where one could do harm: in a character, at the end of a line. */
function cutsOf(bytes: Buffer): number[] {
  const isDelicate = (index: number): boolean => {
    const byte = bytes[index] ?? 0;
    return byte >= 0x80 || byte === 0x0a || byte === 0x0d;
  };
  const delicate = Array.from(bytes.keys()).filter((index) => isDelicate(index) || isDelicate(index - 1));
  return [-1, ...delicate.filter((index) => index > 0)];
}

// The unit tests of the merger cut at every byte there is.
describe('A7: a stream cut inside of characters, at line ends, and into single bytes', () => {
  it.each([
    ['joined streams', joined()],
    ['a hidden first hop', hidden()],
  ])(
    '%s: gives the same bytes',
    async (_, hops) => {
      const { toolroll } = await serving(hops);
      const whole = await askCut(toolroll, 0, 0);

      expect(eventsOf(whole).at(-1)?.type).toBe('response.completed');
      expect(whole).not.toMatch(/\uFFFD|call_tool/);
      expect(await strays(toolroll, 1, cutsOf(hops.first), (text) => text === whole)).toEqual([]);
      expect(await strays(toolroll, 2, cutsOf(hops.second), (text) => text === whole)).toEqual([]);
    },
    120_000,
  );
});
