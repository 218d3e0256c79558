import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { readSiteContent } from './commands/blocks.ts';
import { readSiteTheme } from './commands/themes.ts';
import { contentOf } from './contract/resources.ts';
import { themeOf } from './contract.ts';

const self: Actor = { type: 'service', id: 'theme-config-service' };

/** Answers from PostgreSQL; what a page may remember is keyed by the theme's version. */
export const themeOfAnswer = answer(themeOf, ({ db, log }, { tenantId, propertyId }) =>
  tenantRead(db, { tenantId, actor: self, log }, ctx => readSiteTheme(ctx, propertyId)),
);

/** The texts of the site. */
export const contentOfAnswer = answer(contentOf, ({ db, log }, { tenantId, ...asked }) =>
  tenantRead(db, { tenantId, actor: self, log }, async ctx => ({
    blocks: await readSiteContent(ctx, asked),
  })),
);
