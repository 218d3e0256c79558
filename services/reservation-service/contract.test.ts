import { MAX_EVENT_BYTES } from '@ghasi/backbone/outbox';
import { newId } from '@ghasi/domain-primitives/ids';
import { addDays, eachDay, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { MOST_QUOTED_ROOM_NIGHTS } from '@melmastoon/pricing-service/contract/questions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cancelReasons } from './contract/booking-parts.ts';
import {
  BookingCancelled,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingConfirmed,
  BookingDatesChanged,
  BookingHeld,
  BookingModified,
  BookingNoShow,
  events,
} from './contract.ts';
import { service } from './fixtures/front-office.ts';
import { samples } from './fixtures/samples.ts';

const afn = (minor: bigint | number) => ({ amount: String(minor), currency: 'AFN' });
const usd = (minor: number) => ({ amount: String(minor), currency: 'USD' });
const version = fc.integer({ min: 1, max: 1_000_000 });

describe('EVT-19..28: the events of reservation-service', () => {
  contractConformance(events, samples);

  test('they are the ten of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.reservation.booking.held.v1', 'warm'],
      ['melmastoon.reservation.booking.confirmed.v1', 'warm'],
      ['melmastoon.reservation.booking.cancelled.v1', 'warm'],
      ['melmastoon.reservation.booking.modified.v1', 'warm'],
      ['melmastoon.reservation.booking.dates_changed.v1', 'warm'],
      ['melmastoon.reservation.booking.check_in_started.v1', 'warm'],
      ['melmastoon.reservation.booking.checked_in.v1', 'warm'],
      ['melmastoon.reservation.booking.check_in_undone.v1', 'warm'],
      ['melmastoon.reservation.booking.check_out_started.v1', 'warm'],
      ['melmastoon.reservation.booking.checked_out.v1', 'warm'],
      ['melmastoon.reservation.booking.no_show.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test('all are about the booking, so that all of a booking share one order', () => {
    const ids = events.map(event => raise(event, {}, 1).aggregateId);
    expect(new Set(ids)).toEqual(new Set(['rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D']));
  });

  test.each(events)('$subject has one key per version of the booking', event => {
    fc.assert(
      fc.property(version, version, (one, other) => {
        const same = raise(event, {}, one).idempotencyKey === raise(event, {}, other).idempotencyKey;
        expect(same).toBe(one === other);
      }),
    );
  });

  test('R21: the largest booking that is quoted fits into one event, each night with four taxes', () => {
    const price = { net: afn(163_636_000), tax: afn(16_364_000), gross: afn(180_000_000) };
    const codes = ['business_receipts', 'municipality', 'tourism_fund', 'service_charge'];
    const taxes = codes.map(code => ({ code, amount: afn(4_091_000) }));
    const arrival = parseLocalDate('2026-03-21');
    const stay = { arrival, departure: addDays(arrival, MOST_QUOTED_ROOM_NIGHTS / 50) };
    const nights = [...eachDay(arrival, stay.departure)].map(date => ({ date, price, taxes }));
    const [room] = sampleOf(BookingHeld).rooms as object[];
    const rooms = Array.from({ length: 50 }, () => ({ ...room, stay, bookedRoomId: newId('brm'), nights }));
    const total = { net: afn(81_818_000_000), tax: afn(8_182_000_000), gross: afn(90_000_000_000) };
    const payment = { rail: 'card', paymentId: null, paid: afn(0), outstanding: total.gross };
    const { payload } = raise(BookingHeld, { stay, rooms, total, payment }, 1);
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(MAX_EVENT_BYTES - 4_096);
  });

  test.each(events)('$subject refuses a stay that departs before it arrives', event => {
    const field = 'stay' in sampleOf(event) ? 'stay' : 'newStay';
    const inverted = { arrival: '2026-03-24', departure: '2026-03-21' };
    const sameDay = { arrival: '2026-03-24', departure: '2026-03-24' };
    expect(refusalOf(event, sampleOf(event, { [field]: inverted }))).toContain(field);
    expect(refusalOf(event, sampleOf(event, { [field]: sameDay }))).toContain(field);
  });
});

test('EVT-20, ENV-27: confirming is keyed by booking and version', () => {
  expect(raise(BookingConfirmed, {}, 2).idempotencyKey).toBe('rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D:confirmed:2');
});

describe('the price', () => {
  const night = fc.record({ net: fc.bigInt(0n, 10n ** 9n), tax: fc.bigInt(0n, 10n ** 8n) });
  const taxed = ({ net, tax }: { net: bigint; tax: bigint }) => ({
    net: afn(net),
    tax: afn(tax),
    gross: afn(net + tax),
  });
  const [room] = sampleOf(BookingHeld).rooms as [{ nights: { date: string }[] }];

  test('EVT-19, R20: the nights of all rooms make the total, to the last minor unit', () => {
    fc.assert(
      fc.property(fc.array(night, { minLength: 3, maxLength: 3 }), fc.bigInt(0n, 2n), (prices, off) => {
        const nights = room.nights.map(({ date }, index) => ({
          date,
          price: taxed(prices[index] ?? { net: 0n, tax: 0n }),
        }));
        const net = prices.reduce((sum, price) => sum + price.net, off);
        const tax = prices.reduce((sum, price) => sum + price.tax, 0n);
        const total = taxed({ net, tax });
        const change = {
          rooms: [{ ...room, nights }],
          total,
          payment: { rail: 'card', paymentId: null, paid: afn(0), outstanding: total.gross },
        };
        const refusal = refusalOf(BookingHeld, sampleOf(BookingHeld, change));
        expect(refusal).toEqual(off === 0n ? undefined : expect.stringContaining('nights do not make'));
      }),
    );
  });

  test.each([
    ['missing', room.nights.slice(1)],
    ['doubled', [...room.nights.slice(0, 2), ...room.nights.slice(1, 2)]],
    ['out of order', room.nights.toReversed()],
    ['after departure', room.nights.map(night => ({ ...night, date: night.date.replace('-03-', '-04-') }))],
  ])('EVT-20, R21: a night that is %s is refused', (_what, nights) => {
    const change = { rooms: [{ ...room, nights }] };
    expect(refusalOf(BookingConfirmed, sampleOf(BookingConfirmed, change))).toContain('each of its nights');
  });

  test('EVT-20: what is paid and what is owed make the total, in its currency', () => {
    const payment = { rail: 'card', paymentId: null, paid: afn(1), outstanding: afn(540_000) };
    const mixed = { rail: 'card', paymentId: null, paid: usd(0), outstanding: afn(540_000) };
    const reason = 'paid and outstanding do not make';
    expect(refusalOf(BookingConfirmed, sampleOf(BookingConfirmed, { payment }))).toContain(reason);
    expect(refusalOf(BookingConfirmed, sampleOf(BookingConfirmed, { payment: mixed }))).toContain(reason);
  });

  test.each([
    ['no currency', { amount: '100', currency: 'XXX' }, 'is no currency'],
    ['a negative amount', afn(-1), 'is negative'],
    ['a decimal point', { amount: '1.50', currency: 'AFN' }, 'fee'],
    ['a number', { amount: 100, currency: 'AFN' }, 'fee'],
    ['another currency than the refund', usd(100), 'differ in currency'],
  ])('EVT-21: a fee with %s is refused', (_what, fee, reason) => {
    expect(refusalOf(BookingCancelled, sampleOf(BookingCancelled, { fee }))).toContain(reason);
  });
});

test('EVT-19, X-116: cash on arrival is a promise, nothing of it is due now', () => {
  const payment = { rail: 'cash_pending', paymentId: null, paid: afn(0), outstanding: afn(540_000) };
  expect(refusalOf(BookingHeld, sampleOf(BookingHeld, { payment }))).toContain('not due now');
  expect(refusalOf(BookingHeld, sampleOf(BookingHeld, { payment, dueNow: afn(0) }))).toBeUndefined();
});

test('EVT-20, SAGA-27: cash on arrival, and only that, is confirmed as cash-pending', () => {
  const cash = { rail: 'cash_pending', paymentId: null, paid: afn(0), outstanding: afn(540_000) };
  const status = 'confirmed_cash_pending';
  const keptUntil = '2026-03-21T13:30:00.000Z';
  const promised = sampleOf(BookingConfirmed, { status, payment: cash, keptUntil });
  expect(refusalOf(BookingConfirmed, promised)).toBeUndefined();
  expect(refusalOf(BookingConfirmed, sampleOf(BookingConfirmed, { payment: cash }))).toContain('SAGA-27');
  expect(refusalOf(BookingConfirmed, sampleOf(BookingConfirmed, { status }))).toContain('SAGA-27');
});

test('EVT-21, X-122: a booking is cancelled for one of four reasons', () => {
  expect(cancelReasons).toEqual(['hold_expired', 'payment_failed', 'guest_request', 'operator_request']);
  expect(refusalOf(BookingCancelled, sampleOf(BookingCancelled, { reason: 'weather' }))).toContain('reason');
});

test('EVT-21, X-118: only an expired hold names the deadline that passed', () => {
  const expired = { reason: 'hold_expired', previousStatus: 'held', allocationId: null };
  for (const deadlineKind of ['allocation', 'payment', null]) {
    const payload = sampleOf(BookingCancelled, { ...expired, deadlineKind });
    expect(refusalOf(BookingCancelled, payload)).toBeUndefined();
  }
  const asked = sampleOf(BookingCancelled, { deadlineKind: 'payment' });
  expect(refusalOf(BookingCancelled, asked)).toContain('only an expired hold');
});

test('EVT-22, X-130: special requests are codes, not what the guest wrote', () => {
  const specialRequests = ['my name is Zarghuna and I arrive at night'];
  expect(refusalOf(BookingModified, sampleOf(BookingModified, { specialRequests }))).toContain(
    'specialRequests',
  );
});

test('EVT-22: what a change says of guest and rooms is what it shows', () => {
  const other = 'gst_01J8ZQ4T3Y5V6W7X8Y9Z0A1B99';
  const refusal = (change: object) => refusalOf(BookingModified, sampleOf(BookingModified, change));
  expect(refusal({ changes: ['guest'], moves: [], previousGuestId: other })).toBeUndefined();
  expect(refusal({ changes: ['guest', 'room_assignment'] })).toContain('about the guest');
  expect(refusal({ previousGuestId: other })).toContain('about the guest');
  expect(refusal({ moves: [] })).toContain('has moves');
  expect(refusal({ changes: ['locale'] })).toContain('has moves');
});

test('EVT-22: a room is in a booking once', () => {
  const rooms = sampleOf(BookingModified).rooms as object[];
  const change = { rooms: [...rooms, ...rooms] };
  expect(refusalOf(BookingModified, sampleOf(BookingModified, change))).toContain('twice');
});

test('EVT-23, X-117: dates that did not change are no change; the way back to the original stay is one', () => {
  const { previousStay, newStay } = sampleOf(BookingDatesChanged);
  const nothing = sampleOf(BookingDatesChanged, { newStay: previousStay });
  const back = { previousStay: newStay, newStay: previousStay, reason: 'reallocation_failed' };
  expect(refusalOf(BookingDatesChanged, nothing)).toContain('the dates are the same');
  expect(refusalOf(BookingDatesChanged, sampleOf(BookingDatesChanged, back))).toBeUndefined();
});

test('EVT-24, R14: nobody checks in without a room', () => {
  const [room] = sampleOf(BookingCheckInStarted).rooms as [object];
  const change = { rooms: [{ ...room, roomId: null }] };
  expect(refusalOf(BookingCheckInStarted, sampleOf(BookingCheckInStarted, change))).toContain('roomId');
});

test.each([
  ['checked_out', 'settled', 0, undefined],
  ['checked_out_balance_pending', 'pending', 1, undefined],
  ['checked_out', 'settled', 1, 'a settled balance is zero'],
  ['checked_out_balance_pending', 'pending', 0, 'a settled balance is zero'],
  ['checked_out', 'pending', 1, 'checked_out means settled'],
])('EVT-27, X-115: %s with a balance %s of %i', (status, balanceStatus, minor, reason) => {
  const change = { status, balanceStatus, balance: afn(minor) };
  const refusal = refusalOf(BookingCheckedOut, sampleOf(BookingCheckedOut, change));
  expect(refusal).toEqual(reason && expect.stringContaining(reason));
});

test('EVT-28, R17: the house may keep the rooms of a no-show until an hour', () => {
  const kept = sampleOf(BookingNoShow, { keptUntil: '2026-03-21T21:30:00.000Z' });
  expect(refusalOf(BookingNoShow, kept)).toBeUndefined();
  expect(refusalOf(BookingNoShow, sampleOf(BookingNoShow, { keptUntil: '2026-03-22' }))).toContain(
    'keptUntil',
  );
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}

function raise(event: (typeof events)[number], change: object, aggregateVersion: number) {
  return event.from(sampleOf(event, change) as never, { aggregateVersion });
}
