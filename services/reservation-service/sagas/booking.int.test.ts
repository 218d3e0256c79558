import type { TenantId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelReservation, confirmReservation, draftReservation } from '../commands.ts';
import { BookingCancelled, BookingConfirmed, BookingDatesChanged, BookingHeld } from '../contract.ts';
import { type FrontOffice, later, openFrontOffice, service } from '../fixtures/front-office.ts';
import {
  blocked,
  captured,
  cashPromised,
  committed,
  declined,
  longerRefused,
  newBooking,
  oneMoreNight,
  reallocated,
  repriced,
  soldMeanwhile,
} from '../fixtures/new-booking.ts';
import type { Reservation } from '../model.ts';
import { changeDates } from './date-change.ts';

let office: FrontOffice;
beforeAll(async () => {
  office = await openFrontOffice();
});
afterAll(() => office.system.stop());

describe('booking saga', () => {
  test('SAGA-15, SAGA-16, SAGA-18: held, allocated and paid is confirmed', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, committed(booking));
    expect(await office.sagas(tenantId)).toEqual([{ kind: 'booking', waits_for: 'payment', outcome: null }]);
    await office.tell(tenantId, captured(booking));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'confirmed',
      payment: { rail: 'mobile_money', paid: { amount: '540000' }, outstanding: { amount: '0' } },
    });
    expect(await office.said(tenantId, BookingHeld)).toHaveLength(1);
    expect(await office.said(tenantId, BookingConfirmed)).toMatchObject([
      { reservationId: booking.id, status: 'confirmed' },
    ]);
    expect(await office.sagas(tenantId)).toMatchObject([{ outcome: 'success' }]);
  });

  test('SAGA-27, X-116: cash on arrival is confirmed without a penny being paid', async () => {
    const nothing = { amount: '0', currency: 'AFN' } as const;
    const { tenantId, booking } = await office.held({ rail: 'cash_pending', dueNow: nothing });
    await office.tell(tenantId, committed(booking), cashPromised(booking));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'confirmed_cash_pending',
      payment: { paid: nothing, outstanding: { amount: '540000' } },
      keptUntil: '2026-03-21T13:30:00.000Z',
    });
  });

  test('where nothing is due now, the rooms alone confirm the booking', async () => {
    const nothing = { amount: '0', currency: 'AFN' } as const;
    const { tenantId, booking } = await office.held({ rail: 'card', dueNow: nothing });
    await office.tell(tenantId, committed(booking));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'confirmed',
      payment: { paymentId: null, paid: nothing, outstanding: { amount: '540000' } },
    });
  });

  test('SAGA-28: a hold that inventory refuses is cancelled without a deadline', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, blocked(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('cancelled');
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([
      { reason: 'hold_expired', deadlineKind: null, previousStatus: 'held', allocationId: null },
    ]);
    expect(await office.sagas(tenantId)).toMatchObject([{ outcome: 'compensated' }]);
  });

  test('SAGA-25: a payment that failed cancels the hold', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, committed(booking));
    await office.tell(tenantId, declined(booking));
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([{ reason: 'payment_failed' }]);
  });

  test('SAGA-24, X-118: without an allocation in 30 s the hold ends, and not a moment before', async () => {
    const { tenantId, booking } = await office.held();
    await office.sweepAt(later(booking.allocateBy, -1));
    expect((await office.now({ tenantId, booking })).status).toBe('held');
    await office.sweepAt(later(booking.allocateBy, 0));
    await office.system.settled();
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([
      { reason: 'hold_expired', deadlineKind: 'allocation' },
    ]);
  });

  test('X-118: an allocated hold that nobody pays ends with its ten minutes', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, committed(booking));
    await office.sweepAt(later(booking.allocateBy, 1));
    expect((await office.now({ tenantId, booking })).status).toBe('held');
    await office.sweepAt(later(booking.expiresAt, 1));
    await office.system.settled();
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([{ deadlineKind: 'payment' }]);
  });

  test('X-119, SAGA-07: signals that come late or twice change nothing', async () => {
    const { tenantId, booking } = await office.held();
    const [rooms, money] = [committed(booking), captured(booking)];
    await office.tell(tenantId, rooms, rooms);
    await office.tell(tenantId, money, money);
    await office.tell(tenantId, declined(booking), blocked(booking), committed(booking));
    await office.sweepAt(later(booking.expiresAt, 1));
    await office.system.settled();
    expect((await office.now({ tenantId, booking })).status).toBe('confirmed');
    expect(await office.said(tenantId, BookingConfirmed)).toHaveLength(1);
    expect(await office.said(tenantId, BookingCancelled)).toEqual([]);
  });

  test('R10: a guest whose rooms were sold while his money was on its way gets all of it back', async () => {
    const { tenantId, booking } = await office.confirmed();
    await office.tell(tenantId, soldMeanwhile(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('cancelled');
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([
      { previousStatus: 'confirmed', fee: { amount: '0' }, refund: { amount: '540000' } },
    ]);
  });

  test('X-088: money that is heard of before the rooms waits for them', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, captured(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('held');
    await office.tell(tenantId, committed(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('confirmed');
    expect(await office.said(tenantId, BookingConfirmed)).toHaveLength(1);
  });

  test('R10: money against the end of the hold, both at once: confirmed or cancelled, never both, never neither', async () => {
    for (let round = 0; round < 20; round++) {
      const { tenantId, booking } = await office.held();
      await office.tell(tenantId, committed(booking));
      await Promise.all([
        office.system.publish(tenantId, [captured(booking)]),
        office.sweepAt(later(booking.expiresAt, 0)),
      ]);
      await office.system.settled();
      const ends = [
        ...(await office.said(tenantId, BookingConfirmed)),
        ...(await office.said(tenantId, BookingCancelled)),
      ];
      expect(ends).toHaveLength(1);
      const { status } = await office.now({ tenantId, booking });
      expect(['confirmed', 'cancelled']).toContain(status);
    }
  });
});

describe('date change', () => {
  const ask = (tenantId: TenantId, { id }: Reservation) =>
    office.system.run(service, tenantId, changeDates, { id, reason: 'guest_request', ...oneMoreNight });

  test('SAGA-50..52, X-126: the stay moves once inventory and pricing have agreed, and what is owed follows', async () => {
    const { tenantId, booking } = await office.confirmed();
    await ask(tenantId, booking);
    await office.tell(tenantId, reallocated(booking));
    expect((await office.now({ tenantId, booking })).stay).toEqual(booking.stay);
    await office.tell(tenantId, repriced(booking));
    const after = await office.now({ tenantId, booking });
    expect(after).toMatchObject({
      stay: oneMoreNight.stay,
      wanted: null,
      total: { gross: { amount: '720000' } },
      payment: { paid: { amount: '540000' }, outstanding: { amount: '180000' } },
    });
    expect(after.rooms[0]?.nights.map(({ date }) => date)).toEqual([
      '2026-03-21',
      '2026-03-22',
      '2026-03-23',
      '2026-03-24',
    ]);
    expect(await office.sagas(tenantId)).toContainEqual({
      kind: 'date_change',
      waits_for: 'price',
      outcome: 'success',
    });
  });

  test('SAGA-55, SAGA-56, X-117: refused dates are put back, and the booking is never cancelled', async () => {
    const { tenantId, booking } = await office.confirmed();
    await ask(tenantId, booking);
    await office.tell(tenantId, longerRefused(booking));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'confirmed',
      stay: booking.stay,
      wanted: null,
      total: booking.total,
    });
    expect((await office.said(tenantId, BookingDatesChanged)).map(({ reason }) => reason)).toEqual([
      'guest_request',
      'reallocation_failed',
    ]);
    expect(await office.said(tenantId, BookingCancelled)).toEqual([]);
  });

  test('X-120: without an answer in a minute the old dates are put back', async () => {
    const { tenantId, booking } = await office.confirmed();
    await ask(tenantId, booking);
    await office.sweepAt(later(new Date(), 61_000));
    await office.system.settled();
    expect(await office.now({ tenantId, booking })).toMatchObject({ stay: booking.stay, wanted: null });
    expect(await office.sagas(tenantId)).toContainEqual(
      expect.objectContaining({ kind: 'date_change', outcome: 'compensated' }),
    );
  });

  test('a second change waits for the first, and the same dates are no change', async () => {
    const { tenantId, booking } = await office.confirmed();
    const same = {
      id: booking.id,
      reason: 'guest_request',
      stay: booking.stay,
      keyWindow: booking.keyWindow,
    } as const;
    await expect(office.system.run(service, tenantId, changeDates, same)).rejects.toMatchObject({
      code: 'SAME_DATES',
    });
    await ask(tenantId, booking);
    await expect(ask(tenantId, booking)).rejects.toMatchObject({ code: 'CHANGE_PENDING' });
  });
});

describe('cancellation', () => {
  const terms = {
    fee: { amount: '180000', currency: 'AFN' },
    refund: { amount: '360000', currency: 'AFN' },
  } as const;

  test('SAGA-29..32, X-122: a guest who cancels gets what the policy gives back', async () => {
    const { tenantId, booking } = await office.held();
    await office.tell(tenantId, committed(booking));
    await office.tell(tenantId, captured(booking));
    const why = { reason: 'guest_request', deadlineKind: null, terms } as const;
    await office.system.run(service, tenantId, cancelReservation, { id: booking.id, ...why });
    await office.system.settled();
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([
      { reason: 'guest_request', previousStatus: 'confirmed', ...terms },
    ]);
    await expect(
      office.system.run(service, tenantId, cancelReservation, { id: booking.id, ...why }),
    ).rejects.toMatchObject({ code: 'TRANSITION_REFUSED' });
  });

  test('a draft is nobody else’s business: it cannot be cancelled, and confirming it twice holds it once', async () => {
    const tenantId = newTenantId();
    const draft = await office.system.run(service, tenantId, draftReservation, newBooking());
    await expect(
      office.system.run(service, tenantId, cancelReservation, {
        id: draft.id,
        reason: 'guest_request',
        deadlineKind: null,
      }),
    ).rejects.toMatchObject({ code: 'TRANSITION_REFUSED' });
    await office.system.run(service, tenantId, confirmReservation, draft.id);
    await office.system.run(service, tenantId, confirmReservation, draft.id);
    await office.system.settled();
    expect(await office.said(tenantId, BookingHeld)).toHaveLength(1);
  });
});
