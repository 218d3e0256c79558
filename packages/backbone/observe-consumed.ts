import type { Delivery } from '@ghasi/brokers/broker';
import type { Metrics } from '@ghasi/telemetry/metrics';

/** What became of a message that a consumer settled; `seen`: its inbox knew it already. */
export type Settled = 'ok' | 'noop' | 'seen';

/** Counts what one service consumes (OBS-06, OBS-08, OBS-11). */
export type ConsumedCounter = {
  /** Messages that were settled together; `seconds` is what all of them took. */
  settled(deliveries: readonly Delivery[], results: readonly Settled[], seconds: number): void;
  /** A handler run that failed, or a message that cannot be handled. */
  failed(delivery: Delivery): void;
  /** Nothing is tried for a while, and no attempt counted. */
  paused(cause: PauseCause): void;
};

/** What a consumer pauses for: too much of one tenant fails, or of several, or its database is away. */
export type PauseCause = 'tenant' | 'several_tenants' | 'database';

type Tally = Record<Settled, number>;

/**
 * A counter of what a service consumes. Messages of a batch are counted by topic first and written once: a label set
 * costs 2 µs to write (measured), and a batch has hundreds of messages and a handful of topics. All counts begin with 0:
 * one that is born with its first burst has no increase, and alerts on rates would not see it.
 */
export function countConsumed(
  metrics: Metrics | undefined,
  { service, topics }: { service: string; topics: readonly string[] },
): ConsumedCounter {
  if (metrics === undefined) return { settled() {}, failed() {}, paused() {} };
  const pauses = (cause: PauseCause, by: number) =>
    metrics.inc('melmastoon_consumer_pauses_total', { service, subscription: service, cause }, by);
  for (const cause of ['tenant', 'several_tenants', 'database'] as const) pauses(cause, 0);
  for (const topic of topics) {
    const labels = { service, topic, subscription: service };
    for (const result of ['ok', 'noop', 'error'] as const)
      metrics.inc('melmastoon_events_consumed_total', { ...labels, result }, 0);
    metrics.inc('melmastoon_events_dlq_total', labels, 0); // counted by the broker, which does not know it before
  }

  const write = (topic: string, { ok, noop, seen }: Tally, secondsEach: number) => {
    const labels = { service, topic, subscription: service };
    const consumed = (result: 'ok' | 'noop', by: number) => {
      if (by > 0) metrics.inc('melmastoon_events_consumed_total', { ...labels, result }, by);
    };
    consumed('ok', ok);
    consumed('noop', noop + seen);
    if (seen > 0) metrics.inc('melmastoon_inbox_dedup_skips_total', { service, topic }, seen);
    const taken = { value: secondsEach, times: ok + noop + seen };
    metrics.observe('melmastoon_event_processing_duration_seconds', labels, taken);
  };

  return {
    settled(deliveries, results, seconds) {
      const tallies = new Map<string, Tally>();
      for (let place = 0; place < deliveries.length; place++) {
        const { topic } = deliveries[place] as Delivery;
        let tally = tallies.get(topic);
        if (tally === undefined) {
          tally = { ok: 0, noop: 0, seen: 0 };
          tallies.set(topic, tally);
        }
        tally[results[place] as Settled]++;
      }
      for (const [topic, tally] of tallies) write(topic, tally, seconds / deliveries.length);
    },
    failed({ topic }) {
      const labels = { service, topic, subscription: service };
      metrics.inc('melmastoon_events_consumed_total', { ...labels, result: 'error' });
    },
    paused: cause => pauses(cause, 1),
  };
}
