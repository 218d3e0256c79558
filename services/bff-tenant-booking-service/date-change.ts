import type { TenantId } from '@ghasi/domain-primitives/ids';
import { availability as freeRooms } from '@melmastoon/inventory-service/contract/questions';
import { dateChangePreview, offersOf } from '@melmastoon/pricing-service/contract/site-questions';
import type { SiteBooking } from '@melmastoon/reservation-service/contract/site-questions';
import type { z } from 'zod';
import type { datesView } from './contract/manage-api.ts';
import { refusalOf } from './model.ts';
import type { Booking } from './runtime.ts';

type Seen = Omit<z.input<typeof datesView>, 'preview' | 'booking'>;
type Wanted = { booking: SiteBooking; stay: SiteBooking['stay'] };

/** What other dates would cost, whether there is room on every new night, and what the plan says to them. */
export async function previewDates(
  { ask }: Booking,
  tenantId: TenantId,
  { booking, stay }: Wanted,
): Promise<Seen> {
  const { propertyId, quoteId, total } = booking;
  const rooms = booking.rooms.map(({ bookedRoomId, roomTypeId, ratePlanId, adults, children }) => ({
    ...{ bookedRoomId, roomTypeId, ratePlanId, adults, children },
  }));
  const parties = rooms.slice(0, 9).map(({ adults, children }) => ({ adults, children }));
  const [priced, offered, available] = await Promise.all([
    ask(dateChangePreview, { tenantId, quoteId, rooms, newStay: stay }),
    ask(offersOf, { tenantId, propertyId, stay, rooms: parties }),
    hasRoom(ask, tenantId, { booking, stay }),
  ]);
  const [first] = rooms;
  const plan = offered?.offers.find(
    one => one.ratePlanId === first?.ratePlanId && one.roomTypeId === first.roomTypeId,
  );
  // A plan that is no longer sold does not forbid those who booked on it to move.
  const refusals =
    plan?.outcome.kind === 'refused'
      ? plan.outcome.refusals.map(({ reason, date, limit }) => ({ reason: refusalOf(reason), date, limit }))
      : [];
  return {
    ...{ stay, available, refusals: refusals.filter(({ reason }) => reason !== 'not_on_sale') },
    oldTotal: total.gross,
    newTotal: priced?.newTotal.gross ?? null,
    fee: priced?.fee ?? null,
    difference: priced?.delta ?? null,
  };
}

/** Nights the booking has already are its own; only the others must be free. */
async function hasRoom(ask: Booking['ask'], tenantId: TenantId, { booking, stay }: Wanted): Promise<boolean> {
  const { propertyId, rooms, stay: old } = booking;
  const needed = new Map<string, number>();
  for (const { roomTypeId } of rooms) needed.set(roomTypeId, (needed.get(roomTypeId) ?? 0) + 1);
  const { roomTypes } = await ask(freeRooms, { tenantId, propertyId, stay });
  const length = (Date.parse(stay.departure) - Date.parse(stay.arrival)) / 86_400_000;
  return [...needed].every(([roomTypeId, count]) => {
    const type = roomTypes.find(one => one.roomTypeId === roomTypeId);
    if (type === undefined || type.nights.length < length) return false;
    return type.nights.every(
      ({ date, available, stopSell }) =>
        (date >= old.arrival && date < old.departure) || (!stopSell && available >= count),
    );
  });
}
