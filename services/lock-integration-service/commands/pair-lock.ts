import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { DevicePaired } from '../contract.ts';
import { errors } from '../errors.ts';
import type { Reach, VendorName } from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import { type Proof, record } from '../queries/actions.ts';
import { lockRoom } from '../queries/bookings.ts';
import { findHouse, findRoom, type House, updateHouse } from '../queries/houses.ts';
import { credentialIdOf, liveKeysOf } from '../queries/keys.ts';
import {
  insertLock,
  type Lock,
  lockOfReference,
  lockOfRoom,
  readLock,
  updateLock,
} from '../queries/locks.ts';
import { inspectLock } from '../tasks.ts';

/** A lock that is to hang on a door. */
export type NewLock = {
  readonly propertyId: Id<'pro'>;
  /** Null: a door of the house. */
  readonly roomId: Id<'rom'> | null;
  readonly vendor: VendorName;
  readonly vendorReference: string;
  readonly reach: Reach;
};

/** Pairs a lock with a door. A metal key that opened it until now gives way. */
export async function pairLock(
  ctx: Ctx,
  locks: Locks,
  { proof, ...wanted }: NewLock & { proof?: Proof },
): Promise<Accepted<Lock>> {
  const { tx, tenantId } = ctx;
  const propertyId = idToUuid(wanted.propertyId);
  const roomId = wanted.roomId === null ? null : idToUuid(wanted.roomId);
  if (locks.vendorOf(wanted.vendor) === undefined) throw errors.VENDOR_NOT_OFFERED({ vendor: wanted.vendor });
  if ((await findHouse(tx, propertyId)) === undefined) throw errors.HOUSE_UNKNOWN();
  if (wanted.roomId !== null) {
    const room = await findRoom(tx, wanted.roomId);
    if (room === undefined || room.archived || room.propertyId !== propertyId) throw errors.ROOM_UNKNOWN();
    lockRoom(ctx, room.roomId);
  }
  const other = await lockOfReference(tx, wanted);
  if (other !== undefined) throw errors.LOCK_PAIRED({ lockId: idFromUuid('lck', other.id) });
  const there = roomId === null ? undefined : await lockOfRoom(tx, roomId);
  if (there !== undefined && there.vendor !== 'mechanical')
    throw errors.ROOM_HAS_LOCK({ lockId: idFromUuid('lck', there.id) });
  if (there !== undefined) await updateLock(tx, there, { status: 'unpaired' });
  const lockId = ctx.newId('lck');
  const { vendor, vendorReference, reach } = wanted;
  const lock = await insertLock(tx, {
    tenantId,
    id: idToUuid(lockId),
    propertyId,
    roomId,
    ...{ vendor, vendorReference, reach },
    status: 'paired',
    pairedAt: ctx.now,
  });
  await record(ctx, 'pair', { lockId: lock.id, proof });
  await enqueue(ctx, inspectLock, { lockId }, { key: lockId });
  const pairedBy = ctx.actor.id as Id<'usr'>;
  const paired = { ...wanted, lockId, pairedBy };
  return accepted(lock, [DevicePaired.from(paired, { aggregateVersion: lock.version })]);
}

/** Takes a lock off its door. While guests have keys of it, it stays. */
export async function unpairLock(
  ctx: Ctx,
  { lockId, proof }: { lockId: Id<'lck'>; proof?: Proof },
): Promise<Lock> {
  const lock = await readLock(ctx.tx, lockId);
  if (lock.roomId !== null) lockRoom(ctx, lock.roomId);
  const keys = await liveKeysOf(ctx.tx, lock.id);
  if (keys.length > 0) throw errors.LOCK_IN_USE({ keys: keys.map(credentialIdOf).join(', ') });
  if (lock.status === 'unpaired') return lock;
  const unpaired = await updateLock(ctx.tx, lock, { status: 'unpaired' });
  await record(ctx, 'unpair', { lockId: lock.id, proof });
  return unpaired;
}

/** How a house rounds and hands out keys. */
export async function changeKeyRules(
  ctx: Ctx,
  { propertyId, ...rules }: { propertyId: Id<'pro'> } & Pick<House, 'endRounding' | 'metalKeys'>,
): Promise<House> {
  const house = await findHouse(ctx.tx, idToUuid(propertyId));
  if (house === undefined) throw errors.HOUSE_UNKNOWN();
  return updateHouse(ctx.tx, house, rules);
}
