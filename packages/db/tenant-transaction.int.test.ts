import { createLogger } from '@ghasi/telemetry/logger';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { sql } from './drizzle.ts';
import { pgSchema, text, uuid } from './drizzle-tables.ts';
import { scratch } from './fixtures/scratch.ts';
import { isPrivilegeViolation, sqlState } from './pg-errors.ts';
import { execute, row, rows, TransactionOver } from './sql.ts';
import {
  type Ctx,
  repeatableTransaction,
  systemTransaction,
  tenantRead,
  tenantTransaction,
  type Who,
} from './tenant-transaction.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
  db = database.open('scratch');
  await database.admin(
    'alter table scratch.journal add constraint journal_once unique (tenant_id, entry) deferrable initially deferred',
  );
});
afterAll(() => database.drop());

const as = (tenantId = newTenantId()): Who => ({ tenantId, actor: testActor });

test('a transaction sees and writes its own tenant only', async () => {
  const [a, b] = [as(), as()];
  await tenantTransaction(db, a, ({ tx, tenantId }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'of a')`),
  );
  const seenByB = await tenantRead(db, b, ({ tx }) => rows(tx, sql`select * from scratch.notes`));
  const seenByA = await tenantRead(db, a, ({ tx }) =>
    rows<{ body: string }>(tx, sql`select body from scratch.notes`),
  );
  expect(seenByB).toEqual([]);
  expect(seenByA).toEqual([{ body: 'of a' }]);
});

test('a throw rolls everything back and reaches the caller unchanged', async () => {
  const who = as();
  const refusal = new Error('no');
  const attempt = tenantTransaction(db, who, async ({ tx, tenantId }) => {
    await execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'lost')`);
    throw refusal;
  });
  await expect(attempt).rejects.toBe(refusal);
  const left = await tenantRead(db, who, ({ tx }) => rows(tx, sql`select 1 from scratch.notes`));
  expect(left).toEqual([]);
});

test('an error that the work swallows still rolls back, and says so', async () => {
  const who = as();
  const attempt = tenantTransaction(db, who, async ({ tx, tenantId }) => {
    await execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'half')`);
    await execute(tx, sql`select 1 / 0`).catch(() => {});
    return 'looks fine';
  });
  await expect(attempt).rejects.toThrow(/rolled back/);
  const left = await tenantRead(db, who, ({ tx }) => rows(tx, sql`select 1 from scratch.notes`));
  expect(left).toEqual([]);
});

test('a write that leaves with COMMIT and fails is told as what it is, and nothing was written', async () => {
  const who = as();
  const attempt = tenantTransaction(db, who, async ({ tx, tenantId }) => {
    await execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'half')`);
    void execute(tx, sql`select 1 / 0`).catch(() => {});
    return 'looks fine';
  });
  await expect(attempt).rejects.toMatchObject({ code: '22012' });
  const left = await tenantRead(db, who, ({ tx }) => rows(tx, sql`select 1 from scratch.notes`));
  expect(left).toEqual([]);
});

test('a transaction that fails together with COMMIT or BEGIN gives its connection back', async () => {
  const one = database.openAs('svc_scratch', { max: 1 });
  const who = as();
  const pid = async () => (await one.pool.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  const before = await pid();
  const fail = (waits: boolean) =>
    tenantTransaction(one, who, async ({ tx, write }) => {
      if (waits) await execute(tx, sql`select 1`);
      write(execute(tx, sql`select 1 / 0`));
    });
  await expect(fail(true)).rejects.toMatchObject({ code: '22012' });
  await expect(fail(false)).rejects.toMatchObject({ code: '22012' });
  const swallowed = tenantTransaction(one, who, async ({ tx }) => {
    await execute(tx, sql`select 1 / 0`).catch(() => {});
  });
  await expect(swallowed).rejects.toThrow(/rolled back/);
  expect(await pid()).toBe(before);
});

test.each([
  ['', tenantTransaction],
  [' that may be repeated', repeatableTransaction],
])('a transaction%s whose COMMIT is refused says why, and gives its connection back', async (_, run) => {
  const one = database.openAs('svc_scratch', { max: 1 });
  const who = as();
  const pid = async () => (await one.pool.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  const before = await pid();
  const twice = run(one, who, async ({ tx, tenantId, write }) => {
    const entry = sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, 'once')`;
    write(execute(tx, entry));
    write(execute(tx, entry));
  });
  await expect(twice).rejects.toMatchObject({ code: '23505', constraint: 'journal_once' });
  expect(await pid()).toBe(before);
  expect(await tenantRead(db, who, ({ tx }) => rows(tx, sql`select 1 from scratch.journal`))).toEqual([]);
});

test('what follows a commit and fails does not make it a failure, and keeps nothing else from happening', async () => {
  const who = as();
  const heard: string[] = [];
  const told: string[] = [];
  const log = createLogger({
    name: 'scratch',
    destination: { write: line => told.push(JSON.parse(line).err.message) },
  });
  const value = await tenantTransaction({ ...db, log }, who, async ({ tx, tenantId, write, afterCommit }) => {
    write(execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'kept')`));
    afterCommit(() => {
      throw new Error('a metric that nobody declared');
    });
    afterCommit(async () => {
      throw new Error('a cache that is away'); // unheard, it would end the process
    });
    afterCommit(() => heard.push('told'));
    return 'committed';
  });
  expect([value, ...heard]).toEqual(['committed', 'told']);
  await waitUntil('both failures are told', () => told.length === 2);
  expect(told).toEqual(['a metric that nobody declared', 'a cache that is away']);
});

test('TEN-08: a row of another tenant is refused by the database itself', async () => {
  const [a, b] = [as(), as()];
  const foreign = tenantTransaction(db, a, ({ tx }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${b.tenantId}, 'smuggled')`),
  );
  await expect(foreign).rejects.toSatisfy(isPrivilegeViolation);
});

test('X-091: without a tenant the unit of work refuses to start', async () => {
  const attempt = async () =>
    tenantTransaction(db, { tenantId: '' as never, actor: testActor }, async () => 'never');
  await expect(attempt).rejects.toMatchObject({ code: 'TENANT_CONTEXT_MISSING' });
});

test('TEN-05, TEN-06, X-094, X-095: nothing of a tenant is left on the connection that goes back to the pool', async () => {
  const one = database.openAs('svc_scratch', { max: 1 });
  const who = as();
  await tenantTransaction(one, who, ({ tx, tenantId }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'private')`),
  );
  const { rows: after } = await one.pool.query(
    `select current_setting('app.tenant_id', true) as setting, (select count(*) from scratch.notes)::int as seen`,
  );
  expect(after).toEqual([{ setting: '', seen: 0 }]);
});

test('a read transaction refuses to write', async () => {
  const attempt = tenantRead(db, as(), ({ tx, tenantId }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'x')`),
  );
  await expect(attempt).rejects.toSatisfy(error => sqlState(error) === '25006');
});

test('X-093: the service role sees nothing without a tenant, the maintenance role sees all', async () => {
  const who = as();
  await tenantTransaction(db, who, ({ tx, tenantId }) =>
    execute(tx, sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, 'kept')`),
  );
  const count = sql`select count(*) as n from scratch.notes`;
  const bare = await systemTransaction(db, { actor: testActor }, ({ tx }) => row<{ n: bigint }>(tx, count));
  const crossing = await systemTransaction(database.openAs('maintenance'), { actor: testActor }, ({ tx }) =>
    row<{ n: bigint }>(tx, sql`select count(*) as n from scratch.notes where tenant_id = ${who.tenantId}`),
  );
  expect(bare?.n).toBe(0n);
  expect(crossing?.n).toBe(1n);
});

test('statements of one transaction may be sent without waiting and answer in order', async () => {
  const who = as();
  const answers = await tenantTransaction(db, who, async ({ tx }) =>
    Promise.all([1, 2, 3, 4, 5].map(n => row<{ n: number }>(tx, sql`select ${n}::int as n`))),
  );
  expect(answers.map(answer => answer?.n)).toEqual([1, 2, 3, 4, 5]);
});

test('hotel days stay text and counters stay exact', async () => {
  const answer = await tenantRead(db, as(), ({ tx }) =>
    row(
      tx,
      sql`select date '2026-03-21' as day, 9007199254740993::int8 as big, timestamptz '2026-03-21 00:00:00Z' as at`,
    ),
  );
  expect(answer).toEqual({ day: '2026-03-21', big: 9007199254740993n, at: new Date('2026-03-21T00:00:00Z') });
});

test('a database that is away gives UNAVAILABLE, not a hang', async () => {
  const away = openDatabase({ url: 'postgres://nobody:x@127.0.0.1:1/none', service: 'away' });
  await expect(tenantTransaction(away, as(), async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await away.close();
});

test('what is counted inside a transaction counts once it has committed, and not at all if it has not', async () => {
  const metrics = createMetrics();
  const counting = openDatabase({ url: database.roleUrl('svc_scratch'), service: 'scratch', metrics });
  const labels = { service: 'scratch', saga_name: 'note', outcome: 'success' } as const;
  try {
    await tenantTransaction(counting, as(), async ctx => {
      ctx.count('melmastoon_saga_completed_total', labels);
      expect(await metrics.render()).not.toContain('saga_name="note"');
    });
    const refused = tenantTransaction(counting, as(), async ctx => {
      ctx.count('melmastoon_saga_completed_total', labels);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    const text = await metrics.render();
    expect(text).toMatch(/^melmastoon_saga_completed_total\{.*saga_name="note".*\} 1$/m);
  } finally {
    await counting.close();
  }
});

const note = (tenantId: string, body: string) =>
  sql`insert into scratch.notes (tenant_id, body) values (${tenantId}, ${body})`;
const notes = (who: Who) =>
  tenantRead(db, who, ({ tx }) =>
    rows<{ body: string }>(tx, sql`select body from scratch.notes order by body`),
  );

const notesTable = pgSchema('scratch').table('notes', {
  tenantId: uuid('tenant_id').notNull(),
  body: text('body').notNull(),
});

test('writes that nobody waits for are done in their order, before what follows, whoever wrote the statement', async () => {
  const who = as();
  await tenantTransaction(db, who, async ({ tx, tenantId, write, ensure }) => {
    const all = sql`true`;
    write(execute(tx, note(tenantId, 'a')));
    write(tx.update(notesTable).set({ body: sql`body || 'b'` }));
    ensure(
      tx
        .update(notesTable)
        .set({ body: sql`body || 'c'` })
        .where(all)
        .returning()
        .then(() => {}),
    );
    write(tx.execute(sql`update scratch.notes set body = body || 'd'`));
    ensure(rows(tx, sql`update scratch.notes set body = body || 'e' returning body`));
    write(tx.insert(notesTable).values({ tenantId, body: 'f' }));
    write(execute(tx, sql`update scratch.notes set body = body || 'g'`));
    const seen = await tx.select({ body: notesTable.body }).from(notesTable).orderBy(notesTable.body);
    expect(seen).toEqual([{ body: 'abcdeg' }, { body: 'fg' }]);
    write(execute(tx, note(tenantId, 'with COMMIT')));
  });
  expect(await notes(who)).toEqual([{ body: 'abcdeg' }, { body: 'fg' }, { body: 'with COMMIT' }]);
});

test.each(['with COMMIT', 'before another statement'])(
  'a write that nobody waits for and that fails %s is the reason of its transaction',
  async when => {
    const who = as();
    const attempt = tenantTransaction(db, who, async ({ tx, tenantId, write }) => {
      await execute(tx, note(tenantId, 'half'));
      write(execute(tx, sql`select 1 / 0`));
      if (when !== 'with COMMIT') await execute(tx, note(tenantId, 'after'));
    });
    await expect(attempt).rejects.toMatchObject({ code: '22012' });
    expect(await notes(who)).toEqual([]);
  },
);

test('what a transaction ensures must have come true before it commits', async () => {
  const who = as();
  const refusal = new Error('not so');
  const attempt = tenantTransaction(db, who, async ({ tx, tenantId, ensure }) => {
    const touched = execute(tx, note(tenantId, 'half'));
    ensure(
      touched.then(() => {
        throw refusal;
      }),
    );
  });
  await expect(attempt).rejects.toBe(refusal);
  expect(await notes(who)).toEqual([]);
});

const inFourSteps = async ({ tx, tenantId }: Ctx) => {
  for (let step = 0; step < 4; step++) await execute(tx, sql`select ${step}::int`);
  await execute(tx, note(tenantId, 'next'));
};
const step = ({ tx }: Ctx) => execute(tx, sql`select 1`);
const builderStep = ({ tx }: Ctx) => tx.select({ body: notesTable.body }).from(notesTable);

test.each([
  ['a transaction', tenantTransaction, step],
  ['a transaction, of the builder', tenantTransaction, builderStep],
  ['a read', tenantRead, step],
] as const)(
  'a branch that is still at work when %s fails sends nothing more: the connection serves others',
  async (_what, run, aStep) => {
    const alone = openDatabase({ url: db.url, service: 'scratch', max: 1 });
    const refusal = new Error('no');
    const branch = Promise.withResolvers<void>();
    const inSteps = async (ctx: Ctx) => {
      for (;;) await aStep(ctx);
    };
    const attempt = run(alone, as(), async ctx => {
      branch.resolve(inSteps(ctx));
      await Promise.all([branch.promise, step(ctx).then(() => Promise.reject(refusal))]);
    });
    const others = [as(), as(), as()];
    const next = others.map(who => tenantTransaction(alone, who, inFourSteps));
    await expect(attempt).rejects.toBe(refusal);
    await Promise.all(next);
    const ending = await branch.promise.catch(reason => reason);
    expect(ending.cause ?? ending).toBeInstanceOf(TransactionOver); // the builder wraps it
    for (const who of others) expect(await notes(who)).toEqual([{ body: 'next' }]);
    await alone.close();
  },
);

test('what a transaction ensures in several steps ends with it when it fails', async () => {
  const alone = openDatabase({ url: db.url, service: 'scratch', max: 1 });
  const [refusal, other] = [new Error('no'), as()];
  const attempt = tenantTransaction(alone, as(), async ctx => {
    ctx.ensure(inFourSteps(ctx));
    throw refusal;
  });
  const next = tenantTransaction(alone, other, inFourSteps);
  await expect(attempt).rejects.toBe(refusal);
  await next;
  expect(await notes(other)).toEqual([{ body: 'next' }]);
  await alone.close();
});

test('a check that never comes to an end fails its transaction, and the next one has the connection', async () => {
  const alone = openDatabase({ url: db.url, service: 'scratch', max: 1, answerMs: 200 });
  const who = as();
  const attempt = tenantTransaction(alone, who, async ({ tx, tenantId, ensure }) => {
    await execute(tx, note(tenantId, 'half'));
    ensure(new Promise(() => {}));
  });
  await expect(attempt).rejects.toThrow('200 ms');
  const failed = tenantTransaction(alone, who, async ({ tx, write, ensure }) => {
    ensure(new Promise(() => {}));
    write(execute(tx, sql`select 1 / 0`));
    await execute(tx, sql`select 1`);
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  await tenantTransaction(alone, who, inFourSteps);
  expect(await notes(who)).toEqual([{ body: 'next' }]);
  await alone.close();
});

test('a write that fails without the server knowing fails its transaction', async () => {
  const who = as();
  const refusal = new Error('nothing was sent');
  const attempt = tenantTransaction(db, who, async ({ tx, tenantId, write }) => {
    write(Promise.reject(refusal));
    await execute(tx, note(tenantId, 'half'));
  });
  await expect(attempt).rejects.toBe(refusal);
  expect(await notes(who)).toEqual([]);
});

test('a write of a branch that nobody waited for is refused once the transaction is over, not lost without a word', async () => {
  const who = as();
  const late: Ctx[] = [];
  await tenantTransaction(db, who, async ctx => void late.push(ctx));
  await tenantTransaction(db, who, async ctx => Promise.reject(late.push(ctx))).catch(() => {});
  await tenantRead(db, who, async ctx => void late.push(ctx));
  expect(late.length).toBe(3);
  for (const { tx, tenantId, write, ensure } of late) {
    expect(() => write(execute(tx, note(tenantId, 'late')))).toThrow(TransactionOver);
    expect(() => ensure(execute(tx, note(tenantId, 'late')))).toThrow(TransactionOver);
  }
  expect(await notes(who)).toEqual([]);
});

test('a write in steps that comes too late for its COMMIT is told: it was not made, and nothing else would say so', async () => {
  const who = as();
  const told: { err: { message: string }; msg: string }[] = [];
  const log = createLogger({ name: 'scratch', destination: { write: line => told.push(JSON.parse(line)) } });
  await repeatableTransaction({ ...db, log }, who, async ({ tx, tenantId, write }) => {
    const inSteps = async () => {
      await execute(tx, note(tenantId, 'in time'));
      await execute(tx, note(tenantId, 'too late'));
    };
    write(inSteps());
  });
  expect(await notes(who)).toEqual([{ body: 'in time' }]);
  await waitUntil('it is told', () => told.length === 1);
  expect(told[0]).toMatchObject({
    err: { message: expect.stringMatching('transaction has ended') },
    msg: 'a write came after COMMIT and is lost: what takes several steps is for ctx.ensure',
  });
});

test('every packet of a read has its tenant and refuses writes, and the next user of the connection has neither', async () => {
  const alone = openDatabase({ url: db.url, service: 'scratch', max: 1 });
  try {
    const who = as();
    await tenantTransaction(alone, who, ({ tx, tenantId }) => execute(tx, note(tenantId, 'mine')));
    const seen = await tenantRead(alone, who, async ({ tx }) => {
      const first = await rows(tx, sql`select body from scratch.notes`);
      const refused = await execute(tx, sql`delete from scratch.notes`).catch(sqlState);
      const second = await rows(tx, sql`select body from scratch.notes`);
      return { first, refused, second };
    });
    expect(seen).toEqual({ first: [{ body: 'mine' }], refused: '25006', second: [{ body: 'mine' }] });
    const after = await alone.pool.query(
      `select current_setting('app.tenant_id', true) as tenant, current_setting('transaction_read_only') as read_only,
              (select count(*)::int from scratch.notes) as seen`,
    );
    expect(after.rows).toEqual([{ tenant: '', read_only: 'off', seen: 0 }]);
  } finally {
    await alone.close();
  }
});
