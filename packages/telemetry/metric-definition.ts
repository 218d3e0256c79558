/** One entry of the catalogue: a label is free text (`'text'`) or one of the listed values. */
export type MetricDefinition = {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: { readonly [label: string]: 'text' | readonly string[] };
  readonly buckets?: readonly number[];
  /** Nobody records it yet: what it waits for. */
  readonly planned?: string;
};

/** A label of free text. */
export const text = 'text';

/**
 * Seconds. The edges 0.05, 0.2 and 0.5 carry the ledger's latency targets (section 25), so a quantile over them is exact
 * where it is judged; the last edge is above every request timeout.
 */
export const latency = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10] as const;

/** Seconds. Jobs and backlogs run from milliseconds to the hour of a full reindex. */
export const longRunning = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600] as const;
