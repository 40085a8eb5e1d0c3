import * as http from 'node:http';
import * as https from 'node:https';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { forwardProxyFor } from './forward-proxy.ts';
import type { Environment } from './forward-proxy.ts';
import type { RawHeaders } from './headers.ts';
import type { UpstreamTarget } from './target.ts';

/** Whom to connect to, and with which pool. */
export interface Hop {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  readonly agent: http.Agent;
  /** Put in front of the path: a forward proxy of an http upstream wants the whole URL (RFC 9112, 3.2.2). */
  readonly pathPrefix: string;
  /** Fields for a forward proxy that reads the request itself. */
  readonly proxyHeaders: RawHeaders;
}

/** The way to the upstream: direct, or through the forward proxy of the environment. */
export interface Route {
  /** The way of ordinary requests, over kept connections. */
  readonly pooled: Hop;
  /** The same way over a connection of its own, for the retry of a request whose kept connection was dead. */
  readonly fresh: Hop;
  /** The way of a connection that changes its protocol: a forward proxy has to tunnel it. */
  readonly upgrade: Hop;
  /** Ends the idle connections; those in use end after their answers. */
  readonly close: () => void;
}

/** Dead peers are noticed by TCP after this time, so that a NAT gateway that forgot a connection does no harm. */
const tcpKeepAliveMs = 30_000;

const kept = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, noDelay: true } as const;
const single = { keepAlive: false, noDelay: true } as const;

/** Chooses the way once; proxies in the environment are not expected to change under a running process. */
export function createRoute(target: UpstreamTarget, environment: Environment): Route {
  const proxy = forwardProxyFor(target, environment);
  if (proxy === undefined) return directRoute(target);
  return target.protocol === 'https:' ? tunnelRoute(target, proxy) : absoluteFormRoute(target, proxy);
}

function directRoute(target: UpstreamTarget): Route {
  const pooled = hopTo(target, agentFor(target.protocol, kept));
  const fresh = hopTo(target, agentFor(target.protocol, single));
  return { pooled, fresh, upgrade: fresh, close: closing(pooled) };
}

function tunnelRoute(target: UpstreamTarget, proxy: URL): Route {
  const pooled = hopTo(target, new HttpsProxyAgent(proxy, kept));
  const fresh = hopTo(target, new HttpsProxyAgent(proxy, single));
  return { pooled, fresh, upgrade: fresh, close: closing(pooled) };
}

/**
 * An http upstream is asked for in absolute form over the proxy's own connection. `http-proxy-agent` would do that by
 * rewriting the head of a request that Node has already formed, and loses headers given as a raw list on the way.
 */
function absoluteFormRoute(target: UpstreamTarget, proxy: URL): Route {
  const protocol = proxy.protocol === 'https:' ? 'https:' : 'http:';
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const end = {
    protocol,
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? defaultPort : Number(proxy.port),
  } as const;
  const readByProxy = { pathPrefix: target.origin, proxyHeaders: proxyAuthorization(proxy) };
  const pooled = { ...hopTo(end, agentFor(protocol, kept)), ...readByProxy };
  return {
    pooled,
    fresh: { ...hopTo(end, agentFor(protocol, single)), ...readByProxy },
    upgrade: hopTo(target, new HttpsProxyAgent(proxy, single)),
    close: closing(pooled),
  };
}

function proxyAuthorization(proxy: URL): RawHeaders {
  if (proxy.username === '' && proxy.password === '') return [];
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return ['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}

type End = Pick<Hop, 'protocol' | 'hostname' | 'port'>;

function hopTo({ protocol, hostname, port }: End, agent: http.Agent): Hop {
  return { protocol, hostname, port, agent, pathPrefix: '', proxyHeaders: [] };
}

function agentFor(protocol: Hop['protocol'], options: http.AgentOptions): http.Agent {
  return protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
}

/**
 * `Agent.destroy` would also cut the answers that are still coming. Without `keepAlive` a connection in use is not
 * put back but closed when its answer is whole, so only the idle ones are ended here.
 */
function closing(pooled: Hop): () => void {
  return () => {
    const { agent } = pooled;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  };
}

/** Opens one request on a hop. A tunnel that the forward proxy refuses ends it with that error. */
export function openRequest(
  hop: Hop,
  options: { readonly method: string; readonly path: string; readonly headers: RawHeaders },
): http.ClientRequest {
  const open = hop.protocol === 'https:' ? https.request : http.request;
  const request = open({
    protocol: hop.protocol,
    host: hop.hostname,
    port: hop.port,
    agent: hop.agent,
    method: options.method,
    path: options.path,
    headers: options.headers,
  });
  failOnRefusedTunnel(request);
  return request;
}

/** `https-proxy-agent` replays a refused CONNECT as if the upstream had answered: an error of the way, not an answer. */
export function failOnRefusedTunnel(request: http.ClientRequest): void {
  request.once('proxyConnect', (connect: { readonly statusCode: number }) => {
    if (connect.statusCode === 200) return;
    request.destroy(
      new Error(`the forward proxy answered CONNECT with status ${String(connect.statusCode)}`),
    );
  });
}
