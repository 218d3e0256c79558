import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Locks } from '../locks.ts';
import { aheadMs, type Phase, type RevokeReason } from '../model/room-keys.ts';
import type { Window } from '../model/windows.ts';
import { type Booking, lockBooking, saveBooking, saveRooms } from '../queries/bookings.ts';
import { unfinishedOf } from '../queries/keys.ts';
import { afresh, changeKey, ending } from './change-key.ts';
import { settleBooking } from './settle-booking.ts';

/** What an event says about a booking; what it does not say stays as it was. */
export type News = {
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  readonly guestId: Id<'gst'>;
  /** Of the booking. */
  readonly version: number;
  readonly phase?: Phase;
  readonly isPaid?: boolean;
  readonly endReason?: RevokeReason;
  readonly rooms?: readonly { bookedRoomId: Id<'brm'>; roomId: Id<'rom'> | null }[];
  /** `isBinding`: the dates hold; others repeat what they know, which may be older than a reallocation. */
  readonly window?: { readonly validFrom: string; readonly validUntil: string; readonly isBinding: boolean };
  /** Every key of before dies, with this reason. */
  readonly endsKeys?: RevokeReason;
};

/** A booking of which only the end was heard has no window; it will not need one. */
const never: Window = { from: new Date(0), until: new Date(1) };

/** Takes in what happened to a booking, unless something newer was heard before, and makes its keys follow. */
export async function followBooking(ctx: Ctx, locks: Locks, news: News): Promise<ReactionResult> {
  const reservationId = idToUuid(news.reservationId);
  const known = await lockBooking(ctx, reservationId);
  if (known !== undefined && news.version <= known.version) return 'noop';
  const booking = merged(ctx, { known, news });
  saveBooking(ctx, booking);
  if (news.rooms !== undefined) saveRooms(ctx, reservationId, news.rooms);
  const events = [];
  for (const key of await unfinishedOf(ctx.tx, reservationId)) {
    if (key.wish === 'gone') continue;
    if (news.endsKeys !== undefined) {
      events.push(...(await changeKey(ctx, locks, { key, change: ending(news.endsKeys) })).events);
    } else if (news.phase === 'here' && key.operation === 'issue' && key.vendor !== 'mechanical') {
      // The guest stands there: what was given up is tried once more.
      events.push(...(await changeKey(ctx, locks, { key, change: afresh })).events);
    }
  }
  events.push(...(await settleBooking(ctx, locks, { booking })));
  return events;
}

function merged(
  { tenantId, now }: Ctx,
  { known, news }: { known: Booking | undefined; news: News },
): Booking {
  const phase = news.phase ?? known?.phase ?? 'expected';
  const isNewWindow =
    news.window !== undefined &&
    (known === undefined ||
      known.windowVersion === 0 ||
      (news.window.isBinding && news.version > known.windowVersion));
  const window = isNewWindow
    ? { from: new Date(news.window.validFrom), until: new Date(news.window.validUntil) }
    : known === undefined
      ? never
      : { from: known.validFrom, until: known.validUntil };
  return {
    tenantId,
    reservationId: idToUuid(news.reservationId),
    propertyId: idToUuid(news.propertyId),
    guestId: idToUuid(news.guestId),
    version: news.version,
    windowVersion: isNewWindow ? news.version : (known?.windowVersion ?? 0),
    phase,
    isPaid: news.isPaid ?? known?.isPaid ?? false,
    validFrom: window.from,
    validUntil: window.until,
    endReason: phase === 'ended' ? (news.endReason ?? known?.endReason ?? null) : null,
    lookAt: phase === 'expected' ? new Date(Math.max(now.getTime(), window.from.getTime() - aheadMs)) : null,
  };
}

/** The promised cash is in the drawer: from now on the booking is one like any other (SAGA-27). */
export async function cashIsThere(
  ctx: Ctx,
  locks: Locks,
  { reservationId }: { reservationId: Id<'rsv'> },
): Promise<ReactionResult> {
  const booking = await lockBooking(ctx, idToUuid(reservationId));
  if (booking === undefined || booking.isPaid) return 'noop';
  const paid = { ...booking, isPaid: true };
  saveBooking(ctx, paid);
  return settleBooking(ctx, locks, { booking: paid });
}
