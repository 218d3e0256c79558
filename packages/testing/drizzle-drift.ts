import { is, SQL } from '@ghasi/db/drizzle';
import { getTableConfig, type IndexedColumn, type PgColumn, type PgTable } from '@ghasi/db/drizzle-tables';
import type { TestDatabase } from './database.ts';

/** Tables of a service's schema that packages make and query without Drizzle. */
const OF_THE_GROUND = [
  'schema_migrations',
  'idempotency',
  'outbox',
  'outbox_key',
  'outbox_quarantine',
  'outbox_archive',
  'inbox',
  'inbox_floor',
];

/** What one side knows, one line per fact: `column tenants.name` is `text not null`. */
type Facts = Map<string, string>;

/**
 * Compares Drizzle tables with a migrated schema in both directions and returns every difference as a sentence:
 * tables, columns with type, nullability, defaults and closed lists (CHECK against `enum`), primary keys, unique
 * constraints, indexes and foreign keys. Empty when they are equal.
 */
export async function drizzleDrift(
  database: Pick<TestDatabase, 'admin'>,
  schema: string,
  tables: Readonly<Record<string, PgTable>>,
): Promise<string[]> {
  const inCode: Facts = new Map(Object.values(tables).flatMap(table => factsOfTable(schema, table)));
  const inDatabase = await factsOfSchema(database, schema);
  if (inCode.size === 0 || inDatabase.size === 0) return [`schema ${schema}: one side has no table at all`];
  const keys = [...new Set([...inCode.keys(), ...inDatabase.keys()])].sort();
  return keys.flatMap(key => {
    const [code, stored] = [inCode.get(key), inDatabase.get(key)];
    if (code === stored) return [];
    if (stored === undefined) return [`${key} is in the code (${code}) but not in the database`];
    if (code === undefined) return [`${key} is in the database (${stored}) but not in the code`];
    return [`${key} is "${code}" in the code and "${stored}" in the database`];
  });
}

function factsOfTable(schema: string, table: PgTable): [string, string][] {
  const config = getTableConfig(table);
  const name = config.schema === schema ? config.name : `${config.schema}.${config.name}`;
  const inline = config.columns.filter(column => column.primary).map(column => column.name);
  const keys = [...config.primaryKeys.map(key => key.columns.map(column => column.name)), inline];
  return [
    [`table ${name}`, 'present'],
    ...config.columns.map(column => fact(`column ${name}.${column.name}`, columnInCode(column))),
    ...keys.filter(key => key.length > 0).map(key => fact(`primary key of ${name}`, list(key))),
    ...config.columns
      .filter(column => column.isUnique)
      .map(column =>
        fact(`unique ${column.uniqueName}`, uniqueness([column.name], column.uniqueType === 'not distinct')),
      ),
    ...config.uniqueConstraints.map(({ name: own, columns, nullsNotDistinct }) =>
      fact(
        `unique ${own}`,
        uniqueness(
          columns.map(column => column.name),
          nullsNotDistinct,
        ),
      ),
    ),
    ...config.indexes.map(({ config: { name: own, columns, unique, where } }) =>
      fact(
        `index ${own}`,
        indexed({ table: name, columns: columns.map(indexColumn), unique, partial: where !== undefined }),
      ),
    ),
    ...config.foreignKeys.map(key => {
      const { columns, foreignTable, foreignColumns } = key.reference();
      const target = `${getTableConfig(foreignTable).name} ${list(foreignColumns.map(column => column.name))}`;
      return fact(`foreign key ${key.getName()}`, `${list(columns.map(column => column.name))} to ${target}`);
    }),
  ];
}

function columnInCode(column: PgColumn): string {
  const isSerial = /serial/.test(column.getSQLType());
  const fills = column.default !== undefined || column.generated || column.generatedIdentity || isSerial;
  const type = spelling(column.getSQLType());
  return columnFact(type, { notNull: column.notNull, fills: Boolean(fills), values: valuesInCode(column) });
}

function valuesInCode(column: PgColumn): string[] {
  const of = 'baseColumn' in column ? (column.baseColumn as PgColumn) : column;
  return of.enumValues ?? [];
}

const longNames: Record<string, string> = {
  varchar: 'character varying',
  char: 'character',
  serial: 'integer',
  smallserial: 'smallint',
  bigserial: 'bigint',
  decimal: 'numeric',
  timestamp: 'timestamp without time zone',
  time: 'time without time zone',
};

/** Drizzle's short spelling of a type as PostgreSQL's `format_type` has it. */
function spelling(type: string): string {
  const tight = type.replace(/ \((\d)/g, '($1').replace(/, /g, ',');
  return tight.replace(/^([a-z]+)(?=$|\(|\[)/, word => longNames[word] ?? word);
}

function indexColumn(column: Partial<IndexedColumn | SQL>): string {
  return is(column, SQL) ? '(expression)' : String((column as IndexedColumn).name);
}

type Row = { key: string; kind: string } & Record<string, unknown>;

async function factsOfSchema(database: Pick<TestDatabase, 'admin'>, schema: string): Promise<Facts> {
  const ask = (text: string) => database.admin<Row>(text, [schema, OF_THE_GROUND]);
  const facts: Facts = new Map();
  for (const { table } of await ask(tablesQuery)) facts.set(`table ${table}`, 'present');
  const closed = new Map((await ask(closedListsQuery)).map(row => [row.column, literals(String(row.rule))]));
  for (const { column, type, not_null, fills } of await ask(columnsQuery)) {
    const values = closed.get(column) ?? [];
    facts.set(
      `column ${column}`,
      columnFact(String(type), { notNull: not_null === true, fills: fills === true, values }),
    );
  }
  for (const { table, name, kind, columns, loose, target } of await ask(constraintsQuery)) {
    const own = columns as string[];
    if (kind === 'p') facts.set(`primary key of ${table}`, list(own));
    if (kind === 'u') facts.set(`unique ${name}`, uniqueness(own, loose === true));
    if (kind === 'f') facts.set(`foreign key ${name}`, `${list(own)} to ${target}`);
  }
  for (const { table, name, columns, unique, partial } of await ask(indexesQuery)) {
    const index = { table: String(table), columns: columns as string[], unique: unique === true };
    facts.set(`index ${name}`, indexed({ ...index, partial: partial === true }));
  }
  return facts;
}

/** The texts of `col = ANY (ARRAY['a'::text, …])` or `col <@ ARRAY[…]`; a rule of numbers gives none. */
function literals(rule: string): string[] {
  return [...rule.matchAll(/'((?:[^']|'')*)'/g)].map(match => (match[1] ?? '').replaceAll("''", "'"));
}

function fact(key: string, value: string): [string, string] {
  return [key, value];
}

function columnFact(
  type: string,
  of: { notNull: boolean; fills: boolean; values: readonly string[] },
): string {
  const values = of.values.length > 0 ? ` of ${[...of.values].sort().join('|')}` : '';
  return `${type}${of.notNull ? ' not null' : ''}${of.fills ? ' default' : ''}${values}`;
}

function uniqueness(columns: readonly string[], nullsNotDistinct: boolean): string {
  return `${list(columns)}${nullsNotDistinct ? ' nulls not distinct' : ''}`;
}

function indexed(of: {
  table: string;
  columns: readonly string[];
  unique?: boolean;
  partial: boolean;
}): string {
  return `${of.unique ? 'unique ' : ''}on ${of.table} ${list(of.columns)}${of.partial ? ' partial' : ''}`;
}

function list(names: readonly string[]): string {
  return `(${names.join(', ')})`;
}

const ownTables = `
  select c.oid, c.relname
  from pg_class c
  where c.relnamespace = $1::regnamespace
    and c.relkind in ('r', 'p')
    and not c.relispartition
    and c.relname <> all ($2)`;

const tablesQuery = `select t.relname as table from (${ownTables}) t`;

const columnsQuery = `
  select t.relname || '.' || a.attname as column,
         format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as not_null,
         a.atthasdef or a.attidentity <> '' as fills
  from (${ownTables}) t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped`;

const closedListsQuery = `
  select t.relname || '.' || a.attname as column,
         pg_get_constraintdef(c.oid) as rule
  from (${ownTables}) t
  join pg_constraint c on c.conrelid = t.oid and c.contype = 'c' and cardinality(c.conkey) = 1
  join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
  where pg_get_constraintdef(c.oid) ~ '(= ANY|<@) \\(*ARRAY\\['`;

const constraintsQuery = `
  select t.relname as table,
         c.conname as name,
         c.contype as kind,
         (select array_agg(a.attname::text order by k.at)
          from unnest(c.conkey) with ordinality k (attnum, at)
          join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as columns,
         i.indnullsnotdistinct as loose,
         (select f.relname || ' (' || string_agg(a.attname, ', ' order by k.at) || ')'
          from unnest(c.confkey) with ordinality k (attnum, at)
          join pg_class f on f.oid = c.confrelid
          join pg_attribute a on a.attrelid = f.oid and a.attnum = k.attnum
          group by f.relname) as target
  from (${ownTables}) t
  join pg_constraint c on c.conrelid = t.oid and c.contype in ('p', 'u', 'f')
  left join pg_index i on i.indexrelid = c.conindid`;

const indexesQuery = `
  select t.relname as table,
         x.relname as name,
         i.indisunique as unique,
         i.indpred is not null as partial,
         (select array_agg(coalesce(a.attname::text, '(expression)') order by k.at)
          from unnest(i.indkey::int2[]) with ordinality k (attnum, at)
          left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum and k.attnum > 0
          where k.at <= i.indnkeyatts) as columns
  from (${ownTables}) t
  join pg_index i on i.indrelid = t.oid
  join pg_class x on x.oid = i.indexrelid
  where not exists (
    select 1 from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))`;
