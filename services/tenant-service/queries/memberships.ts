import {
  and,
  arrayContains,
  arrayOverlaps,
  asc,
  count,
  eq,
  gt,
  isNull,
  ne,
  or,
  type SQL,
} from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { PropertyScope, Role } from '../contract.ts';
import type { Membership } from '../model.ts';
import { memberships } from '../tables.ts';

type Tx = Ctx['tx'];

/** A membership by its id. */
export function findMembership(tx: Tx, id: Id<'mbr'>): Promise<Membership | undefined> {
  return findOne(tx, eq(memberships.id, idToUuid(id)));
}

/** The membership of an operator; he has at most one. */
export function findMembershipOf(tx: Tx, operatorId: Id<'usr'>): Promise<Membership | undefined> {
  return findOne(tx, eq(memberships.operatorId, idToUuid(operatorId)));
}

/** Memberships after an id that touch this scope, oldest first. */
export async function listMemberships(
  tx: Tx,
  page: { scope: PropertyScope; after?: Id<'mbr'> | undefined; limit: number },
): Promise<Membership[]> {
  const found = await tx
    .select()
    .from(memberships)
    .where(
      and(
        page.after && gt(memberships.id, idToUuid(page.after)),
        page.scope === 'all'
          ? undefined
          : or(
              isNull(memberships.propertyIds),
              arrayOverlaps(memberships.propertyIds, page.scope.map(idToUuid)),
            ),
      ),
    )
    .orderBy(asc(memberships.id))
    .limit(page.limit);
  return found.map(fromRow);
}

/** How many active holders a role has besides one membership. The tenant's lock keeps the answer true. */
export async function countOtherHolders(tx: Tx, role: Role, besides: Id<'mbr'>): Promise<number> {
  const [found] = await tx
    .select({ holders: count() })
    .from(memberships)
    .where(
      and(
        arrayContains(memberships.roles, [role]),
        eq(memberships.status, 'active'),
        ne(memberships.id, idToUuid(besides)),
      ),
    );
  return Number(found?.holders ?? 0);
}

export async function insertMembership(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  membership: Membership,
): Promise<void> {
  await ctx.tx.insert(memberships).values({
    ...columns(membership),
    tenantId: ctx.tenantId,
    id: idToUuid(membership.id),
    operatorId: idToUuid(membership.operatorId),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
}

/** Replaces a membership if it still has the version before; returns how many rows that touched. */
export async function updateMembership(ctx: Pick<Ctx, 'tx' | 'now'>, after: Membership): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(memberships)
    .set({ ...columns(after), updatedAt: ctx.now })
    .where(and(eq(memberships.id, idToUuid(after.id)), eq(memberships.version, after.version - 1)));
  return rowCount ?? 0;
}

/** Removes a membership if it still has this version; returns how many rows that touched. */
export async function deleteMembership(tx: Tx, { id, version }: Membership): Promise<number> {
  const { rowCount } = await tx
    .delete(memberships)
    .where(and(eq(memberships.id, idToUuid(id)), eq(memberships.version, version)));
  return rowCount ?? 0;
}

async function findOne(tx: Tx, where: SQL): Promise<Membership | undefined> {
  const [found] = await tx.select().from(memberships).where(where);
  return found && fromRow(found);
}

function columns({ roles, propertyIds, status, version }: Membership) {
  return { roles, status, version, propertyIds: propertyIds === 'all' ? null : propertyIds.map(idToUuid) };
}

function fromRow(row: typeof memberships.$inferSelect): Membership {
  return {
    id: idFromUuid('mbr', row.id),
    operatorId: idFromUuid('usr', row.operatorId),
    roles: row.roles,
    propertyIds: row.propertyIds?.map(id => idFromUuid('pro', id)) ?? 'all',
    status: row.status,
    version: row.version,
  };
}
