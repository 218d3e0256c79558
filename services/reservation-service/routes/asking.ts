import type { Ask } from '@ghasi/backbone/question';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { roomStatus } from '@melmastoon/housekeeping-service/contract/questions';
import {
  assignRoomQuestion,
  availability as availabilityOf,
} from '@melmastoon/inventory-service/contract/questions';
import { cancellationTermsOf, type LeavingTerms } from '@melmastoon/pricing-service/contract/questions';
import { type PropertyFacts, propertyOf } from '@melmastoon/property-service/contract';
import { errors } from '../errors.ts';
import type { Reservation } from '../model.ts';

/** The property a booking is in, as property-service knows it now. */
export async function houseOf(ask: Ask, tenantId: TenantId, propertyId: Id<'pro'>): Promise<PropertyFacts> {
  const found = await ask(propertyOf, { tenantId, propertyId });
  if (found === null) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return found;
}

/** The calendar's day at the property. */
export function todayAt({ zone }: PropertyFacts, now: Date): string {
  return localDateIn(parseZone(zone), now);
}

/** What the policy of a quote asks of a guest who does not come. */
export async function noShowTerms(
  ask: Ask,
  tenantId: TenantId,
  { quoteId, now }: { quoteId: Id<'quo'>; now: Date },
): Promise<LeavingTerms> {
  const terms = await ask(cancellationTermsOf, {
    tenantId,
    quoteId,
    at: now.toISOString(),
    because: 'no_show',
  });
  if (terms === null) throw errors.QUOTE_GONE();
  return terms;
}

/** Refuses early where the stay is sold out (R18); whether there is room is decided by the hold that follows. */
export async function assertRoomLeft(ask: Ask, tenantId: TenantId, booking: Reservation): Promise<void> {
  const { propertyId, stay, rooms } = booking;
  const { roomTypes } = await ask(availabilityOf, { tenantId, propertyId, stay });
  const left = new Map(roomTypes.map(({ roomTypeId, sellable }) => [String(roomTypeId), sellable]));
  for (const { roomTypeId } of rooms) {
    const free = left.get(roomTypeId) ?? 0;
    if (free === 0) throw errors.NO_ROOM();
    left.set(roomTypeId, free - 1);
  }
}

/** R14: refuses a check-in into a room that housekeeping has not made ready. */
export async function assertRoomsReady(ask: Ask, tenantId: TenantId, booking: Reservation): Promise<void> {
  const roomIds = booking.rooms.flatMap(({ roomId }) => (roomId === null ? [] : [roomId]));
  if (roomIds.length === 0) return; // refused in a moment, for having no number
  const { rooms } = await ask(roomStatus, { tenantId, propertyId: booking.propertyId, roomIds });
  const unready = rooms.filter(({ ready }) => !ready).map(({ roomId, reason }) => `${roomId} (${reason})`);
  if (unready.length > 0) throw errors.ROOM_NOT_READY({ rooms: unready.join(', ') });
}

type Assignment = { bookedRoomId: Id<'brm'>; roomId: Id<'rom'> };

/**
 * Puts booked rooms into rooms at inventory, all or none: a refusal takes the earlier ones back. If this process dies
 * in between, the same request again finds the rooms as it wants them.
 */
export async function assignAtInventory(
  ask: Ask,
  tenantId: TenantId,
  { before, wanted, fromNight }: { before: Reservation; wanted: readonly Assignment[]; fromNight: string },
): Promise<void> {
  const was = new Map(before.rooms.map(({ bookedRoomId, roomId }) => [String(bookedRoomId), roomId]));
  const done: Assignment[] = [];
  for (const one of wanted) {
    const outcome = await ask(assignRoomQuestion, { tenantId, ...one, fromNight });
    if (outcome.assigned) {
      done.push(one);
      continue;
    }
    for (const { bookedRoomId } of done.reverse()) {
      const roomId = was.get(bookedRoomId) ?? null;
      await ask(assignRoomQuestion, { tenantId, bookedRoomId, roomId, fromNight });
    }
    throw errors.ROOM_TAKEN({ roomId: one.roomId, reason: outcome.code });
  }
}
