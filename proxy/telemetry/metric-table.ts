import type { Meters } from './meter.ts';

const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const ownTimeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const toolBuckets = [0, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];
const hopBuckets = [1, 2, 3, 4, 5, 8, 12];

/** Every metric of Toolroll's own, in one place: name, help, labels. */
export function createMetricTable(meters: Meters) {
  return {
    ...turnMetrics(meters),
    ...tokenMetrics(meters),
    ...failureMetrics(meters),
    ...configMetrics(meters),
  };
}

/** The metrics by their role. */
export type MetricTable = ReturnType<typeof createMetricTable>;

function turnMetrics(meters: Meters) {
  const byPlan = ['plan'];
  return {
    turns: meters.counter({
      name: 'turns_total',
      help: 'Turns by protocol, plan and outcome.',
      labels: ['protocol', 'plan', 'outcome'],
    }),
    hops: meters.counter({
      name: 'hops_total',
      help: 'Calls to the upstream inside turns, by what they were for.',
      labels: ['protocol', 'kind'],
    }),
    turnHops: meters.histogram({ name: 'turn_hops', help: 'Hops per turn.', buckets: hopBuckets }),
    toolsOffered: meters.histogram({
      name: 'tools_offered',
      help: 'Tools that the app sent with a turn.',
      buckets: toolBuckets,
    }),
    toolsShown: meters.histogram({
      name: 'tools_shown',
      help: 'Tools shown in full on the hop that answered.',
      buckets: toolBuckets,
    }),
    turnDuration: meters.histogram({
      name: 'turn_duration_seconds',
      help: "Time from the request's arrival to the end of the answer.",
      labels: byPlan,
      buckets: durationBuckets,
    }),
    ownTime: meters.histogram({
      name: 'own_time_seconds',
      help: 'Time of a turn that was not spent waiting for the upstream.',
      labels: byPlan,
      buckets: ownTimeBuckets,
    }),
    firstEvent: meters.histogram({
      name: 'first_event_seconds',
      help: "Time from the request's arrival to the first byte of the answer to the app.",
      labels: byPlan,
      buckets: durationBuckets,
    }),
  };
}

function tokenMetrics(meters: Meters) {
  return {
    tokensSaved: meters.counter({
      name: 'tokens_saved_total',
      help: 'Input tokens that sending every tool would have cost more. Net gain: this minus tokens_lost_total.',
      labels: ['rule_set'],
    }),
    tokensLost: meters.counter({
      name: 'tokens_lost_total',
      help: 'Input tokens that sending every tool would have cost less.',
      labels: ['rule_set'],
    }),
    inputTokens: meters.counter({
      name: 'input_tokens_total',
      help: 'Input tokens of all hops, fresh or from the prompt cache.',
      labels: ['model', 'kind'],
    }),
    outputTokens: meters.counter({
      name: 'output_tokens_total',
      help: 'Output tokens of all hops.',
      labels: ['model'],
    }),
    rulesApplied: meters.counter({
      name: 'rules_applied_total',
      help: 'Turns in which a rule changed at least one tool.',
      labels: ['rule_set', 'rule'],
    }),
  };
}

function failureMetrics(meters: Meters) {
  return {
    unreadableCalls: meters.counter({
      name: 'text_calls_unreadable_total',
      help: 'Calls that a model without tools wrote as text and that could not be read, so that they stayed text.',
      labels: ['protocol'],
    }),
    fallbacks: meters.counter({
      name: 'fallbacks_total',
      help: 'Turns that fell back to sending every tool, by reason.',
      labels: ['reason'],
    }),
    upstreamErrors: meters.counter({
      name: 'upstream_errors_total',
      help: 'Failed calls to the upstream, by HTTP status or by what broke.',
      labels: ['status'],
    }),
    refusals: meters.counter({
      name: 'requests_refused_total',
      help: 'Requests that Toolroll answered with an error of its own, by code.',
      labels: ['code'],
    }),
  };
}

function configMetrics(meters: Meters) {
  return {
    reloadSuccessful: meters.gauge({
      name: 'config_last_reload_successful',
      help: 'Whether the last attempt to load the rules succeeded (1) or was refused (0).',
    }),
    reloadTimestamp: meters.gauge({
      name: 'config_last_reload_success_timestamp_seconds',
      help: 'When the rules were last loaded successfully, in seconds since 1970.',
    }),
    reloads: meters.counter({
      name: 'config_reloads_total',
      help: 'Attempts to load the rules, by outcome.',
      labels: ['outcome'],
    }),
    configInfo: meters.gauge({
      name: 'config_info',
      help: 'The revision of the rules that serves; none before the first.',
      labels: ['revision'],
    }),
  };
}
