import { expect, test } from 'vitest';
import { pricedView } from './pricing-view.ts';

const afn = (amount: number) => ({ amount: String(amount), currency: 'AFN' as const });
const facts = {
  total: { net: afn(5_000), tax: afn(0), gross: afn(5_000) },
  ...{ charges: [], rails: [], zone: 'Asia/Kabul', refundable: true, board: 'breakfast' as const },
  cancellation: [
    { until: '2026-11-15T09:30:00.000Z', fee: afn(0) },
    { until: '2026-11-16T09:30:00.000Z', fee: afn(1_000) },
    { until: null, fee: afn(5_000) },
  ],
  nights: [{ date: '2026-11-17', gross: afn(5_000) }],
  stay: { arrival: '2026-11-17', departure: '2026-11-18' },
};
const house = { zone: 'Asia/Kabul', checkInFrom: '14:00', rails: [] };
const seenAt = (now: string) =>
  pricedView(facts as never, {
    ...{ house: house as never, locale: 'en', holdMs: 600_000 },
    now: new Date(now),
  });

test('a deadline that has passed is no promise: nobody is told that he may cancel free until yesterday', () => {
  expect(seenAt('2026-11-14T00:00:00Z')).toMatchObject({
    freeUntil: '2026-11-15T09:30:00.000Z',
    cancellation: facts.cancellation,
  });
  expect(seenAt('2026-11-15T09:30:00Z').freeUntil).toBe('2026-11-15T09:30:00.000Z');
  expect(seenAt('2026-11-15T09:30:01Z')).toMatchObject({
    freeUntil: null,
    cancellation: facts.cancellation.slice(1),
  });
  expect(seenAt('2026-11-17T00:00:00Z')).toMatchObject({
    freeUntil: null,
    cancellation: [{ until: null, fee: afn(5_000) }],
  });
});
