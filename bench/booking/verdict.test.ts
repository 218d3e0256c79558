import { chance } from '@melmastoon/server/demo-chance';
import { describe, expect, test } from 'vitest';
import { dueTimes, kinds, mix } from './mix.ts';
import { samplesIn } from './server-watch.ts';
import { outcomeOf, Tally, timesOf } from './tally.ts';
import { hitRatio, judge, type PeakFigures } from './verdict.ts';

describe('what an answer was', () => {
  test.for([
    [{ status: 200, text: '{}' }, 'ok'],
    [{ status: 200, text: '' }, 'error'],
    [{ status: 409, text: '{"code":"ROOMS_GONE"}' }, 'refused'],
    [{ status: 409, text: '{"code":"CONFIRM_IN_PROGRESS"}' }, 'error'],
    [{ status: 429, text: '{"code":"RATE_LIMITED"}' }, 'error'],
    [{ status: 503, text: 'no JSON' }, 'error'],
    [undefined, 'error'],
  ] as const)('%o is %s', ([reply, outcome]) => {
    expect(outcomeOf(reply)).toBe(outcome);
  });
});

test('percentiles are times that were measured, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect(timesOf(hundred)).toEqual({ p50: 50, p95: 95, p99: 99, longest: 100 });
  expect(timesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7, longest: 7 });
});

test('the mix is a thousand requests, and every kind is among them', () => {
  expect(mix.reduce((sum, [, share]) => sum + share, 0)).toBe(1_000);
  expect(mix.map(([kind]) => kind)).toEqual(kinds);
});

test('as many requests are due as were asked for, in order, within the span', () => {
  const due = dueTimes(chance('due times'), { count: 600, spanMs: 2_000 });
  expect(due).toHaveLength(600);
  expect(due).toEqual(due.toSorted((one, other) => one - other));
  expect(due.every(ms => ms >= 0 && ms < 2_000)).toBe(true);
});

test('Prometheus text is read with its labels', () => {
  const text = '# HELP a_total Things.\na_total{service="x",le="+Inf"} 3\nb_count 0.5\n\n';
  expect(samplesIn(text)).toEqual([
    { name: 'a_total', labels: { service: 'x', le: '+Inf' }, value: 3 },
    { name: 'b_count', labels: {}, value: 0.5 },
  ]);
});

describe('a run is judged', () => {
  const tally = new Tally();
  for (const kind of kinds) tally.add(kind, 'ok', 20);
  const good: PeakFigures = {
    ...{ at: '2026-01-01T00:00:00.000Z', rate: 300, seconds: 60 },
    load: { ...tally.summary(), errors: [], took: 60, perSecond: 300, late: timesOf([1]) },
    server: {
      ...{ looks: 30, outboxLagSeconds: 0.1, consumerLagSeconds: 1 },
      caches: { availability: { hits: 90, misses: 10 } },
      pool: { asked: 100, longestWaitSeconds: 0.1, exhausted: 0, mostWaiting: 3 },
    },
    bookings: { confirmed: 10, failed: 0, open: 0 },
    processor: { shares: {}, rest: 0, generator: 0 },
  };
  const missed = (figures: PeakFigures) =>
    judge(figures)
      .filter(({ met }) => !met)
      .map(({ what }) => what);

  test('nothing is missed in a good one', () => expect(missed(good)).toEqual([]));

  const { load, server } = good;
  const slow = { ...load.cachedReads, p95: 150 };
  test.for([
    ['answers per second', { load: { ...load, perSecond: 280 } }],
    ['answers per second', { bookings: { ...good.bookings, confirmed: 0 } }],
    ['errors', { load: { ...load, all: { ...load.all, errors: 1 } } }],
    ['p95 of cached reads', { load: { ...load, cachedReads: slow } }],
    ['pool exhaustion', { server: { ...server, pool: { ...server.pool, exhausted: 1 } } }],
    ['pool exhaustion', { server: { ...server, pool: { ...server.pool, asked: 0 } } }],
    ['outbox lag', { server: { ...server, outboxLagSeconds: 5 } }],
    ['outbox lag', { server: { ...server, looks: 0 } }],
    ['cache hit ratio', { server: { ...server, caches: { slug: { hits: 1_000, misses: 0 } } } }],
    ['bookings still open', { bookings: { ...good.bookings, open: 1 } }],
  ] as const)('%s is missed when it is, or when nobody looked', ([what, change]) => {
    expect(missed({ ...good, ...change })).toEqual([what]);
  });
});

test('a ratio of nothing is nothing', () => {
  expect(hitRatio([undefined, { hits: 0, misses: 0 }])).toBe(0);
  expect(hitRatio([{ hits: 3, misses: 1 }, undefined])).toBe(0.75);
});
