import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { NewRoomType, RoomTypeSpec, RoomTypeView } from '../contract/resources.ts';
import { RoomTypePublished } from '../contract.ts';
import { errors } from '../errors.ts';
import { lockProperty } from '../queries/properties.ts';
import { insertRoomType, insertSpec, readRoomType, updateRoomType } from '../queries/room-type.ts';
import { offerAmenities } from './properties.ts';

/** Begins a type of room as a draft: nobody else hears of it until it is published. */
export async function draftRoomType(
  ctx: Ctx,
  { id = ctx.newId('rty'), propertyId, code, spec }: NewRoomType & { id?: Id<'rty'>; propertyId: Id<'pro'> },
): Promise<RoomTypeView> {
  await lockProperty(ctx.tx, propertyId);
  if (!(await insertRoomType(ctx, { id, propertyId, code, draft: spec })))
    throw errors.ROOM_TYPE_CODE_TAKEN();
  return readRoomType(ctx.tx, id);
}

/** Replaces the draft, if nobody changed the type since this version; what is published stays. */
export async function changeDraft(
  ctx: Ctx,
  { id, version, spec }: { id: Id<'rty'>; version: number; spec: RoomTypeSpec },
): Promise<RoomTypeView> {
  await readRoomType(ctx.tx, id);
  assertUpdated(await updateRoomType(ctx, { id, version }, { draft: spec }), 'room type');
  return readRoomType(ctx.tx, id);
}

/** Publishes the draft as the next version of the spec, if nobody changed the type since this version. */
export async function publishRoomType(
  ctx: Ctx,
  { id, version }: { id: Id<'rty'>; version: number },
): Promise<Accepted<RoomTypeView>> {
  const { propertyId } = await readRoomType(ctx.tx, id);
  const property = await lockProperty(ctx.tx, propertyId);
  const { draft, published, specVersion: last, changed, version: present } = await readRoomType(ctx.tx, id);
  assertUpdated(present === version ? 1 : 0, 'room type');
  if (!changed) throw errors.NOTHING_TO_PUBLISH();

  const specVersion = last + 1;
  assertUpdated(await updateRoomType(ctx, { id, version }, { published: draft, specVersion }), 'room type');
  await insertSpec(ctx, { roomTypeId: id, specVersion, spec: draft });
  const offer = { roomTypeId: id, before: published?.amenities ?? [], after: draft.amenities };
  return accepted(await readRoomType(ctx.tx, id), [
    RoomTypePublished.from(
      { ...draft, roomTypeId: id, specVersion, propertyId },
      { aggregateVersion: version + 1 },
    ),
    ...(await offerAmenities(ctx, property, offer)),
  ]);
}
