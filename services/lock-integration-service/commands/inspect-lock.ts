import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { VendorError } from '../contract.ts';
import {
  type LockPlace,
  type LockState,
  type LockVendor,
  VendorFailure,
  type VendorName,
} from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import { findHouse } from '../queries/houses.ts';
import { type Lock, readLock, updateLock } from '../queries/locks.ts';
import type { InTransaction } from './work-key.ts';

/** Asks a vendor how a lock is, outside any transaction, and writes the answer down. */
export async function inspectLockNow(
  transaction: InTransaction,
  locks: Locks,
  lockId: Id<'lck'>,
): Promise<LockState | VendorFailure | undefined> {
  const found: { place?: LockPlace; vendor?: LockVendor } = {};
  await transaction(async ({ tx, tenantId }) => {
    const lock = await readLock(tx, lockId);
    const vendor = locks.vendorOf(lock.vendor);
    if (vendor === undefined || lock.status === 'unpaired') return;
    const zone = parseZone((await findHouse(tx, lock.propertyId))?.zone ?? 'UTC');
    found.vendor = vendor;
    found.place = { tenantId, lockReference: lock.vendorReference, reach: lock.reach, zone };
  });
  const { place, vendor } = found;
  if (place === undefined || vendor === undefined) return undefined;
  const seen = await vendor.inspect(place).catch((error: unknown) => {
    if (error instanceof VendorFailure) return error;
    throw error;
  });
  await transaction(ctx => write(ctx, lockId, seen));
  return seen;
}

/** A lock that stopped answering is told once, not at every look. */
async function write(ctx: Ctx, lockId: Id<'lck'>, seen: LockState | VendorFailure) {
  const lock = await readLock(ctx.tx, lockId);
  const lookedAt = ctx.now;
  if (!(seen instanceof VendorFailure)) {
    const { isOnline, battery } = seen;
    await updateLock(ctx.tx, lock, { isOnline, battery, failure: null, lookedAt });
    return accepted(undefined, []);
  }
  const failed = await updateLock(ctx.tx, lock, { isOnline: false, failure: seen.failure, lookedAt });
  return accepted(undefined, lock.failure === null ? [errorEvent(lock, failed, seen)] : []);
}

function errorEvent(before: Lock, lock: Lock, { failure, vendorCode }: VendorFailure) {
  return VendorError.from(
    {
      operation: before.lookedAt === null ? 'pair' : 'read_status',
      vendor: lock.vendor as VendorName,
      propertyId: idFromUuid('pro', lock.propertyId),
      lockId: idFromUuid('lck', lock.id),
      failure,
      vendorCode,
      attempt: 1,
      retryAt: null,
    },
    { aggregateVersion: lock.version },
  );
}
