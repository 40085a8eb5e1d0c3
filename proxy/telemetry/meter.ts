import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** The values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>;

/** A number as it may come from an upstream's usage or a clock that was set back. */
export type Measured = number | null | undefined;

/** Told once per metric that a value was dropped. */
export type OnDropped = (metric: string, value: unknown) => void;

export interface MeterOptions {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds, for histograms; prom-client's own where absent. */
  readonly buckets?: readonly number[];
}

export interface CounterMeter {
  add(labels: Labels, value: Measured): void;
  /** Shows a series with 0 before anything happened, so that `rate` and alerts see its first rise. */
  start(labels: Labels): void;
  forget(labels: Labels): void;
}

export interface GaugeMeter {
  set(labels: Labels, value: Measured): void;
  /** Sets one series and drops all others. */
  setOnly(labels: Labels, value: Measured): void;
}

export interface HistogramMeter {
  observe(labels: Labels, value: Measured): void;
  start(labels: Labels): void;
}

/** Makes metrics that a bad number cannot spoil. */
export interface Meters {
  counter(options: MeterOptions): CounterMeter;
  gauge(options: MeterOptions): GaugeMeter;
  histogram(options: MeterOptions): HistogramMeter;
}

const PREFIX = 'toolroll_';

/**
 * prom-client counts `inc(undefined)` and `inc(null)` as 1, keeps `inc(NaN)` for good and throws on negatives; so
 * every number passes one gate here, and what is no amount is dropped and said once per metric.
 */
export function createMeters(registry: Registry, onDropped: OnDropped): Meters {
  const gate = createGate(onDropped);
  return {
    counter: (options) => counterMeter(new Counter(settings(options, registry)), gate),
    gauge: (options) => gaugeMeter(new Gauge(settings(options, registry)), gate),
    histogram: (options) => {
      const buckets = options.buckets === undefined ? {} : { buckets: [...options.buckets] };
      return histogramMeter(new Histogram({ ...settings(options, registry), ...buckets }), gate);
    },
  };
}

type Gate = (metric: object, value: Measured, then: (amount: number) => void) => void;

function createGate(onDropped: OnDropped): Gate {
  const told = new WeakSet();
  return (metric, value, then) => {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) {
      then(value);
    } else if (!told.has(metric)) {
      told.add(metric);
      onDropped('name' in metric ? String(metric.name) : '', value);
    }
  };
}

function settings(options: MeterOptions, registry: Registry) {
  const labelNames = [...(options.labels ?? [])];
  return { name: PREFIX + options.name, help: options.help, labelNames, registers: [registry] };
}

function counterMeter(counter: Counter, gate: Gate): CounterMeter {
  return {
    add: (labels, value) => {
      gate(counter, value, (amount) => {
        counter.inc(labels, amount);
      });
    },
    start: (labels) => {
      counter.inc(labels, 0);
    },
    forget: (labels) => {
      counter.remove(labels);
    },
  };
}

function gaugeMeter(gauge: Gauge, gate: Gate): GaugeMeter {
  const set: GaugeMeter['set'] = (labels, value) => {
    gate(gauge, value, (amount) => {
      gauge.set(labels, amount);
    });
  };
  return {
    set,
    setOnly: (labels, value) => {
      gauge.reset();
      set(labels, value);
    },
  };
}

function histogramMeter(histogram: Histogram, gate: Gate): HistogramMeter {
  return {
    observe: (labels, value) => {
      gate(histogram, value, (amount) => {
        histogram.observe(labels, amount);
      });
    },
    start: (labels) => {
      histogram.zero(labels);
    },
  };
}
