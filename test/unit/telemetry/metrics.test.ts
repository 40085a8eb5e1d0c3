import { createMetrics } from '../../../proxy/telemetry/metrics.ts';
import type { Metrics } from '../../../proxy/telemetry/metrics.ts';
import { errorCatalogue } from '../../../proxy/core/errors.ts';
import { spawnSync } from 'node:child_process';
import { turnEvent } from './events.ts';

const known = {
  models: ['gpt-5.4', 'gpt-*', '/^o3/'],
  ruleSets: [{ name: 'default', rules: ['no-deletes'] }],
};

function openMetrics(): { metrics: Metrics; dropped: [string, unknown][] } {
  const dropped: [string, unknown][] = [];
  const metrics = createMetrics((metric, value) => dropped.push([metric, value]));
  metrics.setKnownNames(known);
  return { metrics, dropped };
}

/** Toolroll's own series and their values. */
async function series(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.expose()).split('\n').filter((line) => line.startsWith('toolroll_'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe('a finished turn', () => {
  it('is counted once in every metric that it bears on', async () => {
    const { metrics, dropped } = openMetrics();
    metrics.recordTurn({
      event: turnEvent(),
      firstEventMs: 450,
      fallbacks: ['unknown_call', 'unknown_call'],
    });
    const values = await series(metrics);
    expect(Object.fromEntries(values)).toMatchObject({
      'toolroll_turns_total{protocol="responses",plan="two_hop",outcome="ok"}': 1,
      'toolroll_hops_total{protocol="responses",kind="select"}': 1,
      'toolroll_hops_total{protocol="responses",kind="answer"}': 1,
      toolroll_turn_hops_sum: 2,
      toolroll_tools_offered_sum: 37,
      toolroll_tools_shown_sum: 1,
      'toolroll_turn_duration_seconds_sum{plan="two_hop"}': 0.903,
      'toolroll_own_time_seconds_sum{plan="two_hop"}': 0.003,
      'toolroll_first_event_seconds_sum{plan="two_hop"}': 0.45,
      'toolroll_input_tokens_total{model="gpt-5.4",kind="fresh"}': 520,
      'toolroll_input_tokens_total{model="gpt-5.4",kind="cached"}': 100,
      'toolroll_output_tokens_total{model="gpt-5.4"}': 32,
      'toolroll_tokens_saved_total{rule_set="default"}': 4_644,
      'toolroll_tokens_lost_total{rule_set="default"}': 0,
      'toolroll_rules_applied_total{rule_set="default",rule="no-deletes"}': 1,
      'toolroll_fallbacks_total{reason="unknown_call"}': 1,
    });
    expect(dropped).toEqual([]);
  });

  it('without a first event, a model or a rule set adds nothing to their series', async () => {
    const { metrics } = openMetrics();
    metrics.recordTurn({ event: turnEvent({ model: null, ruleSet: null, plan: 'bypass', hops: [] }) });
    const values = await series(metrics);
    expect(values.get('toolroll_first_event_seconds_count{plan="bypass"}')).toBe(0);
    expect(values.get('toolroll_tokens_saved_total{rule_set="default"}')).toBe(0);
    expect(values.get('toolroll_output_tokens_total{model="other"}')).toBe(32);
  });
});

describe('a value that is no amount', () => {
  // What prom-client makes of these: 1, 1, a series spoiled for good, an exception.
  it.each([undefined, null, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    '(%p) is dropped and said once per metric, and the series stays usable',
    async (bad) => {
      const { metrics, dropped } = openMetrics();
      const tokens = { ...turnEvent().tokens };
      Object.assign(tokens, { saved: bad, cached: 0, input: 0 });
      metrics.recordTurn({ event: turnEvent({ tokens }) });
      metrics.recordTurn({ event: turnEvent({ tokens }) });
      metrics.recordTurn({ event: turnEvent() });
      const values = await series(metrics);
      expect(values.get('toolroll_tokens_saved_total{rule_set="default"}')).toBe(4_644);
      expect(dropped).toEqual([['toolroll_tokens_saved_total', bad]]);
    },
  );

  it('in every number of a turn spoils nothing and throws nowhere', async () => {
    const { metrics } = openMetrics();
    const bad = Number.NaN;
    metrics.recordTurn({
      event: turnEvent({
        durationMs: bad,
        ownMs: bad,
        tools: { offered: bad, shown: bad, menu: bad },
        tokens: { input: bad, cached: bad, output: bad, saved: bad, lost: bad, estimated: true },
      }),
      firstEventMs: bad,
    });
    const values = [...(await series(metrics)).values()];
    expect(values.filter((value) => !Number.isFinite(value) || value < 0)).toEqual([]);
  });
});

describe('the number of series', () => {
  it('does not grow with what clients and upstreams send (case G1)', async () => {
    const { metrics } = openMetrics();
    const junk = (index: number): void => {
      metrics.recordTurn({
        event: turnEvent({
          model: `junk-${String(index)}`,
          ruleSet: `set-${String(index)}`,
          path: `/v1/${String(index)}`,
          operations: [{ operation: 'filter', rule: `rule-${String(index)}`, tool: `tool-${String(index)}` }],
        }),
      });
      metrics.recordUpstreamError(index);
    };
    junk(0);
    const before = (await series(metrics)).size;
    for (let index = 1; index <= 1_000; index += 1) junk(index);
    const after = await series(metrics);
    expect(after.size).toBe(before);
    expect(after.get('toolroll_output_tokens_total{model="other"}')).toBe(32 * 1_001);
    expect(after.get('toolroll_rules_applied_total{rule_set="other",rule="other"}')).toBe(1_001);
  });

  it('follows the rules: names that are gone lose their series, patterns never get one', async () => {
    const { metrics } = openMetrics();
    metrics.recordTurn({ event: turnEvent() });
    metrics.setKnownNames({ models: ['o4'], ruleSets: [{ name: 'next', rules: ['r'] }] });
    metrics.recordTurn({ event: turnEvent() });
    const values = await series(metrics);
    const names = [...values.keys()].join('\n');
    expect(names).not.toMatch(/gpt-|o3|default|no-deletes/);
    expect(values.get('toolroll_tokens_saved_total{rule_set="next"}')).toBe(0);
    expect(values.get('toolroll_tokens_saved_total{rule_set="other"}')).toBe(4_644);
  });

  it('is bounded for models, however many exact names the rules hold', async () => {
    const { metrics } = openMetrics();
    const models = Array.from({ length: 5_000 }, (_, index) => `m-${String(index)}`);
    metrics.setKnownNames({ models, ruleSets: [] });
    const names = [...(await series(metrics)).keys()].filter((name) => name.includes('output_tokens_total'));
    expect(names).toHaveLength(101);
  });
});

describe('reloads', () => {
  it('start as not yet successful, with the revision none', async () => {
    const { metrics } = openMetrics();
    const values = await series(metrics);
    expect(values.get('toolroll_config_last_reload_successful')).toBe(0);
    expect(values.get('toolroll_config_info{revision="none"}')).toBe(1);
  });

  it('show exactly one revision at a time, and a refused one beside the revision that still serves', async () => {
    const { metrics } = openMetrics();
    metrics.recordReload({ outcome: 'applied', revision: 'r1', valid: true, at: 1_000_000 });
    metrics.recordReload({ outcome: 'refused', revision: 'r1', valid: false, at: 2_000_000 });
    const values = await series(metrics);
    const infos = [...values.keys()].filter((name) => name.startsWith('toolroll_config_info'));
    expect(infos).toEqual(['toolroll_config_info{revision="r1"}']);
    expect(values.get('toolroll_config_last_reload_successful')).toBe(0);
    expect(values.get('toolroll_config_last_reload_success_timestamp_seconds')).toBe(1_000);
    expect(values.get('toolroll_config_reloads_total{outcome="applied"}')).toBe(1);
    expect(values.get('toolroll_config_reloads_total{outcome="refused"}')).toBe(1);
  });
});

it('every series with a closed label set stands at 0 before anything happened', async () => {
  const values = await series(createMetrics(() => undefined));
  expect(values.get('toolroll_turns_total{protocol="responses",plan="two_hop",outcome="failed"}')).toBe(0);
  expect(values.get('toolroll_upstream_errors_total{status="429"}')).toBe(0);
  expect(values.get('toolroll_upstream_errors_total{status="first_byte_timeout"}')).toBe(0);
  expect(values.get('toolroll_fallbacks_total{reason="rounds_exhausted"}')).toBe(0);
  for (const code of Object.keys(errorCatalogue)) {
    expect(values.get(`toolroll_requests_refused_total{code="${code}"}`)).toBe(0);
  }
});

it.each([
  [429, '429'],
  [418, '4xx'],
  [599, '5xx'],
  [302, 'other'],
  [Number.NaN, 'other'],
  ['closed', 'closed'],
] as const)('an upstream failure of %p is counted as %s', async (cause, label) => {
  const { metrics } = openMetrics();
  metrics.recordUpstreamError(cause);
  expect((await series(metrics)).get(`toolroll_upstream_errors_total{status="${label}"}`)).toBe(1);
});

const checker = process.env['PROMTOOL'] ?? 'promtool';
const withPromtool = spawnSync(checker, ['--version']).error === undefined ? it : it.skip;
withPromtool('promtool finds nothing to complain about', async () => {
  const { metrics } = openMetrics();
  metrics.recordTurn({ event: turnEvent(), firstEventMs: 1 });
  const check = spawnSync(checker, ['check', 'metrics'], {
    input: await metrics.expose(),
    encoding: 'utf8',
  });
  expect({ status: check.status, said: check.stdout + check.stderr }).toEqual({ status: 0, said: '' });
});
