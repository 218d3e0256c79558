import { openClient } from '@ghasi/db/database';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { flawless, judge } from './fixtures/chaos/judge.ts';
import { marketMigrations, OrderChanged } from './fixtures/chaos/market.ts';
import { runChaos } from './fixtures/chaos/run-chaos.ts';

// The long form: npm run chaos -- --events 1000000 --kills 500
const seed = Number(process.env.TEST_SEED);
const EVENTS = 20_000;
const KILLS = 60;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ migrations: marketMigrations });
});
afterAll(() => database.drop());

test(`OUTBOX-01, OUTBOX-05, OUTBOX-38, INBOX-02, INBOX-09, ORD-02: ${EVENTS} events, ${KILLS} kills, broken lines, errors and duplicates: one effect each, in order`, async () => {
  console.info(`chaos: seed ${seed} (again: TEST_SEED=${seed})`);
  const report = await runChaos({ place: database, events: EVENTS, kills: KILLS, seed });
  const { verdict, examples, committed, counts, liars, broken } = report;
  console.info(`chaos: ${committed} committed, ${JSON.stringify(counts)}`);
  expect(verdict, examples.join('\n')).toEqual(flawless);
  expect(liars, 'said to be rolled back, and there nevertheless').toEqual([]);
  expect(broken, 'said to have committed, and not there').toEqual([]);
  // It looked: all of this happened.
  expect(committed).toBeGreaterThanOrEqual(EVENTS);
  expect(Object.values(counts.kills).reduce((sum, kills) => sum + kills)).toBe(KILLS);
  for (const kills of Object.values(counts.kills)) expect(kills).toBeGreaterThan(0);
  expect(counts.cutsBefore).toBeGreaterThan(20);
  expect(counts.cutsAfter).toBeGreaterThan(20);
  expect(counts.errors).toBeGreaterThan(100);
  expect(counts.terminated).toBe(KILLS);
  expect(counts.duplicates).toBeGreaterThanOrEqual(EVENTS / 100);
  expect(counts.aborted).toBeGreaterThan(100);
  expect(counts.told).toBeGreaterThan(EVENTS / 10); // of one to five changes each
}, 900_000);

describe('the judge', () => {
  let planted: TestDatabase;
  let admin: Client;
  const tenantId = uuid7();
  beforeAll(async () => {
    planted = await testDatabase({ migrations: marketMigrations });
    admin = await openClient(planted.adminUrl, 'judge');
  });
  beforeEach(async () => {
    for (const table of ['orders.changes', 'orders.outbox', 'stock.effects', 'mail.effects'])
      await planted.admin(`delete from ${table}`);
    for (const version of [1, 2, 3]) {
      await change(version);
      await effect('stock', version);
      await effect('mail', version);
    }
  });
  afterAll(async () => {
    await admin.end();
    await planted.drop();
  });

  const change = (version: number) =>
    admin.query(
      `insert into orders.changes (tenant_id, order_id, version, intent, producer) values ($1, 'o1', $2, $3, 0)`,
      [tenantId, version, `i${version}`],
    );
  const statements = {
    stock:
      'insert into stock.effects (tenant_id, subject, order_id, version, intent) values ($1, $2, $3, $4, $5)',
    mail: 'insert into mail.effects (tenant_id, subject, order_id, version, intent) values ($1, $2, $3, $4, $5)',
  };
  const effect = (service: 'stock' | 'mail', version: number, intent = `i${version}`) =>
    admin.query(statements[service], [tenantId, OrderChanged.subject, 'o1', version, intent]);

  test('finds nothing where nothing is wrong', async () => {
    expect((await judge(admin)).verdict).toEqual(flawless);
  });

  test.each<[string, () => Promise<unknown>, object]>([
    ['a lost effect', () => change(4), { lost: 2 }],
    ['a doubled effect', () => effect('mail', 2), { doubled: 1 }],
    ['an effect of what was rolled back', () => effect('mail', 2, 'rolled-back'), { fromNowhere: 1 }],
    [
      'a second effect of a version that was rolled back',
      () => effect('stock', 3, 'gone'),
      { fromNowhere: 1, outOfOrder: 1 },
    ],
    [
      'effects out of order',
      async () => {
        for (const version of [5, 4]) {
          await change(version);
          await effect('stock', version);
          await effect('mail', version);
        }
      },
      { outOfOrder: 2, lost: 1 }, // version 5 also owes the event it causes
    ],
    [
      'a row that never left its outbox',
      () =>
        admin.query(
          `insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key,
                                      envelope, attributes, idempotency_key)
           values ($1, 'order', 'o1', 1, 't', 'k', '{}', '{}', 'i')`,
          [tenantId],
        ),
      { unsent: 1 },
    ],
  ])('finds %s', async (_what, plant, found) => {
    await plant();
    expect((await judge(admin)).verdict).toEqual({ ...flawless, ...found });
  });
});
