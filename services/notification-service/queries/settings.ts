import { and, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Locale, Template } from '../model.ts';
import { settings, templateTexts } from '../tables.ts';
import type { TemplateText } from '../wording/language.ts';
import { languages } from '../wording/languages.ts';

type Tx = Ctx['tx'];
export type Settings = Omit<typeof settings.$inferSelect, 'tenantId' | 'updatedAt'>;

/** Texts and addresses are kept this long where a house has not said otherwise. */
export const RETENTION_DAYS = 30;

/** How a house writes that has not said anything: e-mail, SMS to guests without one, surveys by day. */
export const defaultSettings: Settings = {
  senderName: null,
  replyTo: null,
  email: 'always',
  sms: 'without_email',
  whatsapp: 'off',
  surveys: true,
  quietFrom: '21:00',
  quietUntil: '09:00',
  retentionDays: RETENTION_DAYS,
  version: 0,
};

/** The settings of the tenant; version 0 are those of a house that never changed them. */
export async function findSettings(tx: Tx): Promise<Settings> {
  const [found] = await tx.select().from(settings);
  return found ?? defaultSettings;
}

/** The words of a template: the house's own, or ours. */
export async function findWords(
  tx: Tx,
  { template, locale }: { template: Template; locale: Locale },
): Promise<TemplateText & { version: number }> {
  const [own] = await tx
    .select()
    .from(templateTexts)
    .where(and(eq(templateTexts.template, template), eq(templateTexts.locale, locale)));
  return own ?? { ...languages[locale].templates[template], version: 0 };
}

export function listOwnWords(tx: Tx) {
  return tx.select().from(templateTexts);
}
