import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { PayloadOf, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { BookingCancelled, BookingNoShow } from '@melmastoon/reservation-service/contract';
import type { releaseReasons } from '../contract.ts';
import { changeOf, isLive } from '../model.ts';
import {
  type Allocation,
  deleteLines,
  expireHolds,
  readLines,
  saveAllocation,
} from '../queries/allocations.ts';
import { changeSold, lockNights } from '../queries/nights.ts';
import { loadAllocation } from './allocate.ts';
import { released } from './allocation-events.ts';

type Cancelled = PayloadOf<typeof BookingCancelled>;
type NoShow = PayloadOf<typeof BookingNoShow>;
type Reason = (typeof releaseReasons)[number];

const reasons = {
  hold_expired: 'hold_expired',
  payment_failed: 'payment_failed',
  guest_request: 'booking_cancelled',
  operator_request: 'booking_cancelled',
} as const satisfies Record<Cancelled['reason'], Reason>;

/** A cancelled booking gives its rooms back, also those that were committed too late. */
export async function releaseCancelled(
  ctx: Ctx,
  { reservationId, reason }: Cancelled,
  version: number,
): Promise<PendingEvent[] | 'noop'> {
  const { allocation } = await loadAllocation(ctx, reservationId);
  if (allocation === undefined || !isLive(allocation.status)) return 'noop';
  return release(ctx, { ...allocation, reservationVersion: version }, reasons[reason]);
}

/** A no-show gives its rooms back, now or at the hour until which the house keeps them (R17). */
export async function releaseNoShow(
  ctx: Ctx,
  { reservationId, keptUntil }: NoShow,
  version: number,
): Promise<PendingEvent[] | 'noop'> {
  const { allocation } = await loadAllocation(ctx, reservationId);
  if (allocation === undefined || !isLive(allocation.status)) return 'noop';
  const now = { ...allocation, reservationVersion: version };
  if (keptUntil === null || Date.parse(keptUntil) <= ctx.now.getTime()) return release(ctx, now, 'no_show');
  saveAllocation(ctx, {
    ...now,
    status: 'kept',
    expiresAt: new Date(keptUntil),
    version: now.version + 1,
  });
  return [];
}

/** Gives back what was held too long, up to `most` bookings at once; the value is how many. */
export async function releaseExpired(ctx: Ctx, { most }: { most: number }): Promise<Accepted<number>> {
  const due = await expireHolds(ctx, most);
  const events = await giveBack(
    ctx,
    due.map(({ was, ...one }) => ({ one, reason: was === 'held' ? 'hold_expired' : 'no_show' })),
  );
  return accepted(due.length, events);
}

async function release(ctx: Ctx, from: Allocation, reason: Reason): Promise<PendingEvent[]> {
  const one = { ...from, status: 'released' as const, expiresAt: null, version: from.version + 1 };
  saveAllocation(ctx, one);
  return giveBack(ctx, [{ one, reason }]);
}

/** The nights of all of them are locked and counted in one go: two sweeps never wait for each other in a circle. */
async function giveBack(
  ctx: Ctx,
  ended: readonly { one: Allocation; reason: Reason }[],
): Promise<PendingEvent[]> {
  if (ended.length === 0) return [];
  const ids = ended.map(({ one }) => one.id);
  const lines = await readLines(ctx, ids);
  const changes = changeOf([...lines.values()].flat(), []);
  await lockNights(ctx, changes);
  deleteLines(ctx, ids);
  const nights = await changeSold(ctx, changes);
  return ended.flatMap(({ one, reason }) => {
    const own = lines.get(one.id) ?? [];
    return own.length === 0 ? [] : [released(one, { lines: own, nights, reason })];
  });
}
