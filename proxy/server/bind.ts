import type { Server } from 'node:http';

import type { ListenAddress } from '../config/index.ts';

/** An agent may open a thousand connections at once; beyond Node's default of 511 the system resets them. */
const BACKLOG = 4096;

/**
 * Lets a server listen.
 *
 * @param address port 0 picks one
 * @returns where it answers, such as `http://127.0.0.1:8080`
 * @throws the system's error where the address cannot be had
 */
export async function bind(server: Server, { host, port }: ListenAddress): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('the listener has no address');
  const shown = bound.address.includes(':') ? `[${bound.address}]` : bound.address;
  return `http://${shown}:${String(bound.port)}`;
}
