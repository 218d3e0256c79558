import type { Observable, ObservableResult } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Histograms, type Observation } from './histograms.ts';
import { type MetricDefinition, type MetricName, metricCatalogue } from './metric-catalogue.ts';
import { type CheckedLabels, observableFor, PullReader, writerFor } from './metric-instruments.ts';
import { type LabelsOf, labelChecker, type MetricNameOf } from './metric-labels.ts';

export { type MetricName, metricCatalogue } from './metric-catalogue.ts';
export type { LabelsOf, MetricNameOf } from './metric-labels.ts';

/** One value a watcher reads. */
export type Reading<Name extends MetricName> = { readonly labels: LabelsOf<Name>; readonly value: number };

/** The recording side of the catalogue; every method refuses labels the metric does not declare. */
export type Metrics = {
  /** Adds to a counter; `by` defaults to 1 and is never negative. */
  inc<Name extends MetricNameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Adds a value to a histogram, or `{ value, times }` where many things took the same; durations are in seconds. */
  observe<Name extends MetricNameOf<'histogram'>>(
    name: Name,
    labels: LabelsOf<Name>,
    value: number | Observation,
  ): void;
  /** Sets a gauge. */
  set<Name extends MetricNameOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Reads a gauge, or the running total of a counter, at each render; the answer ends the watch. */
  watch<Name extends MetricNameOf<'gauge' | 'counter'>>(
    name: Name,
    read: () => NoInfer<readonly Reading<Name>[] | Promise<readonly Reading<Name>[]>>,
  ): () => void;
  /** Everything recorded so far as Prometheus text. */
  render(): Promise<string>;
  /** Frees the SDK; later recordings are lost without an error. */
  close(): Promise<void>;
};

type Kind = MetricDefinition['kind'];
type DropReason = LabelsOf<'melmastoon_metric_samples_dropped_total'>['reason'];
type Readings = readonly { readonly labels: object; readonly value: number }[];
type Check = (labels: object) => CheckedLabels;
type Written = { check: Check; write: (seen: Observation, labels: CheckedLabels) => void };
type Watched = { check: Check; observable: Observable };

/**
 * A set of metrics of its own, independent of every other set and of the OpenTelemetry globals. A watcher that has not
 * answered after `readTimeoutMs` (5 s) is left out of that render.
 */
export function createMetrics(options: { readTimeoutMs?: number } = {}): Metrics {
  const histograms = new Histograms();
  const reader = new PullReader([histograms]);
  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter('melmastoon');
  // No prefix, timestamps, resource labels, target_info or scope labels: names come out as the ledger has them.
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const written = new Map<string, Written>();
  const watched = new Map<string, Watched>();

  function writtenMetric(name: string, kind: Kind): Written {
    const known = written.get(name);
    const definition = known === undefined ? definitionOf(name) : metricCatalogue[name as MetricName];
    if (definition.kind !== kind)
      throw new TypeError(`Metric ${name} is a ${definition.kind}, not a ${kind}`);
    if (known !== undefined) return known;
    if (watched.has(name)) throw new Error(`Metric ${name} is watched and cannot be written as well`);
    const metric = { check: labelChecker(name, definition), write: writeTo(name, definition) };
    written.set(name, metric);
    return metric;
  }

  function writeTo(name: string, definition: MetricDefinition): Written['write'] {
    if (definition.kind === 'histogram') return histograms.add(name, definition);
    const write = writerFor(meter, name, definition);
    return ({ value }, labels) => write(value, labels);
  }

  function watchedMetric(name: string, definition: MetricDefinition): Watched {
    const known = watched.get(name);
    if (known !== undefined) return known;
    if (written.has(name)) throw new Error(`Metric ${name} is written and cannot be watched as well`);
    const metric = {
      check: labelChecker(name, definition),
      observable: observableFor(meter, name, definition),
    };
    watched.set(name, metric);
    return metric;
  }

  function drop(metric: string, reason: DropReason): void {
    const dropped = writtenMetric('melmastoon_metric_samples_dropped_total', 'counter');
    dropped.write({ value: 1, times: 1 }, dropped.check({ metric, reason }));
  }

  // A broken number is counted and not thrown: NaN would spoil a sum for ever, and no request may fail for its metric.
  function isUsable(name: string, kind: Kind, value: number): boolean {
    if (!Number.isFinite(value)) drop(name, 'not_a_number');
    else if (value < 0 && kind !== 'gauge') drop(name, 'negative');
    else return true;
    return false;
  }

  function record(kind: Kind, name: string, sample: { labels: object } & Observation): void {
    const metric = writtenMetric(name, kind);
    const labels = metric.check(sample.labels);
    if (isUsable(name, kind, sample.value)) metric.write(sample, labels);
  }

  function watch(name: string, read: () => Readings | Promise<Readings>): () => void {
    const definition = definitionOf(name);
    const { check, observable } = watchedMetric(name, definition);
    async function callback(result: ObservableResult) {
      try {
        for (const { labels, value } of await inTime(read(), options.readTimeoutMs ?? 5_000)) {
          if (isUsable(name, definition.kind, value)) result.observe(value, check(labels));
        }
      } catch {
        drop(name, 'read_failed');
      }
    }
    observable.addCallback(callback);
    return () => observable.removeCallback(callback);
  }

  return {
    inc: (name, labels, by = 1) => record('counter', name, { labels, value: by, times: 1 }),
    observe: (name, labels, seen) =>
      record('histogram', name, { labels, ...(typeof seen === 'number' ? { value: seen, times: 1 } : seen) }),
    set: (name, labels, value) => record('gauge', name, { labels, value, times: 1 }),
    watch,
    async render() {
      const { resourceMetrics } = await reader.collect();
      return `${serializer.serialize(resourceMetrics).trimEnd()}\n`;
    },
    close: () => provider.shutdown(),
  };
}

function definitionOf(name: string): MetricDefinition {
  if (Object.hasOwn(metricCatalogue, name)) return metricCatalogue[name as MetricName];
  throw new TypeError(`No metric is called ${name}; metric-catalogue.ts has them all`);
}

async function inTime<T>(answer: T | Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`No reading after ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
