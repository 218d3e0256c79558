import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { VendorFailure } from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import type { KeyOperation } from '../model/desk.ts';
import { afterStep, type Outcome, type Step } from '../model/key.ts';
import { nextTry } from '../model/retries.ts';
import { type Booking, lockBooking, lockRoom } from '../queries/bookings.ts';
import { credentialIdOf, findKey, type Key, lifeOf, updateKey } from '../queries/keys.ts';
import { afresh, changeKey } from './change-key.ts';
import { keyEvent, vendorErrorEvent } from './key-events.ts';
import { settleBooking } from './settle-booking.ts';
import type { Said, Taken } from './taken-step.ts';

const noLease = { lease: null, leasedUntil: null } as const;

/** Takes in what a vendor said, and whatever follows from it for the other keys of the booking. */
export async function recordSuccess(
  ctx: Ctx,
  locks: Locks,
  { taken, said }: { taken: Taken; said: Said },
): Promise<PendingEvent[]> {
  const found = await lockTaken(ctx, taken);
  if (found === undefined) return [];
  const { key, booking } = found;
  // A lock out of reach has not fallen asleep: somebody has to go there.
  if (key.wish === 'asleep' && said.kind === 'ended' && !said.confirmedByLock)
    return recordFailure(ctx, locks, { taken, error: unreachable(taken.step) });
  const sealed =
    said.kind === 'live' && said.code !== null
      ? locks.safe.seal(said.code, { tenantId: ctx.tenantId, credentialId: credentialIdOf(key) })
      : key.sealedCode;
  const hasCode = taken.vendor?.hasCode ?? false;
  const isUsable = said.kind === 'live' && (!hasCode || sealed !== null);
  const outcome: Outcome = said.kind === 'live' ? { ...said, isUsable } : said;
  const { atVendor, held } = afterStep(lifeOf(key, { hasCode }), { outcome, before: taken.before });
  const { key: _, events } = await changeKey(ctx, locks, {
    key,
    change: {
      ...noLease,
      ...afresh,
      atVendor,
      heldFrom: held?.from ?? null,
      heldUntil: held?.until ?? null,
      sealedCode: atVendor === 'absent' || atVendor === 'gone' ? null : sealed,
      ...(said.kind === 'live' ? { vendorReference: said.reference } : {}),
      ...(said.kind === 'ended' ? { confirmedByLock: said.confirmedByLock } : {}),
    },
  });
  const settled = booking === undefined ? [] : await settleBooking(ctx, locks, { booking });
  return [...events, ...settled];
}

/**
 * Takes in that a vendor failed. It is tried again by policy; after that the front desk has it, and a key that should be
 * gone counts as gone with a lock that has not confirmed it (SAGA-26, SAGA-49).
 */
export async function recordFailure(
  ctx: Ctx,
  locks: Locks,
  { taken, error }: { taken: Taken; error: VendorFailure },
): Promise<PendingEvent[]> {
  const found = await lockTaken(ctx, taken);
  if (found === undefined) return [];
  const { key, booking } = found;
  const operation = operationOf(key, taken.step);
  const tries = (key.operation === operation ? key.tries : 0) + 1;
  const patience = booking?.phase === 'here' && operation === 'issue' ? 'desk' : 'background';
  const retryAt = nextTry(error, { tries, patience, now: ctx.now });
  const outcome: Outcome = { kind: 'failed', isUnknown: error.isUnknown };
  const { atVendor } = afterStep(lifeOf(key, { hasCode: false }), { outcome, before: taken.before });
  const { key: failed, events } = await changeKey(ctx, locks, {
    key,
    change: {
      ...noLease,
      atVendor,
      operation,
      tries,
      failure: error.failure,
      vendorCode: error.vendorCode,
      ...(retryAt === null ? { queuedAt: ctx.now } : { nextTryAt: retryAt }),
    },
  });
  const told = [vendorErrorEvent(failed, { failure: error, operation, retryAt }), ...events];
  const isOver = retryAt === null && failed.wish === 'gone' && failed.status !== 'revoked';
  if (!isOver) return told;
  const dead = await updateKey(ctx, failed, { status: 'revoked', confirmedByLock: false });
  const wasTold = failed.status === 'issued' || failed.status === 'suspended';
  return wasTold ? [...told, keyEvent('revoked', dead, failed)] : told;
}

/** The key, if this worker still has it: after a lease has passed somebody else may have taken over. */
async function lockTaken(
  ctx: Ctx,
  { key: before, lease }: Taken,
): Promise<{ key: Key; booking: Booking | undefined } | undefined> {
  const booking = await lockBooking(ctx, before.reservationId);
  lockRoom(ctx, before.roomId);
  const key = await findKey(ctx.tx, credentialIdOf(before));
  return key === undefined || key.lease !== lease ? undefined : { key, booking };
}

/** What others call it: a question about a key is part of what should become of it. */
function operationOf({ wish, status }: Key, step: Step): KeyOperation {
  if (wish === 'gone') return 'revoke';
  if (wish === 'asleep') return 'suspend';
  const isNew = status === 'wanted' || status === 'ready';
  return isNew || step === 'issue' ? 'issue' : 'update';
}

function unreachable(step: Step): VendorFailure {
  return new VendorFailure(`${step} at the lock`, { failure: 'lock_offline', isUnknown: false });
}
