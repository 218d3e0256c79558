import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, daysBetween, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as events from '../events.ts';
import { newBooking } from '../fixtures/new-booking.ts';
import { cashArrived, moveTo, type Reservation } from '../model.ts';
import { undoCheckIn } from '../undo-rules.ts';

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' }) as const;
const NIGHT = 180_000;

/** A confirmed booking of three nights, of which so much was paid. */
function confirmedBooking(paid: number): Reservation {
  const { rail, guest, ...sale } = newBooking();
  return {
    ...sale,
    ...{ id: newId('rsv'), guestId: newId('gst'), locale: guest.locale, code: 'K7QMX3PD', version: 3 },
    status: 'confirmed',
    payment: { rail, paymentId: newId('pay'), paid: afn(paid), outstanding: afn(3 * NIGHT - paid) },
    ...{ allocationId: newId('alc'), allocateBy: null, expiresAt: null, early: null, keptUntil: null },
    ...{ folioId: null, keyCredentialIds: [], isWelcomed: false, wanted: null },
  } as unknown as Reservation;
}

/** Moves a booking to so many nights at the price of a night, with a fee. */
function moved(booking: Reservation, nights: number, fee: number): Reservation {
  const [{ bookedRoomId, nights: old }] = booking.rooms as [Reservation['rooms'][number]];
  const arrival = parseLocalDate(booking.stay.arrival);
  const { price } = old[0] as (typeof old)[number];
  const times = (part: 'net' | 'tax' | 'gross') => afn(Number(price[part].amount) * nights);
  const stay = { arrival, departure: addDays(arrival, nights) };
  return moveTo(
    booking,
    { stay, keyWindow: booking.keyWindow },
    {
      newQuoteId: newId('quo'),
      newTotal: { net: times('net'), tax: times('tax'), gross: times('gross') },
      fee: afn(fee),
      nights: Array.from({ length: nights }, (_, n) => ({
        ...{ bookedRoomId, date: addDays(arrival, n), change: 'kept', price },
      })),
    },
  );
}

const nightsOf = ({ stay }: Reservation) =>
  daysBetween(parseLocalDate(stay.arrival), parseLocalDate(stay.departure));

test('X-126: the fee of a date change is owed like the price of its nights', () => {
  const longer = moved(confirmedBooking(3 * NIGHT), 4, 50_000);
  expect(longer.payment).toMatchObject({ paid: afn(3 * NIGHT), outstanding: afn(NIGHT + 50_000) });
  expect(cashArrived(longer, afn(NIGHT)).payment.outstanding).toEqual(afn(50_000));
});

test('X-126: what a shorter stay gives back is not paid any more', () => {
  const shorter = moved(confirmedBooking(3 * NIGHT), 2, 50_000);
  expect(shorter.payment).toMatchObject({ paid: afn(2 * NIGHT + 50_000), outstanding: afn(0) });
});

const step = fc.oneof(
  fc.record({ nights: fc.integer({ min: 1, max: 9 }), fee: fc.constantFrom(0, 0, 25_000, NIGHT) }),
  fc.record({ cash: fc.integer({ min: 1, max: 2 * NIGHT }) }),
);

test('after any history paid and owed make price and fees, and its events can be told', () => {
  fc.assert(
    fc.property(fc.nat(3 * NIGHT), fc.array(step, { maxLength: 8 }), (paid, steps) => {
      let booking = confirmedBooking(paid);
      let fees = 0;
      for (const one of steps) {
        if ('cash' in one) booking = cashArrived(booking, afn(one.cash));
        else {
          booking = moved(booking, one.nights, one.fee);
          fees += one.fee;
          // Nothing is paid above what it costs once the difference has gone back.
          expect(Number(booking.payment.paid.amount)).toBeLessThanOrEqual(nightsOf(booking) * NIGHT + fees);
        }
        const owed = nightsOf(booking) * NIGHT + fees - Number(booking.payment.paid.amount);
        expect(Number(booking.payment.outstanding.amount)).toBe(Math.max(0, owed));
      }
      const told = events.confirmed(undoCheckIn({ ...booking, status: 'checked_in' }));
      expect(told.payload).toMatchObject({ total: booking.total });
    }),
  );
});
