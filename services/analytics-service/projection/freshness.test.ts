import { describe, expect, test } from 'vitest';
import { applyWatermarkFreshness, freshnessOf, type Standing, togetherFresh } from './freshness.ts';

const now = new Date('2026-03-21T12:00:00Z');
const at = (hour: number) => new Date(Date.UTC(2026, 2, 21, hour));
const standing = (some: Partial<Standing> = {}): Standing => ({
  ...{ handler: 'a', status: 'COMPLETED', sourceWatermark: 7, computedAt: at(9), ...some },
});
const fresh = (standings: Standing[], handlers = ['a'], watermark = 7) =>
  freshnessOf(standings, { handlers, watermark, now });

test('PROJ-04: a row is stale once the watermark has passed what it was computed from', () => {
  const row = { status: 'READY', sourceWatermark: 7 } as const;
  expect(applyWatermarkFreshness(row, 7)).toBe('READY');
  expect(applyWatermarkFreshness(row, 8)).toBe('STALE');
  expect(applyWatermarkFreshness({ ...row, status: 'FAILED' }, 8)).toBe('FAILED');
  expect(applyWatermarkFreshness({ ...row, status: 'COMPUTING' }, 8)).toBe('COMPUTING');
});

describe('PROJ-05: the reader always knows', () => {
  test('current: as of now, nothing is missing', () => {
    expect(fresh([standing()])).toEqual({
      status: 'READY',
      asOf: now,
      watermark: 7,
      sourceWatermark: 7,
      lag: 0,
    });
  });

  test('stale: as of when it was computed, and how much was heard since', () => {
    expect(fresh([standing({ sourceWatermark: 5 })])).toMatchObject({ status: 'STALE', asOf: at(9), lag: 2 });
  });

  test('computing: nothing was ever computed', () => {
    const never = standing({ status: 'PENDING', sourceWatermark: 0, computedAt: null });
    for (const standings of [[], [never]])
      expect(fresh(standings)).toMatchObject({ status: 'COMPUTING', asOf: null, sourceWatermark: 0, lag: 7 });
  });

  test('failed: as of the last time it worked', () => {
    const failed = standing({ status: 'FAILED', sourceWatermark: 3 });
    expect(fresh([failed])).toMatchObject({ status: 'FAILED', asOf: at(9), lag: 4 });
  });

  test('a house nobody has heard of has nothing to compute', () => {
    expect(fresh([], ['a'], 0)).toMatchObject({ status: 'READY', lag: 0 });
  });
});

test('numbers of several handlers are as old as the oldest of them', () => {
  const both = [standing(), standing({ handler: 'b', sourceWatermark: 4, computedAt: at(8) })];
  expect(fresh(both, ['a', 'b'])).toMatchObject({ status: 'STALE', sourceWatermark: 4, asOf: at(8) });
  expect(fresh(both, ['a'])).toMatchObject({ status: 'READY' });
  const failed = standing({ handler: 'c', status: 'FAILED', sourceWatermark: 1, computedAt: null });
  expect(fresh([...both, failed], ['a', 'b', 'c'])).toMatchObject({ status: 'FAILED', asOf: null });
});

test('numbers of several houses are as old as those of the worst', () => {
  const [one, other] = [fresh([standing()]), fresh([standing({ sourceWatermark: 5 })])];
  expect(togetherFresh(one, other)).toEqual({
    status: 'STALE',
    asOf: at(9),
    watermark: 14,
    sourceWatermark: 12,
    lag: 2,
  });
});
