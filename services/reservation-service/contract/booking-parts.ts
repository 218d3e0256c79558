import { addDays, daysBetween, isLocalDate } from '@ghasi/domain-primitives/local-date';
import { isOncePer, keyWindow, locale, nightPrice, rail, taxedPrice } from '@melmastoon/catalog/hotel-parts';
import { idText, price, stay } from '@melmastoon/catalog/parts';
import { sameSum } from '@melmastoon/catalog/same-sum';
import { z } from 'zod';

/** Where a booking can be (SAGA-57). */
export const reservationStatuses = [
  'held',
  'confirmed',
  'confirmed_cash_pending',
  'check_in_partial',
  'checked_in',
  'checked_out_balance_pending',
  'checked_out',
  'cancelled',
  'no_show',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

/** Where a booking came from. */
export const channels = [
  'booking_site',
  'consumer_site',
  'front_desk',
  'walk_in',
  'phone',
  'calendar_feed',
] as const;

/** Why a booking ended before its stay. */
export const cancelReasons = ['hold_expired', 'payment_failed', 'guest_request', 'operator_request'] as const;

/** Which of the two deadlines of a hold passed. */
export const deadlineKinds = ['allocation', 'payment'] as const;

/** Why the dates of a stay changed; `reallocation_failed` puts the original dates back. */
export const dateChangeReasons = [
  'guest_request',
  'operator_request',
  'early_departure',
  'extension',
  'reallocation_failed',
] as const;

/** What changed in a booking other than its dates. */
export const bookingChanges = [
  'guest',
  'occupancy',
  'room_assignment',
  'special_requests',
  'locale',
  'rail',
] as const;

/** What a guest can ask for; free text stays in the reservation, it may say who the guest is. */
export const specialRequests = [
  'late_arrival',
  'early_check_in',
  'late_check_out',
  'baby_cot',
  'accessible_room',
  'quiet_room',
  'rooms_together',
  'women_only_floor',
  'airport_transfer',
  'other',
] as const;

/** What every fact about a booking begins with. */
export const head = {
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  guestId: idText('gst'),
  /** The language the guest is written to. */
  locale,
};

type Booking = { readonly reservationId: string };

/** What all facts about a booking share. */
export const booking = {
  retention: 'warm',
  aggregateId: (p: Booking) => p.reservationId,
} as const;

/** ENV-27: a booking can be confirmed, changed or cancelled again after an undo, so the version is part of the intent. */
export const keyOf =
  (fact: string) =>
  (p: Booking, { aggregateVersion }: { readonly aggregateVersion: number }) =>
    `${p.reservationId}:${fact}:${aggregateVersion}`;

const room = {
  /** The same from hold to check-out, however often the room changes. */
  bookedRoomId: idText('brm'),
  roomTypeId: idText('rty'),
  ratePlanId: idText('rpl'),
  stay,
  adults: z.int().min(1).max(30),
  children: z.int().min(0).max(30),
};

/** One room of a booking; without `roomId` any room of the type will do. */
export const bookedRoom = z.strictObject({ ...room, roomId: idText('rom').nullable() });

/** One room of a guest who is or was in the house. */
export const occupiedRoom = z.strictObject({ ...room, roomId: idText('rom') });

/** One room of a booking with the frozen price of each of its nights, in order (R21). */
export const pricedRoom = z
  .strictObject({ ...room, roomId: idText('rom').nullable(), nights: z.array(nightPrice).min(1).max(1_100) })
  .refine(({ stay, nights }) => isEachNight(stay, nights), 'has no price for each of its nights');

/** The rooms of a booking. */
export function rooms<Room extends z.ZodType<{ bookedRoomId: string }>>(one: Room) {
  return z
    .array(one)
    .min(1)
    .max(50)
    .refine(
      isOncePer((room: { bookedRoomId: string }) => room.bookedRoomId),
      'has a booked room twice',
    );
}

/** The conditions the guest agreed to. */
export const policies = z.strictObject({
  cancellationPolicyId: idText('pol'),
  noShowPolicyId: idText('pol'),
  depositPolicyId: idText('pol').nullable(),
});

/** What was paid and what is still owed; with `cash_pending` nothing was paid whatever was "captured". */
export const payment = z.strictObject({
  rail,
  paymentId: idText('pay').nullable(),
  paid: price,
  outstanding: price,
});

/** What a sold booking is made of. */
export const sale = {
  channel: z.enum(channels),
  bookingDraftId: idText('bdr').nullable(),
  quoteId: idText('quo'),
  stay,
  rooms: rooms(pricedRoom),
  total: taxedPrice,
  policies,
  keyWindow,
};

type Sale = {
  rooms: { nights: { price: z.output<typeof taxedPrice> }[] }[];
  total: z.output<typeof taxedPrice>;
};

/** R20: what the guest saw is the sum of all nights, in net, tax and gross. */
export function isSumOfNights({ rooms, total }: Sale): boolean {
  const nights = rooms.flatMap(({ nights }) => nights.map(({ price }) => price));
  return (['net', 'tax', 'gross'] as const).every(part =>
    sameSum(
      nights.map(night => night[part]),
      [total[part]],
    ),
  );
}

type Paid = { payment: z.output<typeof payment>; total: z.output<typeof taxedPrice> };

/** What was paid and what is owed make the total. */
export function isPaidOrOwed({ payment, total }: Paid): boolean {
  return sameSum([payment.paid, payment.outstanding], [total.gross]);
}

function isEachNight({ arrival, departure }: z.output<typeof stay>, nights: { date: string }[]): boolean {
  // Zod asks also when it has already refused a date, so nothing here may throw.
  if (!isLocalDate(arrival) || !isLocalDate(departure)) return false;
  if (daysBetween(arrival, departure) !== nights.length) return false;
  return nights.every(({ date }, index) => date === addDays(arrival, index));
}

/** Parts of a booking as others and our own rules see them. */
export type PricedRoom = z.output<typeof pricedRoom>;
export type Payment = z.output<typeof payment>;
export type Policies = z.output<typeof policies>;
export type KeyWindow = z.output<typeof keyWindow>;
export type TaxedPrice = z.output<typeof taxedPrice>;
