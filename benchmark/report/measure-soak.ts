/** Memory over very many turns. */
import { generateLoad, median, openConnection } from '../load/index.ts';
import { checkVariant, pathOf, turnBody, variants } from '../peers/index.ts';
import type { Peers } from '../peers/index.ts';

/** Resident memory of the proxy along the way. */
export interface SoakResult {
  readonly requests: number;
  /** After each tenth, in bytes. */
  readonly rssBytes: readonly number[];
  /** The last three tenths against the second to the fourth: the first is warm-up. */
  readonly growth: number;
}

const PARTS = 10;
const CONNECTIONS = 16;
const TOOLS = 37;

/** Sends rolled-up turns, JSON and streams by turns. */
export async function measureSoak(
  peers: Peers,
  requests: number,
  note: (line: string) => void,
): Promise<SoakResult> {
  const variant = variants.find(({ name }) => name === 'twoHops');
  if (variant === undefined) throw new Error('there is no two-hop variant');
  const proxy = peers.proxies[variant.peer];
  const url = proxy.url + pathOf(variant, 'responses');
  const connection = openConnection();
  const rssBytes: number[] = [];
  for (let part = 1; part <= PARTS; part += 1) {
    for (const format of ['json', 'sse'] as const) {
      const body = turnBody(TOOLS, format);
      const answerChars = await checkVariant(connection, { variant, url, body, format, api: 'responses' });
      await generateLoad(
        { url, body, answerChars },
        { connections: CONNECTIONS, requests: Math.ceil(requests / PARTS / 2) },
      );
    }
    const { rssBytes: now } = await proxy.ask('read');
    rssBytes.push(now);
    note(`soak: ${String((requests / PARTS) * part)} turns, ${(now / 2 ** 20).toFixed(0)} MiB`);
  }
  connection.close();
  return { requests, rssBytes, growth: median(rssBytes.slice(-3)) / median(rssBytes.slice(1, 4)) };
}
