import { BlockList, isIP } from 'node:net';

/** The environment, as `process.env` holds it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Which forward proxy leads to the upstream, by the variables that curl and Go know: `HTTPS_PROXY` or `HTTP_PROXY`
 * after the upstream's scheme, else `ALL_PROXY`, unless `NO_PROXY` names the upstream. Lower case wins.
 *
 * `NO_PROXY` is read as Go does, which is what Kubernetes users write: a list of hosts (their subdomains are meant
 * too), `.suffix`, `*.suffix`, addresses, CIDR blocks (`10.0.0.0/8`), each with `:port` if wanted, or `*`.
 * Loopback is nothing special: with a proxy set, it must be listed.
 * @returns the proxy's URL; undefined where the upstream is reached directly
 * @throws {TypeError} where the proxy is not an http(s) URL
 */
export function forwardProxyFor(
  upstream: { readonly protocol: 'http:' | 'https:'; readonly hostname: string; readonly port: number },
  environment: Environment,
): URL | undefined {
  const scheme = upstream.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const setting = variable(environment, scheme) ?? variable(environment, 'all_proxy');
  if (setting === undefined) return undefined;
  const list = variable(environment, 'no_proxy') ?? '';
  const bypassed = list.split(/[\s,]+/).some((entry) => entry !== '' && matches(entry, upstream));
  return bypassed ? undefined : parseProxy(setting);
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

function parseProxy(setting: string): URL {
  let url: URL;
  try {
    url = new URL(setting.includes('://') ? setting : `http://${setting}`);
  } catch {
    // The setting is not repeated: it may hold a password.
    throw new TypeError('The forward proxy in the environment is not a URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`The forward proxy must be an http:// or https:// URL, not ${url.protocol}`);
  }
  return url;
}

function matches(entry: string, upstream: { readonly hostname: string; readonly port: number }): boolean {
  if (entry === '*') return true;
  const { host, port } = splitPort(entry.toLowerCase());
  if (port !== undefined && port !== upstream.port) return false;
  const hostname = upstream.hostname.toLowerCase();
  if (isIP(hostname) !== 0) return matchesAddress(host, hostname);
  const suffix = host.replace(/^\*?\./, '');
  const namesSubdomainsOnly = suffix !== host;
  return hostname.endsWith(`.${suffix}`) || (!namesSubdomainsOnly && hostname === suffix);
}

function splitPort(entry: string): { host: string; port?: number } {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(entry);
  const plain = /^([^:]*):(\d+)$/.exec(entry);
  const [, host = entry, port] = bracketed ?? plain ?? [];
  return port === undefined ? { host } : { host, port: Number(port) };
}

function matchesAddress(block: string, address: string): boolean {
  const [network = '', prefix] = block.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0) return false;
  const list = new BlockList();
  if (prefix === undefined) list.addAddress(network, family);
  else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 'ipv6' ? 128 : 32)) {
    list.addSubnet(network, Number(prefix), family);
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
