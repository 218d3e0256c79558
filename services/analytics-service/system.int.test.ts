import { createSubscriber } from '@ghasi/backbone/consumer';
import { getTableName } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import type { JobDefinition } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type System, startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { BusinessDateAdvanced } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SnapshotComputed } from './contract.ts';
import { type Cast, dateOf, newCast } from './fixtures/cast.ts';
import { everythingHappens, plainBooking } from './fixtures/everything-happens.ts';
import { factsInTables, inOrder } from './fixtures/facts-in-tables.ts';
import { registryOf, service } from './fixtures/open-analytics.ts';
import type { PlainHistory } from './fixtures/plain-history.ts';
import { eventsOf } from './fixtures/story-events.ts';
import { aggregateDaily, catchUp } from './jobs.ts';
import { readSummary } from './queries/summary.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem({ services: [service], registry: registryOf([service]) });
});
afterAll(() => system.stop());

const nothing: PlainHistory = {
  ...{ createdMinute: 0, closes: [], tickets: [], statuses: [], bookings: [], charges: [], tasks: [] },
  rooms: [0, 1, 2, 3].map(() => ({ type: 0, from: 0, closed: null })),
};
const spoken = (history: Partial<PlainHistory>, cast: Cast) =>
  eventsOf({ ...nothing, ...history }, cast).map(({ event }) => event);
const tell = async (tenantId: TenantId, events: readonly PendingEvent[]) => {
  await system.publish(tenantId, events);
  await system.settled({ timeoutMs: 60_000 });
};
const snapshots = async (tenantId: TenantId) =>
  (await system.events(SnapshotComputed))
    .filter(one => one.tenantId === tenantId)
    .map(({ payload, metadata }) => ({ ...payload, version: metadata.aggregateVersion }));
const metricsOf = ({ metrics }: { metrics: { name: string; value: unknown }[] }) =>
  Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
const dayClosed = (cast: Cast, day: number) =>
  BusinessDateAdvanced.from(
    {
      propertyId: cast.propertyId,
      closedDate: dateOf(day),
      businessDate: dateOf(day + 1),
      closedBy: null,
      resolved: [],
    },
    { aggregateVersion: day + 2 },
  );
const runJob = async (job: JobDefinition) => {
  await system.run(service, PLATFORM_TENANT_ID, (ctx: Ctx, input: object) => enqueue(ctx, job, input), {});
  await system.settled({ timeoutMs: 60_000 });
};
const summary = (tenantId: TenantId, { propertyId }: Cast) =>
  system.run(
    service,
    tenantId,
    (ctx: Ctx, period: { from: ReturnType<typeof dateOf>; until: ReturnType<typeof dateOf> }) =>
      readSummary(ctx, { propertyId, compare: null, ...period }),
    { from: dateOf(0), until: dateOf(20) },
  );

test('SAGA-22, X-014: a confirmed booking is indexed and told without anybody asking; the next one under the same id', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await tell(tenantId, spoken({}, cast));
  await tell(tenantId, spoken({ bookings: [plainBooking({})] }, cast).slice(-1));
  await tell(tenantId, spoken({ bookings: [plainBooking({ arrival: 2 })] }, cast).slice(-1));
  const indexed = (await snapshots(tenantId)).filter(({ kind }) => kind === 'booking_indexed');
  expect(indexed.map(metricsOf)).toEqual([
    { bookings: 0, cancellations: 0, no_shows: 0 },
    { bookings: 1, cancellations: 0, no_shows: 0 },
    { bookings: 2, cancellations: 0, no_shows: 0 },
  ]);
  expect(new Set(indexed.map(({ snapshotId }) => snapshotId)).size).toBe(1);
  expect(indexed.map(({ version }) => version)).toEqual([1, 2, 3]);
  const marks = indexed.map(({ sourceWatermark }) => sourceWatermark);
  expect(marks).toEqual([...marks].sort((a, b) => a - b));
  // Nothing of today is told as if it were over.
  expect((await snapshots(tenantId)).every(({ kind }) => kind === 'booking_indexed')).toBe(true);
});

test('EVT-76, R1: once a hotel day is closed its occupancy, revenue and work are told; late news of it once more', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  const told = spoken(
    { bookings: [plainBooking({ arrival: 0 })], tasks: [{ on: 0, outcome: 'done' }] },
    cast,
  );
  await tell(tenantId, told);
  await tell(tenantId, [dayClosed(cast, 0)]);
  const ofDay = async (kind: string) =>
    (await snapshots(tenantId)).filter(one => one.kind === kind && one.period.from === dateOf(0));
  const [occupancy, revenue, operations] = [
    await ofDay('occupancy'),
    await ofDay('revenue'),
    await ofDay('operations'),
  ];
  expect(occupancy.map(metricsOf)).toEqual([
    { rooms_sold: 1, rooms_available: 4, rooms_out_of_order: 0, occupancy: 2_500 },
  ]);
  const afn = (amount: string) => ({ amount, currency: 'AFN' });
  expect(revenue.map(metricsOf)).toEqual([
    {
      room_revenue: afn('1000'),
      other_revenue: afn('0'),
      average_rate: afn('1000'),
      revenue_per_room: afn('250'),
    },
  ]);
  expect(operations.map(metricsOf)).toEqual([
    { tasks_completed: 1, rooms_out_of_order: 0, cancellation_rate: 0, no_show_rate: 0 },
  ]);
  await tell(tenantId, [dayClosed(cast, 0)]); // told again under another id: nothing is new
  expect(await ofDay('occupancy')).toHaveLength(1);
  const charge = {
    on: 0,
    kind: 'service',
    currency: 'AFN',
    amount: { net: 500, gross: 550 },
    reversedOn: null,
  } as const;
  await tell(tenantId, spoken({ charges: [charge] }, cast).slice(-1));
  expect((await ofDay('revenue')).map(one => metricsOf(one).other_revenue)).toEqual([afn('0'), afn('500')]);
  expect(await ofDay('occupancy')).toHaveLength(1);
});

test('a rebuild from the retained log gives the numbers that were there, and tells nothing anew', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await tell(tenantId, spoken(everythingHappens, cast));
  const facts = () =>
    factsInTables({ admin: (text, values) => system.query('analytics', text, values) }, { tenantId, cast });
  const [live, told] = [await facts(), await snapshots(tenantId)];
  expect(live.size).toBeGreaterThan(100);
  // Watermarks only rise, and what was told was told: everything else is forgotten.
  const kept = ['watermarks', 'snapshots'];
  const forgotten = [
    ...Object.values(service.tables)
      .map(getTableName)
      .filter(name => !kept.includes(name)),
    'inbox',
  ];
  for (const name of forgotten)
    await system.query('analytics', `delete from ${name} where tenant_id = $1`, [tenantId]);
  expect((await facts()).size).toBe(0);
  await replay(tenantId);
  await system.settled({ timeoutMs: 60_000 });
  expect(inOrder(await facts())).toEqual(inOrder(live));
  expect(await snapshots(tenantId)).toEqual(told);
});

type Batch = Parameters<ReturnType<typeof createSubscriber>['handle']>[0];

/** Delivers what the log still has of a tenant once more, by the batch, as a seek of the subscription would. */
async function replay(tenantId: TenantId): Promise<void> {
  const { registry, signer, backbone } = system;
  const outbox = backbone.outboxOf(service.schema);
  const subscriber = createSubscriber({ service, db: system.db(service), outbox, registry, signer });
  const rows = await system.query<Record<string, unknown> & { off: bigint; envelope: object }>(
    'brokers',
    `select off, topic, ordering_key as "orderingKey", event_id as "eventId", tenant_id as "tenantId",
            envelope::text as envelope, attributes, enqueued_at as "enqueuedAt", published_at as "publishedAt"
     from log where tenant_id = $1 and topic = any($2) order by off`,
    [tenantId, subscriber.topics],
  );
  const batch = rows.map(row => ({ ...row, id: String(row.off), attempt: 1 })) as unknown as Batch;
  const outcomes = await subscriber.handle(batch, undefined);
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']));
}

test('PROJ-07, PROJ-08: a handler that cannot write stops nobody; the round that catches up finds it', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await tell(tenantId, spoken({}, cast));
  await system.query('analytics', 'alter table mix_days add constraint broken check (false) not valid');
  await tell(tenantId, spoken({ bookings: [plainBooking({})] }, cast).slice(-1));
  const checkpoints = () =>
    system.query<{ handler: string; status: string }>(
      'analytics',
      `select handler, status from checkpoints where scope_id = $1 and status <> 'COMPLETED'`,
      [idToUuid(cast.propertyId)],
    );
  expect(await checkpoints()).toEqual([{ handler: 'mix', status: 'FAILED' }]);
  expect(await summary(tenantId, cast)).toMatchObject({
    freshness: { status: 'FAILED' },
    measures: { rooms: { sold: 2 }, channels: [] },
  });
  await system.query('analytics', 'alter table mix_days drop constraint broken');
  await runJob(catchUp as JobDefinition);
  expect(await checkpoints()).toEqual([]);
  expect(await summary(tenantId, cast)).toMatchObject({
    freshness: { status: 'READY' },
    measures: { channels: [{ name: 'booking_site', roomsSold: 2 }] },
  });
});

test('JOB-34: the daily round computes the last week of every house again, whatever became of its rows', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await tell(tenantId, spoken({ bookings: [plainBooking({ arrival: 0 })] }, cast));
  await system.query('analytics', 'update room_days set sold = 9 where tenant_id = $1', [tenantId]);
  await runJob(aggregateDaily as JobDefinition);
  const [row] = await system.query<{ sold: number }>(
    'analytics',
    'select sold from room_days where tenant_id = $1 and date = $2',
    [tenantId, dateOf(0)],
  );
  expect(row).toEqual({ sold: 1 });
});

test('PROJ-10: a row and a snapshot from more data stay as they are', async () => {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await tell(tenantId, spoken({}, cast));
  await system.query(
    'analytics',
    'update room_days set sold = 7, source_watermark = 1000 where tenant_id = $1',
    [tenantId],
  );
  await system.query('analytics', 'update snapshots set source_watermark = 1000 where tenant_id = $1', [
    tenantId,
  ]);
  const before = await snapshots(tenantId);
  await tell(tenantId, spoken({ bookings: [plainBooking({ arrival: 0 })] }, cast).slice(-1));
  const sold = await system.query<{ sold: number }>(
    'analytics',
    'select distinct sold from room_days where tenant_id = $1',
    [tenantId],
  );
  expect(sold).toEqual([{ sold: 7 }]);
  expect(await snapshots(tenantId)).toEqual(before);
});
