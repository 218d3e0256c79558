import { and, eq } from '@ghasi/db/drizzle';
import { assertUpdated } from '@ghasi/db/optimistic';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Locale, Template } from '../model.ts';
import { findWords } from '../queries/settings.ts';
import { templateTexts } from '../tables.ts';
import { assertWording } from '../wording/fields.ts';
import type { TemplateText } from '../wording/language.ts';
import { insertFirst } from './change-settings.ts';

/** Which words. */
export type Place = { readonly template: Template; readonly locale: Locale };

/** Words of the house instead of ours, from now on. `version`: what the change was based on; 0: our own words. */
export async function putWords(
  ctx: Ctx,
  place: Place,
  { version, ...words }: TemplateText & { version: number },
): Promise<TemplateText & { version: number }> {
  assertWording(place.template, words);
  const values = { ...words, updatedBy: ctx.actor.id, updatedAt: ctx.now };
  if (version === 0)
    await insertFirst(
      'words',
      ctx.tx.insert(templateTexts).values({ tenantId: ctx.tenantId, ...place, ...values }),
    );
  else {
    const updated = await ctx.tx
      .update(templateTexts)
      .set({ ...values, version: version + 1 })
      .where(and(isAt(place), eq(templateTexts.version, version)));
    assertUpdated(updated, 'words');
  }
  return findWords(ctx.tx, place);
}

/** Our own words again. */
export async function dropWords(ctx: Ctx, place: Place): Promise<TemplateText & { version: number }> {
  await ctx.tx.delete(templateTexts).where(isAt(place));
  return findWords(ctx.tx, place);
}

function isAt({ template, locale }: Place) {
  return and(eq(templateTexts.template, template), eq(templateTexts.locale, locale));
}
