import type { Service } from '@ghasi/backbone/define-service';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { System } from './system.ts';

/** Rows of a service that belong to one tenant, one line each, sorted: `table {"column": …}`. */
export type Effects = readonly string[];

/** Bookkeeping: says that something was handled, not what it did. */
const BOOKS = ['inbox', 'inbox_floor', 'outbox_key', 'outbox_quarantine', 'schema_migrations', 'idempotency'];

/** Everything a service has written for a tenant: its tables, the events in its outbox, its jobs. */
export async function effectsOf(
  system: System,
  { schema }: Pick<Service, 'schema'>,
  tenantId: TenantId,
): Promise<Effects> {
  const lines = [
    ...(await tableRows(system, schema, tenantId)),
    ...(await jobRows(system, schema, tenantId)),
  ];
  return lines.sort();
}

async function tableRows(system: System, schema: string, tenantId: TenantId): Promise<string[]> {
  const text = await statementFor(system, schema);
  if (text === null) return [];
  const rows = await system.query<{ name: string; row: Record<string, unknown> }>(schema, text, [tenantId]);
  return rows.map(({ name, row }) => `${name} ${JSON.stringify(name === 'outbox' ? eventIn(row) : row)}`);
}

/** Statements of systems that were looked at: their tables stay as they are. */
const statements = new WeakMap<System, Map<string, string | null>>();

/** Reads every table of a schema at once; null where none belongs to tenants. Sequences say when, not what: left out. */
async function statementFor(system: System, schema: string): Promise<string | null> {
  const known = statements.get(system) ?? new Map<string, string | null>();
  statements.set(system, known);
  if (known.has(schema)) return known.get(schema) as string | null;
  const [made] = await system.query<{ text: string | null }>(
    schema,
    `select string_agg(
              format('select %L as name, to_jsonb(t) - %L::text[] as row from %I t where t.tenant_id = $1',
                     c.relname,
                     array(select a.attname::text from pg_attribute a
                           where a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped),
                     c.relname),
              ' union all ') as text
     from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not c.relname = any($2)
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')`,
    [schema, BOOKS],
  );
  known.set(schema, made?.text ?? null);
  return made?.text ?? null;
}

/** What an outbox row says; ids, times and signature of its envelope are its own. */
function eventIn(row: Record<string, unknown>): object {
  const { topic, aggregate_id, aggregate_version, idempotency_key, envelope } = row;
  const { payload } = envelope as { payload: unknown };
  return { topic, aggregate_id, aggregate_version, idempotency_key, payload };
}

async function jobRows(system: System, schema: string, tenantId: TenantId): Promise<string[]> {
  const rows = await system.query<{ line: string }>(
    'jobs',
    `select 'job ' || name || ' ' || data as line
     from job
     where tenant_id = $1 and split_part(name, '.', 1) = $2`,
    [tenantId, schema],
  );
  return rows.map(({ line }) => line);
}

/**
 * The same for every tenant and every run: the tenant, ids made on the way and times are replaced by words. `volatile`
 * columns (`table.column`) are left out, e.g. a secret that is drawn.
 */
export function comparable(effects: Effects, tenantId: TenantId, volatile: readonly string[] = []): Effects {
  return effects
    .map(line =>
      withoutVolatile(line, volatile)
        .replaceAll(tenantId, '<tenant>')
        .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
        .replaceAll(/\b[a-z]{2,6}_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, '<id>')
        .replaceAll(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, '<ulid>')
        .replaceAll(/\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b/g, '<trace>')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)/g, '<time>'),
    )
    .sort();
}

function withoutVolatile(line: string, volatile: readonly string[]): string {
  const space = line.indexOf(' ');
  const table = line.slice(0, space);
  const columns = volatile.filter(name => name.startsWith(`${table}.`));
  if (columns.length === 0) return line;
  const row = JSON.parse(line.slice(space + 1)) as Record<string, unknown>;
  for (const name of columns) delete row[name.slice(table.length + 1)];
  return `${table} ${JSON.stringify(row)}`;
}

/** What differs between two lists of effects, one line each: `-` is missing, `+` is too much. */
export function difference(expected: Effects, found: Effects): string[] {
  const left = [...found];
  const missing = expected.filter(line => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...missing.map(line => `- ${line}`), ...left.map(line => `+ ${line}`)];
}
