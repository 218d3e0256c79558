import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { changePreset, draftPreset, publishPreset } from '../commands/presets.ts';
import { newPreset, presetChange, presetView, publishedPreset } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { listPresets, readPreset } from '../queries/presets.ts';

const managers = operator(['owner', 'manager']);
const params = z.strictObject({ presetId: idText('thp') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/presets',
  summary: 'The looks of the group, drafts included, a page at a time',
  auth: managers,
  query: z.strictObject({
    after: idText('thp').optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  returns: { 200: z.strictObject({ presets: z.array(presetView) }) },
  handler: async (ctx, { query }) => ({ status: 200, body: { presets: await listPresets(ctx.tx, query) } }),
});

const draft = defineRoute({
  method: 'POST',
  path: '/api/v1/presets',
  summary: 'Draft a look; it may be unfinished until it is published',
  auth: managers,
  body: newPreset,
  returns: { 201: presetView },
  handler: async (ctx, { body }) => ({ status: 201, body: await draftPreset(ctx, body) }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/presets/:presetId',
  summary: 'One look',
  auth: managers,
  params,
  returns: { 200: presetView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 200,
    body: (await readPreset(ctx.tx, input.params.presetId)).view,
  }),
});

const change = defineRoute({
  method: 'PUT',
  path: '/api/v1/presets/:presetId/draft',
  summary: 'Replace the draft of a look, based on the version',
  auth: managers,
  params,
  body: presetChange,
  returns: { 200: presetView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => ({
    status: 200,
    body: await changePreset(ctx, { id: input.params.presetId, ...input.body }),
  }),
});

const publish = defineRoute({
  method: 'POST',
  path: '/api/v1/presets/:presetId/publish',
  summary:
    'Publish the draft as the next version of the look; brands built on it follow where they stay readable',
  auth: managers,
  params,
  body: z.strictObject({ version }),
  returns: { 200: publishedPreset },
  errors: [
    errors.NOTHING_TO_PUBLISH,
    errors.PRESET_INCOMPLETE,
    errors.CONTRAST_TOO_LOW,
    coreErrors.NOT_FOUND,
    coreErrors.VERSION_CONFLICT,
  ],
  handler: async (ctx, input) => {
    const { value, events } = await publishPreset(ctx, { id: input.params.presetId, ...input.body });
    return { status: 200, body: value, events };
  },
});

/** Looks that brands are built on. */
export const presetRoutes: readonly AnyRoute[] = [list, draft, show, change, publish];
