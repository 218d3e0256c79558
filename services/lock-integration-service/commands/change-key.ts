import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { enqueue } from '@ghasi/jobs/enqueue';
import type { Locks } from '../locks.ts';
import { conclude, nextStep } from '../model/key.ts';
import type { RevokeReason } from '../model/room-keys.ts';
import { credentialIdOf, type Key, lifeOf, type NewKey, updateKey } from '../queries/keys.ts';
import { findLock } from '../queries/locks.ts';
import { workKey } from '../tasks.ts';
import { keyEvent } from './key-events.ts';

/** A key as it is now, and what others should know. */
export type Changed = { readonly key: Key; readonly events: readonly PendingEvent[] };

/**
 * Changes a key of a booking that is locked. Whatever the change was: its status follows, others are told, and if
 * something is left to do at the vendor, it is planned.
 */
export async function changeKey(
  ctx: Ctx,
  locks: Locks,
  { key, change }: { key: Key; change: Partial<NewKey> },
): Promise<Changed> {
  const wanted: Key = { ...key, ...(change as Partial<Key>) };
  const vendor = locks.vendorOf(wanted.vendor);
  const life = lifeOf(wanted, { hasCode: vendor?.hasCode ?? false });
  const { status, fact } = conclude(life);
  const isTold = fact === 'issued' || fact === 'dates_changed' || fact === 'suspension_lifted';
  const isDead = status === 'revoked' && wanted.status !== 'revoked';
  const ended: Partial<NewKey> = isDead ? endOf(wanted, ctx.now) : {};
  const lock = await findLock(ctx.tx, wanted.lockId);
  const canSleep = vendor?.canSleep(lock?.reach ?? 'offline') ?? false;
  const isLeft =
    nextStep(life, { canSleep }) !== undefined && wanted.queuedAt === null && ended.queuedAt === undefined;
  const isPlanned = change.nextTryAt !== undefined && change.nextTryAt !== null;
  const nextTryAt = isLeft ? (isPlanned ? (change.nextTryAt as Date) : ctx.now) : null;
  const changed = await updateKey(ctx, key, {
    ...change,
    ...ended,
    status,
    nextTryAt,
    ...(isTold ? { toldFrom: wanted.heldFrom, toldUntil: wanted.heldUntil } : {}),
  });
  if (nextTryAt !== null) await plan(ctx, changed, nextTryAt);
  return { key: changed, events: fact === undefined ? [] : [keyEvent(fact, changed, key)] };
}

/** Enqueues the vendor's next call; one job waits per key, and the sweep finds what a dead worker left. */
export async function plan(ctx: Ctx, key: Key, at: Date): Promise<void> {
  const credentialId = credentialIdOf(key);
  const later = at > ctx.now ? { runAt: at } : {};
  await enqueue(ctx, workKey, { credentialId }, { key: credentialId, ...later });
}

/** What is left of a dead key. One that a person made on an electronic lock has to be taken back by a person. */
function endOf(key: Key, now: Date): Partial<NewKey> {
  const isMetal = key.vendor === 'mechanical';
  if (key.atVendor !== 'by_hand')
    return { atVendor: 'gone', confirmedByLock: key.confirmedByLock ?? true, sealedCode: null };
  if (isMetal) return { atVendor: 'gone', confirmedByLock: false };
  return { confirmedByLock: false, queuedAt: now, operation: 'revoke' };
}

/** Forgets earlier failures: a new wish is tried afresh, also by those who had given up. */
export const afresh = {
  tries: 0,
  operation: null,
  failure: null,
  vendorCode: null,
  queuedAt: null,
} as const satisfies Partial<NewKey>;

/** The change that ends a key for good (R27). */
export function ending(reason: RevokeReason): Partial<NewKey> {
  return { wish: 'gone', endReason: reason, ...afresh };
}
