import { and, eq, getTableColumns, inArray, Param, SQL, sql } from 'drizzle-orm';
import {
  alias,
  customType,
  jsonb,
  PgDialect,
  pgEnum,
  pgSchema,
  QueryBuilder,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QuickDialect } from './quick-dialect.ts';

// The law: whatever the statement, text and parameters are those that Drizzle itself would send.

const dialects = { drizzle: new PgDialect(), quick: new QuickDialect() };
const upper = customType<{ data: string }>({
  dataType: () => 'text',
  toDriver: value => sql`upper(${value})`,
});
const hotel = pgSchema('hotel');
const rooms = hotel.table('ro"oms', {
  id: uuid('id').primaryKey(),
  name: text('na"me'),
  kind: hotel.enum('kind', ['single', 'double'])('kind'),
  notes: jsonb('notes'),
  loud: upper('loud'),
  since: timestamp('since', { withTimezone: true, mode: 'date' }),
});
const sibling = alias(rooms, 'sibling');
const select = new QueryBuilder();
const at = new Date('2026-03-21T00:00:00Z');
const subquery = select.select({ id: rooms.id }).from(rooms).where(eq(rooms.name, 'a')).as('chosen');

function same(statement: SQL): void {
  const { sql: text, params } = dialects.drizzle.sqlToQuery(statement);
  expect(dialects.quick.sqlToQuery(statement)).toMatchObject({ sql: text, params });
}

describe('statements are written as Drizzle writes them', () => {
  it.each<[string, SQL]>([
    ['nothing', sql``],
    ['values of every kind', sql`select ${1}, ${'a'}, ${null}, ${true}, ${at}, ${10n}, ${{ a: 1 }}`],
    ['an undefined part', sql`select 1 ${undefined}`],
    ['tables and columns', sql`select ${rooms.id} from ${rooms} where ${rooms.name} = ${'a'}`],
    ['an aliased table', sql`select ${sibling.id} from ${rooms} ${sibling} where ${sibling.since} < ${at}`],
    ['names with quotes', sql`select ${sql.identifier('a"b')}`],
    ['a list of values', sql`select 1 where 1 in ${[1, 2, 3]} or 2 in ${[]}`],
    [
      'nested statements',
      sql`with a as (${sql`select ${1}`}) select ${sql.join([sql`${2}`, sql`${3}`], sql`, `)}`,
    ],
    ['raw text', sql`select ${sql.raw('now()')}`],
    ['inlined values', sql`select ${sql`${"it's"}`.inlineParams()}, ${2}`],
    ['encoders', sql`select ${new Param({ a: [1] }, rooms.notes)}, ${new Param(at, rooms.since)}`],
    ['an encoder that answers with a statement', sql`select ${new Param('a', rooms.loud)}, ${2}`],
    ['a placeholder', sql`select ${sql.placeholder('a')}, ${new Param(sql.placeholder('b'), rooms.notes)}`],
    ['an alias', sql`select ${sql`1`.as('one')}`],
    ['an enum', sql`select ${'single'}::${pgEnum('plain', ['a'])}`],
    ['a subquery', sql`select * from ${subquery} where ${subquery.id} = ${'a'}`],
    ['conditions', sql`select 1 where ${and(eq(rooms.name, 'a'), inArray(rooms.id, ['b', 'c']), undefined)}`],
    [
      'a statement of the builder',
      select
        .select({ ...getTableColumns(rooms), other: sibling.id, n: sql<number>`count(*)`.as('n') })
        .from(rooms)
        .leftJoin(sibling, eq(sibling.name, rooms.name))
        .where(eq(rooms.since, at))
        .orderBy(rooms.id)
        .limit(3)
        .for('update')
        .getSQL(),
    ],
  ])('%s', (_, statement) => same(statement));

  it.each<[string, (from: QueryBuilder) => { getSQL(): SQL }]>([
    ['all columns of a table', of => of.select().from(rooms).where(eq(rooms.name, 'a')).for('update')],
    ['all columns, in order', of => of.selectDistinct().from(rooms).orderBy(rooms.id).limit(2).offset(1)],
    ['all columns of an alias', of => of.select().from(sibling).where(eq(sibling.name, 'a'))],
    ['columns under other names', of => of.select({ one: rooms.id, two: rooms.name }).from(rooms)],
    ['all columns of a subquery', of => of.select().from(subquery)],
    ['two tables', of => of.select().from(rooms).innerJoin(sibling, eq(sibling.id, rooms.id))],
    [
      'a union',
      of =>
        of
          .select()
          .from(rooms)
          .union(of.select().from(rooms).where(eq(rooms.name, 'b'))),
    ],
  ])('a selection of %s, the first time and later', (_, query) => {
    const expected = dialects.drizzle.sqlToQuery(query(new QueryBuilder(dialects.drizzle)).getSQL());
    for (let time = 0; time < 2; time++) {
      const { sql: text, params } = dialects.quick.sqlToQuery(
        query(new QueryBuilder(dialects.quick)).getSQL(),
      );
      expect({ text, params }).toEqual({ text: expected.sql, params: expected.params });
    }
  });

  it('whatever parts are put together, however deep', () => {
    const { part } = fc.letrec<{ part: unknown; leaf: unknown; statement: SQL }>(tie => ({
      part: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('statement'), fc.array(tie('leaf'), { maxLength: 3 })),
      leaf: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.bigInt(),
        fc.date({ noInvalidDate: true }),
        fc.constantFrom(null, undefined, rooms, rooms.name, sibling, sibling.kind, subquery),
        fc.string().map(name => sql.identifier(name)),
        fc.string().map(value => new Param(value, rooms.loud)),
      ),
      statement: fc.array(tie('part'), { maxLength: 5 }).map(parts => new SQL(parts as never)),
    }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), parts => same(new SQL(parts as never))),
      {
        numRuns: 500,
      },
    );
  });
});
