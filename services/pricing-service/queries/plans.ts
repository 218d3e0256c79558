import { and, asc, eq, inArray, ne } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { PlanView } from '../contract/resources.ts';
import { ratePlans } from '../tables.ts';

type Tx = Ctx['tx'];

/** Plans by their ids. */
export async function findPlans(tx: Tx, ids: readonly Id<'rpl'>[]): Promise<Map<Id<'rpl'>, PlanView>> {
  if (ids.length === 0) return new Map();
  const found = await tx
    .select()
    .from(ratePlans)
    .where(inArray(ratePlans.id, [...new Set(ids)].map(idToUuid)));
  return new Map(found.map(row => [idFromUuid('rpl', row.id), fromRow(row)]));
}

/** A plan, locked until the transaction ends: its calendar and the plans derived from it change under this lock. */
export async function lockPlan(tx: Tx, id: Id<'rpl'>): Promise<PlanView | undefined> {
  const [found] = await tx
    .select()
    .from(ratePlans)
    .where(eq(ratePlans.id, idToUuid(id)))
    .for('update');
  return found && fromRow(found);
}

/** The plans of a property, oldest first. */
export async function listPlans(tx: Tx, propertyId: Id<'pro'>): Promise<PlanView[]> {
  const found = await tx
    .select()
    .from(ratePlans)
    .where(eq(ratePlans.propertyId, idToUuid(propertyId)))
    .orderBy(asc(ratePlans.id))
    .limit(500);
  return found.map(fromRow);
}

/** The plans whose prices follow from this one, oldest first; archived ones follow nobody. */
export async function plansDerivedFrom(tx: Tx, id: Id<'rpl'>): Promise<PlanView[]> {
  const found = await tx
    .select()
    .from(ratePlans)
    .where(and(eq(ratePlans.derivedFrom, idToUuid(id)), ne(ratePlans.status, 'archived')))
    .orderBy(asc(ratePlans.id));
  return found.map(fromRow);
}

export async function insertPlan(
  { tx, tenantId }: Pick<Ctx, 'tx' | 'tenantId'>,
  plan: PlanView,
): Promise<void> {
  await tx.insert(ratePlans).values({ ...columns(plan), tenantId, id: idToUuid(plan.id) });
}

/** Replaces a plan if it still has the version before; returns how many rows that touched. */
export async function updatePlan(tx: Tx, plan: PlanView): Promise<number> {
  const { rowCount } = await tx
    .update(ratePlans)
    .set(columns(plan))
    .where(and(eq(ratePlans.id, idToUuid(plan.id)), eq(ratePlans.version, plan.version - 1)));
  return rowCount ?? 0;
}

function columns({ id: _, propertyId, roomTypeIds, policies, ...plan }: PlanView) {
  const { cancellationPolicyId, noShowPolicyId, depositPolicyId } = policies;
  return {
    ...plan,
    propertyId: idToUuid(propertyId),
    roomTypeIds: roomTypeIds.map(idToUuid),
    cancellationPolicyId: idToUuid(cancellationPolicyId),
    noShowPolicyId: idToUuid(noShowPolicyId),
    depositPolicyId: depositPolicyId && idToUuid(depositPolicyId),
    derivedFrom: plan.derivation && idToUuid(plan.derivation.fromPlanId),
  };
}

function fromRow(row: typeof ratePlans.$inferSelect): PlanView {
  const {
    tenantId: _,
    derivedFrom: __,
    cancellationPolicyId,
    noShowPolicyId,
    depositPolicyId,
    ...plan
  } = row;
  return {
    ...plan,
    id: idFromUuid('rpl', row.id),
    propertyId: idFromUuid('pro', row.propertyId),
    roomTypeIds: row.roomTypeIds.map(id => idFromUuid('rty', id)),
    policies: {
      cancellationPolicyId: idFromUuid('pol', cancellationPolicyId),
      noShowPolicyId: idFromUuid('pol', noShowPolicyId),
      depositPolicyId: depositPolicyId === null ? null : idFromUuid('pol', depositPolicyId),
    },
  };
}
