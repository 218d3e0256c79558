import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, type Zone } from '@ghasi/domain-primitives/zone';
import type { SeedStay as CountedStay } from '@melmastoon/analytics-service/demo';
import type { SeedStay as FolioStay } from '@melmastoon/billing-service/demo-book';
import type { SeedGuest } from '@melmastoon/housekeeping-service/demo';
import type { SeedAllocation } from '@melmastoon/inventory-service/demo';
import type { SeedBooking as SeedKeys } from '@melmastoon/lock-integration-service/demo';
import type { SeedBooking } from '@melmastoon/reservation-service/demo';
import type { DemoStay } from './demo-stays.ts';

type Plan = { readonly id: Id<'rpl'>; readonly policies: SeedBooking['policies'] };
type House = {
  readonly propertyId: Id<'pro'>;
  readonly zone: Zone;
  readonly currency: CurrencyCode;
  readonly checkInFrom: string;
  readonly checkOutUntil: string;
};

/** A stay as inventory-service keeps it: the rooms it has, unless it gave them back. */
export function allocationOf(stay: DemoStay): SeedAllocation {
  const { version: reservationVersion, end, bookedAt } = stay;
  return { ...stay, reservationVersion, isReleased: end !== null, at: end?.at ?? bookedAt };
}

/** A stay as billing-service keeps it: its nights with their taxes by name, and what was sold beside. */
export function folioOf(stay: DemoStay): FolioStay {
  return {
    ...stay,
    locale: stay.guest.locale,
    extra: stay.extra && { ...stay.extra, taxCode: 'BRT' },
    rooms: stay.rooms.map(({ bookedRoomId, nights }) => ({
      bookedRoomId,
      nights: nights.map(({ date, price: { net, tax }, charges }) => ({
        ...{ date, net, tax },
        taxes: charges.filter(({ kind }) => kind === 'tax').map(({ code, amount }) => ({ code, amount })),
      })),
    })),
  };
}

/** A stay as housekeeping-service keeps it: who is in a room or is awaited there; nothing of those who left. */
export function guestsOf(house: House, one: DemoStay): SeedGuest[] {
  const { rooms, status, stay, reservationId, version } = one;
  const isHere = status === 'checked_in';
  if (!isHere && !isAwaited(one)) return [];
  const { validFrom: keyFrom } = keyWindowOf(house, one);
  return rooms.map(({ bookedRoomId, roomId, adults, children }) => ({
    ...{ bookedRoomId, reservationId, roomId, ...stay, keyFrom, isHere, version },
    persons: adults + children,
  }));
}

/** A stay as lock-integration-service keeps it: whose key opens which door, now or soon. */
export function keysOf(house: House, stay: DemoStay): SeedKeys[] {
  if (!isAwaited(stay) && stay.status !== 'checked_in') return [];
  const isPaid = stay.status !== 'confirmed_cash_pending';
  return [{ ...stay, ...keyWindowOf(house, stay), isPaid }];
}

function isAwaited({ status }: DemoStay): boolean {
  return status === 'confirmed' || status === 'confirmed_cash_pending';
}

/** From check-in on the day of arrival to check-out on the day of departure. */
function keyWindowOf({ zone, checkInFrom, checkOutUntil }: House, { stay }: DemoStay) {
  return {
    validFrom: momentOf(zone, stay.arrival, checkInFrom),
    validUntil: momentOf(zone, stay.departure, checkOutUntil),
  };
}

const moments = new Map<string, Date>();

/** A moment on the clock of a house; thousands of stays share a few hundred of them. */
function momentOf(zone: Zone, date: LocalDate, time: string): Date {
  const key = `${zone} ${date} ${time}`;
  const known = moments.get(key) ?? instantAt(zone, date, time);
  moments.set(key, known);
  return known;
}

/** A stay as analytics-service counts it. */
export function countedOf({ propertyId, currency }: House, stay: DemoStay): CountedStay {
  return {
    ...{ ...stay, propertyId, currency, fate: fateOf(stay) },
    rooms: stay.rooms.map(({ bookedRoomId, roomTypeId, nights }) => ({
      ...{ bookedRoomId, roomTypeId },
      nights: nights.map(({ date, price: { net, gross } }) => ({ date, net, gross })),
    })),
  };
}

function fateOf({ status, stay, inAt, outAt, end }: DemoStay): CountedStay['fate'] {
  if (status === 'checked_in' && inAt !== null) return { status, at: inAt, on: stay.arrival };
  if (status === 'checked_out' && outAt !== null) return { status, at: outAt, on: stay.departure };
  if (end !== null) return { status: end.kind, at: end.at, on: end.on };
  return { status: status === 'confirmed' ? status : 'confirmed_cash_pending' };
}

/** Until when the demo's policy keeps the room of a guest who did not come, on the day after his arrival. */
const KEPT_UNTIL = '06:00';

/** A stay as reservation-service keeps it: what was agreed, and how far it came. */
export function bookingOf(house: House, stay: DemoStay, plan: Plan): SeedBooking {
  const { inAt, outAt, end, bookedAt, firstNight } = stay;
  const isHere = stay.status === 'checked_in';
  return {
    ...stay,
    ratePlanId: plan.id,
    policies: plan.policies,
    // A booking that was cancelled never got a number.
    rooms: stay.status === 'cancelled' ? stay.rooms.map(room => ({ ...room, roomId: null })) : stay.rooms,
    keyWindow: keyWindowOf(house, stay),
    payment: paymentOf(stay),
    noShowFee: firstNight,
    noShowKeptUntil: momentOf(house.zone, addDays(stay.stay.arrival, 1), KEPT_UNTIL),
    keyCredentialIds: isHere ? stay.rooms.map(({ keyId }) => keyId) : [],
    inSince: inAt === null ? null : stay.stay.arrival,
    ended: endedOf(stay),
    changedAt: outAt ?? inAt ?? end?.at ?? bookedAt,
  };
}

/** What came and what is owed, as the sagas count it: money that was promised and then brought was paid in cash. */
function paymentOf({ payments, total, rail, end, inAt, outAt }: DemoStay): SeedBooking['payment'] {
  const [first] = payments as [DemoStay['payments'][number]];
  const paid = payments.reduce((sum, { amount, paidAt }) => sum + (paidAt === null ? 0n : amount), 0n);
  const left = total.gross > paid ? total.gross - paid : 0n;
  const isBrought = rail === 'cash_pending' && end === null && first.paidAt !== null && inAt !== null;
  return {
    rail: isBrought && first.paidAt < inAt ? 'cash' : rail,
    paymentId: first.paymentId,
    paid,
    outstanding: outAt === null ? left : 0n,
  };
}

function endedOf({ end, rail, reservationId }: DemoStay): SeedBooking['ended'] {
  if (end === null) return null;
  const before = rail === 'cash_pending' ? 'confirmed_cash_pending' : 'confirmed';
  if (end.kind === 'no_show') return { before, reason: 'no_show', closedDate: end.on, refund: end.refund };
  // One of some is given up by the house.
  const reason = reservationId.charCodeAt(20) % 8 === 0 ? 'operator_request' : 'guest_request';
  return { before, reason, closedDate: null, refund: end.refund };
}
