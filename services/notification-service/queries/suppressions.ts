import { and, eq, inArray, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Channel } from '../model.ts';
import { suppressions } from '../tables.ts';

type Tx = Ctx['tx'];
export type Suppression = typeof suppressions.$inferSelect;

/** What is not written to any more, of these hashes. */
export function findSuppressions(tx: Tx, hashes: readonly string[]): Promise<Suppression[]> {
  if (hashes.length === 0) return Promise.resolve([]);
  return tx
    .select()
    .from(suppressions)
    .where(inArray(suppressions.addressHash, [...hashes]));
}

/** Writes to this address no more; a wider scope takes the place of a narrower one. */
export function suppress(
  { tx, tenantId, now, write }: Ctx,
  what: Pick<Suppression, 'channel' | 'addressHash' | 'scope' | 'source'>,
): void {
  const wider = sql`case when ${suppressions.scope} = 'all' then 'all' else excluded.scope end`;
  write(
    tx
      .insert(suppressions)
      .values({ ...what, tenantId, since: now })
      .onConflictDoUpdate({
        target: [suppressions.tenantId, suppressions.channel, suppressions.addressHash],
        set: { scope: wider },
      }),
  );
}

/** Writes to it again; false when nobody had stopped. */
export async function lift(tx: Tx, channel: Channel, addressHash: string): Promise<boolean> {
  const { rowCount } = await tx
    .delete(suppressions)
    .where(and(eq(suppressions.channel, channel), eq(suppressions.addressHash, addressHash)));
  return rowCount === 1;
}
