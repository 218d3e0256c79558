import { parseId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { baseVersion, idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { readPreferences, savePreferences } from '../commands/preferences.ts';
import { preferences, preferencesView } from '../contract/resources.ts';

const query = z.strictObject({ propertyId: idText('pro').optional() });

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/me/preferences',
  summary: 'How I like the back office, everywhere or at one property',
  auth: operator([]),
  query,
  returns: { 200: preferencesView },
  handler: async (ctx, input) => {
    const of = { operatorId: parseId('usr', ctx.principal.id), propertyId: input.query.propertyId ?? null };
    return { status: 200, body: await readPreferences(ctx, of) };
  },
});

const save = defineRoute({
  method: 'PUT',
  path: '/api/v1/me/preferences',
  summary: 'Save how I like the back office, based on the version; 0 for the first time',
  auth: operator([]),
  query,
  body: z.strictObject({ version: baseVersion, preferences }),
  returns: { 200: preferencesView },
  handler: async (ctx, input) => {
    const of = { operatorId: parseId('usr', ctx.principal.id), propertyId: input.query.propertyId ?? null };
    return { status: 200, body: await savePreferences(ctx, of, input.body) };
  },
});

/** What belongs to the operator alone. */
export const preferenceRoutes: readonly AnyRoute[] = [show, save];
