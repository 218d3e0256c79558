import { and, asc, desc, eq, gt, lt, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { DayCloseView, PropertyView } from '../contract/resources.ts';
import { dayCloses, properties } from '../tables.ts';

type Tx = Ctx['tx'];

/** A property as rules see it: what staff sees, and its first hotel day. */
export type Property = PropertyView & { openedOn: string };

/** A property, or undefined when the tenant has no such. */
export async function findProperty(tx: Tx, id: Id<'pro'>): Promise<Property | undefined> {
  const [found] = await tx
    .select()
    .from(properties)
    .where(eq(properties.id, idToUuid(id)));
  return found && fromRow(found);
}

/** A property; one of another tenant is not found. */
export async function readProperty(tx: Tx, id: Id<'pro'>): Promise<Property> {
  const found = await findProperty(tx, id);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return found;
}

/** A property, locked until the transaction ends. Every change of a house and its parts takes this lock first. */
export async function lockProperty(tx: Tx, id: Id<'pro'>): Promise<Property> {
  const [found] = await tx
    .select()
    .from(properties)
    .where(eq(properties.id, idToUuid(id)))
    .for('update');
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return fromRow(found);
}

/** Properties after an id, oldest first. */
export async function listProperties(
  tx: Tx,
  page: { after?: Id<'pro'> | undefined; limit: number },
): Promise<Property[]> {
  const found = await tx
    .select()
    .from(properties)
    .where(page.after && gt(properties.id, idToUuid(page.after)))
    .orderBy(asc(properties.id))
    .limit(page.limit);
  return found.map(fromRow);
}

export async function insertProperty(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  property: Omit<Property, 'version' | 'createdAt'>,
): Promise<void> {
  const { id, ...rest } = property;
  const row = { ...columns(rest), tenantId: ctx.tenantId, id: idToUuid(id) };
  await ctx.tx.insert(properties).values({ ...row, createdAt: ctx.now, updatedAt: ctx.now });
}

/** Writes what a property is now and counts its version up; the caller holds the lock. Returns the new version. */
export async function saveProperty(ctx: Pick<Ctx, 'tx' | 'now'>, property: Property): Promise<number> {
  const { id, version: _, createdAt: __, ...rest } = property;
  const [saved] = await ctx.tx
    .update(properties)
    .set({ ...columns(rest), version: sql`${properties.version} + 1`, updatedAt: ctx.now })
    .where(eq(properties.id, idToUuid(id)))
    .returning({ version: properties.version });
  if (saved === undefined) throw coreErrors.NOT_FOUND({ entity: 'Property' });
  return saved.version;
}

/** How a hotel day was closed, or undefined while it was not. */
export async function findDayClose(
  tx: Tx,
  of: { propertyId: Id<'pro'>; closedDate: string },
): Promise<DayCloseView | undefined> {
  const [found] = await tx
    .select()
    .from(dayCloses)
    .where(and(eq(dayCloses.propertyId, idToUuid(of.propertyId)), eq(dayCloses.closedDate, of.closedDate)));
  return found && closeFromRow(found);
}

export async function insertDayClose(
  ctx: Pick<Ctx, 'tx' | 'tenantId'>,
  { propertyId, closedBy, closedAt, ...close }: DayCloseView,
): Promise<void> {
  await ctx.tx.insert(dayCloses).values({
    ...close,
    tenantId: ctx.tenantId,
    propertyId: idToUuid(propertyId),
    closedBy: closedBy && idToUuid(closedBy),
    closedAt: new Date(closedAt),
  });
}

/** Closed hotel days before a date, latest first. */
export async function listDayCloses(
  tx: Tx,
  page: { propertyId: Id<'pro'>; before?: string | undefined; limit: number },
): Promise<DayCloseView[]> {
  const found = await tx
    .select()
    .from(dayCloses)
    .where(
      and(
        eq(dayCloses.propertyId, idToUuid(page.propertyId)),
        page.before === undefined ? undefined : lt(dayCloses.closedDate, page.before),
      ),
    )
    .orderBy(desc(dayCloses.closedDate))
    .limit(page.limit);
  return found.map(closeFromRow);
}

function columns({ position, ...rest }: Omit<Property, 'id' | 'version' | 'createdAt'>) {
  return { ...rest, latitude: position?.latitude ?? null, longitude: position?.longitude ?? null };
}

function fromRow(row: typeof properties.$inferSelect): Property {
  const { tenantId: _, id, latitude, longitude, createdAt, updatedAt: __, ...rest } = row;
  return {
    ...rest,
    id: idFromUuid('pro', id),
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    createdAt: createdAt.toISOString(),
  };
}

function closeFromRow(row: typeof dayCloses.$inferSelect): DayCloseView {
  const { tenantId: _, propertyId, closedBy, closedAt, ...rest } = row;
  return {
    ...rest,
    propertyId: idFromUuid('pro', propertyId),
    closedBy: closedBy === null ? null : idFromUuid('usr', closedBy),
    closedAt: closedAt.toISOString(),
  };
}
