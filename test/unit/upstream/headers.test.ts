import {
  endToEndHeaders,
  headerRecord,
  rawHeadersOf,
  requestHeaders,
} from '../../../proxy/upstream/headers.ts';

const options = {
  host: 'up:1',
  method: 'POST',
  framing: { kind: 'length', bytes: 2 },
  answer: 'raw',
} as const;

describe('what of a request travels', () => {
  it('keeps every end-to-end field with its order, case and repetitions', () => {
    const raw = [
      'User-Agent',
      'OpenAI/JS',
      'traceparent',
      '00-a-b-01',
      'X-Many',
      '1',
      'x-many',
      '2',
      'OpenAI-Beta',
      'x',
    ];
    expect(requestHeaders(raw, options)).toEqual(['Host', 'up:1', ...raw, 'Content-Length', '2']);
  });

  it('drops hop-by-hop fields, those that connection names, and expect', () => {
    const raw = [
      'Connection',
      'keep-alive, X-Once',
      'X-Once',
      '1',
      'TE',
      'trailers',
      'Keep-Alive',
      'timeout=5',
    ];
    raw.push(
      'Proxy-Authorization',
      'Basic x',
      'Transfer-Encoding',
      'chunked',
      'Expect',
      '100-continue',
      'Upgrade',
      'h2c',
    );
    raw.push(
      'Trailer',
      'X',
      'Host',
      'app:1',
      'Content-Length',
      '99',
      'Proxy-Connection',
      'close',
      'X-Kept',
      'yes',
    );
    expect(requestHeaders(raw, options)).toEqual(['Host', 'up:1', 'X-Kept', 'yes', 'Content-Length', '2']);
  });

  it('puts the configured key in the place of every authorization, and leaves other keys', () => {
    const raw = [
      'authorization',
      'Bearer app',
      'api-key',
      'k',
      'Authorization',
      'Bearer again',
      'x-api-key',
      'l',
    ];
    expect(requestHeaders(raw, { ...options, apiKey: 'ours' })).toEqual([
      ...[
        'Host',
        'up:1',
        'authorization',
        'Bearer ours',
        'api-key',
        'k',
        'x-api-key',
        'l',
        'Content-Length',
        '2',
      ],
    ]);
    expect(requestHeaders([], { ...options, apiKey: 'ours' })).toContain('Bearer ours');
    expect(requestHeaders(raw, options)).toEqual(expect.arrayContaining(['Bearer app', 'Bearer again']));
  });

  test.each([
    ['POST', { kind: 'none' }, ['Content-Length', '0']],
    ['GET', { kind: 'none' }, []],
    ['DELETE', { kind: 'none' }, []],
    ['DELETE', { kind: 'chunked' }, ['Transfer-Encoding', 'chunked']],
    ['GET', { kind: 'length', bytes: 0 }, ['Content-Length', '0']],
  ] as const)('%s with a body of framing %j is framed as %j', (method, framing, expected) => {
    expect(requestHeaders([], { ...options, method, framing }).slice(2)).toEqual(expected);
  });

  it('asks for codings that can be decoded where the answer has to be read, and only there', () => {
    const raw = ['Accept-Encoding', 'gzip;q=0.5, snappy, br'];
    expect(requestHeaders(raw, options)).toContain('gzip;q=0.5, snappy, br');
    expect(requestHeaders(raw, { ...options, answer: 'decoded' })).toContain('gzip;q=0.5, br');
  });
});

describe('what of an answer travels', () => {
  it('is all but hop-by-hop fields', () => {
    const kept = [
      'Retry-After',
      '30',
      'x-ratelimit-remaining-tokens',
      '0',
      'x-request-id',
      'req_1',
      'openai-version',
      '1',
    ];
    kept.push('Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'Proxy-Status', 'edge');
    const raw = [...kept, 'Transfer-Encoding', 'chunked', 'Connection', 'close, x-hop', 'X-Hop', '1'];
    expect(endToEndHeaders(raw)).toEqual(kept);
  });

  it('keeps repeated fields in the record by name', () => {
    const record = headerRecord(['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'Via', 'x', 'via', 'y']);
    expect(record).toEqual({ 'set-cookie': ['a=1', 'b=2'], via: 'x, y' });
    expect(rawHeadersOf(record)).toEqual(['set-cookie', 'a=1', 'set-cookie', 'b=2', 'via', 'x, y']);
  });
});
