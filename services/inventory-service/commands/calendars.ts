import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { errors } from '../errors.ts';
import { type Calendar, insertCalendar } from '../queries/calendars.ts';
import { findFeed } from '../queries/feeds.ts';
import { zoneOf } from '../queries/properties.ts';
import { propertyOf } from './feeds.ts';

/** What is to be published, and the hash of the secret that opens it. */
export type PublishCalendar = {
  roomId?: Id<'rom'> | undefined;
  roomTypeId?: Id<'rty'> | undefined;
  exceptFeedId?: Id<'cfd'> | undefined;
  tokenHash: Buffer;
};

/** Publishes when a room or type is busy. */
export async function publishCalendar(ctx: Ctx, input: PublishCalendar): Promise<Calendar> {
  const place = { roomId: input.roomId ?? null, roomTypeId: input.roomTypeId ?? null };
  const propertyId = await propertyOf(ctx, place);
  if ((await zoneOf(ctx, propertyId)) === undefined) throw errors.ZONE_UNKNOWN();
  const exceptFeedId = input.exceptFeedId ?? null;
  const except = exceptFeedId === null ? undefined : await findFeed(ctx, exceptFeedId);
  if (exceptFeedId !== null && except?.propertyId !== propertyId)
    throw coreErrors.NOT_FOUND({ entity: 'Feed' });
  const one: Calendar = { ...place, id: ctx.newId('cal'), propertyId, exceptFeedId, createdAt: ctx.now };
  await insertCalendar(ctx, one, input.tokenHash);
  return one;
}
