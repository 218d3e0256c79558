import type { TenantId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelReservation } from './commands.ts';
import {
  BookingCancelled,
  BookingCheckInUndone,
  BookingConfirmed,
  BookingHeld,
  BookingNoShow,
} from './contract.ts';
import { type FrontOffice, later, openFrontOffice, service } from './fixtures/front-office.ts';
import { blocked, captured, committed } from './fixtures/new-booking.ts';
import { afn, dayClosed, folioOpened, keyIssued, keyRevoked, welcomed } from './fixtures/others-say.ts';
import type { Reservation } from './model.ts';
import { startCheckIn } from './sagas/check-in.ts';
import { takeBackCheckIn, undoCancellation, undoNoShow } from './undo.ts';

let office: FrontOffice;
beforeAll(async () => {
  office = await openFrontOffice();
});
afterAll(() => office.system.stop());

type Found = { tenantId: TenantId; booking: Reservation };
const run = (tenantId: TenantId, step: typeof undoNoShow, { id }: Reservation, businessDate: string) =>
  office.system.run(service, tenantId, step, { id, businessDate });

describe('R18: a cancellation is taken back', () => {
  /** Cancelled by the guest: 1,800 of 5,400 AFN are kept. */
  async function cancelled(): Promise<Found> {
    const { tenantId, booking } = await office.confirmed();
    return { tenantId, booking: await cancel(tenantId, booking) };
  }

  function cancel(tenantId: TenantId, { id }: Reservation): Promise<Reservation> {
    const terms = { fee: afn(180_000), refund: afn(360_000) };
    const ending = { id, reason: 'guest_request', deadlineKind: null, terms } as const;
    return office.system.run(service, tenantId, cancelReservation, ending);
  }

  test('rooms are held and money asked for anew; what the house kept counts, what it gave back is due', async () => {
    const { tenantId, booking } = await cancelled();
    const again = await run(tenantId, undoCancellation, booking, '2026-03-02');
    expect(again).toMatchObject({ status: 'held', allocationId: null });
    await office.system.settled();
    const [, held] = await office.said(tenantId, BookingHeld);
    expect(held).toMatchObject({
      dueNow: afn(360_000),
      payment: { paid: afn(180_000), outstanding: afn(360_000) },
    });
    await office.tell(tenantId, committed(again), captured(again));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'confirmed',
      payment: { paid: afn(540_000), outstanding: afn(0) },
    });
    expect(await office.said(tenantId, BookingConfirmed)).toHaveLength(2);
  });

  test('cancelled and taken back twice: the same is due the second time', async () => {
    const { tenantId, booking } = await cancelled();
    const again = await run(tenantId, undoCancellation, booking, '2026-03-02');
    await office.tell(tenantId, committed(again), captured(again));
    await cancel(tenantId, booking);
    expect(await run(tenantId, undoCancellation, booking, '2026-03-02')).toMatchObject({
      dueNow: afn(360_000),
      payment: { paid: afn(180_000), outstanding: afn(360_000) },
    });
  });

  test('un-cancel into a full night: it is cancelled again, and nothing is owed twice', async () => {
    const { tenantId, booking } = await cancelled();
    const again = await run(tenantId, undoCancellation, booking, '2026-03-02');
    await office.tell(tenantId, blocked(again));
    expect((await office.now({ tenantId, booking })).status).toBe('cancelled');
    expect(await office.said(tenantId, BookingCancelled)).toMatchObject([
      { reason: 'guest_request', refund: afn(360_000) },
      { reason: 'hold_expired', refund: afn(0) },
    ]);
    await expect(run(tenantId, undoCancellation, booking, '2026-03-02')).rejects.toMatchObject({
      code: 'TRANSITION_REFUSED', // this end was nobody's wish
    });
  });

  test('a hold that lapsed was never a booking, and a day that is over does not come back', async () => {
    const lapsed = await office.held();
    await office.sweepAt(later(lapsed.booking.allocateBy, 1_000));
    await expect(run(lapsed.tenantId, undoCancellation, lapsed.booking, '2026-03-02')).rejects.toMatchObject({
      code: 'TRANSITION_REFUSED',
    });
    const { tenantId, booking } = await cancelled();
    await expect(run(tenantId, undoCancellation, booking, '2026-03-22')).rejects.toMatchObject({
      code: 'ARRIVAL_PASSED',
    });
  });
});

describe('R17: a no-show is taken back', () => {
  const missed = async (): Promise<Found> => {
    const { tenantId, booking } = await office.confirmed({ noShowKeptUntil: '2026-03-22T07:30:00.000Z' });
    await office.tell(tenantId, dayClosed(booking, ['2026-03-21', '2026-03-22']));
    return { tenantId, booking: await office.now({ tenantId, booking }) };
  };

  test('the rooms of a no-show are kept until the hour of the policy', async () => {
    const { tenantId } = await missed();
    expect(await office.said(tenantId, BookingNoShow)).toMatchObject([
      { keptUntil: '2026-03-22T07:30:00.000Z' },
    ]);
  });

  test('late guest at 02:00: the booking is what it was, and what went back is owed again', async () => {
    const { tenantId, booking } = await missed();
    const restored = await run(tenantId, undoNoShow, booking, '2026-03-22');
    expect(restored).toMatchObject({
      status: 'confirmed',
      payment: { paid: afn(180_000), outstanding: afn(360_000) },
    });
    await office.system.settled();
    expect(await office.said(tenantId, BookingConfirmed)).toHaveLength(2);
    await expect(run(tenantId, undoNoShow, booking, '2026-03-22')).rejects.toMatchObject({
      code: 'TRANSITION_REFUSED',
    });
  });

  test('after the next close it is too late', async () => {
    const { tenantId, booking } = await missed();
    await expect(run(tenantId, undoNoShow, booking, '2026-03-23')).rejects.toMatchObject({
      code: 'TOO_LATE_TO_UNDO',
    });
    expect((await office.now({ tenantId, booking })).status).toBe('no_show');
  });
});

describe('R18: a check-in is taken back', () => {
  async function inHouse(): Promise<Found> {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking), keyIssued(booking), welcomed(booking));
    await office.system.run(service, tenantId, startCheckIn, { id: booking.id, businessDate: '2026-03-21' });
    return { tenantId, booking: await office.now({ tenantId, booking }) };
  }

  test('on the same hotel day: the booking waits again, and the next check-in needs a key and a welcome of its own', async () => {
    const { tenantId, booking } = await inHouse();
    expect(booking.status).toBe('checked_in');
    const waiting = await run(tenantId, takeBackCheckIn, booking, '2026-03-21');
    expect(waiting.status).toBe('confirmed');
    await office.tell(tenantId, keyRevoked(booking));
    expect(await office.said(tenantId, BookingCheckInUndone)).toMatchObject([{ businessDate: '2026-03-21' }]);
    const desk = { id: booking.id, businessDate: '2026-03-21' };
    await office.system.run(service, tenantId, startCheckIn, desk);
    expect((await office.now({ tenantId, booking })).status).toBe('confirmed');
  });

  test('not once the day has closed: the night is charged', async () => {
    const { tenantId, booking } = await inHouse();
    await expect(run(tenantId, takeBackCheckIn, booking, '2026-03-22')).rejects.toMatchObject({
      code: 'TOO_LATE_TO_UNDO',
    });
  });
});
