import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Says where a server on the loopback listens, in the way that Toolroll does. */
export function announce(server: Server): void {
  // Listening on TCP: the address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  process.stderr.write(
    `${JSON.stringify({ event: 'listening', proxy: `http://127.0.0.1:${String(port)}` })}\n`,
  );
}
