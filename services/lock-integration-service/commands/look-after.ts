import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { minutes } from '@ghasi/domain-primitives/duration';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { Locks } from '../locks.ts';
import { lockBooking, saveBooking } from '../queries/bookings.ts';
import { type Key, type NewKey, unfinishedOf } from '../queries/keys.ts';
import { afresh, changeKey } from './change-key.ts';
import { settleBooking } from './settle-booking.ts';

/** Codes die unused after a day; looking every half hour leaves half an hour of their last one. */
const LOOK_AGAIN_MS = minutes(30);

/**
 * What time alone does to the keys of a booking: codes for arrivals are fetched ahead and replaced before they die
 * unused (R27), sleepers wake up, and what could not be taken back is over once its window is.
 */
export async function lookAfter(
  ctx: Ctx,
  locks: Locks,
  { reservationId }: { reservationId: Id<'rsv'> },
): Promise<Accepted<number>> {
  const found = await lockBooking(ctx, idToUuid(reservationId));
  if (found === undefined) return accepted(0, []);
  const isExpected = found.phase === 'expected' && found.validUntil > ctx.now;
  const lookAt = isExpected ? new Date(ctx.now.getTime() + LOOK_AGAIN_MS) : null;
  const booking = { ...found, lookAt };
  saveBooking(ctx, booking);
  const events: PendingEvent[] = [];
  for (const key of await unfinishedOf(ctx.tx, booking.reservationId)) {
    const change = byTime(key, ctx.now);
    if (change !== undefined) events.push(...(await changeKey(ctx, locks, { key, change })).events);
  }
  events.push(...(await settleBooking(ctx, locks, { booking })));
  return accepted(events.length, events);
}

function byTime(key: Key, now: Date): Partial<NewKey> | undefined {
  if (key.wish === 'gone' && key.windowUntil <= now)
    return { ...afresh, atVendor: 'gone', confirmedByLock: key.confirmedByLock ?? false, sealedCode: null };
  if (key.wish === 'asleep' && key.suspendedUntil !== null && key.suspendedUntil <= now) return awake;
  return undefined;
}

/** The change that ends a key's sleep. */
export const awake = {
  ...afresh,
  wish: 'live',
  suspendReason: null,
  suspendedUntil: null,
  suspendedBy: null,
} as const satisfies Partial<NewKey>;
