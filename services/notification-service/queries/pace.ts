import { sql } from '@ghasi/db/drizzle';
import { row } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';

/**
 * The moment at which this tenant's next ordinary message may leave. Each gets a moment of its own, so a flood queues up
 * in time instead of in front of the workers. One statement: the row lock of a tenant is its only queue.
 */
export async function takeSlot(
  { tx, tenantId, now }: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { perMinute, burst }: { perMinute: number; burst: number },
): Promise<Date> {
  const interval = 60_000 / perMinute;
  const earliest = new Date(now.getTime() - interval * burst);
  const step = sql`make_interval(secs => ${interval / 1_000})`;
  const slot = await row<{ at: Date }>(
    tx,
    sql`insert into notification.pace as p (tenant_id, next_at)
        values (${tenantId}, ${earliest}::timestamptz + ${step})
        on conflict (tenant_id) do update
          set next_at = greatest(p.next_at, ${earliest}::timestamptz) + ${step}
        returning next_at as at`,
  );
  return slot?.at ?? now;
}
