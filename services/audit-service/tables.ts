import { sql } from '@ghasi/db/drizzle';
import {
  at,
  bigint,
  date,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  unique,
  uuid,
} from '@ghasi/db/drizzle-tables';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { verificationStatuses } from './contract/resources.ts';
import { anchorMedia } from './contract.ts';
import { actorTypes } from './entry.ts';
import type { Finding } from './verify-chain.ts';

const schema = pgSchema('audit');
const day = (name: string) => date(name).$type<LocalDate>();
const position = (name: string) => bigint(name, { mode: 'number' });
const tenantId = uuid('tenant_id').notNull();
const deed = {
  action: text('action').notNull(),
  aboutType: text('about_type').notNull(),
  aboutId: text('about_id').notNull(),
  actorType: text('actor_type', { enum: actorTypes }).notNull(),
  actorId: text('actor_id').notNull(),
  occurredAt: at('occurred_at').notNull(),
};

/** What is to be recorded and has no place in the chain yet. */
export const arrivals = schema.table(
  'arrivals',
  { tenantId, eventId: uuid('event_id').notNull(), ...deed, payloadHash: text('payload_hash').notNull() },
  t => [
    primaryKey({ name: 'arrivals_pk', columns: [t.tenantId, t.eventId] }),
    index('arrivals_in_order').on(t.tenantId, t.occurredAt, t.eventId),
  ],
);

/** The end of each chain. */
export const chains = schema.table(
  'chains',
  {
    tenantId,
    position: position('position').notNull().default(0),
    hash: text('hash'),
    recordedAt: at('recorded_at'),
    sealedDay: day('sealed_day'),
    openDay: day('open_day'),
  },
  t => [
    primaryKey({ name: 'chains_pk', columns: [t.tenantId] }),
    index('chains_to_seal').on(t.openDay).where(sql`open_day is not null`),
  ],
);

/** The chain itself; it only grows. */
export const entries = schema.table(
  'entries',
  {
    tenantId,
    position: position('position').notNull(),
    id: uuid('id').notNull(),
    ...deed,
    eventId: uuid('event_id'),
    payloadHash: text('payload_hash'),
    noteHash: text('note_hash'),
    recordedAt: at('recorded_at').notNull(),
    day: day('day').notNull(),
    previousHash: text('previous_hash'),
    hash: text('hash').notNull(),
  },
  t => [
    primaryKey({ name: 'entries_pk', columns: [t.tenantId, t.position] }),
    unique('entries_id').on(t.tenantId, t.id),
    unique('entries_once_per_event').on(t.tenantId, t.eventId),
    index('entries_by_about').on(t.tenantId, t.aboutId, t.position),
    index('entries_by_actor').on(t.tenantId, t.actorId, t.position),
    index('entries_by_action').on(t.tenantId, t.action, t.position),
    index('entries_by_day').on(t.tenantId, t.day, t.position),
  ],
);

/** What somebody wrote into an entry; can be forgotten. */
export const notes = schema.table(
  'notes',
  {
    tenantId,
    entryId: uuid('entry_id').notNull(),
    salt: text('salt').notNull(),
    text: text('text').notNull(),
  },
  t => [primaryKey({ name: 'notes_pk', columns: [t.tenantId, t.entryId] })],
);

/** The root over the entries of a day. */
export const roots = schema.table(
  'roots',
  {
    tenantId,
    day: day('day').notNull(),
    firstPosition: position('first_position').notNull(),
    lastPosition: position('last_position').notNull(),
    rootHash: text('root_hash').notNull(),
    previousRootHash: text('previous_root_hash'),
    sealedAt: at('sealed_at').notNull(),
  },
  t => [primaryKey({ name: 'roots_pk', columns: [t.tenantId, t.day] })],
);

/** Where else a root is kept. */
export const anchors = schema.table(
  'anchors',
  {
    tenantId,
    id: uuid('id').notNull(),
    day: day('day').notNull(),
    medium: text('medium', { enum: anchorMedia }).notNull(),
    reference: text('reference').notNull(),
    anchoredAt: at('anchored_at').notNull(),
  },
  t => [
    primaryKey({ name: 'anchors_pk', columns: [t.tenantId, t.id] }),
    unique('anchors_once').on(t.tenantId, t.day, t.medium),
  ],
);

/** The medium of an installation that has no other. */
export const keptRoots = schema.table(
  'kept_roots',
  { tenantId, day: day('day').notNull(), record: text('record').notNull() },
  t => [primaryKey({ name: 'kept_roots_pk', columns: [t.tenantId, t.day] })],
);

/** Chains that somebody wants to be looked through. */
export const verifications = schema.table(
  'verifications',
  {
    tenantId,
    id: uuid('id').notNull(),
    status: text('status', { enum: verificationStatuses }).notNull(),
    askedBy: text('asked_by').notNull(),
    askedAt: at('asked_at').notNull(),
    lastPosition: position('last_position').notNull(),
    checkedTo: position('checked_to').notNull().default(0),
    rootsChecked: integer('roots_checked').notNull().default(0),
    findings: jsonb('findings').$type<Finding[]>().notNull().default([]),
    endedAt: at('ended_at'),
  },
  t => [
    primaryKey({ name: 'verifications_pk', columns: [t.tenantId, t.id] }),
    index('verifications_latest').on(t.tenantId, t.askedAt),
  ],
);
