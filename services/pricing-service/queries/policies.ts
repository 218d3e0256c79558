import { and, asc, eq, inArray, ne, or } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { PolicyView } from '../contract/resources.ts';
import { policies, ratePlans } from '../tables.ts';

type Tx = Ctx['tx'];

/** Policies by their ids. */
export async function findPolicies(tx: Tx, ids: readonly Id<'pol'>[]): Promise<Map<Id<'pol'>, PolicyView>> {
  if (ids.length === 0) return new Map();
  const found = await tx
    .select()
    .from(policies)
    .where(inArray(policies.id, [...new Set(ids)].map(idToUuid)));
  return new Map(found.map(row => [idFromUuid('pol', row.id), fromRow(row)]));
}

/** The policies of a property, oldest first. */
export async function listPolicies(tx: Tx, propertyId: Id<'pro'>): Promise<PolicyView[]> {
  const found = await tx
    .select()
    .from(policies)
    .where(eq(policies.propertyId, idToUuid(propertyId)))
    .orderBy(asc(policies.id))
    .limit(500);
  return found.map(fromRow);
}

export async function insertPolicy(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  { id, propertyId, ...rest }: PolicyView,
): Promise<void> {
  await tx.insert(policies).values({ ...rest, tenantId, id: idToUuid(id), propertyId: idToUuid(propertyId) });
}

/** Replaces name and terms if the policy still has the version before; returns how many rows that touched. */
export async function updatePolicy(tx: Tx, { id, name, terms, version }: PolicyView): Promise<number> {
  const { rowCount } = await tx
    .update(policies)
    .set({ name, terms, version })
    .where(and(eq(policies.id, idToUuid(id)), eq(policies.version, version - 1)));
  return rowCount ?? 0;
}

/** Removes a policy if it still has this version; returns how many rows that touched. */
export async function deletePolicy(tx: Tx, id: Id<'pol'>, version: number): Promise<number> {
  const { rowCount } = await tx
    .delete(policies)
    .where(and(eq(policies.id, idToUuid(id)), eq(policies.version, version)));
  return rowCount ?? 0;
}

/** True while a plan that is not archived has this policy. */
export async function isPolicyUsed(tx: Tx, id: Id<'pol'>): Promise<boolean> {
  const uuid = idToUuid(id);
  const [found] = await tx
    .select({ id: ratePlans.id })
    .from(ratePlans)
    .where(
      and(
        ne(ratePlans.status, 'archived'),
        or(
          eq(ratePlans.cancellationPolicyId, uuid),
          eq(ratePlans.noShowPolicyId, uuid),
          eq(ratePlans.depositPolicyId, uuid),
        ),
      ),
    )
    .limit(1);
  return found !== undefined;
}

function fromRow({ tenantId: _, id, propertyId, ...rest }: typeof policies.$inferSelect): PolicyView {
  // Kind and terms were checked together when they were written.
  return {
    ...rest,
    id: idFromUuid('pol', id),
    propertyId: idFromUuid('pro', propertyId),
  } as unknown as PolicyView;
}
