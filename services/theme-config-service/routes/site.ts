import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { locale } from '@melmastoon/catalog/hotel-parts';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { readSiteContent } from '../commands/blocks.ts';
import { readSiteTheme } from '../commands/themes.ts';
import { siteBlock } from '../contract/resources.ts';
import { blockPlacements, siteTheme } from '../contract.ts';

// The tenant comes from the host or the X-Tenant-Slug header, so caches must tell them apart.
const headers = { 'cache-control': 'public, max-age=60', vary: 'Host, X-Tenant-Slug' };
const propertyId = idText('pro').optional();

const theme = defineRoute({
  method: 'GET',
  path: '/api/v1/site/theme',
  summary: 'How the booking site looks: of a house, else of the group, else as the platform has it',
  auth: open(),
  query: z.strictObject({ propertyId }),
  returns: { 200: siteTheme },
  handler: async (ctx, { query }) => ({
    status: 200,
    headers,
    body: await readSiteTheme(ctx, query.propertyId ?? null),
  }),
});

const content = defineRoute({
  method: 'GET',
  path: '/api/v1/site/content',
  summary: 'The texts of the booking site in one language, in the order of the page',
  auth: open(),
  query: z.strictObject({ propertyId, locale, placement: z.enum(blockPlacements).optional() }),
  returns: { 200: z.strictObject({ blocks: z.array(siteBlock) }) },
  handler: async (ctx, { query }) => ({
    status: 200,
    headers,
    body: { blocks: await readSiteContent(ctx, { ...query, propertyId: query.propertyId ?? null }) },
  }),
});

/** What the booking site reads. */
export const siteRoutes: readonly AnyRoute[] = [theme, content];
