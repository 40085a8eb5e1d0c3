import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeOptions, loadOptions, parseListen, withoutSecrets } from '../../../proxy/config/index.ts';
import type { LoadedOptions, OptionFault } from '../../../proxy/config/index.ts';
import { temporaryDirectory } from './rules-directory.ts';

const load = (environment: Record<string, string>, flags: Record<string, string> = {}): LoadedOptions =>
  loadOptions({ flags, environment });
const faultsOf = (
  environment: Record<string, string>,
  flags: Record<string, string> = {},
): readonly OptionFault[] => load(environment, flags).faults ?? [];

describe('options', () => {
  test('have their defaults where nothing is given', () => {
    expect(load({}).options).toEqual({
      upstreamBaseUrl: 'https://api.openai.com/v1',
      proxyListen: '127.0.0.1:8080',
      controlListen: '0.0.0.0:9090',
      rulesDir: '/etc/toolroll/rules',
      withoutRules: 'refuse',
      logLevel: 'info',
      bodyLimitBytes: 67_108_864,
      connectTimeoutSeconds: 10,
      firstByteTimeoutSeconds: 600,
      idleTimeoutSeconds: 600,
      keepaliveSeconds: 15,
      drainSeconds: 30,
      configPollSeconds: 30,
      auditEntries: 1000,
      maxConnections: 0,
      skillMaxTokens: 10000,
    });
  });

  test('come from flags before the environment before the defaults; an empty text is not set', () => {
    const { options } = load(
      {
        TOOLROLL_PROXY_LISTEN: '127.0.0.1:1',
        TOOLROLL_CONTROL_LISTEN: '[::]:9090',
        TOOLROLL_RULES_DIR: '',
        TOOLROLL_IDLE_TIMEOUT_SECONDS: '0.2',
        PATH: '/usr/bin',
      },
      { proxyListen: '127.0.0.1:2', controlListen: '' },
    );
    expect(options).toMatchObject({
      proxyListen: '127.0.0.1:2',
      controlListen: '[::]:9090',
      rulesDir: '/etc/toolroll/rules',
      idleTimeoutSeconds: 0.2,
    });
  });

  test('lose the slash at the end of a base URL, to which paths are appended', () => {
    expect(load({ UPSTREAM_BASE_URL: 'http://127.0.0.1:11434/v1/' }).options?.upstreamBaseUrl).toBe(
      'http://127.0.0.1:11434/v1',
    );
    expect(load({ UPSTREAM_BASE_URL: 'http://model' }).options?.upstreamBaseUrl).toBe('http://model');
  });

  test('are refused with every fault at once, each by the name it was given under', () => {
    const faults = faultsOf(
      {
        UPSTREAM_BASE_URL: 'ftp://model/v1',
        TOOLROLL_LOG_LEVEL: 'loud',
        TOOLROLL_BODY_LIMIT_BYTES: '1.5',
        TOOLROLL_DRAIN_SECONDS: '-1',
        TOOLROLL_CONNECT_TIMEOUT_SECONDS: '0',
        TOOLROLL_WITHOUT_RULE: 'pass',
      },
      { proxyListen: '8080', auditEntries: 'many', speed: 'fast' },
    );
    expect(faults).toEqual([
      { source: 'speed', message: 'is not an option' },
      { source: 'TOOLROLL_WITHOUT_RULE', message: 'is not an option; did you mean TOOLROLL_WITHOUT_RULES?' },
      { source: 'UPSTREAM_BASE_URL', message: "must be an http or https URL, it is 'ftp://model/v1'" },
      {
        source: '--proxy-listen',
        message: "must be host:port, as in 127.0.0.1:8080 or [::]:9090, it is '8080'",
      },
      { source: '--audit-entries', message: "must be a number, it is 'many'" },
      {
        source: 'TOOLROLL_LOG_LEVEL',
        message:
          "must be 'trace' or 'debug' or 'info' or 'warn' or 'error' or 'fatal' or 'silent', it is 'loud'",
      },
      { source: 'TOOLROLL_BODY_LIMIT_BYTES', message: 'must be a whole number, it is 1.5' },
      { source: 'TOOLROLL_CONNECT_TIMEOUT_SECONDS', message: 'must be more than 0, it is 0' },
      { source: 'TOOLROLL_DRAIN_SECONDS', message: 'must be 0 or more, it is -1' },
    ]);
  });

  test.each(['NaN', 'Infinity', '0x10', '1_000', '10s', '1e999', ' '])(
    'that are numbers do not take %j',
    (text) => {
      expect(faultsOf({ TOOLROLL_IDLE_TIMEOUT_SECONDS: text })).toHaveLength(1);
    },
  );

  test('do not take a base URL with a password or a query, and do not repeat the password', () => {
    const faults = faultsOf({ UPSTREAM_BASE_URL: 'https://me:hunter2@model/v1' });
    expect(faults).toEqual([{ source: 'UPSTREAM_BASE_URL', message: 'must not hold a user or a password' }]);
    expect(faultsOf({ UPSTREAM_BASE_URL: 'https://model/v1?key=1' })).toHaveLength(1);
  });

  test('do not mistake what Kubernetes sets for a Service named toolroll for options', () => {
    const links = {
      TOOLROLL_SERVICE_HOST: '10.0.0.1',
      TOOLROLL_SERVICE_PORT: '9090',
      TOOLROLL_SERVICE_PORT_METRICS: '9090',
      TOOLROLL_PORT: 'tcp://10.0.0.1:9090',
      TOOLROLL_PORT_9090_TCP: 'tcp://10.0.0.1:9090',
      TOOLROLL_PORT_9090_TCP_PROTO: 'tcp',
      TOOLROLL_CONTROL_PORT_9090_TCP_ADDR: '10.0.0.1',
    };
    expect(load(links).options).toBeDefined();
  });
});

describe('keys', () => {
  let directory: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ path: directory, remove } = await temporaryDirectory());
  });
  afterEach(() => remove());

  test('are read from files, without the space around them', async () => {
    const file = path.join(directory, 'key');
    await writeFile(file, '  sk-from-file\n');
    const { options } = load({ UPSTREAM_API_KEY_FILE: file }, { adminApiKeyFile: file });
    expect(options).toMatchObject({ upstreamApiKey: 'sk-from-file', adminApiKey: 'sk-from-file' });
  });

  test('in files that are empty or missing are faults, as are two ways for one key', async () => {
    const file = path.join(directory, 'key');
    await writeFile(file, '\n');
    const missing = path.join(directory, 'missing');
    expect(faultsOf({ UPSTREAM_API_KEY_FILE: file, ADMIN_API_KEY_FILE: missing })).toEqual([
      { source: 'UPSTREAM_API_KEY_FILE', message: `names the file '${file}', which is empty` },
      { source: 'ADMIN_API_KEY_FILE', message: `names the file '${missing}', which cannot be read: ENOENT` },
    ]);
    expect(faultsOf({ ADMIN_API_KEY: 'secret', ADMIN_API_KEY_FILE: file })).toEqual([
      {
        source: 'ADMIN_API_KEY_FILE',
        message: 'is given beside ADMIN_API_KEY: give the key in one way only',
      },
    ]);
  });

  test('do not stand in what a status page shows', () => {
    const { options } = load({ UPSTREAM_API_KEY: 'sk-secret' });
    if (options === undefined) throw new Error('no options');
    const shown = withoutSecrets(options);
    expect(shown).toMatchObject({ upstreamApiKey: 'set', adminApiKey: 'not set', logLevel: 'info' });
    expect(JSON.stringify(shown)).not.toContain('sk-secret');
  });
});

describe('the table of options', () => {
  test('gives each option its own flag and variable, and a sentence', () => {
    const table = describeOptions();
    expect(new Set(table.map(({ flag }) => flag)).size).toBe(table.length);
    expect(new Set(table.map(({ env }) => env)).size).toBe(table.length);
    for (const { name, flag, description } of table) {
      expect(flag).toBe(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
      expect(description).toMatch(/\.$/);
    }
  });

  test('tells defaults, choices and secrets', () => {
    const table = new Map(describeOptions().map((option) => [option.name, option]));
    expect(table.get('withoutRules')).toMatchObject({
      default: 'refuse',
      choices: ['refuse', 'pass'],
      kind: 'text',
    });
    expect(table.get('adminApiKey')).toMatchObject({ secret: true, default: undefined });
    expect(table.get('adminApiKeyFile')).toMatchObject({ secret: false, holds: 'adminApiKey' });
    expect(table.get('drainSeconds')).toMatchObject({ kind: 'number', default: 30 });
  });
});

describe('a listen address', () => {
  test.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::]:9090', { host: '::', port: 9090 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('%s is taken apart', (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each([
    '8080',
    ':8080',
    '::1:8080',
    'host:65536',
    'host:',
    'host:-1',
    'http://host:80',
    '[::1]',
    'host:80/x',
  ])('%s is none', (text) => {
    expect(parseListen(text)).toBeUndefined();
  });
});
