import { on } from '@ghasi/backbone/reaction';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { PropertyCreated, RoomTypePublished } from '@melmastoon/property-service/contract';
import { BookingCancelled, BookingHeld } from '@melmastoon/reservation-service/contract';
import { applyDelta } from './commands/deltas.ts';
import { rememberProperty, rememberRoomType } from './queries/houses.ts';
import { noteUse, useQuote } from './queries/quotes.ts';

/** What pricing does when others' events arrive. */
export const reactions = [
  on(PropertyCreated, async (ctx, { propertyId, zone, currency, checkInFrom }, { metadata }) => {
    const property = { id: propertyId, zone: parseZone(zone), currency, checkInFrom };
    return (await rememberProperty(ctx, property, metadata.aggregateVersion)) ? undefined : 'noop';
  }),
  on(RoomTypePublished, async (ctx, payload) => {
    const { roomTypeId: id, propertyId, maxAdults, maxChildren, maxGuests, specVersion } = payload;
    const roomType = { id, propertyId, maxAdults, maxChildren, maxGuests };
    return (await rememberRoomType(ctx, roomType, specVersion)) ? undefined : 'noop';
  }),
  // SAGA-16: the price of a booking is the quote it was made with; it lapses no more.
  on(BookingHeld, (ctx, { reservationId, quoteId }) => {
    noteUse(ctx, { reservationId, quoteId, status: 'booked' });
    useQuote(ctx, quoteId);
  }),
  on(BookingCancelled, (ctx, { reservationId }) =>
    noteUse(ctx, { reservationId, quoteId: null, status: 'given_back' }),
  ),
  on(AllocationReallocated, async (ctx, payload) => {
    const applied = await applyDelta(ctx, payload);
    return applied === undefined ? 'noop' : [applied];
  }),
];
