import { sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { Zone } from '@ghasi/domain-primitives/zone';

/** Notes the zone of a property; it is for good (R3). */
export async function noteProperty(ctx: Ctx, { id, zone }: { id: Id<'pro'>; zone: Zone }): Promise<void> {
  await execute(
    ctx.tx,
    sql`insert into inventory.properties (tenant_id, id, zone)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${zone})
        on conflict (tenant_id, id) do nothing`,
  );
}

/** The zone of a property; undefined until property-service has told of it. */
export async function zoneOf({ tx, tenantId }: Ctx, id: Id<'pro'>): Promise<Zone | undefined> {
  const found = await row<{ zone: Zone }>(
    tx,
    sql`select zone
        from inventory.properties
        where tenant_id = ${tenantId}
          and id = ${idToUuid(id)}`,
  );
  return found?.zone;
}
