import { and, eq, sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { type Plan, type TaskKind, usualPlans } from '../model/task.ts';
import { houses, plans } from '../tables.ts';

/** A house as far as housekeeping cares. */
export type House = {
  readonly businessDate: LocalDate | null;
  readonly stayoverService: boolean;
  readonly deepCleanEvery: number | null;
};

/** How a house that nobody described wants its rooms kept. */
export const usualHouse: House = { businessDate: null, stayoverService: true, deepCleanEvery: null };

/** A house; one nobody told of is a usual one without a hotel day. */
export async function findHouse({ tx }: Pick<Ctx, 'tx'>, id: Id<'pro'>): Promise<House> {
  const [found] = await tx
    .select()
    .from(houses)
    .where(eq(houses.id, idToUuid(id)));
  if (found === undefined) return usualHouse;
  const { stayoverService, deepCleanEvery } = found;
  return { businessDate: found.businessDate as LocalDate | null, stayoverService, deepCleanEvery };
}

/**
 * Notes the hotel day that a version of the property told of; false when this or a newer one was heard before.
 * Puts the messages of one house one after the other.
 */
export async function moveDay(
  ctx: Ctx,
  { id, businessDate, version }: { id: Id<'pro'>; businessDate: LocalDate; version: number },
): Promise<boolean> {
  const touched = await execute(
    ctx.tx,
    sql`insert into housekeeping.houses as h (tenant_id, id, business_date, version)
        values (${ctx.tenantId}, ${idToUuid(id)}, ${businessDate}, ${version})
        on conflict (tenant_id, id) do update
          set business_date = excluded.business_date,
              version = excluded.version
          where h.version < excluded.version`,
  );
  return touched === 1;
}

/** How a house wants its rooms kept from now on. */
export function saveHabits(
  ctx: Ctx,
  id: Id<'pro'>,
  habits: Pick<House, 'stayoverService' | 'deepCleanEvery'>,
): void {
  ctx.write(
    ctx.tx
      .insert(houses)
      .values({ tenantId: ctx.tenantId, id: idToUuid(id), ...habits })
      .onConflictDoUpdate({ target: [houses.tenantId, houses.id], set: habits }),
  );
}

/** How a kind of work is done in a house. */
export async function planFor(
  { tx }: Pick<Ctx, 'tx'>,
  { propertyId, kind }: { propertyId: Id<'pro'>; kind: TaskKind },
): Promise<Plan> {
  const [found] = await tx
    .select()
    .from(plans)
    .where(and(eq(plans.propertyId, idToUuid(propertyId)), eq(plans.kind, kind)));
  if (found === undefined) return usualPlans[kind];
  return { estimatedMinutes: found.estimatedMinutes, items: found.checklist };
}

/** The plan of every kind, the house's own or the usual one. */
export async function allPlans(
  { tx }: Pick<Ctx, 'tx'>,
  propertyId: Id<'pro'>,
): Promise<Record<TaskKind, Plan>> {
  const found = await tx
    .select()
    .from(plans)
    .where(eq(plans.propertyId, idToUuid(propertyId)));
  const own = found.map(({ kind, estimatedMinutes, checklist }) => [
    kind,
    { estimatedMinutes, items: checklist },
  ]);
  return { ...usualPlans, ...Object.fromEntries(own) };
}

/** True once a house has written a plan of its own down. */
export async function hasPlans({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<boolean> {
  const own = eq(plans.propertyId, idToUuid(propertyId));
  return (await tx.select({ kind: plans.kind }).from(plans).where(own).limit(1)).length > 0;
}

/** Replaces the plan of a kind of work. */
export function savePlan(
  ctx: Ctx,
  { propertyId, kind, plan }: { propertyId: Id<'pro'>; kind: TaskKind; plan: Plan },
): void {
  const values = { estimatedMinutes: plan.estimatedMinutes, checklist: plan.items };
  ctx.write(
    ctx.tx
      .insert(plans)
      .values({ tenantId: ctx.tenantId, propertyId: idToUuid(propertyId), kind, ...values })
      .onConflictDoUpdate({ target: [plans.tenantId, plans.propertyId, plans.kind], set: values }),
  );
}
