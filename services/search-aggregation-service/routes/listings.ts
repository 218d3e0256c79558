import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { markStale, type Reindex } from '../commands/mark.ts';
import { ownListingView } from '../contract/resources.ts';
import { applyWatermarkFreshness, type EvictionReason } from '../model.ts';
import { checkpointsOf } from '../queries/checkpoints.ts';
import { findHouse, listHouses, setWanted } from '../queries/heard.ts';
import { ownListings } from '../queries/listings.ts';

const managers = operator(['owner', 'manager']);

/** How the people of a house see and steer its listing. */
export function listingRoutes(reindex: Reindex): readonly AnyRoute[] {
  const list = defineRoute({
    method: 'GET',
    path: '/api/v1/listings',
    summary: 'How the houses of the group are found in the search, and why not',
    auth: managers,
    returns: { 200: z.strictObject({ listings: z.array(ownListingView) }) },
    handler: async ctx => {
      const ids = (await listHouses(ctx.tx)).map(id => idFromUuid('pro', id));
      const listings = [];
      for (const id of ids.slice(0, 200)) listings.push(await viewOf(ctx, id));
      return { status: 200, body: { listings } };
    },
  });

  const change = defineRoute({
    method: 'PUT',
    path: '/api/v1/listings/:propertyId',
    summary: 'Have a house found in the search, or not',
    auth: managers,
    params: z.strictObject({ propertyId: idText('pro') }),
    body: z.strictObject({ wanted: z.boolean() }),
    returns: { 200: ownListingView },
    errors: [coreErrors.NOT_FOUND],
    handler: async (ctx, { params: { propertyId }, body: { wanted } }) => {
      if ((await setWanted(ctx.tx, propertyId, wanted)) === 0)
        throw coreErrors.NOT_FOUND({ entity: 'Property' });
      await markStale(ctx, reindex, { propertyId, parts: ['facts'] });
      return { status: 200, body: await viewOf(ctx, propertyId) };
    },
  });

  return [list, change];
}

async function viewOf(
  { tx }: Pick<Ctx, 'tx'>,
  propertyId: Id<'pro'>,
): Promise<z.output<typeof ownListingView>> {
  const [house, listings, parts] = [
    await findHouse(tx, propertyId),
    await ownListings(tx),
    await checkpointsOf(tx, propertyId),
  ];
  const listing = listings.get(idToUuid(propertyId));
  return {
    propertyId,
    wanted: house?.wanted ?? false,
    status: listing?.status ?? 'waiting',
    reason: (listing?.reason ?? null) as EvictionReason | null,
    version: listing?.version ?? 0,
    freshness: applyWatermarkFreshness(parts),
    parts: parts.map(({ handler, status, watermark, sourceWatermark, computedAt }) => ({
      ...{ handler, status, watermark, sourceWatermark, computedAt },
    })),
  };
}
