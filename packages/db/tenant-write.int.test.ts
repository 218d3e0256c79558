import { coreErrors } from '@ghasi/domain-primitives/errors';
import { createLogger } from '@ghasi/telemetry/logger';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal } from '@ghasi/testing/signal';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { sql } from './drizzle.ts';
import { scratch } from './fixtures/scratch.ts';
import { isUniqueViolation } from './pg-errors.ts';
import { execute, rows } from './sql.ts';
import { tenantRead, tenantTransaction, type Who } from './tenant-transaction.ts';
import { tenantWrite, type WriteCtx } from './tenant-write.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase({ migrations: [scratch] });
  db = database.open('scratch');
});
afterAll(() => database.drop());

const as = (tenantId = newTenantId()): Who => ({ tenantId, actor: testActor });

/** A note's body is unique to its tenant. */
function note(ctx: WriteCtx, body: string): string {
  ctx.write(
    execute(ctx.tx, sql`insert into scratch.notes (tenant_id, body) values (${ctx.tenantId}, ${body})`),
  );
  return body;
}

/** Body and transaction of each note. */
function notesOf(who: Who): Promise<{ body: string; xid: string }[]> {
  return tenantRead(db, who, ({ tx }) =>
    rows(tx, sql`select body, xmin::text as xid from scratch.notes order by body`),
  );
}

const range = (count: number) =>
  Array.from({ length: count }, (_, n) => `note ${String(n).padStart(2, '0')}`);

test('callers who come together share two transactions, and each gets his own answer once it is committed', async () => {
  const who = as();
  const bodies = range(20);
  const answers = await Promise.all(bodies.map(body => tenantWrite(db, who, ctx => note(ctx, body))));
  expect(answers).toEqual(bodies);
  const kept = await notesOf(who);
  expect(kept.map(({ body }) => body)).toEqual(bodies);
  expect(new Set(kept.map(({ xid }) => xid)).size).toBe(2);
});

test('whoever comes alone does not wait for others', async () => {
  const who = as();
  for (const body of range(3)) await tenantWrite(db, who, ctx => note(ctx, body));
  expect(new Set((await notesOf(who)).map(({ xid }) => xid)).size).toBe(3);
});

test.each([
  ['', new Error('changed my mind')],
  [', also one that looks as if the database were away', coreErrors.UNAVAILABLE({ what: 'lift' })],
])(
  'a failure is his alone whose it is%s: the others of his transaction are kept, once',
  async (_, refusal) => {
    const who = as();
    await tenantWrite(db, who, ctx => note(ctx, 'taken'));
    const outcomes = await Promise.allSettled([
      tenantWrite(db, who, ctx => note(ctx, 'first')),
      tenantWrite(db, who, ctx => note(ctx, 'taken')),
      tenantWrite(db, who, ctx => {
        note(ctx, 'never');
        throw refusal;
      }),
      tenantWrite(db, who, ctx => note(ctx, 'last')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(isUniqueViolation((outcomes[1] as PromiseRejectedResult).reason, 'notes_body_unique')).toBe(true);
    expect((outcomes[2] as PromiseRejectedResult).reason).toBe(refusal);
    expect((await notesOf(who)).map(({ body }) => body)).toEqual(['first', 'last', 'taken']);
  },
);

test('any mixture of callers, some of whom fail: each is told what became of his, and what was told is what is there', async () => {
  const caller = fc.record({
    body: fc.integer({ min: 0, max: 9 }).map(n => `note ${n}`),
    fails: fc.constantFrom('no', 'no', 'no', 'before', 'after'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(caller, { minLength: 1, maxLength: 12 }), async callers => {
      const who = as();
      const outcomes = await Promise.allSettled(
        callers.map(({ body, fails }) =>
          tenantWrite(db, who, ctx => {
            if (fails === 'before') throw new Error('before');
            note(ctx, body);
            if (fails === 'after') throw new Error('after');
          }),
        ),
      );
      const told = callers
        .filter((_, place) => outcomes[place]?.status === 'fulfilled')
        .map(({ body }) => body);
      expect((await notesOf(who)).map(({ body }) => body)).toEqual(told.sort());
      const wanted = new Set(callers.filter(({ fails }) => fails === 'no').map(({ body }) => body));
      expect(new Set(told)).toEqual(wanted); // of two with the same body one wins
    }),
    { numRuns: 60 },
  );
});

test('tenants never share a transaction', async () => {
  const [a, b] = [as(), as()];
  const both = range(6).flatMap(body => [a, b].map(who => tenantWrite(db, who, ctx => note(ctx, body))));
  await Promise.all(both);
  const [ofA, ofB] = await Promise.all([notesOf(a), notesOf(b)]);
  expect([ofA.length, ofB.length]).toEqual([6, 6]);
  const xids = new Set(ofA.map(({ xid }) => xid));
  expect(ofB.filter(({ xid }) => xids.has(xid))).toEqual([]);
});

test('each caller writes as himself, at his own time', async () => {
  const tenantId = newTenantId();
  const people = ['usr_a', 'usr_b'].map((id, n) => ({
    tenantId,
    actor: { type: 'user', id } as const,
    now: new Date(Date.UTC(2026, n)),
  }));
  const seen = await Promise.all(
    people.map(who => tenantWrite(db, who, ({ actor, now }) => `${actor.id} ${now.toISOString()}`)),
  );
  expect(seen).toEqual(['usr_a 2026-01-01T00:00:00.000Z', 'usr_b 2026-02-01T00:00:00.000Z']);
});

test('a caller without a log of his own writes into none of the others', async () => {
  const heard: string[] = [];
  const log = createLogger({ name: 'of one', destination: { write: line => heard.push(line) } });
  const who = as();
  const people = [{ ...who, log }, who, { ...who, log }, who]; // they share transactions by twos
  await Promise.all(people.map((one, n) => tenantWrite(db, one, ctx => ctx.log.info(`caller ${n}`))));
  expect(heard.map(line => JSON.parse(line).msg)).toEqual(['caller 0', 'caller 2']);
});

test('what is to happen after the commit happens for those who are kept, once', async () => {
  const who = as();
  const heard: string[] = [];
  const write = (body: string) =>
    tenantWrite(db, who, ctx => {
      ctx.afterCommit(() => heard.push(body));
      note(ctx, body);
    });
  await write('taken');
  await Promise.allSettled(['first', 'taken', 'last'].map(write));
  expect(heard.sort()).toEqual(['first', 'last', 'taken']);
});

test('a caller whose work after the commit fails is kept, and nobody is written twice', async () => {
  const who = as();
  const write = (entry: string) =>
    tenantWrite(db, who, ({ tx, tenantId, write, afterCommit }) => {
      write(execute(tx, sql`insert into scratch.journal (tenant_id, entry) values (${tenantId}, ${entry})`));
      if (entry === 'second')
        afterCommit(() => {
          throw new Error('a metric that nobody declared');
        });
      return entry;
    });
  const entries = ['first', 'second', 'third'];
  expect(await Promise.all(entries.map(write))).toEqual(entries);
  const kept = await tenantRead(db, who, ({ tx }) =>
    rows<{ entry: string }>(tx, sql`select entry from scratch.journal order by entry`),
  );
  expect(kept.map(({ entry }) => entry)).toEqual(entries);
});

test('those who wait for a lock leave the pool to others', async () => {
  const few = database.openAs('svc_scratch', { max: 6 });
  const [who, other] = [as(), as()];
  await tenantWrite(few, who, ctx => note(ctx, 'held'));
  const [isHeld, mayEnd] = [signal(), signal()];
  const holder = tenantTransaction(few, who, async ({ tx }) => {
    await execute(tx, sql`select 1 from scratch.notes where body = 'held' for update`);
    isHeld.fire();
    await mayEnd.promise;
  });
  await isHeld.promise;
  const callers = range(12).map(body =>
    tenantWrite(few, who, ctx => {
      if (body === 'note 03') throw new Error('so that all are done again');
      if (body > 'note 03')
        ctx.write(execute(ctx.tx, sql`update scratch.notes set version = version + 1 where body = 'held'`));
      return note(ctx, body);
    }),
  );
  const told = Promise.allSettled([holder, ...callers]); // before any wait: one of them may fail at once
  await tenantWrite(few, other, ctx => note(ctx, 'of another tenant'));
  mayEnd.fire();
  const outcomes = await told;
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});

test('nobody waits for his turn longer than for a connection', async () => {
  let begun = 0;
  const proxy = await tcpProxy({
    target: targetOf(database.adminUrl),
    judge: chunk => (chunk.includes('begin read write') && ++begun > 0 ? 'swallow' : 'pass'),
  });
  const url = proxy.through(database.roleUrl('svc_scratch'));
  const silent = openDatabase({ url, service: 'silent', max: 4, waitMs: 300, answerMs: 400 });
  const who = as();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 400 }, (_, n) => tenantWrite(silent, who, ctx => note(ctx, `${n}`))),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(begun).toBeLessThanOrEqual(2); // and not one batch of 64 after the other
  await silent.close();
  await proxy.close();
});

test('work that waits is refused', async () => {
  const who = as();
  const late = signal();
  const waits = async (ctx: WriteCtx) => {
    note(ctx, 'too late');
    await late.promise;
    note(ctx, 'later still'); // refused, which ends nobody's process
  };
  await expect(tenantWrite(db, who, waits as never)).rejects.toThrow(/must not wait/);
  late.fire();
  expect(await notesOf(who)).toEqual([]);
  const isRefused = signal();
  const goesOn = async ({ tx }: WriteCtx) => {
    await isRefused.promise;
    await execute(tx, sql`select 1`); // of a transaction that is over; unheard, its failure would end the process
  };
  await expect(tenantWrite(db, who, goesOn as never)).rejects.toThrow(/must not wait/);
  isRefused.fire();
  await tenantWrite(db, who, ctx => note(ctx, 'in time'));
});

test('a server that cannot be reached is told to everybody at once', async () => {
  const gone = database.open('scratch');
  await gone.close();
  const who = as();
  const outcomes = await Promise.allSettled(
    range(3).map(body => tenantWrite(gone, who, ctx => note(ctx, body))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await notesOf(who)).toEqual([]);
});
