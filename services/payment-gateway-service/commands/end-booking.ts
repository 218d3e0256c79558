import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Money } from '@ghasi/domain-primitives/money';
import { isOpen, type RefundReason, spreadRefund } from '../model.ts';
import { type Booking, updateBooking } from '../queries/bookings.ts';
import { type Intent, lockIntentsOf } from '../queries/intents.ts';
import { note } from '../queries/ledger.ts';
import { closeIntent } from './create-intent.ts';
import { requestRefund } from './refund.ts';

/** How a booking ended. `refund` null: the booking never was, so everything that came goes back. */
export type Ending = {
  readonly how: NonNullable<Booking['ended']>;
  readonly version: number;
  readonly refund: Money | null;
  readonly reason: RefundReason;
};

/**
 * SAGA-30: closes what is open and gives back what the policy says of what came; newest payment first. A booking ends
 * once: whatever arrives after that finds it ended (R23).
 */
export async function endBooking(ctx: Ctx, booking: Booking, ending: Ending): Promise<void> {
  const { how, version, reason } = ending;
  const again = booking.ended !== null;
  updateBooking(ctx, booking, { ended: booking.ended ?? how, version });
  if (again) return;
  const intents = await lockIntentsOf(ctx.tx, booking.reservationId);
  for (const intent of intents.filter(one => isOpen(one.status))) await closeIntent(ctx, intent);
  const paid = intents.filter(one => one.status === 'captured').reverse();
  const wanted = ending.refund?.minor ?? paid.reduce((sum, one) => sum + one.captured - one.refunded, 0n);
  const currency = ending.refund?.currency;
  const { parts, short } = spreadRefund(
    wanted,
    paid.filter(one => currency === undefined || one.currency === currency),
  );
  for (const { id, amount } of parts) {
    const cause = `${booking.reservationId}:${how}:${version}`;
    await requestRefund(ctx, paid.find(one => one.id === id) as Intent, { amount, reason, cause });
  }
  const about = { reservationId: booking.reservationId };
  if (parts.length === 0 && paid.length > 0)
    note(ctx, { ...about, entry: 'refund.not_due', detail: { how, version } });
  if (short > 0n)
    note(ctx, {
      ...about,
      entry: 'refund.beyond_captures',
      detail: { how, version, short: String(short), currency: currency ?? null },
    });
}
