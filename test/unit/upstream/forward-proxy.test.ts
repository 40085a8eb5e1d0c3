import { forwardProxyFor } from '../../../proxy/upstream/forward-proxy.ts';

const https = { protocol: 'https:', hostname: 'api.example.com', port: 443 } as const;
const http = { protocol: 'http:', hostname: 'vllm.models.svc', port: 8000 } as const;
const address = { protocol: 'http:', hostname: '10.1.2.3', port: 8000 } as const;

describe('the forward proxy of the environment', () => {
  it('is chosen by the scheme of the upstream, lower case before upper case, ALL_PROXY last', () => {
    expect(forwardProxyFor(https, { HTTPS_PROXY: 'http://p:1' })?.href).toBe('http://p:1/');
    expect(forwardProxyFor(http, { HTTPS_PROXY: 'http://p:1' })).toBeUndefined();
    expect(forwardProxyFor(http, { HTTP_PROXY: 'http://upper:1', http_proxy: 'http://lower:2' })?.host).toBe(
      'lower:2',
    );
    expect(forwardProxyFor(http, { ALL_PROXY: 'p:3128' })?.href).toBe('http://p:3128/');
    expect(forwardProxyFor(https, { HTTPS_PROXY: ' ' })).toBeUndefined();
  });

  test.each([
    [https, '*', true],
    [https, 'api.example.com', true],
    [https, 'API.Example.COM', true],
    [https, 'example.com', true],
    [https, '.example.com', true],
    [https, '*.example.com', true],
    [https, 'ample.com', false],
    [https, '.api.example.com', false],
    [https, 'api.example.com:443', true],
    [https, 'api.example.com:8443', false],
    [https, 'localhost, other.org  example.com', true],
    [http, '.svc,.cluster.local', true],
    [address, '10.1.2.3', true],
    [address, '10.0.0.0/8', true],
    [address, '10.2.0.0/16', false],
    [address, '10.0.0.0/99', false],
    [address, '1.2.3', false],
    [{ ...address, hostname: '::1' }, '[::1]:8000', true],
    [{ ...address, hostname: 'fd00::5' }, 'fd00::/8', true],
    [{ ...address, hostname: '127.0.0.1' }, '', false],
  ])('for %j, NO_PROXY=%s: reached directly is %s', (upstream, list, direct) => {
    const proxy = forwardProxyFor(upstream, { ALL_PROXY: 'http://p:1', NO_PROXY: list });
    expect(proxy === undefined).toBe(direct);
  });

  it('refuses what is no http proxy, without repeating a password', () => {
    expect(() => forwardProxyFor(https, { ALL_PROXY: 'socks5://u:secret@p:1' })).toThrow(
      /^(?!.*secret).*socks5:/,
    );
    expect(() => forwardProxyFor(https, { ALL_PROXY: 'http://u:secret@:x' })).toThrow(
      /^(?!.*secret).*not a URL/,
    );
  });
});
