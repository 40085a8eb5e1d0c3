import { Duplex } from 'node:stream';
import * as zlib from 'node:zlib';

/** What became of an encoded body. */
export type DecodedBody =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  /** This Node has no decoder for `encoding`. */
  | { readonly kind: 'unsupported'; readonly encoding: string }
  | { readonly kind: 'too_large'; readonly limitBytes: number }
  | { readonly kind: 'corrupt'; readonly encoding: string };

type DecoderFactory = () => Duplex;

/** More stacked encodings than any client sends: refused, since each layer multiplies the work. */
const maxLayers = 4;

/**
 * Which encodings this Node decodes. zstd came with Node 22.15 and is absent from the types of Node 20, so it is
 * looked up at run time.
 */
const decoders: ReadonlyMap<string, DecoderFactory> = new Map<string, DecoderFactory>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', createInflate],
  ['br', () => zlib.createBrotliDecompress()],
  ...zstdDecoder(),
]);

function zstdDecoder(): readonly (readonly [string, DecoderFactory])[] {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (typeof create !== 'function') return [];
  return [
    [
      'zstd',
      () => {
        const decoder: unknown = Reflect.apply(create, zlib, []);
        if (!(decoder instanceof Duplex)) throw new TypeError('zlib.createZstdDecompress gives no stream');
        return decoder;
      },
    ],
  ];
}

/** True where this Node can decode that content coding. */
export function canDecode(encoding: string): boolean {
  return encoding === 'identity' || decoders.has(encoding);
}

/** The codings of a `content-encoding` value, in the order in which they were applied; `identity` left out. */
export function parseContentEncoding(value: string | undefined): string[] {
  return (value ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/** Streams that undo these codings, the last applied first. */
export type DecoderChain =
  | { readonly kind: 'decoders'; readonly streams: readonly Duplex[] }
  | { readonly kind: 'unsupported'; readonly encoding: string };

/** Makes the streams for a `content-encoding` value; `unsupported` names the first coding that stops it. */
export function createDecoders(contentEncoding: string | undefined): DecoderChain {
  const codings = parseContentEncoding(contentEncoding);
  const factories: DecoderFactory[] = [];
  for (const coding of codings.toReversed()) {
    const create = decoders.get(coding);
    if (create === undefined || codings.length > maxLayers) return { kind: 'unsupported', encoding: coding };
    factories.push(create);
  }
  return { kind: 'decoders', streams: factories.map((create) => create()) };
}

/**
 * Decodes a whole request body.
 * @param encodingHeader the `content-encoding` value; absent or `identity` gives the bytes back as they are
 * @param limitBytes most bytes that any layer may decode to: a small body can unfold to gigabytes
 */
export async function decodeBody(
  bytes: Uint8Array,
  encodingHeader: string | undefined,
  limitBytes: number,
): Promise<DecodedBody> {
  const chain = createDecoders(encodingHeader);
  if (chain.kind === 'unsupported') return chain;
  const codings = parseContentEncoding(encodingHeader).toReversed();
  let current = bytes;
  for (const [layer, stream] of chain.streams.entries()) {
    const decoded = await runDecoder(stream, current, limitBytes);
    if (decoded === 'too_large') return { kind: 'too_large', limitBytes };
    if (decoded === 'corrupt') return { kind: 'corrupt', encoding: codings[layer] ?? '' };
    current = decoded;
  }
  return current.byteLength > limitBytes
    ? { kind: 'too_large', limitBytes }
    : { kind: 'decoded', bytes: current };
}

async function runDecoder(
  stream: Duplex,
  bytes: Uint8Array,
  limitBytes: number,
): Promise<Uint8Array | 'too_large' | 'corrupt'> {
  // An encoder has at least a header to write: nothing at all is not an encoded body.
  if (bytes.byteLength === 0) return 'corrupt';
  const chunks: Buffer[] = [];
  let total = 0;
  stream.end(bytes);
  try {
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      total += chunk.byteLength;
      // Leaving the loop destroys the decoder, so that the rest is never unfolded.
      if (total > limitBytes) return 'too_large';
      chunks.push(chunk);
    }
  } catch {
    return 'corrupt';
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, total);
}

/**
 * Cuts an `accept-encoding` value down to what this Node decodes, weights kept. A value that needs no cut comes back
 * as it is; one of which nothing is left becomes `identity`.
 */
export function narrowAcceptEncoding(value: string): string {
  const items = value.split(',').map((item) => item.trim());
  const kept = items.filter((item) => canDecode((item.split(';')[0] ?? '').trim().toLowerCase()));
  if (kept.length === items.length) return value;
  return kept.length === 0 ? 'identity' : kept.join(', ');
}

/**
 * `deflate` is zlib's format by the standard (RFC 9110, 8.4.1.2), and raw deflate from some servers: the first byte
 * tells which, as browsers do it.
 */
function createInflate(): Duplex {
  let inner: Duplex | undefined;
  const outer = new Duplex({
    read() {
      inner?.resume();
    },
    write(chunk: Buffer, _encoding, done) {
      inner ??= feed(outer, ((chunk[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw());
      // The callback comes when the decoder has taken the chunk, so that a slow reader slows the source.
      inner.write(chunk, done);
    },
    final(done) {
      if (inner === undefined) outer.push(null);
      else inner.end();
      done();
    },
    destroy(error, done) {
      inner?.destroy();
      done(error);
    },
  });
  return outer;
}

function feed(outer: Duplex, inner: Duplex): Duplex {
  inner.on('data', (chunk: Buffer) => {
    if (!outer.push(chunk)) inner.pause();
  });
  inner.on('end', () => outer.push(null));
  inner.on('error', (error) => outer.destroy(error));
  return inner;
}
