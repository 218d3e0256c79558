import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { LooseJobCtx } from '@ghasi/jobs/define-job';
import { createLogger } from '@ghasi/telemetry/logger';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDueOrders } from './commands/plans.ts';
import { type House, type Inn, inDays, openHouse, today } from './fixtures/house.ts';
import { openDue, schedules } from './jobs.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = (inn: Inn) => ({ tenantId: inn.tenantId, roles: ['maintenance'] });
const plan = (inn: Inn, more: object = {}) =>
  house.send(at(inn), 'POST', '/maintenance/plans', {
    ...{ propertyId: inn.propertyId, area: 'plant', category: 'electrical', severity: 'inconvenient' },
    ...{ title: 'Service the generator', everyDays: 30, nextDue: today },
    ...more,
  });
const tickets = async (inn: Inn) =>
  (await house.send(at(inn), 'GET', `/maintenance/tickets?propertyId=${inn.propertyId}`)).body.tickets;
/** What the job does for one tenant. */
const runFor = (tenantId: TenantId) => house.inside(tenantId, ctx => openDueOrders(ctx));

test('a plan that is due opens its order once, reported by nobody, and is due again later', async () => {
  const inn = await house.inn(1);
  const { body } = await plan(inn);
  // Two workers at once: the row of the plan goes to one of them.
  await Promise.all([runFor(inn.tenantId), runFor(inn.tenantId)]);
  expect(await runFor(inn.tenantId)).toBe(0);
  expect(await tickets(inn)).toMatchObject([
    { ...{ title: 'Service the generator', area: 'plant', reportedBy: null }, planId: body.id, dueOn: today },
  ]);
  const { body: listed } = await house.send(
    at(inn),
    'GET',
    `/maintenance/plans?propertyId=${inn.propertyId}`,
  );
  expect(listed.plans).toMatchObject([{ id: body.id, nextDue: inDays(30) }]);
  const told = await house.published(inn.tenantId);
  expect(told.map(({ payload }) => payload)).toMatchObject([
    { area: 'plant', block: 'none', reportedBy: null },
  ]);
});

test('work in every room opens an order for each, and missed days are done once', async () => {
  const inn = await house.inn(3);
  await plan(inn, {
    area: null,
    everyRoom: true,
    everyDays: 7,
    nextDue: inDays(-30),
    title: 'Smoke detector',
  });
  expect(await runFor(inn.tenantId)).toBe(1);
  expect((await tickets(inn)).map(({ roomId }: { roomId: string }) => roomId).sort()).toEqual(
    [...inn.rooms].sort(),
  );
  expect(await runFor(inn.tenantId)).toBe(0);
});

test('a plan is due by the hotel day of its house, and never after it was ended', async () => {
  const inn = await house.inn(1);
  const { body } = await plan(inn, { nextDue: inDays(1) });
  await plan(inn, { nextDue: inDays(1), title: 'Ended' }).then(({ body: other }) =>
    house.send(at(inn), 'POST', `/maintenance/plans/${other.id}/end`),
  );
  expect(await runFor(inn.tenantId)).toBe(0);
  await house.hear(inn.tenantId, inn.nextDay(today));
  expect(await runFor(inn.tenantId)).toBe(1);
  expect(await tickets(inn)).toMatchObject([{ planId: body.id }]);
  const again = await house.send(at(inn), 'POST', `/maintenance/plans/${body.id}/end`);
  expect(again).toMatchObject({ status: 200, body: { ended: true } });
});

/** Runs the job the way a worker does: as the service, without a tenant, in transactions of its own. */
function runJob(): Promise<unknown> {
  const { run } = openDue.work as { run(ctx: LooseJobCtx, input: object): Promise<unknown> };
  const job = { id: newId('job'), attempt: 1, signal: new AbortController().signal };
  const who = { actor: testActor, now: new Date(), log: createLogger({ name: 'test', level: 'silent' }) };
  return systemTransaction(house.db, who, ({ tx: _, ...ctx }) =>
    run(
      {
        ...{ ...ctx, job, db: house.db },
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

test('the hourly job goes round all tenants with work due, and round no others', async () => {
  expect(schedules).toMatchObject([{ recurrence: { kind: 'cron' }, job: openDue }]);
  expect(house.service.schedules).toEqual(expect.arrayContaining(schedules));
  const [one, other, idle] = [await house.inn(1), await house.inn(1), await house.inn(1)];
  for (const inn of [one, other]) await plan(inn);
  await plan(idle, { nextDue: inDays(9) });
  expect(await runJob()).toEqual({ opened: 2 });
  expect(await runJob()).toEqual({ opened: 0 });
  for (const inn of [one, other]) expect(await tickets(inn)).toHaveLength(1);
  expect(await tickets(idle)).toEqual([]);
});
