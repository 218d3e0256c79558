import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { days, minutes } from '@ghasi/domain-primitives/duration';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import type { LooseJobCtx } from '@ghasi/jobs/define-job';
import { createLogger } from '@ghasi/telemetry/logger';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopSelling } from './commands/stop-sells.ts';
import { AllocationReleased, StopSellCleared } from './contract.ts';
import { day } from './fixtures/bookings.ts';
import { movesOf, openFeed } from './fixtures/feeds.ts';
import { type House, NOW, openHouse } from './fixtures/house.ts';
import { beginBlocks, releaseExpiredHolds, schedules, tidyNights } from './jobs.ts';
import { horizon, NIGHTS_AHEAD } from './model.ts';
import { service } from './service.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const log = createLogger({ name: 'test', level: 'silent' });

/** Runs a job the way a worker does: as the service, without a tenant, in transactions of its own. */
async function runAt(now: Date, { work }: { work: unknown }): Promise<unknown> {
  const { run } = work as { run(ctx: LooseJobCtx, input: object): Promise<unknown> };
  const job = { id: newId('job'), attempt: 1, signal: new AbortController().signal };
  const who = { actor: testActor, now, log };
  return systemTransaction(house.db, who, ({ tx: _, ...ctx }) =>
    run(
      {
        ...ctx,
        job,
        db: house.db,
        transaction: (work, options) =>
          options?.tenantId === undefined
            ? systemTransaction(house.db, who, inner => work({ ...inner, job }))
            : tenantTransaction(house.db, { ...who, tenantId: options.tenantId }, inner =>
                work({ ...inner, job }),
              ),
      },
      {},
    ),
  );
}

const told = async (tenantId: TenantId, { subject }: { subject: string }) =>
  (await house.published(tenantId)).filter(({ topic }) => topic === subject);

test('R10: the sweep runs every 5 seconds and gives back holds of all tenants whose time is over, and no others', async () => {
  expect(schedules[0]).toMatchObject({ recurrence: { seconds: 5 }, job: releaseExpiredHolds });
  expect(service.schedules).toEqual(expect.arrayContaining(schedules));
  const now = new Date('2026-12-01T10:00:00.000Z');
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const inns = [await house.inn(3), await house.inn(3)];
  for (const inn of inns) {
    const [due, paid, early] = ['10', '20', '30'].map(n => inn.book(`2027-05-${n}`, `2027-06-01`));
    await house.hear(inn.tenantId, due?.held(at(0)) as never);
    await house.hear(inn.tenantId, paid?.held(at(0)) as never);
    await house.hear(inn.tenantId, paid?.confirmed() as never);
    await house.hear(inn.tenantId, early?.held(at(1)) as never);
  }
  expect(await runAt(now, releaseExpiredHolds)).toEqual({ released: 2 });
  expect(await runAt(now, releaseExpiredHolds)).toEqual({ released: 0 });
  for (const inn of inns) {
    expect(await house.sold(inn, '2027-05-10', '2027-05-11')).toEqual([0]);
    expect(await house.sold(inn, '2027-05-30', '2027-05-31')).toEqual([2]);
    const [released, ...more] = await told(inn.tenantId, AllocationReleased);
    expect(released?.payload).toMatchObject({ reason: 'hold_expired' });
    expect(more).toEqual([]);
  }
  expect(await runAt(new Date(now.getTime() + minutes(1)), releaseExpiredHolds)).toEqual({ released: 2 });
});

test('R17: a room kept for a no-show comes free at its hour, as a no-show', async () => {
  const inn = await house.inn(1);
  const booking = inn.book('2027-05-10', '2027-05-12');
  await house.hear(inn.tenantId, booking.held());
  await house.hear(inn.tenantId, booking.confirmed());
  await house.hear(inn.tenantId, booking.noShow('2027-05-11T02:00:00.000Z'));
  await runAt(new Date('2027-05-11T01:59:59.000Z'), releaseExpiredHolds);
  expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([1, 1]);
  await runAt(new Date('2027-05-11T02:00:00.000Z'), releaseExpiredHolds);
  expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([0, 0]);
  const [released] = await told(inn.tenantId, AllocationReleased);
  expect(released?.payload).toMatchObject({ reason: 'no_show' });
});

test('more holds than one transaction takes are all given back', async () => {
  const inn = await house.inn(60, { from: '2027-05-01' });
  for (let n = 0; n < 60; n += 1)
    await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-11').held('2026-12-02T00:00:00.000Z'));
  expect(await runAt(new Date('2026-12-02T00:00:00.000Z'), releaseExpiredHolds)).toEqual({ released: 60 });
  expect(await house.sold(inn, '2027-05-10', '2027-05-11')).toEqual([0]);
});

test('nights are counted 500 ahead, every day one more, with the rooms and limit there are', async () => {
  const inn = await house.inn(2);
  const now = NOW;
  const { until, today } = horizon(now);
  expect(addDays(today, NIGHTS_AHEAD)).toBe(until);
  expect(await house.nights(inn, until, addDays(until, 5))).toEqual([]);
  await runAt(new Date(now.getTime() + days(3)), tidyNights);
  await runAt(new Date(now.getTime() + days(3)), tidyNights);
  const more = await house.nights(inn, addDays(until, -1), addDays(until, 5));
  expect(more.map(({ capacity }) => capacity)).toEqual([2, 2, 2, 2]);
});

test('EVT-33: a stop-sell whose nights are over lapses, once, and is told', async () => {
  const inn = await house.inn(1);
  const { roomTypeId } = inn;
  await house.inside(inn.tenantId, ctx =>
    stopSelling(ctx, {
      roomTypeId,
      from: day('2027-05-10'),
      until: day('2027-05-12'),
      reason: 'renovation',
    }),
  );
  await runAt(new Date('2027-05-12T12:00:00.000Z'), tidyNights);
  expect(await told(inn.tenantId, StopSellCleared)).toEqual([]);
  await runAt(new Date('2027-05-13T12:00:00.000Z'), tidyNights);
  await runAt(new Date('2027-05-13T12:00:00.000Z'), tidyNights);
  const cleared = await told(inn.tenantId, StopSellCleared);
  expect(cleared.map(({ payload }) => payload)).toMatchObject([
    { ending: 'lapsed', nights: { from: '2027-05-10', until: '2027-05-12' } },
  ]);
});

test('R11, R13: what waits for its room is tried every minute, in all tenants, and begins once the room is free', async () => {
  expect(schedules).toContainEqual(
    expect.objectContaining({ job: beginBlocks, recurrence: { kind: 'interval', seconds: 60 } }),
  );
  const inns = [
    await house.inn(1, { zone: 'Asia/Kabul', from: '2027-04-25' }),
    await house.inn(1, { zone: 'Asia/Karachi', from: '2027-04-25' }),
  ];
  const bookings = [];
  for (const inn of inns) {
    const booking = inn.book('2027-05-10', '2027-05-12');
    await house.hear(inn.tenantId, booking.held());
    bookings.push(booking);
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([{ uid: 'a', from: '2027-05-10', until: '2027-05-12' }]);
  }
  expect(await runAt(NOW, beginBlocks)).toEqual({ begun: 0 });
  for (const [n, inn] of inns.entries()) await house.hear(inn.tenantId, bookings[n]?.cancelled() as never);
  expect(await runAt(NOW, beginBlocks)).toEqual({ begun: 2 });
  for (const inn of inns) {
    expect((await house.nights(inn, '2027-05-10', '2027-05-12')).map(({ rooms }) => rooms)).toEqual([0, 0]);
    expect(await movesOf(house, inn)).toEqual([]);
  }
});
