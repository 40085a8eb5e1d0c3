import type { IncomingHttpHeaders } from 'node:http';
import { narrowAcceptEncoding } from './content-encoding.ts';

/** Header fields as Node keeps them raw: name, value, name, value, in the order and case of the wire. */
export type RawHeaders = readonly string[];

/** How a request's body is delimited. */
export type BodyFraming =
  | { readonly kind: 'length'; readonly bytes: number | string }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'none' };

export interface RequestHeaderOptions {
  readonly host: string;
  readonly framing: BodyFraming;
  readonly method: string;
  /** Sent as Bearer in place of the app's `authorization`. */
  readonly apiKey?: string | undefined;
  /** `decoded`: `accept-encoding` is cut down to what this Node can decode. */
  readonly answer: 'raw' | 'decoded';
}

/** Fields that mean one connection only (RFC 9110, 7.6.1). `proxy-status` is end to end (RFC 9209) and travels. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Methods whose requests Node sends without a body unless told; the others it frames as chunked. */
const bodilessMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
]);

/** Walks a raw list as pairs. */
export function* headerPairs(
  raw: RawHeaders,
): Generator<readonly [name: string, value: string], void, undefined> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}

/** A raw list out of either form in which Node hands out headers. */
export function rawHeadersOf(headers: RawHeaders | IncomingHttpHeaders): RawHeaders {
  if (isRawList(headers)) return headers;
  const raw: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    for (const one of typeof value === 'string' ? [value] : value) raw.push(name, one);
  }
  return raw;
}

function isRawList(headers: RawHeaders | IncomingHttpHeaders): headers is RawHeaders {
  return Array.isArray(headers);
}

/** The list without the fields of these names, given in lower case. */
export function withoutHeaders(raw: RawHeaders, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (const [name, value] of headerPairs(raw)) if (!names.has(name.toLowerCase())) kept.push(name, value);
  return kept;
}

/** The list without hop-by-hop fields and those that `connection` names. */
export function endToEndHeaders(raw: RawHeaders): string[] {
  return withoutHeaders(raw, connectionFields(raw));
}

function connectionFields(raw: RawHeaders): ReadonlySet<string> {
  let named: Set<string> | undefined;
  for (const [name, value] of headerPairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const token of value.toLowerCase().split(',')) {
      const field = token.trim();
      if (field === '' || hopByHop.has(field) || field === 'close') continue;
      named ??= new Set(hopByHop);
      named.add(field);
    }
  }
  return named ?? hopByHop;
}

/**
 * What the upstream is sent: the app's fields in their order and case, without hop-by-hop fields and `expect`
 * (our own server has answered it), with `host`, the body's framing and, if configured, the operator's key.
 */
export function requestHeaders(raw: RawHeaders, options: RequestHeaderOptions): string[] {
  const headers: string[] = ['Host', options.host];
  const dropped = connectionFields(raw);
  let authorization = options.apiKey === undefined ? undefined : `Bearer ${options.apiKey}`;
  for (const [name, value] of headerPairs(raw)) {
    const field = name.toLowerCase();
    if (dropped.has(field) || field === 'host' || field === 'content-length' || field === 'expect') continue;
    if (field === 'authorization' && options.apiKey !== undefined) {
      if (authorization !== undefined) headers.push(name, authorization);
      authorization = undefined;
    } else if (field === 'accept-encoding' && options.answer === 'decoded') {
      headers.push(name, narrowAcceptEncoding(value));
    } else headers.push(name, value);
  }
  if (authorization !== undefined) headers.push('Authorization', authorization);
  headers.push(...framingHeaders(options));
  return headers;
}

function framingHeaders({ framing, method }: RequestHeaderOptions): string[] {
  switch (framing.kind) {
    case 'length':
      return ['Content-Length', String(framing.bytes)];
    case 'chunked':
      return ['Transfer-Encoding', 'chunked'];
    case 'none':
      return bodilessMethods.has(method) ? [] : ['Content-Length', '0'];
    default:
      return framing satisfies never;
  }
}

/** Header fields by name: in lower case as on `IncomingMessage.headers`, every value of a repeated field kept. */
export function headerRecord(raw: RawHeaders): IncomingHttpHeaders {
  const record: IncomingHttpHeaders = {};
  for (const [name, value] of headerPairs(raw)) {
    const field = name.toLowerCase();
    if (field === 'set-cookie') (record['set-cookie'] ??= []).push(value);
    else {
      const earlier = record[field];
      record[field] = typeof earlier === 'string' ? `${earlier}, ${value}` : value;
    }
  }
  return record;
}
