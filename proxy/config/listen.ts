/** Where a listener listens. Port 0 lets the system pick one. */
export interface ListenAddress {
  /** A name or an address; IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, with an IPv6 address in brackets; `undefined` where it is not that. */
export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.%a-z]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) return undefined;
  return { host, port };
}
