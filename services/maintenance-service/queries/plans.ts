import { asc, eq, inArray, sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { plans } from '../tables.ts';
import type { Ticket } from './tickets.ts';

/** Work that comes round by itself, in a room, in an area, or in every room of the house. */
export type Plan = Pick<Ticket, 'propertyId' | 'roomId' | 'area' | 'category' | 'severity' | 'title'> & {
  /** A bare uuid. */
  readonly id: string;
  readonly everyRoom: boolean;
  readonly everyDays: number;
  readonly nextDue: LocalDate;
  readonly ended: boolean;
  readonly version: number;
};

/** A plan, in the hands of this transaction alone. */
export async function lockPlan({ tx }: Pick<Ctx, 'tx'>, id: string): Promise<Plan | undefined> {
  const [found] = await tx.select().from(plans).where(eq(plans.id, id)).for('update');
  return found && planFrom(found);
}

/** The plans of a house, next ones first. */
export async function listPlans({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>): Promise<Plan[]> {
  const found = await tx
    .select()
    .from(plans)
    .where(eq(plans.propertyId, idToUuid(propertyId)))
    .orderBy(asc(plans.nextDue), asc(plans.id));
  return found.map(planFrom);
}

/** Some plans that are due by the hotel day of their house; another worker's are left to it. */
export async function lockDuePlans({ tx, tenantId }: Ctx, most: number): Promise<Plan[]> {
  const due = await rows<{ id: string }>(
    tx,
    sql`select p.id
        from maintenance.plans p
        join maintenance.houses h on h.tenant_id = p.tenant_id and h.id = p.property_id
        where p.tenant_id = ${tenantId}
          and not p.ended
          and p.next_due <= h.business_date
        order by p.next_due, p.id
        limit ${most}
        for update of p skip locked`,
  );
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  const found = await tx.select().from(plans).where(inArray(plans.id, ids)).orderBy(asc(plans.id));
  return found.map(planFrom);
}

/** Writes a plan down as it is now. */
export async function savePlan(ctx: Ctx, plan: Plan): Promise<void> {
  const values = {
    ...plan,
    tenantId: ctx.tenantId,
    propertyId: idToUuid(plan.propertyId),
    roomId: plan.roomId === null ? null : idToUuid(plan.roomId),
  };
  await ctx.tx
    .insert(plans)
    .values(values)
    .onConflictDoUpdate({ target: [plans.tenantId, plans.id], set: values });
}

function planFrom({ tenantId: _, ...row }: typeof plans.$inferSelect): Plan {
  return {
    ...row,
    propertyId: idFromUuid('pro', row.propertyId),
    roomId: row.roomId === null ? null : idFromUuid('rom', row.roomId),
    nextDue: row.nextDue as LocalDate,
  };
}
