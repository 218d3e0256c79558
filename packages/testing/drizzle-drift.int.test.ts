import { sql } from '@ghasi/db/drizzle';
import {
  bigint,
  foreignKey,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from '@ghasi/db/drizzle-tables';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from './database.ts';
import { drizzleDrift } from './drizzle-drift.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const drifting = pgSchema('drifting');
const rooms = drifting.table(
  'rooms',
  {
    tenantId: uuid('tenant_id').notNull(),
    id: integer('id').generatedAlwaysAsIdentity(),
    name: varchar('name', { length: 40 }).notNull().default('room'),
    status: text('status', { enum: ['clean', 'dirty'] }).notNull(),
    tags: text('tags', { enum: ['sea', 'road'] }).array(),
    size: bigint('size', { mode: 'bigint' }),
    seenAt: timestamp('seen_at', { withTimezone: true }),
  },
  t => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('rooms_name').on(t.tenantId, t.name).nullsNotDistinct(),
    index('rooms_size').on(t.tenantId, t.size),
    uniqueIndex('rooms_lower').on(t.tenantId, sql`lower(name)`).where(sql`size > 1`),
  ],
);
const beds = drifting.table(
  'beds',
  { tenantId: uuid('tenant_id').notNull(), roomId: integer('room_id').notNull() },
  t => [
    primaryKey({ columns: [t.tenantId, t.roomId] }),
    foreignKey({
      name: 'beds_room',
      columns: [t.tenantId, t.roomId],
      foreignColumns: [rooms.tenantId, rooms.id],
    }),
  ],
);
const tables = { rooms, beds };

beforeEach(() =>
  database.admin(`
    drop schema if exists drifting cascade;
    create schema drifting;
    create table drifting.rooms (
      tenant_id uuid not null,
      id integer generated always as identity,
      name varchar(40) not null default 'room',
      status text not null check (status in ('dirty', 'clean')),
      tags text[] check (tags <@ array['sea', 'road']),
      size bigint check (size in (1, 2, 3)),
      seen_at timestamptz,
      primary key (tenant_id, id),
      constraint rooms_name unique nulls not distinct (tenant_id, name)
    );
    create index rooms_size on drifting.rooms (tenant_id, size);
    create unique index rooms_lower on drifting.rooms (tenant_id, lower(name)) where size > 1;
    create table drifting.beds (
      tenant_id uuid not null,
      room_id integer not null,
      primary key (tenant_id, room_id),
      constraint beds_room foreign key (tenant_id, room_id) references drifting.rooms (tenant_id, id)
    );
    create table drifting.schema_migrations (version text)`),
);

test('equal tables show no difference', async () => {
  expect(await drizzleDrift(database, 'drifting', tables)).toEqual([]);
});

test.each([
  [
    'a column only the database has',
    'alter table drifting.rooms add column floor integer',
    /^column rooms.floor is in the database/,
  ],
  [
    'a column only the code has',
    'alter table drifting.rooms drop column seen_at',
    /^column rooms.seen_at is in the code/,
  ],
  [
    'another type',
    'alter table drifting.rooms alter column size type integer',
    /^column rooms.size is "bigint" in the code and "integer"/,
  ],
  [
    'another length',
    'alter table drifting.rooms alter column name type varchar(41)',
    /varying\(40\).*varying\(41\)/,
  ],
  [
    'a missing NOT NULL',
    'alter table drifting.rooms alter column status drop not null',
    /^column rooms.status/,
  ],
  ['a missing default', 'alter table drifting.rooms alter column name drop default', /^column rooms.name/],
  [
    'a wider list of values',
    `alter table drifting.rooms drop constraint rooms_status_check, add check (status in ('clean', 'dirty', 'lost'))`,
    /clean\|dirty.*clean\|dirty\|lost/,
  ],
  [
    'a missing list of values',
    'alter table drifting.rooms drop constraint rooms_tags_check',
    /^column rooms.tags/,
  ],
  [
    'another primary key',
    'alter table drifting.beds drop constraint beds_pkey, add primary key (room_id, tenant_id)',
    /^primary key of beds/,
  ],
  [
    'a weaker unique constraint',
    'alter table drifting.rooms drop constraint rooms_name, add constraint rooms_name unique (tenant_id, name)',
    /^unique rooms_name/,
  ],
  ['a missing index', 'drop index drifting.rooms_size', /^index rooms_size is in the code/],
  [
    'an index that is partial no more',
    'drop index drifting.rooms_lower; create unique index rooms_lower on drifting.rooms (tenant_id, lower(name))',
    /^index rooms_lower/,
  ],
  [
    'an index the code does not know',
    'create index beds_room_id on drifting.beds (room_id)',
    /^index beds_room_id is in the database/,
  ],
  [
    'a missing foreign key',
    'alter table drifting.beds drop constraint beds_room',
    /^foreign key beds_room is in the code/,
  ],
])('%s is found', async (_, change, sentence) => {
  await database.admin(change);
  const [first, ...more] = await drizzleDrift(database, 'drifting', tables);
  expect(first).toMatch(sentence);
  expect(more).toEqual([]);
});

test('a table that only one side knows is found, from either side', async () => {
  const onlyRooms = await drizzleDrift(database, 'drifting', { rooms });
  expect(onlyRooms).toContain('table beds is in the database (present) but not in the code');
  await database.admin('drop table drifting.beds');
  const onlyInCode = await drizzleDrift(database, 'drifting', tables);
  expect(onlyInCode).toContain('table beds is in the code (present) but not in the database');
});

test('a comparison that looked at nothing does not pass', async () => {
  await database.admin('create schema if not exists barren');
  expect(await drizzleDrift(database, 'drifting', {})).not.toEqual([]);
  expect(await drizzleDrift(database, 'barren', tables)).not.toEqual([]);
});
