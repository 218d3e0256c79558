import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';

/** The part of the logger this package uses. */
export type HotLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** The part of the metrics this package uses. */
export type HotMetrics = Pick<Metrics, 'inc' | 'observe' | 'watch'>;
