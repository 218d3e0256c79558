import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { errors } from '../errors.ts';
import type { Locks } from '../locks.ts';
import { type Key, type NewKey, readKey } from '../queries/keys.ts';
import { afresh, changeKey } from './change-key.ts';
import { type AtDesk, lockKey, note } from './desk.ts';
import { inHand, settleBooking } from './settle-booking.ts';

/** Somebody at the desk has the vendor tried again (SAGA-26). */
export async function retryKey(
  ctx: Ctx,
  locks: Locks,
  { credentialId, proof }: AtDesk,
): Promise<Accepted<Key>> {
  const { key } = await lockKey(ctx, credentialId);
  if (key.queuedAt === null || key.vendor === 'mechanical') throw errors.NOT_IN_QUEUE();
  const changed = await changeKey(ctx, locks, { key, change: afresh });
  await note(ctx, 'retry', { key, proof });
  return accepted(changed.key, changed.events);
}

/**
 * Somebody did by hand what the vendor did not: made the guest a key, gave it another window, took it back or put it to
 * sleep. From then on no vendor is asked about it; what a person made, a person takes back.
 */
export async function doneByHand(
  ctx: Ctx,
  locks: Locks,
  { credentialId, proof }: AtDesk,
): Promise<Accepted<Key>> {
  const { key, booking } = await lockKey(ctx, credentialId);
  if (key.queuedAt === null) throw errors.NOT_IN_QUEUE();
  const changed = await changeKey(ctx, locks, { key, change: byHand(key, ctx.now) });
  await note(ctx, 'by_hand', { key, proof });
  const settled = await settleBooking(ctx, locks, { booking });
  return accepted(await readKey(ctx.tx, credentialId), [...changed.events, ...settled]);
}

function byHand(key: Key, now: Date): Partial<NewKey> {
  if (key.wish === 'gone') return { ...afresh, atVendor: 'gone', confirmedByLock: true, sealedCode: null };
  if (key.wish === 'asleep') return { ...afresh, atVendor: 'asleep' };
  // A code of the vendor's that only has another end now is still the vendor's to take back.
  if (key.operation === 'update' && key.sealedCode !== null)
    return { ...afresh, atVendor: 'live', heldFrom: key.windowFrom, heldUntil: key.windowUntil };
  return inHand(key, now);
}
