import { coreErrors } from '@ghasi/domain-primitives/errors';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockEntity, lockNumber } from './advisory-lock.ts';
import type { Database } from './database.ts';
import { sql } from './drizzle.ts';
import { scratch } from './fixtures/scratch.ts';
import { assertUpdated, CONFLICT_RETRIES, conflict, retryOnConflict, touch } from './optimistic.ts';
import { execute, row, type Tx } from './sql.ts';
import { tenantTransaction } from './tenant-transaction.ts';

let database: TestDatabase;
let db: Database;
const who = { tenantId: newTenantId(), actor: testActor };
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
  db = database.open('scratch');
});
afterAll(() => database.drop());

type Note = { body: string; version: number };
const read = (id: string) =>
  tenantTransaction(db, who, async ({ tx }) =>
    row<Note>(tx, sql`select body, version from scratch.notes where id = ${id}`),
  );

async function makeNote(body: string): Promise<string> {
  const made = await tenantTransaction(db, who, ({ tx, tenantId }) =>
    row<{ id: string }>(
      tx,
      sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, ${body}) returning id`,
    ),
  );
  return made?.id as string;
}

const append = (id: string, letter: string) =>
  tenantTransaction(db, who, async ({ tx }) => {
    const note = (await row<Note>(tx, sql`select body, version from scratch.notes where id = ${id}`)) as Note;
    const touched = await execute(
      tx,
      sql`update scratch.notes set body = ${note.body + letter}, version = version + 1 where id = ${id} and version = ${note.version}`,
    );
    assertUpdated(touched, 'note');
  });

test.each(['BEGIN', 'COMMIT'])(
  'LOCK-07: a change that does not find its row, sent in one packet with %s, fails its transaction, though nobody waits for it',
  async leavesWith => {
    const id = await makeNote(`touched with ${leavesWith}`);
    const change = (version: number, body: string) =>
      tenantTransaction(db, who, async ({ tx, tenantId, write }) => {
        if (leavesWith === 'COMMIT') await execute(tx, sql`select 1`);
        write(
          execute(
            tx,
            sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, ${`${body} too`})`,
          ),
        );
        const update = sql`update scratch.notes set body = ${body}, version = version + 1 where id = ${id} and version = ${version}`;
        write(touch(tx, update, conflict('note')));
      });
    const right = `right, with ${leavesWith}`;
    await expect(change(7, 'wrong')).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await change(1, right);
    expect(await read(id)).toEqual({ body: right, version: 2 });
    const beside = await tenantTransaction(db, who, ({ tx }) =>
      row<{ all: string[] }>(
        tx,
        sql`select array_agg(body) as all from scratch.notes where body in ('wrong too', ${`${right} too`})`,
      ),
    );
    expect(beside?.all).toEqual([`${right} too`]);
  },
);

test('LOCK-01, LOCK-07: of many writers every success is kept and every loser hears VERSION_CONFLICT', async () => {
  const id = await makeNote('log:');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, () => retryOnConflict(() => append(id, 'x'))),
  );
  const won = outcomes.filter(outcome => outcome.status === 'fulfilled').length;
  const lost = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(won).toBeGreaterThan(0);
  for (const reason of lost) expect(reason).toMatchObject({ code: 'VERSION_CONFLICT' });
  expect(await read(id)).toEqual({ body: `log:${'x'.repeat(won)}`, version: 1 + won });
});

test('LOCK-01: a lost race is run again up to 3 times and counted, other errors never', async () => {
  let runs = 0;
  const metrics = createMetrics();
  const conflict = retryOnConflict(
    async () => {
      runs++;
      throw coreErrors.VERSION_CONFLICT({ entity: 'note' });
    },
    { db: { service: 'notes', metrics } },
  );
  await expect(conflict).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  expect(runs).toBe(1 + CONFLICT_RETRIES);
  expect(await metrics.render()).toContain('melmastoon_db_conflict_retries_total{service="notes"} 3');
  runs = 0;
  const broken = retryOnConflict(async () => {
    runs++;
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(runs).toBe(1);
});

test('VAL-18, X-020: two transactions that lock each other out are both done in the end', async () => {
  const [first, second] = [await makeNote('a'), await makeNote('b')];
  const [firstHeld, secondHeld] = [signal(), signal()];
  let runs = 0;
  const touch = (tx: Tx, id: string, mark: string) =>
    execute(tx, sql`update scratch.notes set body = body || ${mark} where id = ${id}`);
  await Promise.all([
    retryOnConflict(() =>
      tenantTransaction(db, who, async ({ tx }) => {
        runs++;
        await touch(tx, first, '1');
        firstHeld.fire();
        await secondHeld.promise;
        await touch(tx, second, '1');
      }),
    ),
    retryOnConflict(() =>
      tenantTransaction(db, who, async ({ tx }) => {
        runs++;
        await touch(tx, second, '2');
        secondHeld.fire();
        await firstHeld.promise;
        await touch(tx, first, '2');
      }),
    ),
  ]);
  expect(runs).toBeGreaterThanOrEqual(3); // the server ended one of them, and it was run again
  expect((await read(first))?.body).toHaveLength(3);
  expect((await read(second))?.body).toHaveLength(3);
});

test('LOCK-02, LOCK-08: the lock of an entity lets one transaction in at a time', async () => {
  let inside = 0;
  let most = 0;
  const entity = { type: 'note', id: 'n1' };
  await Promise.all(
    Array.from({ length: 8 }, () =>
      tenantTransaction(db, who, async ({ tx, tenantId }) => {
        await lockEntity(tx, tenantId, entity);
        most = Math.max(most, ++inside);
        await execute(tx, sql`select 1`);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
});

test('LOCK-08: lock numbers differ by tenant, type and id, whatever the texts contain', () => {
  const numbers = [
    lockNumber('t', 'room', '1'),
    lockNumber('t', 'room1', ''),
    lockNumber('troom', '1', ''),
    lockNumber('u', 'room', '1'),
    lockNumber('t', 'room', '2'),
  ];
  expect(new Set(numbers).size).toBe(numbers.length);
});
