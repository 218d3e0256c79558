import { on, type Reaction } from '@ghasi/backbone/reaction';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { CashReconciled } from '@melmastoon/payment-gateway-service/contract';
import { PropertyCreated, RoomAdded, RoomArchived } from '@melmastoon/property-service/contract';
import {
  BookingCancelled,
  BookingCheckInStarted,
  BookingCheckInUndone,
  BookingCheckOutStarted,
  BookingConfirmed,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { cashIsThere, followBooking } from './commands/follow-booking.ts';
import type { Locks } from './locks.ts';
import { rememberHouse, rememberRoom } from './queries/houses.ts';

/** What happens to keys when others speak. Each finds its booking locked and ignores what is older. */
export function lockReactions(locks: Locks): Reaction[] {
  return [
    on(BookingConfirmed, (ctx, confirmed, { metadata: { aggregateVersion: version } }) =>
      followBooking(ctx, locks, {
        ...confirmed,
        version,
        phase: 'expected',
        isPaid: confirmed.status === 'confirmed',
        window: { ...confirmed.keyWindow, isBinding: true },
      }),
    ),
    on(BookingModified, (ctx, modified, { metadata: { aggregateVersion: version } }) => {
      const { status, rooms, keyWindow, reservationId, propertyId, guestId } = modified;
      const isHere = status === 'checked_in' || status === 'check_in_partial';
      const isExpected = status === 'confirmed' || status === 'confirmed_cash_pending';
      if (!isHere && !isExpected) return 'noop';
      return followBooking(ctx, locks, {
        ...{ reservationId, propertyId, guestId, version, rooms },
        ...(isHere ? { phase: 'here' } : { phase: 'expected', isPaid: status === 'confirmed' }),
        // A change of dates that is under way is not in it: only a booking we know nothing of takes it.
        window: { ...keyWindow, isBinding: false },
      });
    }),
    // the dates hold once inventory has moved the rooms, not when somebody asked for it.
    on(AllocationReallocated, (ctx, { reservationVersion: version, keyWindow, ...moved }) => {
      const { reservationId, propertyId, guestId, rooms } = moved;
      const window = { ...keyWindow, isBinding: true };
      return followBooking(ctx, locks, { reservationId, propertyId, guestId, version, rooms, window });
    }),
    on(CashReconciled, (ctx, { reservationId, due, received, purpose }) =>
      purpose === 'booking' && due.amount === received.amount
        ? cashIsThere(ctx, locks, { reservationId })
        : 'noop',
    ),
    on(BookingCheckInStarted, (ctx, started, { metadata: { aggregateVersion: version } }) => {
      const { reservationId, propertyId, guestId, rooms, keyWindow } = started;
      const window = { ...keyWindow, isBinding: false };
      return followBooking(ctx, locks, {
        ...{ reservationId, propertyId, guestId, version, rooms, window },
        phase: 'here',
      });
    }),
    on(BookingCheckInUndone, (ctx, undone, { metadata: { aggregateVersion: version } }) => {
      const { reservationId, propertyId, guestId, rooms } = undone;
      return followBooking(ctx, locks, {
        ...{ reservationId, propertyId, guestId, version, rooms },
        phase: 'expected',
        endsKeys: 'check_in_undone',
      });
    }),
    on(BookingCheckOutStarted, (ctx, left, { metadata: { aggregateVersion } }) =>
      followBooking(ctx, locks, ended(left, aggregateVersion, 'check_out')),
    ),
    on(BookingCancelled, (ctx, cancelled, { metadata: { aggregateVersion } }) =>
      cancelled.previousStatus === 'held'
        ? 'noop' // it never was a booking
        : followBooking(ctx, locks, ended(cancelled, aggregateVersion, 'cancellation')),
    ),
    on(BookingNoShow, (ctx, missed, { metadata: { aggregateVersion } }) =>
      followBooking(ctx, locks, ended(missed, aggregateVersion, 'no_show')),
    ),
    on(PropertyCreated, (ctx, { propertyId, zone }) => rememberHouse(ctx, { propertyId, zone })),
    on(RoomAdded, (ctx, { roomId, propertyId, number }) => rememberRoom(ctx, { roomId, propertyId, number })),
    on(RoomArchived, (ctx, { roomId, propertyId, number }) =>
      rememberRoom(ctx, { roomId, propertyId, number, archived: true }),
    ),
  ] as Reaction[];
}

type Head = Pick<Parameters<typeof followBooking>[2], 'reservationId' | 'propertyId' | 'guestId'>;

/** Whatever the folio says: a key never outlives the stay (SAGA-31, SAGA-49). */
function ended(
  { reservationId, propertyId, guestId }: Head,
  version: number,
  endReason: 'check_out' | 'cancellation' | 'no_show',
) {
  return { reservationId, propertyId, guestId, version, phase: 'ended', endReason } as const;
}
