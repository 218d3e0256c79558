import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { signal, waitUntil } from '@ghasi/testing/signal';
import { carriesCommit, targetOf, tcpProxy, type Verdict } from '@ghasi/testing/tcp-proxy';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBootId, settleCommit } from './commit-outcome.ts';
import { openClient, openDatabase } from './database.ts';
import { sql } from './drizzle.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { scratch } from './fixtures/scratch.ts';
import { migrate } from './migrate.ts';
import { roleUrl } from './roles.ts';
import { execute } from './sql.ts';
import { repeatableTransaction, tenantTransaction } from './tenant-transaction.ts';
import { tenantWrite } from './tenant-write.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
});
afterAll(() => database.drop());

const OPERATIONS = 240;

test.each(['before COMMIT', 'in one packet with COMMIT', 'together with others'])(
  `${OPERATIONS} operations written %s, over connections cut at COMMIT, half before and half after it reached the server: every outcome is told right and no effect is doubled`,
  async when => {
    let commits = 0;
    let cuts = 0;
    const proxy = await tcpProxy({
      target: targetOf(database.adminUrl),
      judge(chunk): Verdict {
        if (!carriesCommit(chunk)) return 'pass';
        // Two of three commits are cut, alternately on this side and on the far side of the server's work.
        const verdict = (['cut-before', 'cut-after', 'pass'] as const)[commits++ % 3] as Verdict;
        if (verdict !== 'pass') cuts++;
        return verdict;
      },
    });
    const errors: string[] = []; // what is settled is nothing to be told as lost
    const log = { warn() {}, error: (_of: object, text: string) => errors.push(text) } as unknown as Logger;
    const url = proxy.through(database.roleUrl('svc_scratch'));
    const db = openDatabase({ url, service: 'cut', max: 4, log });
    const tenantId = newTenantId();
    const told = { committed: 0, aborted: 0, wrong: [] as string[] };

    async function operation(entry: string): Promise<void> {
      const row = sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, ${entry})`;
      const who = { tenantId, actor: testActor };
      const attempt = () => {
        if (when === 'together with others')
          return tenantWrite(db, who, ({ tx, write }) => write(execute(tx, row)));
        return tenantTransaction(db, who, async ({ tx, write }) => {
          if (when === 'before COMMIT') return void (await execute(tx, row));
          await execute(tx, sql`select 1`); // or the row would leave with BEGIN
          write(execute(tx, row));
        });
      };
      const stored = () => database.admin('select 1 from scratch.journal where entry = $1', [entry]);
      for (;;) {
        const outcome = await attempt().then(
          () => 'committed' as const,
          () => 'aborted' as const,
        );
        told[outcome]++;
        const found = (await stored()).length;
        if (found !== (outcome === 'committed' ? 1 : 0))
          told.wrong.push(`${entry}: told ${outcome}, found ${found}`);
        if (outcome === 'committed') return;
      }
    }

    const entries = Array.from({ length: OPERATIONS }, (_, n) => `operation ${n} written ${when}`);
    const worker = async () => {
      for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) await operation(entry);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    await db.close();
    await proxy.close();

    // Two lines of two operations each: a cut strikes both of a line.
    expect(cuts).toBeGreaterThanOrEqual(when === 'together with others' ? 100 : 200);
    expect(told.wrong).toEqual([]);
    expect(errors).toEqual([]);
    expect(told.committed).toBe(OPERATIONS);
    expect(told.aborted).toBeGreaterThan(OPERATIONS / 3); // the cuts before delivery; the ones after it were settled as committed
    const doubled = await database.admin(
      'select entry from scratch.journal group by entry having count(*) <> 1',
    );
    expect(doubled).toEqual([]);
  },
);

test.each([
  ['in the life of the server in which it began', 'same', 'commit', 'committed'],
  // A pooler keeps our connection through a crash, and what we remember of the server is older than the transaction.
  ['on a connection that is older than the server', 'older', 'commit', 'unknown'],
  ['on such a connection, and is rolled back', 'older', 'rollback', 'aborted'],
])('a transaction that still runs %s is waited for', async (_where, life, end, outcome) => {
  const askedTwice = signal();
  let questions = 0;
  const proxy = await tcpProxy({
    target: targetOf(database.adminUrl),
    judge(chunk) {
      if (chunk.includes('pg_xact_status') && ++questions === 2) askedTwice.fire();
      return 'pass';
    },
  });
  const client = await openClient(database.adminUrl, 'slow');
  const bootId = await readBootId(client); // now: whoever asks first writes it down, and others would wait for that
  await client.query('begin');
  const { rows } = await client.query('select pg_current_xact_id()::text as xid');
  const mark = {
    xid: rows[0].xid as string,
    bootId: life === 'same' ? bootId : randomUUID(),
  };
  const verdict = settleCommit(proxy.through(database.adminUrl), mark);
  await askedTwice.promise; // the first answer was "in progress", and that was no verdict
  await client.query(end);
  expect(await verdict).toBe(outcome);
  expect(await settleCommit(database.adminUrl, { ...mark, xid: '18446744073709000000' })).toBe('aborted');
  await client.end();
  await proxy.close();
});

test.each([
  ['53100', 'COMMIT_UNKNOWN'], // the disk is full
  ['58030', 'COMMIT_UNKNOWN'], // an fsync that failed
  ['F0001', 'COMMIT_UNKNOWN'],
  ['XX000', 'COMMIT_UNKNOWN'],
  ['23514', '23514'],
])(
  'safety F4: whoever repeats its work is told %s at COMMIT as %s: a server in trouble does not know how it ended',
  async (state, code) => {
    await database.admin(`
    create or replace function scratch.trouble() returns trigger language plpgsql
      as $$ begin raise exception 'trouble' using errcode = new.entry; end $$;
    drop trigger if exists trouble on scratch.journal;
    create constraint trigger trouble after insert on scratch.journal deferrable initially deferred
      for each row when (new.entry ~ '^[0-9A-Z]{5}$') execute function scratch.trouble()`);
    const db = database.open('scratch');
    const tenantId = newTenantId();
    const work = repeatableTransaction(db, { tenantId, actor: testActor }, ({ tx }) =>
      execute(tx, sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, ${state})`),
    );
    await expect(work).rejects.toMatchObject({ code });
  },
);

test('after a crash a number that was drawn again is never taken for our own commit', async () => {
  const folder = await memoryFolder('melm-crash-');
  const secret = 'crash-test-secret-of-32-characters-x';
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), password: secret });
  try {
    await migrate(server.adminUrl, [scratch], { secret });
    const url = roleUrl(server.adminUrl, 'svc_scratch', secret);
    const doomed = await openClient(url, 'doomed');
    await doomed.query('begin');
    const { rows } = await doomed.query('select pg_current_xact_id()::text as xid, pg_backend_pid() as pid');
    const mark = { xid: rows[0].xid as string, bootId: await readBootId(doomed) };
    process.kill(rows[0].pid, 'SIGKILL'); // one backend killed makes the server throw all memory away and recover

    // Life goes on, and soon somebody else draws the same number and commits.
    const db = openDatabase({ url, service: 'after', max: 1 });
    const tenantId = newTenantId();
    await waitUntil('the number is drawn and committed again', async () => {
      const probe = await openClient(url, 'probe').catch(() => undefined);
      if (probe === undefined) return false;
      await tenantTransaction(db, { tenantId, actor: testActor }, ({ tx }) =>
        execute(tx, sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, 'other')`),
      ).catch(() => {});
      const status = await probe
        .query('select pg_xact_status($1::xid8) as s', [mark.xid])
        .catch(() => undefined);
      await probe.end();
      return status?.rows[0].s === 'committed';
    });
    expect(await settleCommit(url, mark)).toBe('unknown');
    await db.close();
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
