import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { addBlock, changeBlock, withdrawBlock } from '../commands/blocks.ts';
import { changeTheme, createTheme, shown } from '../commands/themes.ts';
import { blockChange, blockView, newBlock, newTheme, themeChange, themeView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { listBlocks } from '../queries/blocks.ts';
import { listThemes, readTheme } from '../queries/themes.ts';

const managers = operator(['owner', 'manager']);
const params = z.strictObject({ themeId: idText('thm') });
const ofBlock = z.strictObject({ blockId: idText('cbk') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/themes',
  summary: 'The brand of the group and those of its houses',
  auth: managers,
  returns: { 200: z.strictObject({ themes: z.array(themeView) }) },
  handler: async ctx => ({ status: 200, body: { themes: (await listThemes(ctx.tx)).map(shown) } }),
});

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/themes',
  summary: 'Set up the brand of the group, or of one house, on a published look',
  auth: managers,
  body: newTheme,
  returns: { 201: themeView },
  errors: [errors.THEME_EXISTS, errors.PRESET_NOT_PUBLISHED, errors.CONTRAST_TOO_LOW, coreErrors.NOT_FOUND],
  handler: async (ctx, { body }) => {
    const { value, events } = await createTheme(ctx, body);
    return { status: 201, body: value, events };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/themes/:themeId',
  summary: 'One brand',
  auth: managers,
  params,
  returns: { 200: themeView },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => ({
    status: 200,
    body: shown(await readTheme(ctx.tx, input.params.themeId)),
  }),
});

const change = defineRoute({
  method: 'PUT',
  path: '/api/v1/themes/:themeId',
  summary: 'Give a brand other tokens or another look, based on the version',
  auth: managers,
  params,
  body: themeChange,
  returns: { 200: themeView },
  errors: [
    errors.PRESET_NOT_PUBLISHED,
    errors.CONTRAST_TOO_LOW,
    coreErrors.NOT_FOUND,
    coreErrors.VERSION_CONFLICT,
  ],
  handler: async (ctx, input) => {
    const { value, events } = await changeTheme(ctx, { id: input.params.themeId, ...input.body });
    return { status: 200, body: value, events };
  },
});

const blocks = defineRoute({
  method: 'GET',
  path: '/api/v1/themes/:themeId/blocks',
  summary: 'The texts of a brand in all languages, withdrawn ones included',
  auth: managers,
  params,
  returns: { 200: z.strictObject({ blocks: z.array(blockView) }) },
  errors: [coreErrors.NOT_FOUND],
  handler: async (ctx, input) => {
    await readTheme(ctx.tx, input.params.themeId);
    return { status: 200, body: { blocks: await listBlocks(ctx.tx, input.params) } };
  },
});

const add = defineRoute({
  method: 'POST',
  path: '/api/v1/themes/:themeId/blocks',
  summary: 'Add a text to a brand; it is shown at once',
  auth: managers,
  params,
  body: newBlock,
  returns: { 201: blockView },
  errors: [errors.TOO_MANY_BLOCKS, coreErrors.NOT_FOUND],
  handler: async (ctx, input) => {
    const { value, events } = await addBlock(ctx, { ...input.body, ...input.params });
    return { status: 201, body: value, events };
  },
});

const rewrite = defineRoute({
  method: 'PUT',
  path: '/api/v1/blocks/:blockId',
  summary: 'Replace a text in all its languages, based on the version; a withdrawn one is shown again',
  auth: managers,
  params: ofBlock,
  body: blockChange,
  returns: { 200: blockView },
  errors: [coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => {
    const { value, events } = await changeBlock(ctx, { id: input.params.blockId, ...input.body });
    return { status: 200, body: value, events };
  },
});

const withdraw = defineRoute({
  method: 'POST',
  path: '/api/v1/blocks/:blockId/withdraw',
  summary: 'Take a text off the site, based on the version',
  auth: managers,
  params: ofBlock,
  body: z.strictObject({ version }),
  returns: { 200: blockView },
  errors: [errors.BLOCK_WITHDRAWN, coreErrors.NOT_FOUND, coreErrors.VERSION_CONFLICT],
  handler: async (ctx, input) => {
    const { value, events } = await withdrawBlock(ctx, { id: input.params.blockId, ...input.body });
    return { status: 200, body: value, events };
  },
});

/** Brands and their texts. */
export const themeRoutes: readonly AnyRoute[] = [list, create, show, change, blocks, add, rewrite, withdraw];
