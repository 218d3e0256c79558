import { asc, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { EvictionReason } from '../model.ts';
import { listings } from '../tables.ts';

type Tx = Ctx['tx'];
type Writing = Pick<Ctx, 'tx' | 'tenantId' | 'now'>;
type Row = typeof listings.$inferSelect;

/** What is remembered of a listing when it is decided anew. */
export type KnownListing = Pick<Row, 'version' | 'status' | 'reason' | 'contentHash'>;

/** A listing as it is found. */
export type ListedRow = Omit<Row, 'tenantId' | 'propertyId' | 'status' | 'reason' | 'indexedAt'>;

/** A listing, locked until the transaction ends: who decides about it next waits here. */
export async function lockListing(tx: Tx, propertyId: Id<'pro'>): Promise<KnownListing | undefined> {
  const [found] = await tx
    .select()
    .from(listings)
    .where(eq(listings.propertyId, idToUuid(propertyId)))
    .for('update');
  return found;
}

/** Writes down what is found of a house. */
export async function saveListed(
  { tx, tenantId, now }: Writing,
  propertyId: Id<'pro'>,
  row: ListedRow,
): Promise<void> {
  const values = { ...row, status: 'listed', reason: null, indexedAt: now } as const;
  await tx
    .insert(listings)
    .values({ ...values, tenantId, propertyId: idToUuid(propertyId) })
    .onConflictDoUpdate({ target: [listings.tenantId, listings.propertyId], set: values });
}

/** Takes a house out of what is found. */
export async function saveGone(
  { tx, now }: Writing,
  propertyId: Id<'pro'>,
  { version, reason }: { version: number; reason: EvictionReason },
): Promise<void> {
  await tx
    .update(listings)
    .set({ status: 'gone', reason, version, contentHash: null, indexedAt: now })
    .where(eq(listings.propertyId, idToUuid(propertyId)));
}

/** The houses of the tenant that are found. */
export async function listedHouses(tx: Tx): Promise<Id<'pro'>[]> {
  const found = await tx
    .select({ id: listings.propertyId })
    .from(listings)
    .where(eq(listings.status, 'listed'))
    .orderBy(asc(listings.propertyId));
  return found.map(({ id }) => idFromUuid('pro', id));
}

/** What the tenant's people see of their listings. */
export async function ownListings(tx: Tx): Promise<Map<string, Pick<Row, 'status' | 'reason' | 'version'>>> {
  const found = await tx.select().from(listings);
  return new Map(found.map(({ propertyId, ...row }) => [propertyId, row]));
}
