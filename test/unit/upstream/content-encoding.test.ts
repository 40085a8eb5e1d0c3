import * as zlib from 'node:zlib';
import { canDecode, decodeBody, narrowAcceptEncoding } from '../../../proxy/upstream/content-encoding.ts';

const text = Buffer.from(`{"input":"${'北京😀 tools '.repeat(2000)}"}`);
const limit = 1_000_000;

describe('an encoded request body', () => {
  test.each([
    ['gzip', zlib.gzipSync(text)],
    ['GZip', zlib.gzipSync(text)],
    ['x-gzip', zlib.gzipSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
    ['deflate, identity, gzip', zlib.gzipSync(zlib.deflateSync(text))],
    ['identity', text],
    [undefined, text],
  ])('of content-encoding %s is decoded', async (encoding, bytes) => {
    const result = await decodeBody(bytes, encoding, limit);
    expect(result.kind === 'decoded' && text.equals(result.bytes)).toBe(true);
  });

  it('of several gzip members is decoded whole', async () => {
    const bytes = Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')]);
    const result = await decodeBody(bytes, 'gzip', limit);
    expect(result.kind === 'decoded' && Buffer.from(result.bytes).toString()).toBe('one two');
  });

  it('of zstd is decoded where this Node can, and named where it cannot', async () => {
    const compress: unknown = Reflect.get(zlib, 'zstdCompressSync');
    const native = typeof compress === 'function';
    const bytes: unknown = native ? Reflect.apply(compress, zlib, [text]) : text;
    if (!(bytes instanceof Uint8Array)) throw new Error('zstdCompressSync gave no bytes');
    const result = await decodeBody(bytes, 'zstd', limit);
    if (native) expect(result.kind === 'decoded' && text.equals(result.bytes)).toBe(true);
    else expect(result).toEqual({ kind: 'unsupported', encoding: 'zstd' });
    expect(canDecode('zstd')).toBe(native);
  });

  it('of an unknown coding is left, and the coding named', async () => {
    expect(await decodeBody(text, 'gzip, snappy', limit)).toEqual({
      kind: 'unsupported',
      encoding: 'snappy',
    });
    expect(await decodeBody(text, 'gzip,gzip,gzip,gzip,gzip', limit)).toMatchObject({ kind: 'unsupported' });
  });

  it('that unfolds over the limit is refused, in whichever layer', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(50_000_000));
    expect(await decodeBody(bomb, 'gzip', limit)).toEqual({ kind: 'too_large', limitBytes: limit });
    expect(await decodeBody(zlib.brotliCompressSync(bomb), 'gzip, br', limit)).toMatchObject({
      kind: 'too_large',
    });
    expect(await decodeBody(zlib.gzipSync(Buffer.alloc(limit)), 'gzip', limit)).toMatchObject({
      kind: 'decoded',
    });
    expect(await decodeBody(Buffer.alloc(11), undefined, 10)).toMatchObject({ kind: 'too_large' });
  });

  test.each([
    ['gzip', text],
    ['gzip', zlib.gzipSync(text).subarray(0, 100)],
    ['br', zlib.brotliCompressSync(text).subarray(0, 20)],
    ['br', Buffer.from('not brotli at all')],
    ['deflate', zlib.deflateSync(text).subarray(0, 50)],
    ['deflate', Buffer.from([0xff, 0xff, 0xff])],
    ['gzip', Buffer.alloc(0)],
  ])('that is not what %s makes is called corrupt', async (encoding, bytes) => {
    expect(await decodeBody(bytes, encoding, limit)).toEqual({ kind: 'corrupt', encoding });
  });
});

describe('accept-encoding for an answer that has to be read', () => {
  test.each([
    ['gzip, deflate, br', 'gzip, deflate, br'],
    ['gzip,deflate;q=0.5', 'gzip,deflate;q=0.5'],
    ['gzip, snappy;q=1, br;q=0.1', 'gzip, br;q=0.1'],
    ['snappy', 'identity'],
    ['*', 'identity'],
    ['identity', 'identity'],
  ])('%s becomes %s', (value, expected) => {
    expect(narrowAcceptEncoding(value)).toBe(expected);
  });
});
