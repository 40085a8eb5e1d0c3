import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ToolrollError } from '../proxy/core/errors.ts';

/**
 * Lets a request to /api through, or says why not. With a key, the key decides. Without one, callers on loopback are
 * let in; since a page in a browser on this machine is such a caller too, the `Host` it used must be a loopback name
 * (a page that rebinds its own name to 127.0.0.1 still sends that name).
 *
 * @throws ToolrollError `unauthorized`, `loopback_only` or `host_refused`
 */
export function requireAdmin(request: IncomingMessage, adminApiKey: string | undefined): void {
  if (adminApiKey !== undefined) {
    if (!holdsKey(request.headers.authorization, adminApiKey)) throw new ToolrollError('unauthorized');
    return;
  }
  if (!isLoopbackAddress(request.socket.remoteAddress)) throw new ToolrollError('loopback_only');
  if (!isLoopbackHost(request.headers.host)) throw new ToolrollError('host_refused');
}

/**
 * Refuses requests that a page of another origin sends: such a page may post without being asked, and must not
 * change rules by it. Programs send no `Origin`.
 *
 * @throws ToolrollError `origin_refused`
 */
export function refuseForeignOrigin(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  if (origin !== undefined && !isSameHost(origin, host)) throw new ToolrollError('origin_refused');
}

/** Both sides are hashed, so that neither the key's length nor its first wrong byte shows in the time. */
function holdsKey(authorization: string | undefined, key: string): boolean {
  const given = /^bearer +(.*)$/i.exec(authorization ?? '')?.[1] ?? '';
  // Node reads header bytes as Latin-1; the key was read as UTF-8.
  return timingSafeEqual(sha256(Buffer.from(given, 'latin1')), sha256(Buffer.from(key, 'utf8')));
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && loopback.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = hostOf(`http://${host ?? ''}`)?.hostname;
  if (name === undefined) return false;
  return name === 'localhost' || isLoopbackAddress(name.replace(/^\[(.*)\]$/, '$1'));
}

/** The ports that a scheme implies are left out of both sides: `https://a` is the host `a:443`. */
function isSameHost(origin: string, host: string | undefined): boolean {
  const from = hostOf(origin);
  return from !== undefined && from.host === hostOf(`${from.protocol}//${host ?? ''}`)?.host;
}

function hostOf(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return parsed.host === '' ? undefined : parsed;
}
