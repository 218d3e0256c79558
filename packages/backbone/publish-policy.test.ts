import { expect, test } from 'vitest';
import { defaultPublishPolicy, publishWaitMs } from './publish-policy.ts';

const waits = (count: number) =>
  Array.from({ length: count }, (_, failures) => publishWaitMs(failures + 1, defaultPublishPolicy) / 1000);

test('X-042: the relay waits 1, 2, 4, 8, 16, 30, 60, 120, 240, 480 s, then 600 s each time', () => {
  expect(waits(14)).toEqual([1, 2, 4, 8, 16, 30, 60, 120, 240, 480, 600, 600, 600, 600]);
});

test('X-042, OUTBOX-30: fifty attempts take more than six hours, so an outage of half an hour costs nothing', () => {
  const { quarantineAfterAttempts, quarantineAfterMs } = defaultPublishPolicy;
  expect(quarantineAfterAttempts).toBe(50);
  expect(quarantineAfterMs).toBe(6 * 3_600_000);
  const seconds = waits(quarantineAfterAttempts - 1).reduce((sum, wait) => sum + wait, 0);
  expect(seconds).toBeGreaterThan(quarantineAfterMs / 1000);
  expect(seconds / 3_600).toBeCloseTo(6.77, 2);
  const inHalfAnHour = waits(50).reduce(
    ({ left, tries }, wait) => (left < wait ? { left: -1, tries } : { left: left - wait, tries: tries + 1 }),
    { left: 1_800, tries: 1 },
  );
  expect(inHalfAnHour.tries).toBeLessThan(15);
});
