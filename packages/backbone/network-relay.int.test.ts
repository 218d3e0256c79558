import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Broker, BrokerForgot } from '@ghasi/brokers/broker';
import { resolveQuarantined } from '@ghasi/brokers/operations/outboxes';
import type { Database } from '@ghasi/db/database';
import { armFailpoint, disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { memoryExporter } from '@ghasi/telemetry/memory-exporter';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { startTracing } from '@ghasi/telemetry/tracing';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { signal, waitUntil } from '@ghasi/testing/signal';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClaims } from './claims.ts';
import { samplesOf } from './fixtures/metric-samples.ts';
import { type NetworkBroker, startNetworkBroker, wellBehaved } from './fixtures/network-broker.ts';
import { openOrders } from './fixtures/network-shop.ts';
import { openRelay, quick } from './fixtures/open-relay.ts';
import { changeOrder, OrderChanged, shopMigrations, startShop } from './fixtures/shop.ts';
import { observePublished } from './observe-published.ts';
import { outboxColumns } from './outbox-columns.ts';
import { republishSince } from './republish.ts';
import { upkeep } from './upkeep.ts';

const operator = { actor: 'usr_operator', reason: 'test' };
let database: TestDatabase;
let orders: Database;
let relayDb: Database;
let broker: NetworkBroker;
const cleanUps: (() => unknown)[] = [];
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  orders = openOrders(database);
  relayDb = database.openAs('relay');
});
beforeEach(async () => {
  broker = await startNetworkBroker();
});
afterEach(async () => {
  disarmFailpoints();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await broker.close();
  for (const table of ['outbox', 'outbox_archive', 'outbox_quarantine'])
    await database.admin(`delete from orders.${table}`);
});
afterAll(async () => {
  await orders.close();
  await database.drop();
});

const relay = (options: Partial<Parameters<typeof openRelay>[1]> = {}) => {
  const opened = openRelay(database, { broker: broker.client, ...options });
  cleanUps.push(() => opened.close());
  return opened;
};
const newTenant = () => uuid7() as unknown as TenantId;
const nameOf = ({ envelope }: { envelope: string }) => {
  const { orderId, version } = JSON.parse(envelope).payload as { orderId: string; version: number };
  return `${orderId}:${version}`;
};
const arrived = () => broker.arrivals.map(nameOf);
const change = async (...ids: string[]) => {
  for (const orderId of ids) await changeOrder(orders, tenant, { orderId });
};
let tenant: TenantId;
beforeEach(() => {
  tenant = newTenant();
});
const waiting = () =>
  database.admin<{
    what: string;
    attempts: number;
    status: string;
    last_error: string | null;
    paused: boolean;
  }>(
    `select envelope -> 'payload' ->> 'orderId' || ':' || aggregate_version as what, attempts, status, last_error,
            next_attempt_at > now() as paused
     from orders.outbox order by seq`,
  );
const count = async (table: string) =>
  (await database.admin<{ n: number }>(`select count(*)::int as n from orders.${table}`))[0]?.n;
const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
const allPublished = () => waitUntil('the outbox is empty', async () => (await count('outbox')) === 0);

test('OUTBOX-38: two relays and a broken network: no key out of sequence, no row lost', async () => {
  const fates = [...Array(10).fill('answer'), 'cut-before', 'cut-after'] as const;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(99)), async chances => {
      const chance = () => chances.next().value as number;
      const published = new Map<string, number>();
      const by = (name: string) => ({
        owner: name,
        onPublished: (_: string, n: number) => void published.set(name, (published.get(name) ?? 0) + n),
      });
      broker.arrivals.length = 0;
      broker.behaviour = {
        line: () => fates[chance() % fates.length] ?? 'answer',
        refuses: () => chance() < 8,
      };
      const tenantId = newTenant();
      const keys = Array.from({ length: 300 }, (_, at) => `o${at}`);
      const round = () => Promise.all(keys.map(orderId => changeOrder(orders, tenantId, { orderId })));
      await round();
      const relays = [relay(by('one')), relay(by('two'))]; // more keys than one claim takes: there is work for both
      await round();
      await round();
      await allPublished();
      await Promise.all(relays.map(one => one.stop()));
      const seen = arrived();
      for (const key of keys)
        expect([...new Set(seen.filter(what => what.startsWith(`${key}:`)))]).toEqual([
          `${key}:1`,
          `${key}:2`,
          `${key}:3`,
        ]);
      expect([...published.values()].reduce((sum, n) => sum + n, 0)).toBe(900);
      expect(await count('outbox_archive')).toBe(900);
      await database.admin('delete from orders.outbox_archive');
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

test('OUTBOX-39: a relay killed after publish and before the mark: the same event id is published again', async () => {
  await change('a', 'a');
  const { client: _, ...rest } = broker;
  const child = spawn(
    process.execPath,
    [new URL('./fixtures/network-relay-process.ts', import.meta.url).pathname],
    {
      env: {
        ...process.env,
        PLACE: JSON.stringify({ adminUrl: database.adminUrl, secret: database.secret }),
        BROKER_URL: `http://127.0.0.1:${(rest as unknown as { port: number }).port}`,
        MELM_FAILPOINTS: 'relay.after-publish=crash',
      },
      stdio: 'ignore',
    },
  );
  const [, signalName] = await once(child, 'exit');
  expect(signalName).toBe('SIGKILL');
  expect(arrived()).toEqual(['a:1', 'a:2']);
  expect(await count('outbox')).toBe(2);
  relay();
  await allPublished(); // when the lease of the dead is over
  expect(arrived()).toEqual(['a:1', 'a:2', 'a:1', 'a:2']);
  const ids = broker.arrivals.map(({ eventId }) => eventId);
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
});

test('X-047: a relay that lost its claim while it published writes nothing', async () => {
  await change('a');
  const [reached, release] = [signal(), signal()];
  const hold = () => {
    reached.fire();
    return release.promise;
  };
  armFailpoint('relay.after-publish', hold, { onHit: 1 });
  let bySlow = 0;
  const slow = relay({
    owner: 'slow',
    onPublished(_, n) {
      bySlow += n;
    },
  });
  await reached.promise;
  await database.admin('update orders.outbox set lease_until = now()'); // as long as it has stood still
  broker.behaviour = { ...wellBehaved, refuses: () => true };
  const other = relay({ owner: 'other', policy: { ...quick, ladderMs: [3_600_000] } });
  const refused = { what: 'a:1', attempts: 1, status: 'retrying', last_error: 'refused', paused: true };
  await waitUntil('the other one was refused', async () => (await waiting())[0]?.attempts === 1);
  release.fire();
  await Promise.all([slow.stop(), other.stop()]);
  expect(bySlow).toBe(0);
  expect(await waiting()).toEqual([refused]);
  expect(await count('outbox_archive')).toBe(0);
});

test('X-047: two relays of one name are told apart by the number of their claims: of one that is over nothing is written', async () => {
  await change('a');
  const claims = createClaims(relayDb, 'orders', 'one name');
  const limits = { rows: 10, window: 10, leaseMs: 60_000 };
  const { rows: over } = await claims.claim({ ...limits, leaseMs: 0 });
  const { rows: newer } = await claims.claim(limits);
  expect([over.length, newer.length]).toEqual([1, 1]);
  expect(await claims.settle(over, [])).toEqual(new Set());
  await claims.release(over);
  expect((await claims.claim(limits)).rows).toEqual([]);
  expect(await claims.settle(newer, [])).toEqual(new Set([newer[0]?.seq]));
});

test('X-043, X-047: of relays that claim at the same moment one gets a key, each time', async () => {
  await change('a');
  const limits = { rows: 10, window: 10, leaseMs: 60_000 };
  const relays = upTo(8).map(n => createClaims(relayDb, 'orders', `relay ${n}`));
  for (const round of upTo(300)) {
    const claimed = await Promise.all(relays.map(one => one.claim(limits)));
    const owners = relays.filter((_, at) => claimed[at]?.rows.length === 1);
    expect(owners, `in round ${round}`).toHaveLength(1);
    await owners[0]?.release(claimed.flatMap(({ rows }) => rows));
  }
});

test('X-047: a claim that is too old is not published at all', async () => {
  await change('a');
  const [reached, release] = [signal(), signal()];
  const held = () => {
    reached.fire();
    return release.promise;
  };
  armFailpoint('relay.after-claim', held, { onHit: 1 });
  const slow = relay({ owner: 'slow', leaseMs: 100, publishMs: 40 });
  await reached.promise;
  relay({ owner: 'quick' });
  await allPublished();
  release.fire();
  await slow.stop();
  expect(arrived()).toEqual(['a:1']);
});

test('X-043, X-045, OUTBOX-29: a message that is refused holds its key and nobody else', async () => {
  await change('a', 'a', 'b', 'b');
  broker.behaviour = { ...wellBehaved, refuses: message => nameOf(message) === 'a:1' };
  const patient = relay({ policy: { ...quick, ladderMs: [3_600_000] } });
  await waitUntil('the other key is through', () => arrived().includes('b:2'));
  await change('a', 'c');
  await waitUntil('a new key is through', () => arrived().includes('c:1'));
  expect(arrived()).toEqual(['b:1', 'b:2', 'c:1']);
  await waitUntil('it is marked', async () => (await count('outbox')) === 3);
  expect(await waiting()).toEqual([
    { what: 'a:1', attempts: 1, status: 'retrying', last_error: 'refused', paused: true },
    { what: 'a:2', attempts: 0, status: 'pending', last_error: null, paused: false },
    { what: 'a:3', attempts: 0, status: 'pending', last_error: null, paused: false },
  ]);
  await patient.stop();
  broker.behaviour = wellBehaved;
  await database.admin('update orders.outbox set next_attempt_at = now()');
  relay();
  await allPublished();
  expect(arrived().slice(3)).toEqual(['a:1', 'a:2', 'a:3']);
});

test('X-045: thousands of rows behind a waiting head starve nobody', async () => {
  await change('a', 'b');
  await database.admin(
    `insert into orders.outbox (id, tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope,
       attributes, idempotency_key)
     select gen_random_uuid(), tenant_id, aggregate_type, aggregate_id, n, topic, ordering_key, envelope, attributes, n::text
     from orders.outbox, generate_series(2, 5000) n where ordering_key like '%:a'`,
  );
  await change('c');
  await database.admin(
    `update orders.outbox set next_attempt_at = now() + interval '1 hour' where aggregate_version = 1 and ordering_key like '%:a'`,
  );
  relay();
  await waitUntil('the last key is through', () => arrived().includes('c:1'));
  expect(arrived()).toEqual(['b:1', 'c:1']);
});

test('OUTBOX-30, X-046: the fiftieth failure after six hours is put aside, and its key waits until it is released', async () => {
  await change('a', 'a', 'young', 'b');
  await database.admin(
    `update orders.outbox set attempts = 49, enqueued_at = now() - case when ordering_key like '%:a' then 7 else 5 end * interval '1 hour'
     where aggregate_version = 1 and ordering_key ~ ':(a|young)$'`,
  );
  broker.behaviour = { ...wellBehaved, refuses: message => /^(a|young):1$/.test(nameOf(message)) };
  relay({ policy: { ...quick, ladderMs: [3_600_000] } });
  await waitUntil('it is in quarantine', async () => (await count('outbox_quarantine')) === 1);
  await change('a', 'b');
  await waitUntil('other keys flow', () => arrived().includes('b:2'));
  expect(arrived()).toEqual(['b:1', 'b:2']);
  await waitUntil('they are marked', async () => (await count('outbox')) === 3);
  expect((await waiting()).map(({ what, attempts }) => `${what} ${attempts}`)).toEqual([
    'a:2 0',
    'young:1 50',
    'a:3 0',
  ]);
  const [aside] = await database.admin(
    'select attempts, status, last_error, reason, resolved_at from orders.outbox_quarantine',
  );
  expect(aside).toEqual({
    attempts: 50,
    status: 'dead_letter',
    last_error: 'refused',
    reason: 'the broker did not take it in 50 attempts',
    resolved_at: null,
  });
  broker.behaviour = { ...wellBehaved, refuses: message => nameOf(message) === 'young:1' };
  await resolveQuarantined(relayDb, operator, { how: 'release', filter: { schema: 'orders' } });
  await waitUntil('the key went on', () => arrived().includes('a:3'));
  expect(arrived().slice(2)).toEqual(['a:1', 'a:2', 'a:3']);
});

test('OBS-26: what is put aside is counted under the name of its service, as everything else is', async () => {
  const metrics = createMetrics();
  await change('a');
  await database.admin(`update orders.outbox set attempts = 49, enqueued_at = now() - interval '7 hours'`);
  broker.behaviour = { ...wellBehaved, refuses: () => true };
  const member = { ...broker.client, prepare: async () => {} } as unknown as Broker; // nobody consumes here
  const shop = await startShop(database, { broker: member, consumers: false, metrics });
  cleanUps.push(() => shop.stop());
  await waitUntil('it is in quarantine', async () => (await count('outbox_quarantine')) === 1);
  const counted = () => samplesOf(metrics, 'melmastoon_outbox_quarantined_total');
  const labels = `service=orders-service,topic=${OrderChanged.subject}`;
  await waitUntil('it is counted', async () => Object.keys(await counted()).length > 0);
  expect(await counted()).toEqual({ [labels]: 1 });
});

test('safety-28, OBS-05: rows with odd attributes that somebody wrote by hand are published and counted like others', async () => {
  const metrics = createMetrics();
  const tracing = startTracing({ service: 'shop', exporter: memoryExporter().exporter });
  cleanUps.push(() => tracing.stop());
  const odd = ['null', '[]', '{"traceparent":{"a":1}}', String.raw`{"traceparent":"\u0000"}`];
  await database.admin(
    `insert into orders.outbox (tenant_id, aggregate_type, aggregate_id, aggregate_version, topic, ordering_key, envelope,
                                attributes, idempotency_key)
     select $1, 'order', 'odd', n, $2, 'odd', $3, a, n from unnest($4::json[]) with ordinality as u (a, n)`,
    [tenant, OrderChanged.subject, '{"payload":{"orderId":"odd","version":1}}', odd],
  );
  await change('a');
  relay({ observe: observePublished({ metrics }) });
  await waitUntil('all arrived', () => arrived().length === odd.length + 1);
  const counted = async () =>
    Object.values(await samplesOf(metrics, 'melmastoon_events_published_total')).reduce((a, b) => a + b, 0);
  await waitUntil('all are counted', async () => (await counted()) === odd.length + 1);
});

test('X-046: a skipped message is never published, and its key goes on; one that fails again is put aside again', async () => {
  await change('a', 'a');
  const old = `update orders.outbox set attempts = 49, enqueued_at = now() - interval '7 hours' where aggregate_version = 1`;
  await database.admin(old);
  broker.behaviour = { ...wellBehaved, refuses: message => nameOf(message) === 'a:1' };
  relay();
  const open = async () =>
    (await database.admin('select from orders.outbox_quarantine where resolved_at is null')).length;
  await waitUntil('it is in quarantine', async () => (await open()) === 1);
  await resolveQuarantined(relayDb, operator, { how: 'release', filter: { schema: 'orders' } });
  await database.admin(old);
  await waitUntil('it is there again', async () => (await open()) === 1);
  expect(await count('outbox_quarantine')).toBe(1);
  await resolveQuarantined(relayDb, operator, { how: 'skip', filter: { schema: 'orders' } });
  await waitUntil('the key went on', () => arrived().length > 0);
  expect(arrived()).toEqual(['a:2']);
});

test('DLQ-39, X-042: while the broker is away outboxes hold and one row at a time is tried; then everything drains', async () => {
  const port = (broker as unknown as { port: number }).port;
  await broker.close();
  await Promise.all(
    Array.from({ length: 400 }, (_, at) => changeOrder(orders, tenant, { orderId: `o${at}` })),
  );
  relay();
  await waitUntil('it was tried several times', async () => {
    const found = await database.admin<{ n: number }>('select sum(attempts)::int as n from orders.outbox');
    return (found[0]?.n ?? 0) >= 260;
  });
  expect(await count('outbox')).toBe(400);
  broker = await startNetworkBroker(port);
  await allPublished();
  expect(new Set(arrived()).size).toBe(400);
});

test('DLQ-39, X-042: one short outage counts once, however many outboxes meet it', async () => {
  await change('a');
  const schemas = upTo(12).map(n => `many_${n}`);
  for (const schema of schemas) {
    await database.admin(`create schema ${schema}`);
    cleanUps.push(() => database.admin(`drop schema ${schema} cascade`));
    await database.admin(`grant usage on schema ${schema} to relay`);
    for (const table of ['outbox', 'outbox_archive', 'outbox_quarantine'])
      await database.admin(`create table ${schema}.${table} (like orders.${table} including all)`);
    await database.admin(`grant all on all tables in schema ${schema} to relay`);
    await database.admin(
      `insert into ${schema}.outbox (${outboxColumns}) overriding system value select ${outboxColumns} from orders.outbox`,
    );
  }
  let cuts = schemas.length;
  broker.behaviour = { ...wellBehaved, line: () => (cuts-- > 0 ? 'cut-before' : 'answer') };
  const ladderMs = [...schemas.slice(1).map(() => 20), 3_600_000];
  relay({ schemas, policy: { ...quick, ladderMs } });
  for (const schema of schemas)
    await waitUntil(`${schema} is empty`, async () => {
      const [row] = await database.admin<{ n: number }>(`select count(*)::int as n from ${schema}.outbox`);
      return row?.n === 0;
    });
});

test('DLQ-39: the wait for a broker ends when it answers again', async () => {
  const away = new Error('away');
  let isAway = true;
  const sometimes: Parameters<typeof openRelay>[1]['broker'] = {
    name: 'sometimes',
    async publish(messages) {
      if (isAway) throw away;
      return broker.client.publish(messages);
    },
  };
  await change('a');
  const one = relay({ broker: sometimes, pollMs: 600_000, policy: { ...quick, ladderMs: [3_600_000] } });
  await waitUntil('it waits', async () => (await waiting())[0]?.attempts === 1);
  await one.poll();
  isAway = false;
  await change('b');
  await one.poll();
  await waitUntil('the next is through', async () => (await count('outbox')) === 1);
  expect(await waiting()).toMatchObject([{ what: 'a:1', attempts: 1 }]); // what failed waits for its own time
});

test('DLQ-15, X-086: what was published since a moment is published again, in its order, under its ids', async () => {
  await change('a', 'b');
  relay();
  await allPublished();
  await database.admin(`update orders.outbox_archive set published_at = published_at - interval '1 hour'`);
  const moment = new Date(Date.now() - 60_000);
  await change('a', 'a', 'b');
  await allPublished();
  const before = broker.arrivals.slice(2).map(({ eventId }) => eventId);
  expect(await republishSince(relayDb, moment)).toBe(3);
  await waitUntil('they came again', () => broker.arrivals.length === 8);
  const again = broker.arrivals.slice(5);
  expect(again.map(nameOf).filter(what => what.startsWith('a:'))).toEqual(['a:2', 'a:3']);
  expect(again.map(({ eventId }) => eventId).sort()).toEqual(before.sort());
});

test('OUTBOX-36, X-051: what was published more than 7 days ago is forgotten, and nothing else', async () => {
  await change('a', 'b');
  relay();
  await allPublished();
  await database.admin(`update orders.outbox_archive set published_at = now() - interval '8 days'`);
  await change('a', 'a', 'b');
  await allPublished();
  expect(await upkeep(relayDb, ['orders'])).toMatchObject({ published: 2 });
  expect(await count('outbox_archive')).toBe(3);
});

test('safety-30: a pass that begins as the broker is found to have lost its memory waits for what comes back', async () => {
  let [hasForgotten, isClaimed] = [false, false];
  const recovered = signal<void>();
  // As long as something would take several times over: nobody knows whether it comes.
  const whileNot = async (isSo: () => boolean) => {
    for (let trips = 0; !isSo() && trips < 500; trips++) await database.admin('select 1');
  };
  const forgetful: Parameters<typeof openRelay>[1]['broker'] = {
    name: 'forgetful',
    async publish(messages) {
      if (hasForgotten) throw new BrokerForgot('everything');
      return broker.client.publish(messages);
    },
    async recover(republish) {
      await whileNot(() => isClaimed); // a pass that is just ending takes none
      await republish(new Date(0));
      hasForgotten = false;
      recovered.fire();
    },
  };
  const one = relay({ broker: forgetful, pollMs: 600_000 });
  await change('o1');
  one.nudge('orders');
  await allPublished();
  broker.arrivals.length = 0;

  armFailpoint('relay.after-claim', () => {
    isClaimed = true;
    return whileNot(() => !hasForgotten); // what is claimed before it comes back is held until then
  });
  hasForgotten = true;
  await change('o1');
  void one.poll();
  one.nudge('orders');
  await recovered.promise;
  await allPublished();
  expect(arrived()).toEqual(['o1:1', 'o1:2']);
});
