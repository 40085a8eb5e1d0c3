import { createTarget } from '../../../proxy/upstream/target.ts';

describe('where a path of the app stands on the upstream', () => {
  const table: readonly (readonly [base: string, requestTarget: string, expected: string])[] = [
    ['https://api.openai.com/v1', '/v1/responses', '/v1/responses'],
    ['https://api.openai.com/v1/', '/v1/responses?x=1&y=a%2Fb', '/v1/responses?x=1&y=a%2Fb'],
    ['https://api.openai.com/v1', '/v1', '/v1'],
    ['https://api.openai.com/v1', '/v1?x', '/v1?x'],
    ['https://api.openai.com/v1', '/health', '/health'],
    ['https://api.openai.com/v1', '/v1beta/x', '/v1beta/x'],
    ['https://host/openai/v1', '/v1/models', '/openai/v1/models'],
    ['https://host/openai/v1', '/metrics', '/openai/metrics'],
    ['https://host/deployments/a', '/v1/models', '/deployments/a/models'],
    ['https://host/deployments/a', '/other', '/deployments/a/other'],
    ['https://host', '/v1', '/'],
    ['https://host', '/v1/models', '/models'],
    // Bytes that a path may hold stay as they are.
    ['https://host/v1', "/v1//files///x{}|^'", "/v1//files///x{}|^'"],
    ['https://host/v1', '/v1/files/a%20b?next=http://x//y', '/v1/files/a%20b?next=http://x//y'],
    ['https://host/v1', '*', '*'],
    // Dot segments neither leave the base path nor pass for a path under /v1.
    ['https://host/tenant/v1', '/v1/../../other/v1/models', '/tenant/other/v1/models'],
    ['https://host/tenant/v1', '/v1/%2e%2E/%2e./other', '/tenant/other'],
    ['https://host/tenant/v1', '/x/..\\..\\..\\v1/models', '/tenant/v1/models'],
    ['https://host/v1', '/v1/./models/.', '/v1/models/'],
    ['https://host/v1', '/v1/a/..?q=../..', '/v1/?q=../..'],
    ['https://host/v1', '/v1/..hidden/...', '/v1/..hidden/...'],
  ];

  test.each(table)('under %s, %s is asked for as %s', (base, requestTarget, expected) => {
    expect(createTarget(base).pathFor(requestTarget)).toBe(expected);
  });

  const attacks: readonly (readonly [requestTarget: string, path: string])[] = [
    ['http://evil/v1/models', '/v1/models'],
    ['https://evil:444', '/'],
    ['HTTP://user:pass@evil/x', '/x'],
    ['http://evil\\@good/x', '/\\@good/x'],
    ['//evil/v1/models', '//evil/v1/models'],
    ['/\\evil/x', '/\\evil/x'],
    ['\\\\evil\\x', '/\\\\evil\\x'],
    ['@evil/x', '/@evil/x'],
    ['/v1@evil/x', '/v1@evil/x'],
    ['/v1/%5c%5cevil', '/v1/%5c%5cevil'],
    ['/%2f%2fevil/x', '/%2f%2fevil/x'],
    ['evil:80/x', '/evil:80/x'],
    ['', '/'],
  ];

  test.each(attacks)('%s changes the path alone', (requestTarget, path) => {
    const target = createTarget('http://good:8000/v1');
    expect(target.pathFor(requestTarget)).toBe(path);
    expect(target).toMatchObject({
      hostname: 'good',
      port: 8000,
      host: 'good:8000',
      origin: 'http://good:8000',
    });
  });

  it('connects to an IPv6 address without its brackets', () => {
    expect(createTarget('http://[::1]:8000/v1')).toMatchObject({
      hostname: '::1',
      host: '[::1]:8000',
      port: 8000,
    });
  });

  test.each([
    ['not a url', 'is not a URL'],
    ['ftp://host/v1', 'must begin with http'],
    ['https://host/v1?key=1', 'must not carry a query'],
    ['https://host/v1#x', 'must not carry a query or a fragment'],
  ])('refuses %s as a base URL', (base, message) => {
    expect(() => createTarget(base)).toThrow(message);
  });

  it('refuses credentials in a base URL without repeating them', () => {
    expect(() => createTarget('https://user:secret@host/v1')).toThrow(/^(?!.*secret).*UPSTREAM_API_KEY/);
  });
});
