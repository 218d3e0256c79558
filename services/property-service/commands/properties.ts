import { type Accepted, accepted } from '@ghasi/db/accepted';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { NewProperty, PropertyPatch, PropertyView } from '../contract/resources.ts';
import { AmenityChanged, PropertyCreated } from '../contract.ts';
import { amenityDifference, firstDay, mergeRules, usualRules } from '../model.ts';
import {
  insertProperty,
  lockProperty,
  type Property,
  readProperty,
  saveProperty,
} from '../queries/properties.ts';

/** Opens a house. Its first hotel day is the date on its own wall calendar unless one is given. */
export async function createProperty(
  ctx: Ctx,
  { id = ctx.newId('pro'), businessDate, houseRules, ...facts }: NewProperty & { id?: Id<'pro'> },
): Promise<Accepted<PropertyView>> {
  const openedOn = businessDate ?? firstDay(facts.zone, ctx.now);
  const rules = mergeRules(usualRules, houseRules);
  await insertProperty(ctx, { ...facts, id, openedOn, businessDate: openedOn, houseRules: rules });
  const created = { ...facts, propertyId: id, businessDate: openedOn };
  return accepted(shown(await readProperty(ctx.tx, id)), [
    PropertyCreated.from(created, { aggregateVersion: 1 }),
  ]);
}

/** Changes what the patch gives, if nobody changed the house since its version. */
export async function changeProperty(
  ctx: Ctx,
  { id, patch }: { id: Id<'pro'>; patch: PropertyPatch },
): Promise<PropertyView> {
  const before = await lockProperty(ctx.tx, id);
  const { version, houseRules = {}, ...rest } = patch;
  assertUpdated(before.version === version ? 1 : 0, 'property');
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  await saveProperty(ctx, { ...before, ...given, houseRules: mergeRules(before.houseRules, houseRules) });
  return shown(await readProperty(ctx.tx, id));
}

/** Replaces what a house offers, if nobody changed the house since this version. The same list is no change. */
export async function changeAmenities(
  ctx: Ctx,
  { id, version, amenities }: { id: Id<'pro'>; version: number; amenities: string[] },
): Promise<Accepted<PropertyView>> {
  const before = await lockProperty(ctx.tx, id);
  assertUpdated(before.version === version ? 1 : 0, 'property');
  const events = await offerAmenities(
    ctx,
    { ...before, amenities },
    { before: before.amenities, after: amenities },
  );
  return accepted(shown(await readProperty(ctx.tx, id)), events);
}

/**
 * Tells what a house, or one type of its rooms, offers now. Both have one ordering key, the property, so each change
 * takes a version of it; the caller holds the property's lock.
 */
export async function offerAmenities(
  ctx: Ctx,
  property: Property,
  change: { roomTypeId?: Id<'rty'>; before: readonly string[]; after: string[] },
) {
  const { added, removed } = amenityDifference(change.before, change.after);
  if (added.length + removed.length === 0) return [];
  const aggregateVersion = await saveProperty(ctx, property);
  const roomTypeId = change.roomTypeId ?? null;
  const payload = { propertyId: property.id, roomTypeId, amenities: change.after, added, removed };
  return [AmenityChanged.from(payload, { aggregateVersion })];
}

/** A property as staff sees it. */
export function shown({ openedOn: _, ...view }: Property): PropertyView {
  return view;
}
