import type { Delivery } from '@ghasi/brokers/broker';
import { accepted } from '@ghasi/db/accepted';
import { openClient, openDatabase } from '@ghasi/db/database';
import { type SQL, sql } from '@ghasi/db/drizzle';
import { roleUrl } from '@ghasi/db/roles';
import { rows } from '@ghasi/db/sql';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { GiveUp, RetryLater } from '@ghasi/jobs/outcome';
import type { Logger } from '@ghasi/telemetry/logger';
import { createMetrics, type Metrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSubscriber } from './consumer.ts';
import { samplesOf } from './fixtures/metric-samples.ts';
import { OrderChanged, recordEffect, type Shop, shopMigrations, startShop, stock } from './fixtures/shop.ts';
import { on } from './reaction.ts';
import { createRegistry, type ReleasedHashes } from './registry.ts';
import { createSigner } from './signature.ts';

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  shop = await startShop(database, { consumers: false });
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

/** `unreadable` and `drifted` are signed by us and cannot be read; a `stray` nobody of ours signed. */
const whats = ['good', 'bad', 'unreadable', 'drifted', 'stray'] as const;
const NEWER = '0'.repeat(64); // hash of a schema this process was not built with
type Change = { orderId: string; what: (typeof whats)[number] };
type Version = Change & { version: number };

/** The same changes with the version each gives its order. */
function versionsOf(changes: readonly Change[]): Version[] {
  const versions = new Map<string, number>();
  return changes.map(change => {
    const version = (versions.get(change.orderId) ?? 0) + 1;
    versions.set(change.orderId, version);
    return { ...change, version };
  });
}

/** The messages of these changes, as they come from the log. */
async function published(tenantId: TenantId, changes: readonly Version[]): Promise<Delivery[]> {
  const who = { tenantId, actor: { type: 'user', id: 'usr_test' } } as const;
  await tenantTransaction(shop.orders, who, async () =>
    accepted(
      undefined,
      changes.map(({ orderId, version, what }) =>
        OrderChanged.from(
          { orderId, version, note: what === 'bad' ? 'bad' : '' },
          { aggregateVersion: version },
        ),
      ),
    ),
  );
  const logged = () =>
    database.admin<Delivery>(
      `select off::text as id, topic, ordering_key as "orderingKey", event_id as "eventId", tenant_id as "tenantId",
              envelope::text as envelope, attributes, enqueued_at as "enqueuedAt", published_at as "publishedAt", 1 as attempt
       from brokers.log where tenant_id = $1 order by off`,
      [tenantId],
    );
  await waitUntil('all are in the log', async () => (await logged()).length === changes.length);
  return (await logged()).map((delivery, place) => spoilt(delivery, changes[place]?.what));
}

function spoilt(delivery: Delivery, what: Change['what'] | undefined): Delivery {
  const signed = (envelope: string) => {
    const signature = createSigner([{ id: 'test', secret: database.secret }]).sign(envelope);
    return { ...delivery, envelope, attributes: { ...delivery.attributes, signature } };
  };
  switch (what) {
    case 'unreadable':
      return signed('null');
    case 'drifted':
      return signed(delivery.envelope.replace(/sha256-[0-9a-f]{64}/, `sha256-${NEWER}`));
    case 'stray':
      return { ...delivery, attributes: {} };
    default:
      return delivery;
  }
}

const fails = (ctx: Ctx) => rows(ctx.tx, sql`select 1 / 0`);
const hangs = () => new Promise(() => {});

type ConsumerTraits = {
  atFirst?: () => void;
  atBad?: (ctx: Ctx) => Promise<unknown>;
  handlerMs?: number;
  released?: () => Promise<ReleasedHashes>;
  metrics?: Metrics;
};

/** A service that does this at bad changes, and how often its reaction ran. */
function openConsumer(
  order: 'required' | 'any',
  { atFirst = () => {}, atBad = fails, handlerMs, released, metrics }: ConsumerTraits = {},
) {
  const runs: string[] = [];
  const react = on(OrderChanged, async (ctx, change) => {
    runs.push(change.orderId);
    atFirst();
    await recordEffect(ctx, change);
    if (change.note === 'bad') await atBad(ctx);
  });
  const registry = createRegistry([OrderChanged]);
  if (released !== undefined) registry.readFrom(released);
  const subscriber = createSubscriber({
    service: stock([react], { order }),
    db: { ...shop.stock, answerMs: 500 }, // so long a transaction waits for its checks
    outbox: shop.backbone.outboxOf('stock'),
    registry,
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    breaker: { failingKeys: 1_000, firstPauseMs: 1, longestPauseMs: 1 },
    ...(handlerMs === undefined ? {} : { handlerMs }),
    metrics,
  });
  return { subscriber, runs };
}

const effects = (tenantId: string) =>
  database.admin<{ orderId: string; version: number; transaction: string }>(
    `select order_id as "orderId", version, xmin::text as transaction from stock.effects where tenant_id = $1 order by seq`,
    [tenantId],
  );

const someChanges = fc.array(
  fc.record({
    orderId: fc.constantFrom('o1', 'o2', 'o3', 'o4', 'o5'),
    what: fc.oneof({ weight: 12, arbitrary: fc.constant('good' as const) }, fc.constantFrom(...whats)),
  }),
  { minLength: 1, maxLength: 40 },
);

/** What becomes of a message that nothing holds back. */
const outcomeOf = {
  good: 'done',
  bad: 'retry',
  unreadable: 'dead',
  drifted: 'retry', // whoever released it may still tell us
  stray: 'dead',
} as const satisfies Record<Change['what'], string>;

test('ORD-02, X-046, X-080: whichever messages of a batch fail or cannot be read, every other one has its effect once, in order, and none after a failure of its key', async () => {
  await fc.assert(
    fc.asyncProperty(someChanges, fc.constantFrom('required', 'any'), async (changes, order) => {
      const tenantId = newTenantId();
      const all = versionsOf(changes);
      const { subscriber } = openConsumer(order);
      const outcomes = await subscriber.handle(await published(tenantId, all), undefined);

      const failed = new Set<string>();
      const expected = all.map(({ orderId, what }) => {
        if (what === 'stray') return 'dead'; // never part of its key's history
        if (order === 'required' && failed.has(orderId)) return 'blocked';
        if (what !== 'good') failed.add(orderId);
        return outcomeOf[what];
      });
      expect(outcomes.map(({ kind }) => kind)).toEqual(expected);
      const applied = all.filter((_, place) => expected[place] === 'done');
      expect((await effects(tenantId)).map(({ orderId, version }) => ({ orderId, version }))).toEqual(
        applied.map(({ orderId, version }) => ({ orderId, version })),
      );
    }),
    { numRuns: 40 },
  );
});

test('X-080, REG-04: a message of a schema that nobody knows yet waits for it, and the later ones of its key behind it', async () => {
  const tenantId = newTenantId();
  const all = versionsOf([
    { orderId: 'o1', what: 'drifted' },
    { orderId: 'o1', what: 'good' },
  ]);
  const batch = await published(tenantId, all);
  const answers: (Promise<ReleasedHashes> | ReleasedHashes)[] = [
    Promise.reject(new Error('offline')),
    {},
    { [OrderChanged.subject]: [NEWER] },
  ];
  const { subscriber } = openConsumer('required', { released: async () => answers.shift() ?? {} });
  const outcomes = async () => (await subscriber.handle(batch, undefined)).map(({ kind }) => kind);
  expect(await outcomes()).toEqual(['retry', 'blocked']);
  expect(await outcomes()).toEqual(['retry', 'blocked']);
  expect(await effects(tenantId)).toEqual([]);
  expect(await outcomes()).toEqual(['done', 'done']);
  expect(await effects(tenantId)).toMatchObject([{ version: 1 }, { version: 2 }]);
});

test.each([
  ['new', 1],
  ['tried before', 2],
])('ORD-02: of messages that are %s, whoever lost their shard applies none', async (_, attempt) => {
  const tenantId = newTenantId();
  const held = `held ${attempt}`;
  await database.admin(
    'insert into brokers.cursor (subscription, shard, off, day, epoch) values ($1, 3, 0, current_date, 7)',
    [held],
  );
  const all = versionsOf(['o1', 'o2'].map(orderId => ({ orderId, what: 'good' })));
  const batch = (await published(tenantId, all)).map(delivery => ({ ...delivery, attempt }));
  const { subscriber } = openConsumer('required');
  const outcomes = async (epoch: number, part = batch) => {
    const settled = await subscriber.handle(part, { subscription: held, shards: [3], epochs: [epoch] });
    return settled.map(({ kind }) => kind);
  };
  expect(await outcomes(6)).toEqual(['fenced', 'fenced']);
  expect(await outcomes(6, batch.slice(0, 1))).toEqual(['fenced']);
  expect(await effects(tenantId)).toEqual([]);
  expect(await outcomes(7)).toEqual(['done', 'done']);
  expect(await effects(tenantId)).toHaveLength(2);
});

test('INBOX-01: a message that comes again is done with, also where its reaction would give it up by now', async () => {
  const tenantId = newTenantId();
  const batch = await published(tenantId, versionsOf([{ orderId: 'o1', what: 'good' }]));
  const { subscriber, runs } = openConsumer('required', {
    atFirst() {
      if (runs.length > 1) throw new GiveUp('it is so already'); // before the database has said a word
    },
  });
  expect(await subscriber.handle(batch, undefined)).toEqual([{ kind: 'done' }]);
  expect(await subscriber.handle(batch, undefined)).toEqual([{ kind: 'done' }]);
  expect(runs).toHaveLength(2);
  expect(await effects(tenantId)).toHaveLength(1);
});

test('one bad message among 256 costs a few transactions more, not one for each of the others', async () => {
  const tenantId = newTenantId();
  const all = versionsOf(
    Array.from({ length: 256 }, (_, n) => ({ orderId: `o${n}`, what: n === 77 ? 'bad' : 'good' })),
  );
  const { subscriber, runs } = openConsumer('required');
  await subscriber.handle(await published(tenantId, all), undefined);
  const kept = new Set((await effects(tenantId)).map(({ transaction }) => transaction));
  expect(kept.size).toBe(8); // halves: 128, 64, 32, … 1, each kept but the one with the bad message
  expect(runs.length).toBeLessThan(3 * 256);
});

test('DLQ-07: a message whose effect is refused at COMMIT fails like any other, and holds up nobody', async () => {
  await database.admin(`
    create function stock.assert_version() returns trigger language plpgsql
      as $$ begin raise exception 'no such version' using errcode = '23514'; end $$;
    create constraint trigger assert_version after insert on stock.effects deferrable initially deferred
      for each row when (new.version < 0) execute function stock.assert_version()`);
  const tenantId = newTenantId();
  const all = versionsOf([
    { orderId: 'o1', what: 'good' },
    { orderId: 'o2', what: 'bad' },
    { orderId: 'o3', what: 'good' },
  ]);
  const atBad = (ctx: Ctx) => recordEffect(ctx, { orderId: 'o2', version: -1 });
  const { subscriber } = openConsumer('required', { atBad });
  const outcomes = await subscriber.handle(await published(tenantId, all), undefined);
  expect(outcomes).toMatchObject([
    { kind: 'done' },
    { kind: 'retry', error: 'no such version' },
    { kind: 'done' },
  ]);
  expect((await effects(tenantId)).map(({ orderId }) => orderId)).toEqual(['o1', 'o3']);
});

test('X-090: a reaction that hangs is waited for once with the others of its batch, and then alone', async () => {
  const tenantId = newTenantId();
  const all = versionsOf(
    Array.from({ length: 16 }, (_, n) => ({ orderId: `o${n}`, what: n === 9 ? 'bad' : 'good' })),
  );
  const { subscriber, runs } = openConsumer('required', { atBad: hangs, handlerMs: 500 });
  const outcomes = await subscriber.handle(await published(tenantId, all), undefined);
  expect(outcomes.map(({ kind }) => kind)).toEqual(all.map(({ what }) => outcomeOf[what]));
  expect(runs.filter(orderId => orderId === 'o9')).toHaveLength(1 + 3); // alone it is tried three times
  expect(await effects(tenantId)).toHaveLength(15);
});

const waitFor = (ctx: Ctx, limit: 'lock_timeout' | 'statement_timeout', statement: SQL) => {
  ctx.write(rows(ctx.tx, sql`select set_config(${limit}, '200ms', true)`));
  return rows(ctx.tx, statement);
};

test.each([
  [
    'a row that somebody else has locked',
    (ctx: Ctx) =>
      waitFor(ctx, 'lock_timeout', sql`select from stock.effects where order_id = 'locked' for update`),
  ],
  ['a check that does not end', async (ctx: Ctx) => ctx.ensure(hangs())],
  [
    'a statement that does not end',
    (ctx: Ctx) => waitFor(ctx, 'statement_timeout', sql`select pg_sleep(60)`),
  ],
])('X-090: %s is waited for once with the others of its batch, and then alone', async (_what, atBad) => {
  const tenantId = newTenantId();
  await database.admin(`insert into stock.effects (tenant_id, order_id, version) values ($1, 'locked', 0)`, [
    tenantId,
  ]);
  const other = await openClient(database.adminUrl, 'held-lock');
  await other.query('begin');
  await other.query('select from stock.effects where tenant_id = $1 for update', [tenantId]);
  const all = versionsOf(
    Array.from({ length: 16 }, (_, n) => ({
      orderId: `o${n}`,
      what: n === 9 ? ('bad' as const) : ('good' as const),
    })),
  );
  const { subscriber, runs } = openConsumer('required', { atBad });
  const outcomes = await subscriber.handle(await published(tenantId, all), undefined);
  await other.end();
  expect(outcomes.map(({ kind }) => kind)).toEqual(all.map(({ what }) => outcomeOf[what]));
  expect(runs.filter(orderId => orderId === 'o9')).toHaveLength(1 + 3); // alone it is tried three times
});

/** As where one lost connection fails two statements with the same error, and somebody names the one as the cause of the other. */
function causingItself(error: Error): Error {
  return Object.assign(error, { cause: error });
}

test.each([
  ['with a NUL in its message', new Error('a\0b'), 'a\u{fffd}b'],
  ['with a number as its message', Object.assign(new Error(), { message: 5 }), '5'],
  ['that is its own cause', causingItself(new Error('again')), 'again'],
])('X-060: a failure %s is noted like any other', async (_what, thrown, noted) => {
  const tenantId = newTenantId();
  const { subscriber } = openConsumer('required', { atBad: () => Promise.reject(thrown) });
  const messages = await published(tenantId, [{ orderId: 'o1', version: 1, what: 'bad' }]);
  const outcomes = await subscriber.handle(messages, undefined);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['retry']);
  const failures = await database.admin('select last_error from stock.inbox where tenant_id = $1', [
    tenantId,
  ]);
  expect(failures).toEqual([{ last_error: noted }]);
});

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 203.0.113.7:443'), { code: 'ECONNREFUSED' });

test.each([
  ['as it is', () => new TypeError('fetch failed', { cause: refused() }), { kind: 'retry' }],
  [
    'as RetryLater',
    () => new RetryLater(60_000, 'away', { cause: refused() }),
    { kind: 'retry', afterMs: 60_000 },
  ],
  ['as GiveUp', () => new GiveUp('gone', { cause: refused() }), { kind: 'dead' }],
])(
  'DLQ-01, X-046: a reaction that cannot reach somebody else and throws that %s fails for its message alone',
  async (_how, thrown, outcome) => {
    const tenantId = newTenantId();
    const { subscriber } = openConsumer('required', { atBad: () => Promise.reject(thrown()) });
    const all = versionsOf([
      { orderId: 'o1', what: 'bad' },
      { orderId: 'o2', what: 'good' },
    ]);
    const outcomes = await subscriber.handle(await published(tenantId, all), undefined);
    expect(outcomes).toMatchObject([outcome, { kind: 'done' }]);
  },
);

test('X-066: a reaction whose own connection is lost counts no attempt, whatever it makes of that', async () => {
  const tenantId = newTenantId();
  const metrics = createMetrics();
  const { subscriber } = openConsumer('required', {
    metrics,
    atBad: async ctx => {
      const lost = await rows(ctx.tx, sql`select pg_terminate_backend(pg_backend_pid())`).catch(
        error => error,
      );
      throw new GiveUp('could not be written', { cause: lost });
    },
  });
  const messages = await published(tenantId, [{ orderId: 'o1', version: 1, what: 'bad' }]);
  expect(await subscriber.handle(messages, undefined)).toMatchObject([{ kind: 'pause' }]);
  const pauses = await samplesOf(metrics, 'melmastoon_consumer_pauses_total');
  expect(pauses['service=stock-service,subscription=stock-service,cause=database']).toBe(1);
});

test('a database that nobody can sign in to any more is told once, and not once a second', async () => {
  const tenantId = newTenantId();
  const lines: string[] = [];
  const log = { warn: (_of: object, message: string) => lines.push(message) } as unknown as Logger;
  const locked = openDatabase({ url: roleUrl(database.adminUrl, 'svc_stock', 'another'), service: 'stock' });
  const subscriber = createSubscriber({
    service: stock(),
    db: locked,
    outbox: shop.backbone.outboxOf('stock'),
    registry: createRegistry([OrderChanged]),
    signer: createSigner([{ id: 'test', secret: database.secret }]),
    log,
  });
  const messages = await published(tenantId, [{ orderId: 'o1', version: 1, what: 'good' }]);
  for (let times = 0; times < 2; times++)
    expect(await subscriber.handle(messages, undefined)).toMatchObject([{ kind: 'pause' }]);
  expect(lines).toEqual(['the database is away; the subscription waits']);
  await locked.close();
});
