import { randomUUID } from 'node:crypto';
import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { seconds } from '@ghasi/domain-primitives/duration';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { type Id, parseTenantId } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { type KeyOrder, VendorFailure } from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import { nextStep } from '../model/key.ts';
import { lockBooking, lockRoom } from '../queries/bookings.ts';
import { findHouse } from '../queries/houses.ts';
import { findKey, type Key, lifeOf, updateKey } from '../queries/keys.ts';
import { findLock } from '../queries/locks.ts';
import { recordFailure, recordSuccess } from './record-step.ts';
import type { Said, Taken } from './taken-step.ts';

/** Runs something in a transaction of its own: a vendor is never called inside one. */
export type InTransaction = <R>(work: (ctx: Ctx) => Promise<R>) => Promise<unknown>;

/** What came of it. `failed`: tried again later, or with the front desk. */
export type Worked = 'done' | 'failed' | 'not_due';

/** Longer than a vendor is waited for; after it another worker asks what became of the call. */
const LEASE_MS = seconds(90);

/** Ask, issue, change, and once more for a wish that changed meanwhile. */
const MOST_STEPS = 5;

/**
 * Brings a key and its vendor together, step by step. Before each call the row says that its outcome is not known: who
 * dies in the middle leaves a question behind, never a second code.
 */
export async function workKeyNow(
  transaction: InTransaction,
  locks: Locks,
  credentialId: Id<'key'>,
): Promise<Worked> {
  for (let round = 0; round < MOST_STEPS; round++) {
    const found: { taken?: Taken } = {};
    await transaction(async ctx => {
      const taken = await take(ctx, locks, credentialId);
      if (taken !== undefined) found.taken = taken;
    });
    const { taken } = found;
    if (taken === undefined) return round === 0 ? 'not_due' : 'done';
    await failpoint('lock_integration.before-call');
    let said: Said;
    try {
      said = await perform(taken);
    } catch (error) {
      if (!(error instanceof VendorFailure)) throw error;
      await transaction(async ctx => accepted(undefined, await recordFailure(ctx, locks, { taken, error })));
      return 'failed';
    }
    await failpoint('lock_integration.after-call');
    await transaction(async ctx => accepted(undefined, await recordSuccess(ctx, locks, { taken, said })));
  }
  return 'done';
}

/** Takes the next step of a key for itself, if one is due and nobody is at it. */
async function take(ctx: Ctx, locks: Locks, credentialId: Id<'key'>): Promise<Taken | undefined> {
  const { tx, tenantId, now } = ctx;
  const named = await findKey(tx, credentialId);
  if (named === undefined) return undefined;
  await lockBooking(ctx, named.reservationId);
  lockRoom(ctx, named.roomId);
  const key = (await findKey(tx, credentialId)) as Key;
  const isDue = key.nextTryAt !== null && key.nextTryAt <= now && key.queuedAt === null;
  const isTaken = key.leasedUntil !== null && key.leasedUntil > now;
  if (!isDue || isTaken) return undefined;
  const vendor = locks.vendorOf(key.vendor);
  const lock = await findLock(tx, key.lockId);
  const reach = lock?.reach ?? 'offline';
  const life = lifeOf(key, { hasCode: vendor?.hasCode ?? false });
  const step = nextStep(life, { canSleep: vendor?.canSleep(reach) ?? false });
  if (step === undefined || lock === undefined) {
    await updateKey(ctx, key, { nextTryAt: null, lease: null, leasedUntil: null });
    return undefined;
  }
  const lease = randomUUID();
  const leasedUntil = new Date(now.getTime() + LEASE_MS);
  const taken = await updateKey(ctx, key, { atVendor: 'unknown', lease, leasedUntil });
  const house = await findHouse(tx, key.propertyId);
  const order: KeyOrder = {
    tenantId: parseTenantId(tenantId),
    credentialId,
    lockReference: lock.vendorReference,
    reach,
    zone: parseZone(house?.zone ?? 'UTC'),
    window: life.window,
  };
  return { key: taken, step, before: key.atVendor, lease, vendor, order };
}

async function perform({ vendor, step, order }: Taken): Promise<Said> {
  if (vendor === undefined)
    throw new VendorFailure(`${step} a key`, {
      failure: 'refused',
      isUnknown: false,
      vendorCode: 'vendor_not_configured',
    });
  switch (step) {
    case 'inquire': {
      const standing = await vendor.inquire(order);
      return standing.state === 'live' ? { kind: 'live', ...standing } : { kind: standing.state };
    }
    case 'issue':
      return { kind: 'live', ...(await vendor.issue(order)) };
    case 'change':
      return { kind: 'live', ...(await vendor.change(order)) };
    case 'resume':
      return { kind: 'live', ...(await vendor.resume(order)) };
    case 'suspend':
      await vendor.suspend(order);
      return { kind: 'asleep' };
    case 'revoke':
      return { kind: 'ended', ...(await vendor.revoke(order)) };
  }
}
