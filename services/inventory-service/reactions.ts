import { on, type Reaction, type ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone } from '@ghasi/domain-primitives/zone';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { TicketClosed, TicketOpened } from '@melmastoon/maintenance-service/contract';
import { PropertyCreated, RoomAdded, RoomArchived } from '@melmastoon/property-service/contract';
import {
  BookingCancelled,
  BookingConfirmed,
  BookingDatesChanged,
  BookingHeld,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { confirmRooms, holdRooms } from './commands/allocate.ts';
import { followMoves } from './commands/assign-room.ts';
import { blockForTicket, unblockForTicket } from './commands/blocks.ts';
import { addRoom, archiveRoom } from './commands/capacity.ts';
import { reallocate } from './commands/reallocate.ts';
import { releaseCancelled, releaseNoShow } from './commands/release.ts';
import { noteProperty } from './queries/properties.ts';
import { isNewer } from './queries/seen-versions.ts';

/** Reacts unless this or a newer version of the aggregate was acted on before: messages may overtake each other. */
function inTurn<P>(
  event: EventType<P>,
  handle: (ctx: Ctx, payload: P, version: number) => Promise<ReactionResult>,
): Reaction<P> {
  return on(event, async (ctx, payload, envelope) => {
    const version = envelope.metadata.aggregateVersion;
    if (!(await isNewer(ctx, event.aggregateId(payload), version))) return 'noop';
    return handle(ctx, payload, version);
  });
}

/** What happens here when others speak. */
export const reactions = [
  inTurn(BookingHeld, holdRooms),
  inTurn(BookingConfirmed, confirmRooms),
  inTurn(BookingCancelled, releaseCancelled),
  inTurn(BookingNoShow, releaseNoShow),
  inTurn(BookingDatesChanged, reallocate),
  inTurn(BookingModified, followMoves),
  // Said once and for good, so there is no older version to beware of.
  on(PropertyCreated, (ctx, { propertyId: id, zone }) => noteProperty(ctx, { id, zone: parseZone(zone) })),
  inTurn(RoomAdded, async (ctx, { roomId: id, propertyId, roomTypeId, number, sellableFrom }) =>
    addRoom(ctx, { id, propertyId, roomTypeId, number, sellableFrom: sellableFrom as LocalDate }),
  ),
  inTurn(RoomArchived, async (ctx, { roomId, closedFrom }) =>
    archiveRoom(ctx, { roomId, closedFrom: closedFrom as LocalDate }),
  ),
  inTurn(TicketOpened, blockForTicket),
  inTurn(TicketClosed, unblockForTicket),
] as const;
