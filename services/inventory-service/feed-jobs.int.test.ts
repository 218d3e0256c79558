import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { hours, minutes } from '@ghasi/domain-primitives/duration';
import { type Id, newId, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import type { JobDefinition, LooseJobCtx } from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { createLogger } from '@ghasi/telemetry/logger';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openCalendars } from './calendars.ts';
import { addFeed, changeFeed } from './commands/feeds.ts';
import { FETCH_EVERY_MS, nextFetch } from './commands/import-feed.ts';
import { importCalendar, sweepFeeds, syncCalendars } from './feed-jobs.ts';
import {
  type House,
  type Inn,
  NOW,
  openHouse,
  propertyCreated,
  roomAdded,
  service,
} from './fixtures/house.ts';
import { Portal } from './fixtures/portal.ts';
import { horizon } from './model.ts';
import { findFeed } from './queries/feeds.ts';

let house: House;
let portal: Portal;
beforeAll(async () => {
  [house, portal] = [await openHouse(), await Portal.open()];
});
afterAll(async () => {
  await portal.close();
  await house.close();
});
beforeEach(() => {
  portal.tells({ uid: 'a', from: '2027-05-10', until: '2027-05-12' });
  portal.requests.length = 0;
});

const log = createLogger({ name: 'test', level: 'silent' });
const anywhere = { mayConnect: () => true };
const job = { id: newId('job'), attempt: 1, signal: new AbortController().signal };

/** Runs a job the way a worker does. */
async function runAt(now: Date, { work }: JobDefinition, of?: { tenantId: TenantId; input: object }) {
  const who = { actor: testActor, now, log };
  const ctx = {
    ...{ ...who, job, newId, db: house.db, tenantId: of?.tenantId },
    transaction: (inner, options) => {
      const tenantId = options?.tenantId ?? of?.tenantId;
      return tenantId === undefined
        ? systemTransaction(house.db, who, tx => inner({ ...tx, job }))
        : tenantTransaction(house.db, { ...who, tenantId }, tx => inner({ ...tx, job }));
    },
  } as LooseJobCtx;
  return (work as { run(ctx: LooseJobCtx, input: object): Promise<unknown> }).run(ctx, of?.input ?? {});
}

const add = (inn: Inn, url: string | null = portal.url) =>
  house.inside(inn.tenantId, ctx => addFeed(ctx, { roomId: inn.rooms[0], name: 'Portal', url }, anywhere));
const feedOf = (inn: Inn, id: Id<'cfd'>) => house.inside(inn.tenantId, ctx => findFeed(ctx, id));
const importAt = (inn: Inn, feedId: Id<'cfd'>, now: Date, options = anywhere) =>
  runAt(now, importCalendar(openCalendars(options)), { tenantId: inn.tenantId, input: { feedId } });
const later = (ms: number) => new Date(NOW.getTime() + ms);

test('JOB-31, R13: a calendar is fetched without any transaction open, taken over, and asked about by its ETag', async () => {
  const inn = await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' });
  const { id } = await add(inn);
  const sends = portal.answer;
  const open: unknown[] = [];
  portal.answer = async (request, response) => {
    const found = await house.database.admin(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and usename = 'svc_inventory' and xact_start is not null`,
    );
    open.push(...found);
    sends(request, response);
  };
  expect(await importAt(inn, id, NOW)).toEqual({ outcome: 'imported' });
  expect(open).toEqual([{ n: 0 }]);
  expect(await feedOf(inn, id)).toMatchObject({
    ...{ checkedAt: NOW, importedAt: NOW, lastError: null, failures: 0, nextFetchAt: later(FETCH_EVERY_MS) },
    etag: expect.stringMatching(/^"/),
  });
  expect((await house.nights(inn, '2027-05-10', '2027-05-12')).map(({ rooms }) => rooms)).toEqual([0, 0]);
  expect(await importAt(inn, id, later(minutes(15)))).toEqual({ outcome: 'unchanged' });
  expect(await feedOf(inn, id)).toMatchObject({ importedAt: later(minutes(15)) });
});

test('R13: other patterns make the same calendar mean something else, so it is read anew', async () => {
  const inn = await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' });
  const { id } = await add(inn);
  await importAt(inn, id, NOW);
  await house.inside(inn.tenantId, ctx => changeFeed(ctx, { feedId: id, ignored: ['res*'] }, anywhere));
  expect(await importAt(inn, id, NOW)).toEqual({ outcome: 'imported' });
  expect((await house.nights(inn, '2027-05-10', '2027-05-12')).map(({ rooms }) => rooms)).toEqual([1, 1]);
});

test('R13: a portal that fails changes no block, is written down, and is asked ever more seldom until it answers', async () => {
  const inn = await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' });
  const { id } = await add(inn);
  await importAt(inn, id, NOW);
  portal.answer = (_, response) => response.writeHead(503).end();
  await importAt(inn, id, NOW);
  portal.answer = (_, response) =>
    response.writeHead(200).end(portal.calendar.slice(0, -'END:VCALENDAR\r\n'.length));
  await importAt(inn, id, NOW);
  expect(await feedOf(inn, id)).toMatchObject({
    ...{ failures: 2, lastError: 'it has no end', nextFetchAt: later(minutes(30)), importedAt: NOW },
  });
  expect((await house.nights(inn, '2027-05-10', '2027-05-12')).map(({ rooms }) => rooms)).toEqual([0, 0]);
  portal.tells();
  await importAt(inn, id, NOW);
  expect(await feedOf(inn, id)).toMatchObject({ failures: 0, lastError: null });
  expect((await house.nights(inn, '2027-05-10', '2027-05-12')).map(({ rooms }) => rooms)).toEqual([1, 1]);
});

test('the waits double to six hours; a feed that is paused or has no address has no turn', () => {
  const feed = { url: 'https://portal.example', status: 'active' as const };
  const waits = [0, 1, 2, 3, 4, 5, 6, 99].map(n => Number(nextFetch(feed, n, NOW)) - NOW.getTime());
  expect(waits).toEqual([15, 15, 30, 60, 120, 240, 360, 360].map(n => (n === 360 ? hours(6) : minutes(n))));
  expect(nextFetch({ ...feed, status: 'paused' }, 0, NOW)).toBeNull();
  expect(nextFetch({ ...feed, url: null }, 0, NOW)).toBeNull();
});

test('safety-24: without the permission of the installation nothing on this machine is asked', async () => {
  const inn = await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' });
  const { id } = await add(inn);
  expect(await importAt(inn, id, NOW, {} as typeof anywhere)).toEqual({ outcome: 'failed' });
  expect(await feedOf(inn, id)).toMatchObject({ lastError: 'its address is not on the public internet' });
  expect(portal.requests).toEqual([]);
});

test('JOB-31: a round gives every feed that is due its turn, once, whichever tenant it is of', async () => {
  expect(syncCalendars).toMatchObject({ recurrence: { seconds: 120 }, job: sweepFeeds });
  expect(service.schedules).toContain(syncCalendars);
  const inns = [
    await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' }),
    await house.inn(1, { zone: 'Asia/Karachi', from: '2027-04-25' }),
  ];
  const feeds = [];
  for (const inn of inns) feeds.push(await add(inn));
  const second = inns[1] as Inn;
  await add(second, null);
  const paused = await add(second);
  await house.inside(second.tenantId, ctx => changeFeed(ctx, { feedId: paused.id, paused: true }, anywhere));
  const at = later(hours(1));
  await house.database.admin('update inventory.feeds set next_fetch_at = null where tenant_id <> all ($1)', [
    inns.map(({ tenantId }) => tenantId),
  ]);
  expect(await runAt(at, sweepFeeds as unknown as JobDefinition)).toEqual({ due: 2 });
  expect(await runAt(at, sweepFeeds as unknown as JobDefinition)).toEqual({ due: 0 });
  const jobs = await house.database.admin<{ payload: { feedId: string }; queue: string }>(
    `select payload, queue from jobs.jobs where job_type = 'ical.import'`,
  );
  expect(jobs.map(({ payload }) => payload.feedId).sort()).toEqual(feeds.map(({ id }) => id).sort());
});

test('in a running system: a feed is found due, fetched by a worker, and takes the room', async () => {
  await using system = await startSystem({ services: [service] });
  const tenantId = newTenantId();
  const [propertyId, roomTypeId] = [newId('pro'), newId('rty')];
  const added = roomAdded({ propertyId, roomTypeId });
  await system.publish(tenantId, [propertyCreated(propertyId, 'Asia/Kabul'), added]);
  await system.settled();
  const { roomId } = added.payload as { roomId: Id<'rom'> };
  const night = (n: number) => addDays(horizon(new Date()).today, n);
  portal.tells({ uid: 'a', from: night(30), until: night(32) });
  await system.run(
    service,
    tenantId,
    ctx => addFeed(ctx, { roomId, name: 'Portal', url: portal.url }, anywhere),
    {},
  );
  await system.run(service, PLATFORM_TENANT_ID, ctx => enqueue(ctx, sweepFeeds, {}), {});
  await system.settled();
  const nights = await system.query<{ rooms: number }>(
    'inventory',
    'select rooms from nights where date >= $1 and date < $2 order by date',
    [night(29), night(33)],
  );
  expect(nights.map(({ rooms }) => rooms)).toEqual([1, 0, 0, 1]);
});
