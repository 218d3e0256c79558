import { defineQuestion } from '@ghasi/backbone/question';
import { inLanguages, isOncePer, locale } from '@melmastoon/catalog/hotel-parts';
import { idText, line, paragraphs, tenantIdText, version } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { blockPlacements, tokenKinds } from '../contract.ts';
import { fitsToken, tokenNames } from './tokens.ts';

/** Tokens by name; the kind follows from the name. */
export const tokenValues = z
  .array(
    z
      .strictObject({ name: z.enum(tokenNames), value: z.string().max(80) })
      .refine(({ name, value }) => fitsToken(name, value), 'is no value of this token'),
  )
  .max(tokenNames.length)
  .refine(
    isOncePer((each: { name: string }) => each.name),
    'has a token twice',
  );
export type TokenValues = z.output<typeof tokenValues>;

/** A token with its kind. */
export const tokenView = z.strictObject({ name: z.string(), kind: z.enum(tokenKinds), value: z.string() });

/** A look to be drafted. */
export const newPreset = z.strictObject({ name: inLanguages(line(80)), tokens: tokenValues });
export type NewPreset = z.output<typeof newPreset>;

/** The draft as it shall be, based on a version. */
export const presetChange = newPreset.extend({ version });

/** A look as its managers see it: the draft, and what is published of it. */
export const presetView = z.strictObject({
  id: idText('thp'),
  ...newPreset.shape,
  status: z.enum(['draft', 'published']),
  /** How often it was published. */
  presetVersion: z.int().min(0),
  /** The draft says something else than what is published. */
  changed: z.boolean(),
  version,
});
export type PresetView = z.output<typeof presetView>;

/** What publishing did to the themes that are built on the look. */
export const publishedPreset = z.strictObject({
  preset: presetView,
  /** These show the new version now. */
  moved: z.array(idText('thm')),
  /** These keep the version before: with their own tokens nobody could read the new one. */
  stayed: z.array(idText('thm')),
});

/** A brand to be set up for the whole tenant, or for one property. */
export const newTheme = z.strictObject({
  propertyId: idText('pro').nullable(),
  presetId: idText('thp'),
  overrides: tokenValues.default([]),
});
export type NewTheme = z.output<typeof newTheme>;

/** The brand as it shall be, based on a version; it takes the newest version of its preset. */
export const themeChange = z.strictObject({ version, presetId: idText('thp'), overrides: tokenValues });

/** A brand as its managers see it; `tokens` are what the site shows. */
export const themeView = z.strictObject({
  id: idText('thm'),
  propertyId: idText('pro').nullable(),
  presetId: idText('thp'),
  presetVersion: version,
  overrides: tokenValues,
  tokens: z.array(tokenView),
  version,
});
export type ThemeView = z.output<typeof themeView>;

/** A text of the site or of a letter. */
export const newBlock = z.strictObject({
  placement: z.enum(blockPlacements),
  /** Order within its place. */
  position: z.int().min(0).max(1_000),
  /** Plain text with line breaks; whoever shows it escapes it. */
  text: inLanguages(paragraphs(8_000)),
});
export type NewBlock = z.output<typeof newBlock>;

/** The text as it shall be, based on a version; a withdrawn one is shown again. */
export const blockChange = newBlock.extend({ version });

/** Life of a content block. */
export const blockStatuses = ['published', 'withdrawn'] as const;

/** A content block as its managers see it. */
export const blockView = z.strictObject({
  id: idText('cbk'),
  themeId: idText('thm'),
  placement: z.enum(blockPlacements),
  position: z.int(),
  status: z.enum(blockStatuses),
  text: newBlock.shape.text.nullable(),
  contentHash: z.string().nullable(),
  version,
});
export type BlockView = z.output<typeof blockView>;

/** A text as the booking site shows it, in one language. */
export const siteBlock = z.strictObject({
  id: idText('cbk'),
  placement: z.enum(blockPlacements),
  position: z.int(),
  locale,
  text: z.string(),
});
export type SiteBlock = z.output<typeof siteBlock>;

/** The texts of a tenant's booking site in one language, in the order of the page. */
export const contentOf = defineQuestion({
  name: 'theme_config.content-of',
  input: z.strictObject({ tenantId: tenantIdText, propertyId: idText('pro').nullable(), locale }),
  output: z.strictObject({ blocks: z.array(siteBlock) }),
});
