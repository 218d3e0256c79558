import { defineQuestion } from '@ghasi/backbone/question';
import { defineEvent } from '@melmastoon/catalog/define-event';
import { isOncePer, localisedText, sha256, version } from '@melmastoon/catalog/hotel-parts';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What a brand token describes. */
export const tokenKinds = ['colour', 'font', 'size', 'radius', 'shadow', 'image'] as const;

/** Where a content block appears. */
export const blockPlacements = ['home', 'rooms', 'checkout', 'confirmation', 'footer', 'email'] as const;

const tokenName = z.string().regex(/^[a-z][a-z0-9]*([.-][a-z0-9]+)*$/);

const token = z.strictObject({
  /** `colour.primary`. */
  name: tokenName,
  kind: z.enum(tokenKinds),
  /** As CSS takes it; an image is the id of its file. */
  value: z.string().min(1).max(200),
});

const tokens = z
  .array(token)
  .min(1)
  .refine(
    isOncePer((each: { name: string }) => each.name),
    'has a token twice',
  );

/** A look others are built on has a new version; sites on it show it with their next page. */
export const PresetPublished = defineEvent({
  subject: 'melmastoon.theme.preset.published.v1',
  summary: 'a new version of a theme preset went out',
  retention: 'warm',
  payload: z.strictObject({
    presetId: idText('thp'),
    presetVersion: version,
    name: localisedText(80),
    tokens,
  }),
  aggregateId: p => p.presetId,
  idempotencyKey: p => `${p.presetId}:published:${p.presetVersion}`,
});

/** The brand of a hotel looks different: all tokens as they are now, and which of them changed. */
export const TokensChanged = defineEvent({
  subject: 'melmastoon.theme.tokens.changed.v1',
  summary: 'brand tokens of a tenant changed',
  retention: 'warm',
  payload: z.strictObject({
    themeId: idText('thm'),
    /** Part of cache keys, so a new one makes old entries useless. */
    themeVersion: version,
    /** Null: the whole tenant. */
    propertyId: idText('pro').nullable(),
    presetId: idText('thp'),
    presetVersion: version,
    tokens,
    /** Names of what is new, different or gone. */
    changed: z.array(tokenName).min(1).refine(isOncePer(String), 'names a token twice'),
  }),
  aggregateId: p => p.themeId,
  idempotencyKey: p => `${p.themeId}:tokens:${p.themeVersion}`,
});

/** A text of the site or of a letter changed; withdrawn blocks have no text. */
export const ContentBlockChanged = defineEvent({
  subject: 'melmastoon.theme.content_block.changed.v1',
  summary: 'a theme content block changed',
  retention: 'warm',
  payload: z
    .strictObject({
      contentBlockId: idText('cbk'),
      blockVersion: version,
      themeId: idText('thm'),
      propertyId: idText('pro').nullable(),
      placement: z.enum(blockPlacements),
      position: z.int().min(0).max(1_000),
      status: z.enum(['published', 'withdrawn']),
      /** Null when withdrawn. */
      text: localisedText(8_000).nullable(),
      /** Over the text, for caches; null when withdrawn. */
      contentHash: sha256.nullable(),
    })
    .refine(
      ({ status, text, contentHash }) =>
        (status === 'published') === (text !== null) && (text === null) === (contentHash === null),
      'a published block has a text and its hash, a withdrawn one has neither',
    ),
  aggregateId: p => p.contentBlockId,
  idempotencyKey: p => `${p.contentBlockId}:changed:${p.blockVersion}`,
});

/** Every event of theme-config-service. */
export const events = [PresetPublished, TokensChanged, ContentBlockChanged] as const;

/** How a site looks now. */
export const siteTheme = z.strictObject({
  /** Null, with version 0: nobody chose a look yet, these are the platform's own tokens. */
  themeId: idText('thm').nullable(),
  themeVersion: z.int().min(0),
  tokens,
});
export type SiteTheme = z.output<typeof siteTheme>;

/** The look of a property, else of its whole tenant, else the platform's own: there is always one. */
export const themeOf = defineQuestion({
  name: 'theme_config.theme-of',
  input: z.strictObject({ tenantId: tenantIdText, propertyId: idText('pro').nullable() }),
  output: siteTheme,
});
