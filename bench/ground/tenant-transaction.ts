import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { startEmbeddedPostgres } from '@ghasi/db/embedded';
import { migrate } from '@ghasi/db/migrate';
import { roleUrl } from '@ghasi/db/roles';
import { execute } from '@ghasi/db/sql';
import { stopOnSignal } from '@ghasi/db/stop-on-signal';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import pg from 'pg';
import { type BenchOptions, type Measured, measure, ratio, type Variant } from '../measure.ts';

const CONNECTIONS = 16;
const SECRET = 'benchmark-only-secret-of-32-characters';
const payload = JSON.stringify({ filler: 'x'.repeat(1_000) });

/** Tenant transactions against the same work written by hand on `pg`, on one server with fsync on. */
export async function run(options: BenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'melm-bench-'));
  await chmod(folder, 0o711);
  const starting = startEmbeddedPostgres({ dataDir: join(folder, 'pg'), password: SECRET });
  const { forget, notEnding } = stopOnSignal(starting);
  const server = await starting;
  try {
    const set = { schema: 'bench', folder: new URL('./migrations/', import.meta.url) };
    await migrate(server.localUrl, [set], { secret: SECRET });
    const url = roleUrl(server.localUrl, 'svc_bench', SECRET);
    const plain = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    const db = openDatabase({ url, service: 'bench', max: CONNECTIONS });
    const measured = await measure(variants(plain, db), { workers: CONNECTIONS, ...options });
    await plain.end();
    await db.close();
    const { version } = (await import('pg/package.json', { with: { type: 'json' } })).default;
    report(measured, { ...options, pg: version });
  } finally {
    await notEnding();
    await server.stop();
    forget();
    await rm(folder, { recursive: true, force: true });
  }
}

const bookingSql = 'insert into bench.bookings (tenant_id, id, guest) values ($1, $2, $3)';
const eventSql = 'insert into bench.events (tenant_id, id, payload) values ($1, $2, $3)';

function variants(plain: pg.Pool, db: ReturnType<typeof openDatabase>): Variant[] {
  const tenantId = parseTenantId(uuid7());
  const who = { tenantId, actor: { type: 'system', id: 'bench' } as const };
  return [
    {
      name: 'pg, five awaited statements',
      note: 'BEGIN, set_config, insert, insert, COMMIT: what most code does',
      async once() {
        const client = await plain.connect();
        try {
          const id = uuid7();
          await client.query('begin');
          await client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
          await client.query(bookingSql, [tenantId, id, 'guest']);
          await client.query(eventSql, [tenantId, id, payload]);
          await client.query('commit');
        } finally {
          client.release();
        }
      },
    },
    {
      name: 'tenantTransaction, awaited inserts',
      note: 'ordinary handler code; outcome settled on a lost COMMIT',
      once: () =>
        tenantTransaction(db, who, async ({ tx }) => {
          const id = uuid7();
          await execute(
            tx,
            sql`insert into bench.bookings (tenant_id, id, guest) values (${tenantId}, ${id}, 'guest')`,
          );
          await execute(
            tx,
            sql`insert into bench.events (tenant_id, id, payload) values (${tenantId}, ${id}, ${payload})`,
          );
        }),
    },
    {
      name: 'tenantTransaction, inserts sent together',
      note: 'the same with Promise.all: two round trips in all',
      once: () =>
        tenantTransaction(db, who, async ({ tx }) => {
          const id = uuid7();
          await Promise.all([
            execute(
              tx,
              sql`insert into bench.bookings (tenant_id, id, guest) values (${tenantId}, ${id}, 'guest')`,
            ),
            execute(
              tx,
              sql`insert into bench.events (tenant_id, id, payload) values (${tenantId}, ${id}, ${payload})`,
            ),
          ]);
        }),
    },
    {
      name: 'pg, one string of statements',
      note: 'values pasted into the text: not safe for real data',
      once: () => {
        const id = uuid7();
        // house-ok raw-sql: this is what the variant is about, and the values are our own
        return plain.query(
          `begin; select set_config('app.tenant_id', '${tenantId}', true);
           insert into bench.bookings (tenant_id, id, guest) values ('${tenantId}', '${id}', 'guest');
           insert into bench.events (tenant_id, id, payload) values ('${tenantId}', '${id}', '${payload}'); commit`,
        );
      },
    },
    {
      name: 'pg, one statement (ceiling)',
      note: 'one CTE, one round trip, no decision possible in between',
      once: () =>
        plain.query(
          `with tenant as (select set_config('app.tenant_id', $1, true)::uuid as id),
                booking as (insert into bench.bookings (tenant_id, id, guest) select id, $2, 'guest' from tenant)
           insert into bench.events (tenant_id, id, payload) select id, $2, $3 from tenant`,
          [tenantId, uuid7(), payload],
        ),
    },
  ];
}

function report(measured: Measured[], options: BenchOptions & { pg: string }): void {
  if (options.json) {
    console.log(JSON.stringify({ benchmark: 'ground', options, measured }));
    return;
  }
  const [awaited, ceiling] = [measured[0] as Measured, measured.at(-1) as Measured];
  console.log(
    `\nTenant transaction: tenant set + 2 inserts (1 KB), ${CONNECTIONS} connections, PostgreSQL 18 with fsync, pg ${options.pg}, Node ${process.version}, ${cpus().length} cores; median of ${options.rounds} rounds of ${options.seconds} s\n`,
  );
  console.log(
    `${''.padEnd(42)} ${'tx/s'.padStart(8)} ${'vs awaited'.padStart(11)} ${'vs ceiling'.padStart(11)}`,
  );
  for (const result of measured) {
    const { name, median, note } = result;
    const times = (of: Measured) => `${ratio(result, of).toFixed(2)} x`.padStart(11);
    console.log(
      `${name.padEnd(42)} ${median.toFixed(0).padStart(8)} ${times(awaited)} ${times(ceiling)}   ${note}`,
    );
  }
}
