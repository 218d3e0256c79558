import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import type { SiteBooking } from '@melmastoon/reservation-service/contract/site-questions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { someDraft } from './fixtures/draft.ts';
import { draftExpiry, heldDraft, outcomeOf, partiesOf, spread } from './model.ts';

test('guests are spread over rooms as evenly as it goes, and nobody is lost', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 9 }), (guests, rooms) => {
      const each = spread(guests, rooms);
      expect(each).toHaveLength(rooms);
      expect(each.reduce((sum, one) => sum + one, 0)).toBe(guests);
      expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
    }),
  );
  expect(partiesOf({ adults: 3, children: 1, rooms: 2 })).toEqual([
    { adults: 2, children: 1 },
    { adults: 1, children: 0 },
  ]);
});

test('TB-07: a draft ends with its quote and after 30 minutes at most; in a flash sale after 10', () => {
  const now = new Date('2026-03-21T08:00:00Z');
  const minute = (n: number) => new Date(now.getTime() + n * 60_000);
  const usual = { flashSale: false };
  expect(draftExpiry(now, minute(15).toISOString(), usual)).toEqual(minute(15));
  expect(draftExpiry(now, minute(90).toISOString(), usual)).toEqual(minute(30));
  expect(draftExpiry(now, minute(15).toISOString(), { flashSale: true })).toEqual(minute(10));
});

test('X-118: once held, a draft is not kept longer than its hold, and never longer than before', () => {
  const draft = someDraft(newTenantId());
  const holding = (expiresAt: string | null) => heldDraft(draft, { reservationId: newId('rsv'), expiresAt });
  expect(holding('2026-03-21T08:10:00.000Z').expiresAt).toBe('2026-03-21T08:10:00.000Z');
  expect(holding('2026-03-21T09:00:00.000Z').expiresAt).toBe(draft.expiresAt);
  expect(holding(null)).toMatchObject({ state: 'confirming', expiresAt: draft.expiresAt });
});

const booking = (facts: Partial<SiteBooking>) =>
  ({
    reservationId: newId('rsv'),
    code: 'BCDF2345',
    status: 'held',
    expiresAt: null,
    ...facts,
  }) as SiteBooking;
const pending = { status: 'pending', redirectUrl: 'https://pay.example/1' };

test.for<[Partial<SiteBooking>, Parameters<typeof outcomeOf>[2], string, string | null]>([
  [{}, null, 'confirming', null],
  [{}, { status: 'created', redirectUrl: null }, 'confirming', null],
  [{}, pending, 'paying', null],
  [{}, { status: 'unknown', redirectUrl: null }, 'paying', 'PAYMENT_UNKNOWN'],
  [{ status: 'confirmed' }, null, 'confirmed', null],
  [{ status: 'confirmed_cash_pending' }, null, 'confirmed', null],
  [{ status: 'checked_in' }, null, 'confirmed', null],
  [
    { status: 'cancelled', endedBecause: 'payment_failed', isAllocated: true },
    null,
    'failed',
    'PAYMENT_DECLINED',
  ],
  [{ status: 'cancelled', endedBecause: 'hold_expired', isAllocated: false }, null, 'failed', 'ROOMS_GONE'],
  [{ status: 'cancelled', endedBecause: 'hold_expired', isAllocated: true }, null, 'expired', 'HOLD_EXPIRED'],
  [{ status: 'cancelled', endedBecause: 'guest_request', isAllocated: true }, null, 'failed', 'CANCELLED'],
])('a booking that is %o with a payment %o is %s', ([facts, checkout, state, failure]) => {
  const outcome = outcomeOf(newId('bdr'), booking(facts), checkout);
  expect(outcome).toMatchObject({ state, failure });
  expect(outcome.nextPollMs === null).toBe(['confirmed', 'failed', 'expired'].includes(state));
});
