import {
  at,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import { type BlockView, blockStatuses, type NewPreset, type TokenValues } from './contract/resources.ts';
import { blockPlacements } from './contract.ts';

const schema = pgSchema('theme_config');

/** Properties that exist, as property-service told. */
export const properties = schema.table(
  'properties',
  { tenantId: uuid('tenant_id').notNull(), id: uuid('id').notNull() },
  t => [primaryKey({ name: 'properties_pk', columns: [t.tenantId, t.id] })],
);

/** Looks: a draft, and what was published of it last. */
export const presets = schema.table(
  'presets',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    name: jsonb('name').$type<NewPreset['name']>().notNull(),
    tokens: jsonb('tokens').$type<TokenValues>().notNull(),
    published: jsonb('published').$type<NewPreset>(),
    presetVersion: integer('preset_version').notNull().default(0),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'presets_pk', columns: [t.tenantId, t.id] })],
);

/** Every version of a look that ever went out; only grows. */
export const presetVersions = schema.table(
  'preset_versions',
  {
    tenantId: uuid('tenant_id').notNull(),
    presetId: uuid('preset_id').notNull(),
    presetVersion: integer('preset_version').notNull(),
    name: jsonb('name').$type<NewPreset['name']>().notNull(),
    tokens: jsonb('tokens').$type<TokenValues>().notNull(),
    publishedAt: at('published_at').notNull().defaultNow(),
  },
  t => [primaryKey({ name: 'preset_versions_pk', columns: [t.tenantId, t.presetId, t.presetVersion] })],
);

/** Brands: one for the tenant, one for each property that wants its own. */
export const themes = schema.table(
  'themes',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    propertyId: uuid('property_id'),
    presetId: uuid('preset_id').notNull(),
    presetVersion: integer('preset_version').notNull(),
    overrides: jsonb('overrides').$type<TokenValues>().notNull(),
    tokens: jsonb('tokens').$type<TokenValues>().notNull(),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'themes_pk', columns: [t.tenantId, t.id] }),
    unique('themes_one_per_place').on(t.tenantId, t.propertyId).nullsNotDistinct(),
    foreignKey({
      name: 'themes_preset',
      columns: [t.tenantId, t.presetId, t.presetVersion],
      foreignColumns: [presetVersions.tenantId, presetVersions.presetId, presetVersions.presetVersion],
    }),
  ],
);

/** Texts of the site and of letters. */
export const contentBlocks = schema.table(
  'content_blocks',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: uuid('id').notNull(),
    themeId: uuid('theme_id').notNull(),
    placement: text('placement', { enum: blockPlacements }).notNull(),
    position: integer('position').notNull(),
    status: text('status', { enum: blockStatuses }).notNull().default('published'),
    text: jsonb('text').$type<BlockView['text']>(),
    contentHash: text('content_hash'),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull().defaultNow(),
    updatedAt: at('updated_at').notNull().defaultNow(),
  },
  t => [
    primaryKey({ name: 'content_blocks_pk', columns: [t.tenantId, t.id] }),
    index('content_blocks_of_theme').on(t.tenantId, t.themeId),
    foreignKey({
      name: 'content_blocks_theme',
      columns: [t.tenantId, t.themeId],
      foreignColumns: [themes.tenantId, themes.id],
    }),
  ],
);
