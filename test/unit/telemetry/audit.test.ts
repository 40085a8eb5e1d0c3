import { createLog, createTelemetry } from '../../../proxy/telemetry/index.ts';
import type { Telemetry } from '../../../proxy/telemetry/index.ts';
import { createAuditTrail } from '../../../proxy/telemetry/audit.ts';
import { createRedactor } from '../../../proxy/telemetry/redact.ts';
import { turnEvent } from './events.ts';

const redactor = createRedactor(['admin-secret']);

describe('the audit trail', () => {
  it('gives the newest events first, at most as many as asked for', () => {
    const trail = createAuditTrail({ entries: 3, redactor });
    for (const id of ['a', 'b', 'c', 'd', 'e']) trail.record(turnEvent({ id }));
    expect(trail.recent(10).map((event) => event.id)).toEqual(['e', 'd', 'c']);
    expect(trail.recent(2).map((event) => event.id)).toEqual(['e', 'd']);
    expect(trail.recent(0)).toEqual([]);
    expect(trail.recent(-5)).toEqual([]);
    expect(trail.size).toBe(3);
  });

  it('keeps an ordinary event as it is', () => {
    const trail = createAuditTrail({ entries: 3, redactor });
    trail.record(turnEvent());
    expect(trail.recent(1)).toEqual([turnEvent()]);
  });

  it('keeps nothing where no entries are wanted', () => {
    const trail = createAuditTrail({ entries: 0, redactor });
    trail.record(turnEvent());
    expect(trail.recent(10)).toEqual([]);
  });

  it('cuts long texts and long lists, so that an entry stays small', () => {
    const trail = createAuditTrail({ entries: 1, redactor });
    const many = Array.from({ length: 100_000 }, (_, index) => `tool-${String(index)}`);
    trail.record(
      turnEvent({
        model: 'm'.repeat(1_000_000),
        reasons: many,
        operations: many.map((tool) => ({ operation: 'filter', rule: 'r', tool })),
        hops: [{ kind: 'select', status: 200, durationMs: 1, picks: many, error: 'e'.repeat(1_000_000) }],
        contents: { request: 'r'.repeat(10_000_000), hops: [] },
      }),
    );
    const kept = trail.recent(1)[0];
    expect(JSON.stringify(kept).length).toBeLessThan(150_000);
    expect(kept?.model).toContain('1000000 characters in all');
  });

  it('drops the oldest where all together would take too much', () => {
    const trail = createAuditTrail({ entries: 100, totalBytes: 100_000, redactor });
    for (let index = 0; index < 10; index += 1) {
      trail.record(turnEvent({ id: String(index), contents: { request: 'r'.repeat(20_000), hops: [] } }));
    }
    expect(trail.recent(10).map((event) => event.id)).toEqual(['9', '8']);
    trail.record(turnEvent({ id: 'small' }));
    expect(trail.recent(1).map((event) => event.id)).toEqual(['small']);
  });

  it('holds no secret, in metadata and in contents, and leaves line breaks of contents alone', () => {
    const trail = createAuditTrail({ entries: 1, redactor });
    trail.record(
      turnEvent({
        error: { code: 'invalid_api_key', message: 'Incorrect API key provided: sk-short, admin-secret\n' },
        contents: { request: '{}', hops: [{ request: '{}', response: 'data: admin-secret\n\n' }] },
      }),
    );
    const kept = trail.recent(1)[0];
    expect(JSON.stringify(kept)).not.toMatch(/sk-short|admin-secret/);
    expect(kept?.contents?.hops[0]?.response).toBe('data: [redacted]\n\n');
  });
});

describe('telemetry', () => {
  function open(): { telemetry: Telemetry; lines: string[] } {
    const lines: string[] = [];
    const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => lines.push(line) } });
    return { telemetry: createTelemetry({ log, auditEntries: 5, secrets: [] }), lines };
  }

  it('takes a turn to the audit trail and to the metrics by one call', async () => {
    const { telemetry } = open();
    telemetry.recordTurn({ event: turnEvent({ id: 'once' }) });
    expect(telemetry.audit.recent(5).map((event) => event.id)).toEqual(['once']);
    expect(await telemetry.metrics.expose()).toContain(
      'toolroll_turns_total{protocol="responses",plan="two_hop",outcome="ok"} 1',
    );
  });

  it('logs a dropped value with the name of its metric', () => {
    const { telemetry, lines } = open();
    telemetry.recordTurn({ event: turnEvent({ durationMs: Number.NaN }) });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      '"metric":"toolroll_turn_duration_seconds","value":"NaN","event":"metric_value_dropped"',
    );
  });
});
