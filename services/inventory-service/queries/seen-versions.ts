import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';

/** Notes a version of another's aggregate; false when this or a newer one was seen before. Locks the aggregate. */
export async function isNewer(ctx: Ctx, aggregateId: string, version: number): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`insert into inventory.seen_versions (tenant_id, aggregate_id, version)
        values (${ctx.tenantId}, ${aggregateId}, ${version})
        on conflict (tenant_id, aggregate_id) do update
          set version = excluded.version
          where seen_versions.version < excluded.version`,
  );
  return touched === 1;
}
