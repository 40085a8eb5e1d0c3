import type { AuditEvent } from '../../../schemas/generated/audit-event.ts';

/** A two-hop turn that went well, with the given fields changed. */
export function turnEvent(changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: 'turn-1',
    time: '2026-11-30T12:00:00.000Z',
    protocol: 'responses',
    path: '/v1/responses',
    model: 'gpt-5.4',
    stream: false,
    ruleSet: 'default',
    revision: 'abc123',
    plan: 'two_hop',
    reasons: ['37 tools, 5,264 tokens'],
    outcome: 'ok',
    status: 200,
    hops: [
      {
        kind: 'select',
        status: 200,
        durationMs: 400,
        inputTokens: 400,
        outputTokens: 12,
        picks: ['get_weather'],
      },
      { kind: 'answer', status: 200, durationMs: 500, inputTokens: 220, outputTokens: 20, picks: [] },
    ],
    tools: { offered: 37, shown: 1, menu: 37 },
    operations: [
      { operation: 'filter', rule: 'no-deletes', tool: 'delete_file' },
      { operation: 'filter', rule: 'no-deletes', tool: 'delete_mail' },
    ],
    tokens: { input: 620, cached: 100, output: 32, saved: 4_644, lost: 0, estimated: false },
    durationMs: 903,
    ownMs: 3,
    ...changes,
  };
}
