/** Where a path of the app stands on the operator's upstream. The host never comes from the app. */

/** A base URL, checked once. */
export interface UpstreamTarget {
  readonly protocol: 'http:' | 'https:';
  /** Name or address to connect to, an IPv6 address without its brackets. */
  readonly hostname: string;
  /** Always set, the scheme's own port included. */
  readonly port: number;
  /** The `host` header field: the port is left out where it is the scheme's own. */
  readonly host: string;
  /** Scheme, host and port, as a forward proxy wants them in front of a path. */
  readonly origin: string;
  /**
   * The path and query to ask the upstream for, given the request target that the app sent.
   * `/v1/x?y` stands under the base URL; every other path under the base URL without its `/v1`.
   */
  pathFor(requestTarget: string): string;
}

/** The prefix of the API that the official clients put in front of every path. */
const apiPrefix = '/v1';

/** `http://evil/x`, which a client may send as the request target (RFC 9112, 3.2.2): only its path counts here. */
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*/i;

/** A path segment that a URL parser takes for `.` or `..` (WHATWG URL, "single-dot URL path segment"). */
const dotSegment = /^(?:\.|%2e){1,2}$/i;
const doubleDotSegment = /^(?:\.|%2e){2}$/i;

/**
 * Reads the upstream's base URL.
 * @throws {TypeError} where it is not an absolute http(s) URL, or carries credentials, a query or a fragment
 */
export function createTarget(baseUrl: string): UpstreamTarget {
  const url = parseBaseUrl(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const root = base.endsWith(apiPrefix) ? base.slice(0, -apiPrefix.length) : base;
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  return {
    protocol: url.protocol === 'https:' ? 'https:' : 'http:',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
    host: url.host,
    origin: url.origin,
    pathFor(requestTarget) {
      // `OPTIONS *` asks about the server as a whole: it has no path to map.
      if (requestTarget === '*') return '*';
      const path = withoutDotSegments(pathOf(requestTarget));
      return isUnderApi(path) ? `${base}${path.slice(apiPrefix.length)}` || '/' : `${root}${path}`;
    },
  };
}

function parseBaseUrl(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new TypeError(`The upstream's base URL is not a URL: ${baseUrl}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`The upstream's base URL must begin with http:// or https://, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    // Not repeated in the message: it would put the password into the log.
    throw new TypeError("The upstream's base URL must not carry credentials; set UPSTREAM_API_KEY instead");
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError("The upstream's base URL must not carry a query or a fragment");
  }
  return url;
}

function pathOf(requestTarget: string): string {
  const path = requestTarget.replace(absoluteForm, '');
  return path.startsWith('/') ? path : `/${path}`;
}

function isUnderApi(path: string): boolean {
  if (!path.startsWith(apiPrefix)) return false;
  const next = path.charAt(apiPrefix.length);
  return next === '' || next === '/' || next === '?';
}

/**
 * Resolves `.` and `..` segments, plain or percent-encoded, so that a path cannot climb out of a base URL such as
 * `https://host/tenant/v1` while it carries the operator's key. A path without them comes back byte for byte.
 */
function withoutDotSegments(pathAndQuery: string): string {
  const queryAt = pathAndQuery.indexOf('?');
  const path = queryAt < 0 ? pathAndQuery : pathAndQuery.slice(0, queryAt);
  // A backslash parts segments for many servers, so it hides no dots here.
  const segments = path.split(/[/\\]/);
  if (!segments.some((segment) => dotSegment.test(segment))) return pathAndQuery;
  const kept: string[] = [];
  for (const [index, segment] of segments.slice(1).entries()) {
    if (!dotSegment.test(segment)) kept.push(segment);
    else {
      if (doubleDotSegment.test(segment)) kept.pop();
      // A trailing dot segment names a directory: its slash stays.
      if (index === segments.length - 2) kept.push('');
    }
  }
  return `/${kept.join('/')}${queryAt < 0 ? '' : pathAndQuery.slice(queryAt)}`;
}
