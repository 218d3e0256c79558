import { and, asc, eq, gt } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { RoomTypeSpec, RoomTypeView } from '../contract/resources.ts';
import { roomTypeSpecs, roomTypes } from '../tables.ts';

type Tx = Ctx['tx'];

/** A room type; one of another tenant is not found. */
export async function readRoomType(tx: Tx, id: Id<'rty'>): Promise<RoomTypeView> {
  const [found] = await tx
    .select()
    .from(roomTypes)
    .where(eq(roomTypes.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Room type' });
  return fromRow(found);
}

/** Room types of a property after an id, oldest first. */
export async function listRoomTypes(
  tx: Tx,
  page: { propertyId: Id<'pro'>; after?: Id<'rty'> | undefined; limit: number },
): Promise<RoomTypeView[]> {
  const found = await tx
    .select()
    .from(roomTypes)
    .where(
      and(
        eq(roomTypes.propertyId, idToUuid(page.propertyId)),
        page.after && gt(roomTypes.id, idToUuid(page.after)),
      ),
    )
    .orderBy(asc(roomTypes.id))
    .limit(page.limit);
  return found.map(fromRow);
}

/** Adds a draft; false when the property has another type with this code. */
export async function insertRoomType(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  type: { id: Id<'rty'>; propertyId: Id<'pro'>; code: string; draft: RoomTypeSpec },
): Promise<boolean> {
  const { rowCount } = await ctx.tx
    .insert(roomTypes)
    .values({
      tenantId: ctx.tenantId,
      id: idToUuid(type.id),
      propertyId: idToUuid(type.propertyId),
      code: type.code,
      draft: type.draft,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing();
  return rowCount === 1;
}

/** Replaces draft and published spec if nobody changed the type since this version; returns how many rows that touched. */
export async function updateRoomType(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  { id, version }: { id: Id<'rty'>; version: number },
  change: { draft: RoomTypeSpec } | { published: RoomTypeSpec; specVersion: number },
): Promise<number> {
  const { rowCount } = await ctx.tx
    .update(roomTypes)
    .set({ ...change, version: version + 1, updatedAt: ctx.now })
    .where(and(eq(roomTypes.id, idToUuid(id)), eq(roomTypes.version, version)));
  return rowCount ?? 0;
}

/** Keeps a published spec for good. */
export async function insertSpec(
  ctx: Pick<Ctx, 'tx' | 'tenantId' | 'now'>,
  { roomTypeId, specVersion, spec }: { roomTypeId: Id<'rty'>; specVersion: number; spec: RoomTypeSpec },
): Promise<void> {
  await ctx.tx.insert(roomTypeSpecs).values({
    tenantId: ctx.tenantId,
    roomTypeId: idToUuid(roomTypeId),
    specVersion,
    spec,
    publishedAt: ctx.now,
  });
}

function fromRow(row: typeof roomTypes.$inferSelect): RoomTypeView {
  const { id, propertyId, code, draft, published, specVersion, version } = row;
  return {
    id: idFromUuid('rty', id),
    propertyId: idFromUuid('pro', propertyId),
    code,
    status: published === null ? 'draft' : 'published',
    specVersion,
    draft,
    published,
    changed: canonicalJson(draft) !== canonicalJson(published),
    version,
  };
}
