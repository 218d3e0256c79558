import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canaryInText } from './canaries.fixture.ts';
import { labelChecker } from './metric-labels.ts';
import { createMetrics, type MetricName, metricCatalogue } from './metrics.ts';

const topic = { service: 'reservation-service', topic: 'reservation.booking' };

/** The lines of the text that are samples. */
function samples(text: string): string[] {
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}

describe('Prometheus text', () => {
  test('OBS-05: a counter comes out under its own name, with help and type', async () => {
    const metrics = createMetrics();
    metrics.inc('melmastoon_events_published_total', { ...topic, tenant_id_class: 'small' });
    metrics.inc('melmastoon_events_published_total', { ...topic, tenant_id_class: 'small' }, 2);
    expect(await metrics.render()).toBe(
      [
        '# HELP melmastoon_events_published_total Events the relay handed to the broker and saw accepted.',
        '# TYPE melmastoon_events_published_total counter',
        'melmastoon_events_published_total{service="reservation-service",topic="reservation.booking",tenant_id_class="small"} 3',
        '',
      ].join('\n'),
    );
  });

  test('OBS-08: a histogram has cumulative buckets, sum and count', async () => {
    const metrics = createMetrics();
    const labels = { ...topic, subscription: 'inventory' };
    for (const seconds of [0.0005, 0.05, 0.3, 60]) {
      metrics.observe('melmastoon_event_processing_duration_seconds', labels, seconds);
    }
    const text = await metrics.render();
    const bucket = (le: string) => new RegExp(`_seconds_bucket\\{[^}]*le="${le}"\\} (\\d+)`).exec(text)?.[1];
    expect([bucket('0.001'), bucket('0.05'), bucket('0.5'), bucket('10'), bucket('\\+Inf')]).toEqual([
      '1',
      '2',
      '3',
      '3',
      '4',
    ]);
    expect(text).toMatch(/_seconds_count\{[^}]*\} 4/);
    expect(text).toMatch(/_seconds_sum\{[^}]*\} 60\.3505/);
  });

  test('OBS-08: a value that many events share counts for each of them, as if it had been seen that often', async () => {
    const labels = { ...topic, subscription: 'inventory' };
    const seen = fc.array(
      fc.record({
        value: fc.double({ min: 0, max: 20, noNaN: true }),
        times: fc.integer({ min: 1, max: 9 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(seen, async observations => {
        const [together, oneByOne] = [createMetrics(), createMetrics()];
        for (const { value, times } of observations) {
          together.observe('melmastoon_event_processing_duration_seconds', labels, { value, times });
          for (let n = 0; n < times; n++)
            oneByOne.observe('melmastoon_event_processing_duration_seconds', labels, value);
        }
        const counts = async (metrics: typeof together) =>
          samples(await metrics.render()).filter(line => !line.includes('_sum'));
        expect(await counts(together)).toEqual(await counts(oneByOne));
      }),
    );
  });

  test('a histogram keeps 2,000 label sets, and the rest in one', async () => {
    const metrics = createMetrics();
    for (let n = 0; n < 2_005; n++)
      metrics.observe('melmastoon_db_transaction_duration_seconds', { service: `s${n}` }, 1);
    const counts = samples(await metrics.render()).filter(line => line.includes('_count'));
    expect(counts).toHaveLength(2_001);
    expect(counts.at(-1)).toBe(
      'melmastoon_db_transaction_duration_seconds_count{otel_metric_overflow="true"} 5',
    );
  });

  test('OBS-09: a gauge shows its last value', async () => {
    const metrics = createMetrics();
    metrics.set('melmastoon_outbox_unpublished_count', { service: 'iam-service' }, 7);
    metrics.set('melmastoon_outbox_unpublished_count', { service: 'iam-service' }, 2);
    expect(samples(await metrics.render())).toEqual([
      'melmastoon_outbox_unpublished_count{service="iam-service"} 2',
    ]);
  });

  test('every metric of the catalogue can be recorded and comes out under exactly its name', async () => {
    const metrics = createMetrics();
    for (const [name, { kind, labels }] of Object.entries(metricCatalogue)) {
      const given = Object.fromEntries(
        Object.entries(labels).map(([label, allowed]) => [label, allowed === 'text' ? 'x' : allowed[0]]),
      );
      const record = { counter: metrics.inc, gauge: metrics.set, histogram: metrics.observe }[kind];
      (record as (name: string, labels: object, value: number) => void)(name, given, 1);
    }
    const typed = [...(await metrics.render()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);
    const expected = Object.entries(metricCatalogue).map(([name, { kind }]) => [name, kind]);
    expect(typed.sort()).toEqual(expected.sort());
  });

  test('label values cannot break out of their quotes', async () => {
    const metrics = createMetrics();
    metrics.inc('melmastoon_refund_failures_total', { service: 'a"} 1\nforged_total{x="\\' });
    expect(samples(await metrics.render())).toEqual([
      'melmastoon_refund_failures_total{service="a\\"} 1\\\\nforged_total{x=\\"\\\\"} 1',
    ]);
  });

  test('nothing recorded is still valid text, and two sets do not share anything', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.inc('melmastoon_refund_failures_total', { service: 'x' });
    expect(samples(await other.render())).toEqual([]);
    await one.close();
    await other.close();
  });
});

describe('watched metrics', () => {
  test('OBS-18: a gauge is read at each render, and label sets that are gone disappear', async () => {
    const metrics = createMetrics();
    let pools = [
      { labels: { service: 'a' }, value: 1 },
      { labels: { service: 'b' }, value: 2 },
    ];
    metrics.watch('melmastoon_db_pool_in_use_count', async () => pools);
    expect(samples(await metrics.render())).toHaveLength(2);
    pools = [{ labels: { service: 'b' }, value: 5 }];
    expect(samples(await metrics.render())).toEqual(['melmastoon_db_pool_in_use_count{service="b"} 5']);
  });

  test('several watchers share a name, and each can end alone', async () => {
    const metrics = createMetrics();
    const end = metrics.watch('melmastoon_db_pool_idle_count', () => [
      { labels: { service: 'a' }, value: 1 },
    ]);
    metrics.watch('melmastoon_db_pool_idle_count', () => [{ labels: { service: 'b' }, value: 2 }]);
    expect(samples(await metrics.render())).toHaveLength(2);
    end();
    expect(samples(await metrics.render())).toEqual(['melmastoon_db_pool_idle_count{service="b"} 2']);
  });

  test('a total that another program keeps is a watched counter', async () => {
    const metrics = createMetrics();
    metrics.watch('melmastoon_hot_store_evictions_total', () => [{ labels: { tier: 'cache' }, value: 42 }]);
    await metrics.render();
    expect(samples(await metrics.render())).toEqual([
      'melmastoon_hot_store_evictions_total{tier="cache"} 42',
    ]);
  });

  test('a reader that fails or never answers is counted and hides nobody else', async () => {
    const metrics = createMetrics({ readTimeoutMs: 5 });
    metrics.watch('melmastoon_db_pool_idle_count', () => Promise.reject(new Error('pool closed')));
    metrics.watch('melmastoon_db_pool_waiting_count', () => new Promise(() => {}));
    metrics.watch('melmastoon_db_pool_max_count', () => [{ labels: { service: 'a' }, value: 10 }]);
    await metrics.render();
    const text = await metrics.render();
    expect(text).toContain('melmastoon_db_pool_max_count{service="a"} 10');
    expect(text).toMatch(/dropped_total\{metric="melmastoon_db_pool_idle_count",reason="read_failed"\} [12]/);
    expect(text).toMatch(
      /dropped_total\{metric="melmastoon_db_pool_waiting_count",reason="read_failed"\} [12]/,
    );
  });

  test('one metric is either written or watched', () => {
    const metrics = createMetrics();
    metrics.set('melmastoon_db_pool_idle_count', { service: 'a' }, 1);
    expect(() => metrics.watch('melmastoon_db_pool_idle_count', () => [])).toThrow(/written/);
    metrics.watch('melmastoon_db_pool_max_count', () => []);
    expect(() => metrics.set('melmastoon_db_pool_max_count', { service: 'a' }, 1)).toThrow(/watched/);
  });
});

describe('labels', () => {
  test('ANTI-14: a raw tenant label does not compile and throws at run time', () => {
    const metrics = createMetrics();
    // @ts-expect-error tenant_id is no label of any metric
    expect(() => metrics.inc('melmastoon_refund_failures_total', { service: 'x', tenant_id: 'y' })).toThrow(
      /tenant_id/,
    );
    const labels = { ...topic, tenant_id_class: '0192f3a1-7b2c-7def-8abc-0123456789ab' };
    // @ts-expect-error a class is one of four words
    expect(() => metrics.inc('melmastoon_events_published_total', labels)).toThrow(
      /small, medium, large, platform/,
    );
  });

  test('ANTI-14: a catalogue entry with a raw tenant label is refused when it is first used', () => {
    const entry = { kind: 'counter', help: 'Planted.', labels: { tenant_id: 'text' } } as const;
    expect(() => labelChecker('melmastoon_planted_total', entry)).toThrow(/ANTI-14/);
  });

  test('a missing label, an unknown name and the wrong kind do not compile and throw', () => {
    const metrics = createMetrics();
    // @ts-expect-error topic is missing
    expect(() => metrics.inc('melmastoon_inbox_dedup_skips_total', { service: 'x' })).toThrow(/topic/);
    // @ts-expect-error no such metric
    expect(() => metrics.inc('melmastoon_nonsense_total', {})).toThrow(/No metric/);
    // @ts-expect-error a gauge cannot be incremented
    expect(() => metrics.inc('melmastoon_db_pool_idle_count', { service: 'x' })).toThrow(/gauge/);
    // @ts-expect-error a histogram cannot be watched
    expect(() => metrics.watch('melmastoon_job_duration_seconds', () => [])).toThrow(/histogram/);
    for (const name of ['__proto__', 'constructor']) {
      expect(() => metrics.inc(name as MetricName as never, {} as never)).toThrow(/No metric/);
    }
  });

  test('safety-45: ids and personal data as a label value are taken out', async () => {
    const metrics = createMetrics();
    const ids = ['0192f3a1-7b2c-7def-8abc-0123456789ab', 'ses_01J8ZQ4T1N3M5K7P9R2S4V6W8X', 'x'.repeat(200)];
    for (const limit of ids) metrics.inc('melmastoon_rate_limit_refusals_total', { service: 'http', limit });
    expect(samples(await metrics.render())).toEqual([
      'melmastoon_rate_limit_refusals_total{service="http",limit="[redacted]"} 3',
    ]);
  });

  test('safety-45: no canary reaches a label', async () => {
    await fc.assert(
      fc.asyncProperty(canaryInText, async ({ text, traces }) => {
        const metrics = createMetrics();
        metrics.inc('melmastoon_sessions_revoked_total', {
          service: 'iam-service',
          reason: `because ${text}`,
        });
        const rendered = await metrics.render();
        for (const trace of traces) expect(rendered).not.toContain(trace);
      }),
    );
  });
});

describe('broken numbers', () => {
  test('are counted and spoil nothing', async () => {
    const metrics = createMetrics();
    const labels = { service: 'http' };
    metrics.inc('melmastoon_refund_failures_total', labels, 1);
    metrics.inc('melmastoon_refund_failures_total', labels, Number.NaN);
    metrics.inc('melmastoon_refund_failures_total', labels, -1);
    metrics.observe('melmastoon_db_transaction_duration_seconds', labels, Number.POSITIVE_INFINITY);
    metrics.set('melmastoon_db_pool_idle_count', labels, -3);
    const text = await metrics.render();
    const dropped = (metric: string, reason: string) =>
      `melmastoon_metric_samples_dropped_total{metric="${metric}",reason="${reason}"} 1`;
    expect(samples(text).sort()).toEqual(
      [
        dropped('melmastoon_db_transaction_duration_seconds', 'not_a_number'),
        dropped('melmastoon_refund_failures_total', 'negative'),
        dropped('melmastoon_refund_failures_total', 'not_a_number'),
        'melmastoon_db_pool_idle_count{service="http"} -3',
        'melmastoon_refund_failures_total{service="http"} 1',
      ].sort(),
    );
  });
});
