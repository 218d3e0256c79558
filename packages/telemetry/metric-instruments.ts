import type { Meter, Observable } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InstrumentType,
  type MetricProducer,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricDefinition } from './metric-catalogue.ts';

/** Labels after the check. */
export type CheckedLabels = Record<string, string>;

/** Makes the counter or gauge that code writes to. */
export function writerFor(
  meter: Meter,
  name: string,
  definition: MetricDefinition,
): (value: number, labels: CheckedLabels) => void {
  const description = definition.help;
  if (definition.kind === 'counter') {
    const counter = meter.createCounter(name, { description });
    return (value, labels) => counter.add(value, labels);
  }
  const gauge = meter.createGauge(name, { description });
  return (value, labels) => gauge.record(value, labels);
}

/** Makes the instrument that is read at each render. */
export function observableFor(meter: Meter, name: string, definition: MetricDefinition): Observable {
  if (definition.kind === 'histogram')
    throw new TypeError(`Metric ${name} is a histogram and cannot be watched`);
  const description = definition.help;
  return definition.kind === 'gauge'
    ? meter.createObservableGauge(name, { description })
    : meter.createObservableCounter(name, { description });
}

/** Collects on demand, so that no port is opened: the HTTP host serves the text. */
export class PullReader extends MetricReader {
  constructor(more: readonly MetricProducer[]) {
    super({
      metricProducers: [...more],
      // A watched gauge says what was read now; cumulative would repeat label sets that are gone.
      aggregationTemporalitySelector: type =>
        type === InstrumentType.OBSERVABLE_GAUGE
          ? AggregationTemporality.DELTA
          : AggregationTemporality.CUMULATIVE,
    });
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}
