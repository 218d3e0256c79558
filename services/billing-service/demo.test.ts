import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, eachDay, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { stay } from '@ghasi/domain-primitives/stay';
import { instantAt, parseZone } from '@ghasi/domain-primitives/zone';
import { expect, test } from 'vitest';
import { chargesIn, keepStay, type SeedHouse, type SeedStay } from './demo-book.ts';
import { isSettled, postedIn } from './model/book.ts';
import { heldAmount, owed } from './model/folio.ts';

const zone = parseZone('Asia/Kabul');
const today = parseLocalDate('2026-03-21');
const house: SeedHouse = { propertyId: newId('pro'), currency: 'AFN', zone, today };
const at = (day: number, time: string) => instantAt(zone, addDays(today, day), time);

/** Three nights of 110.00 each, booked a week ahead, so many days from today. */
function booked(day: number, more: Partial<SeedStay> = {}): SeedStay {
  const dates = stay(addDays(today, day), addDays(today, day + 3));
  const nights = [...eachDay(dates.arrival, dates.departure)].map(date => ({
    ...{ date, net: 10_000n, tax: 1_000n, taxes: [{ code: 'BRT', amount: 1_000n }] },
  }));
  return {
    ...{ folioId: newId('fol'), reservationId: newId('rsv'), guestId: newId('gst'), quoteId: newId('quo') },
    ...{ locale: 'en', rail: 'card', version: 6, stay: dates, extra: null, end: null },
    rooms: [{ bookedRoomId: newId('brm'), nights }],
    payments: [paid(day - 7, 33_000n)],
    ...{ bookedAt: at(day - 7, '10:00'), inAt: null, outAt: null },
    ...more,
  };
}

function paid(day: number, amount: bigint, more: Partial<SeedStay['payments'][number]> = {}) {
  const asked = { askedAt: at(day, '10:00'), paidAt: at(day, '10:02'), refund: null };
  return { paymentId: newId('pay'), purpose: 'booking', rail: 'card', amount, ...asked, ...more } as const;
}

const kindsOf = (one: SeedStay) => postedIn(keepStay(house, one).book).map(({ kind }) => kind);

test('R22: who paid ahead and has left has a closed folio at zero, each night charged on its own hotel day', () => {
  const left = booked(-5, { inAt: at(-5, '16:00'), outAt: at(-2, '09:00') });
  const { book } = keepStay(house, left);
  expect(book.folio).toMatchObject({ status: 'closed', stage: 'left', occasion: 'check_out' });
  expect([owed(book.folio), isSettled(book.folio)]).toEqual([0n, true]);
  expect(kindsOf(left)).toEqual(['deposit', 'room_night', 'room_night', 'room_night', 'deposit_applied']);
  expect(chargesIn(book).map(({ businessDate }) => businessDate)).toEqual(
    [-5, -4, -3].map(day => addDays(today, day)),
  );
});

test('what was left to pay is paid when he goes, with what he had beside his room', () => {
  const rest = paid(-2, 24_100n, { purpose: 'check_out', askedAt: at(-2, '08:55'), paidAt: at(-2, '08:58') });
  const left = booked(-5, {
    ...{ inAt: at(-5, '16:00'), outAt: at(-2, '09:00') },
    payments: [paid(-12, 10_000n, { purpose: 'deposit' }), rest],
    extra: { service: 'laundry', net: 1_000n, tax: 100n, taxCode: 'BRT', at: at(-5, '22:40') },
  });
  expect(keepStay(house, left).book.folio).toMatchObject({ status: 'closed', closedOn: addDays(today, -2) });
  expect(kindsOf(left).at(-1)).toBe('payment');
});

test('R23: who is in house owes the nights he slept, and what he paid ahead is held', () => {
  const here = booked(-1, { inAt: at(-1, '16:00') });
  const { book } = keepStay(house, here);
  expect(book.folio).toMatchObject({ status: 'open', stage: 'in_house' });
  expect([owed(book.folio), heldAmount(book.folio)]).toEqual([11_000n, 33_000n]);
  expect(book.nights.map(({ posted }) => posted)).toEqual([true, false, false]);
});

test('who gave up in time has his money back, and the folio closes once nobody can undo it', () => {
  const refund = { refundId: newId('rfd'), amount: 33_000n, at: at(-8, '22:20') };
  const end = { kind: 'cancelled', at: at(-8, '22:15'), fee: 0n } as const;
  const given = (day: number) =>
    booked(day, { payments: [paid(-12, 33_000n, { refund })], bookedAt: at(-12, '10:00'), end });
  expect(keepStay(house, given(-5)).book.folio).toMatchObject({ status: 'closed', occasion: 'cancellation' });
  expect(keepStay(house, given(+5)).book.folio).toMatchObject({ status: 'open', stage: 'cancelled' });
  expect(kindsOf(given(-5))).toEqual(['deposit', 'deposit_refunded', 'refund']);
});

test('R17: who promised cash and did not come owes the fee', () => {
  const promise = paid(-12, 33_000n, { rail: 'cash_pending', paidAt: null });
  const end = { kind: 'no_show', at: at(-4, '00:30'), fee: 11_000n } as const;
  const { book } = keepStay(house, booked(-5, { rail: 'cash_pending', payments: [promise], end }));
  expect(book.folio).toMatchObject({ status: 'open', stage: 'no_show' });
  expect(owed(book.folio)).toBe(11_000n);
});

test('the same stay makes the same lines, down to their ids', () => {
  const left = booked(-5, { inAt: at(-5, '16:00'), outAt: at(-2, '09:00') });
  expect(postedIn(keepStay(house, left).book)).toEqual(postedIn(keepStay(house, left).book));
});
