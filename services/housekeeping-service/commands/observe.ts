import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { errors } from '../errors.ts';
import { type Decision, differenceOf, isDecisionFor, type View } from '../model/discrepancy.ts';
import { stateAfter } from '../model/room.ts';
import {
  type Discrepancy,
  endDiscrepancy,
  findDiscrepancy,
  insertDiscrepancy,
  openDiscrepancyOf,
} from '../queries/discrepancies.ts';
import { saveObservation } from '../queries/rooms.ts';
import { inHouseIn, saveStay } from '../queries/stays.ts';
import { vacate } from './front-office.ts';
import { personOf, roomAtHand, setState } from './room-state.ts';

/** What housekeeping saw in a room. */
export type Observe = View & { readonly roomId: Id<'rom'> };

/**
 * Housekeeping looked. That changes nothing of what the desk says: where the two differ it is a discrepancy for a person
 * to settle (R26). Looking again replaces what was seen before.
 */
export async function observe(
  ctx: Ctx,
  { roomId, occupancy, persons }: Observe,
): Promise<Discrepancy | null> {
  const { room, today } = await roomAtHand(ctx, roomId);
  const by = personOf(ctx);
  saveObservation(ctx, roomId, { occupancy, persons, at: ctx.now, by });
  const guests = await inHouseIn(ctx, roomId);
  const frontOffice = {
    occupancy: room.state.occupancy,
    persons: guests.reduce((sum, guest) => sum + guest.persons, 0),
  };
  const open = await openDiscrepancyOf(ctx, roomId);
  if (open !== undefined) endDiscrepancy(ctx, open.id, { ending: 'seen_again', by: null, note: null });
  const kind = differenceOf(frontOffice, { occupancy, persons });
  if (kind === undefined) return null;
  const found: Discrepancy = {
    ...{ id: uuid7(), propertyId: room.propertyId, roomId, kind, frontOffice },
    observed: { occupancy, persons },
    reservationId: guests[0]?.reservationId ?? null,
    ...{ businessDate: today, foundAt: ctx.now, foundBy: by },
    ...{ ending: null, resolvedBy: null, resolvedAt: null, note: null },
  };
  insertDiscrepancy(ctx, found);
  return found;
}

/** What a person decided about a discrepancy. */
export type Resolve = { readonly id: string; readonly decision: Decision; readonly note: string | null };

/**
 * A person settles a discrepancy. A guest who has left without a word leaves a vacant, dirty room; the check-out that
 * follows finds it done. Nobody becomes a guest by being seen: a sleeper is checked in at the desk, or leaves (SAGA-41).
 */
export async function resolveDiscrepancy(
  ctx: Ctx,
  { id, decision, note }: Resolve,
): Promise<Accepted<Discrepancy>> {
  const found = await findDiscrepancy(ctx, id);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Discrepancy' });
  const { room, today } = await roomAtHand(ctx, found.roomId);
  const still = await openDiscrepancyOf(ctx, found.roomId);
  if (still?.id !== id) throw errors.DISCREPANCY_RESOLVED();
  if (!isDecisionFor(found.kind, decision)) throw errors.DECISION_UNFIT({ decision, kind: found.kind });
  const by = personOf(ctx);
  endDiscrepancy(ctx, id, { ending: decision, by, note });
  const events: PendingEvent[] = [];
  const why = { cause: 'discrepancy_resolved', businessDate: today } as const;
  if (decision === 'guest_left') {
    const guests = await inHouseIn(ctx, room.id);
    for (const guest of guests) saveStay(ctx, { ...guest, status: 'left', next: null });
    const { id: roomId, propertyId } = room;
    const reservationId = guests[0]?.reservationId ?? null;
    events.push(...(await vacate(ctx, { roomId, propertyId, as: 'slept', why: { ...why, reservationId } })));
  }
  if (decision === 'room_cleared') {
    const state = stateAfter(room.state, { kind: 'worked', work: 'soiled' }) ?? room.state;
    events.push(...setState(ctx, room, state, why).events);
  }
  if (decision !== 'count_accepted')
    saveObservation(ctx, room.id, {
      occupancy: decision === 'observation_wrong' ? found.frontOffice.occupancy : 'vacant',
      persons: null,
      at: ctx.now,
      by,
    });
  return accepted({ ...found, ending: decision, resolvedBy: by, resolvedAt: ctx.now, note }, events);
}
