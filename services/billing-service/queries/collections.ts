import { asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { collections } from '../tables.ts';

/** What payment-gateway-service was asked for, and what it said. */
export type Collection = typeof collections.$inferSelect;

export async function insertCollection(
  { tx, tenantId, now }: Ctx,
  folioId: Id<'fol'>,
  asked: Pick<Collection, 'amount' | 'rail' | 'outcome' | 'paymentId'>,
): Promise<void> {
  await tx
    .insert(collections)
    .values({ ...asked, tenantId, id: uuid7(), folioId: idToUuid(folioId), at: now });
}

/** How often and for what a guest who leaves was asked, oldest first. */
export function listCollections(tx: Ctx['tx'], folioId: Id<'fol'>): Promise<Collection[]> {
  return tx
    .select()
    .from(collections)
    .where(eq(collections.folioId, idToUuid(folioId)))
    .orderBy(asc(collections.id))
    .limit(100);
}
