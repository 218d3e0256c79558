import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { stay as stayOf } from '@ghasi/domain-primitives/stay';
import type { PayloadOf, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { BookingConfirmed, BookingHeld } from '@melmastoon/reservation-service/contract';
import { isLive, mayFollow, reslice } from '../model.ts';
import {
  type Allocation,
  type BookedLine,
  confirmHold,
  deleteLines,
  lockAllocation,
  readLines,
  saveAllocation,
} from '../queries/allocations.ts';
import { blocked, committed } from './allocation-events.ts';
import { takeRooms, type WantedLine } from './take-rooms.ts';

type Held = PayloadOf<typeof BookingHeld>;
type Confirmed = PayloadOf<typeof BookingConfirmed>;

/** What is known of a booking's rooms before something happens to them. */
type Known = { readonly allocation: Allocation | undefined; readonly lines: readonly BookedLine[] };

type Taking = {
  readonly known: Known;
  readonly version: number;
  readonly step: 'hold' | 'confirm';
  readonly expiresAt: string | null;
};

/** Finds out what is known of a booking's rooms, and locks it. */
export async function loadAllocation(ctx: Ctx, reservationId: Id<'rsv'>): Promise<Known> {
  const allocation = await lockAllocation(ctx, reservationId);
  if (allocation === undefined) return { allocation, lines: [] };
  return { allocation, lines: (await readLines(ctx, [allocation.id])).get(allocation.id) ?? [] };
}

/** Takes the rooms of a hold from the shelf, or says why not (SAGA-16, SAGA-28). */
export async function holdRooms(ctx: Ctx, held: Held, version: number): Promise<PendingEvent[] | 'noop'> {
  const known = await loadAllocation(ctx, held.reservationId);
  if (!mayFollow(known.allocation?.status, 'held')) return 'noop'; // what is confirmed does not become a hold again
  return take(ctx, held, { known, version, step: 'hold', expiresAt: held.expiresAt });
}

/**
 * Makes a hold permanent. A hold that lapsed before, or was never seen, is asked for again: the guest has paid, so he
 * gets the rooms if they are still there, and reservation-service hears of it if not (R10).
 */
export async function confirmRooms(
  ctx: Ctx,
  confirmed: Confirmed,
  version: number,
): Promise<PendingEvent[] | 'noop'> {
  const { reservationId } = confirmed;
  if (await confirmHold(ctx, { reservationId, version })) return [];
  const known = await loadAllocation(ctx, reservationId);
  if (known.allocation?.status === 'confirmed') return 'noop';
  return take(ctx, confirmed, { known, version, step: 'confirm', expiresAt: null });
}

async function take(
  ctx: Ctx,
  booking: Held | Confirmed,
  { known, version, step, expiresAt }: Taking,
): Promise<PendingEvent[]> {
  const { reservationId, propertyId } = booking;
  const after: WantedLine[] = booking.rooms.map(room => {
    const stay = stayOf(room.stay.arrival, room.stay.departure);
    const { bookedRoomId, roomTypeId } = room;
    return { bookedRoomId, roomTypeId, stay, slices: reslice(stay, [], room.roomId) };
  });
  const target: Allocation = {
    id: known.allocation?.id ?? ctx.newId('alc'),
    reservationId,
    propertyId,
    reservationVersion: version,
    status: step === 'hold' ? 'held' : 'confirmed',
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    version: (known.allocation?.version ?? 0) + 1,
  };
  const outcome = await takeRooms(ctx, target, { before: known.lines, after });
  if (outcome.kind === 'taken') {
    // Of a hold that lapsed it is the moment it did; nobody acts on it once the booking is confirmed.
    const holdExpiresAt = expiresAt ?? ctx.now.toISOString();
    return [committed(target, { lines: after, nights: outcome.nights, holdExpiresAt })];
  }
  const refused: Allocation = { ...target, status: 'refused', expiresAt: null };
  if (known.allocation !== undefined && isLive(known.allocation.status)) {
    // Asked for more than it holds: what it holds stays, only the answer is new.
    const { status, expiresAt } = known.allocation;
    saveAllocation(ctx, { ...refused, status, expiresAt });
  } else {
    saveAllocation(ctx, refused);
    deleteLines(ctx, [refused.id]);
  }
  return [blocked(refused, { step, lines: after, why: outcome })];
}
