import { accepted } from '@ghasi/db/accepted';
import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { type Actor, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import { pairLock } from './commands/pair-lock.ts';
import type { LockVendor, Reach } from './lock-vendor.ts';
import { openLocks } from './locks.ts';
import { rememberHouse, rememberRoom } from './queries/houses.ts';
import { lockOfRoom } from './queries/locks.ts';

/** A house of the demo whose doors get locks. */
export type SeedHouse = {
  readonly tenantId: TenantId;
  readonly property: { readonly id: Id<'pro'>; readonly zone: string };
  readonly rooms: readonly { readonly id: Id<'rom'>; readonly number: string }[];
  /** Who pairs them: in events a person does. */
  readonly pairedBy: Id<'usr'>;
};

/**
 * Pairs a lock of the simulator with each room that has none; safe to run at every start. What property-service tells of
 * house and rooms may arrive before or after.
 */
export async function seedLocks(
  db: Database,
  house: SeedHouse,
  { vendors, reach = 'gateway' }: { vendors: readonly LockVendor[]; reach?: Reach },
): Promise<void> {
  const [vendor] = vendors;
  if (vendor === undefined) return;
  const locks = openLocks({ vendors: [vendor], secret: 'nothing is sealed while seeding' });
  const { tenantId, property, rooms, pairedBy } = house;
  const actor: Actor = { type: 'user', id: pairedBy };
  await tenantTransaction(db, { tenantId, actor }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'seed locks', id: property.id });
    await rememberHouse(ctx, { propertyId: property.id, zone: property.zone });
    const events: unknown[] = [];
    for (const { id: roomId, number } of rooms) {
      await rememberRoom(ctx, { roomId, propertyId: property.id, number });
      const there = await lockOfRoom(ctx.tx, idToUuid(roomId));
      if (there !== undefined && there.vendor !== 'mechanical') continue;
      const paired = await pairLock(ctx, locks, {
        propertyId: property.id,
        roomId,
        vendor: vendor.vendor,
        vendorReference: lockNumber(roomId),
        reach,
      });
      events.push(...paired.events);
    }
    return accepted(undefined, events);
  });
}

/** A number as vendors have them, the same for the same room at every start. */
function lockNumber(roomId: Id<'rom'>): string {
  return String(
    (Number.parseInt(idToUuid(roomId).replaceAll('-', '').slice(-12), 16) % 10_000_000) + 1_000_000,
  );
}
