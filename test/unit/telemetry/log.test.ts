import { createLog } from '../../../proxy/telemetry/index.ts';
import type { Log, LogLevel } from '../../../proxy/telemetry/index.ts';

function openLog(secrets: readonly string[] = [], level: LogLevel = 'debug'): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLog({ level, secrets, destination }), lines };
}

function onlyLine(lines: readonly string[]): Record<string, unknown> {
  expect(lines).toHaveLength(1);
  const line: unknown = JSON.parse(lines[0] ?? '');
  // The assertion below is what makes this cast true.
  expect(typeof line).toBe('object');
  return line as Record<string, unknown>;
}

describe('a log line', () => {
  it('is one JSON object with level, time, event and its fields', () => {
    const { log, lines } = openLog();
    log.info('listening', { proxy: 'http://127.0.0.1:8080' });
    const line = onlyLine(lines);
    expect(line).toMatchObject({ level: 'info', event: 'listening', proxy: 'http://127.0.0.1:8080' });
    expect(new Date(String(line['time'])).getTime()).not.toBeNaN();
    expect(lines[0]?.endsWith('\n')).toBe(true);
  });

  it('is not written below the level, and costs can be saved by asking first', () => {
    const { log, lines } = openLog([], 'warn');
    log.info('quiet');
    log.warn('loud');
    expect(lines).toHaveLength(1);
    expect([log.writes('info'), log.writes('error')]).toEqual([false, true]);
  });

  it('keeps its event, level and time whatever the fields are called', () => {
    const { log, lines } = openLog();
    log.info('real', { event: 'fake', level: 'fatal', time: 'never', kept: 1 });
    expect(onlyLine(lines)).toMatchObject({ event: 'real', level: 'info', kept: 1 });
    expect(lines[0]?.match(/"level"/g)).toHaveLength(1);
  });

  it('carries the fields of its parent', () => {
    const { log, lines } = openLog();
    log.child({ turn: 't1' }).child({ hop: 1 }).warn('hop_failed', { status: 500 });
    expect(onlyLine(lines)).toMatchObject({ event: 'hop_failed', turn: 't1', hop: 1, status: 500 });
  });

  it('survives cycles, depth, huge texts, errors with causes, bigints and functions', () => {
    const { log, lines } = openLog();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    const error = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNRESET' }) });
    log.error('odd', { cycle, deep, error, huge: 'x'.repeat(1_000_000), big: 12n, run: () => 1, nan: NaN });
    const line = onlyLine(lines);
    expect(line['cycle']).toEqual({ self: '[circular]' });
    expect(line['error']).toMatchObject({
      type: 'Error',
      message: 'outer',
      cause: { message: 'inner', code: 'ECONNRESET' },
    });
    expect(line['big']).toBe('12');
    expect(lines[0]?.length).toBeLessThan(20_000);
  });
});

describe('a credential', () => {
  const headerForms: [string, unknown][] = [
    [
      'a header record',
      { Authorization: 'Bearer sk-short', 'api-key': 'k1', COOKIE: 'k1', 'x-api-key': ['k1'] },
    ],
    ['a raw header list', ['authorization', 'Bearer sk-short', 'API-Key', 'k1', 'accept', '*/*']],
    ['a map', new Map([['proxy-authorization', 'k1']])],
    ['pairs', [['x-api-key', 'k1']]],
    ['a sentence', 'upstream said: authorization: Bearer sk-short, api-key: k1'],
    ['a JSON text', '{"api-key":"k1","authorization":"sk-short"}'],
    ['an error', new Error('Incorrect API key provided: sk-short')],
  ];

  it.each(headerForms)('does not reach the log inside %s (case G4)', (_name, headers) => {
    const { log, lines } = openLog();
    log.debug('request', { headers });
    expect(lines.join('')).not.toMatch(/sk-short|k1/);
    expect(lines.join('')).toContain('[redacted]');
  });

  it.each([
    ['as it is', 'hunter2-hunter2'],
    ['in a URL', 'p%40ss%2Fword%201'],
    ['in a JSON string', String.raw`say \"friend\"`],
  ])('that is configured is replaced anywhere, %s', (_name, form) => {
    const { log, lines } = openLog(['hunter2-hunter2', 'p@ss/word 1', 'say "friend"']);
    log.info(`event ${form}`, { text: `before ${form} after`, [form]: { nested: [form] } });
    expect(lines.join('')).not.toContain(JSON.stringify(form).slice(1, -1));
  });

  it('of two characters is replaced where it stands alone, and does not deface other words', () => {
    const { log, lines } = openLog(['k1']);
    log.info('said', { text: 'key=k1; k10 and ok1 stay' });
    expect(onlyLine(lines)['text']).toBe('key=[redacted]; k10 and ok1 stay');
  });

  it('is not halved where a long text is cut', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz';
    const { log, lines } = openLog([secret]);
    log.info('long', { text: 'x'.repeat(8_192 - 10) + secret + 'y'.repeat(10_000) });
    expect(lines.join('')).not.toContain('abcdefghij');
  });
});

it('control characters and reordering marks become spaces, so that a line cannot be forged', () => {
  const { log, lines } = openLog();
  log.info('path', { path: '/v1\r\n{"event":"fake"}\u001b[31m\u202egnp\u2028' });
  expect(onlyLine(lines)['path']).toBe('/v1  {"event":"fake"} [31m gnp');
});
