import { randomUUID } from 'node:crypto';
import { defineQuestion } from '@ghasi/backbone/question';
import { disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { failAt, holdAt } from '@ghasi/testing/failpoints';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeDay } from './commands/close-day.ts';
import { changeProperty } from './commands/properties.ts';
import type { DayCloseView, PropertyView } from './contract/resources.ts';
import { BusinessDateAdvanced, dayCheck } from './contract.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { firstDay, usualRules } from './model.ts';

type Open = { matter: 'arrival_not_in' | 'departure_due' | 'shift_open'; reference: string };

/** What the others say stands open, by their question. */
const standing: Record<string, Open[]> = {};
const asked: string[] = [];
const dayStatus = defineQuestion({ name: 'reservation.day-status', ...dayCheck });
const openShifts = defineQuestion({ name: 'staff.open-shifts', ...dayCheck });

let house: House;
beforeAll(async () => {
  house = await openHouse({
    dayChecks: [dayStatus, openShifts],
    ask: async (question, input) => {
      asked.push(question.name);
      question.input.parse(input);
      return question.output.parse({ open: standing[question.name] ?? [] });
    },
  });
});
afterAll(() => house.close());
beforeEach(() => {
  for (const name of Object.keys(standing)) delete standing[name];
  asked.length = 0;
});

const yesterday = addDays(firstDay('Asia/Kabul', new Date()), -1);
const opened = async (who: Person, houseRules = {}) =>
  house.property(who, { businessDate: yesterday, houseRules });
const close = (who: Person, id: Id<'pro'>, businessDate: string, headers?: object) =>
  house.send<DayCloseView>(who, 'POST', `/properties/${id}/day-close`, { businessDate }, headers);
const told = async ({ tenantId }: Person) =>
  (await house.published(tenantId)).filter(({ topic }) => topic === BusinessDateAdvanced.subject);
const dateOf = async (who: Person, id: Id<'pro'>) => (await house.propertyOf(who.tenantId, id))?.businessDate;

test('R1: closing the hotel day begins the next one and tells it, in one piece', async () => {
  const who = house.person('front_desk');
  const { id } = await opened(who);
  const { status, body } = await close(who, id, yesterday);
  const businessDate = addDays(yesterday, 1);
  expect(status).toBe(200);
  const fact = {
    propertyId: id,
    closedDate: yesterday,
    businessDate,
    closedBy: who.operatorId,
    resolved: [],
  };
  expect(body).toMatchObject(fact);
  expect(await told(who)).toMatchObject([{ aggregateId: id, aggregateVersion: 2, payload: fact }]);
  const { body: shown } = await house.send<PropertyView>(who, 'GET', `/properties/${id}`);
  expect(shown).toMatchObject({ businessDate, version: 2 });
  expect(asked.sort()).toEqual([dayStatus.name, openShifts.name]);
});

test('R1: at 01:30 before the close it is still yesterday for the house, and after it today', async () => {
  const who = house.person();
  const { id } = await house.property(who, { businessDate: '2026-03-20', houseRules: usualRules });
  const night = new Date('2026-03-20T21:00:00Z'); // 01:30 of the 21st in Kabul
  expect(await dateOf(who, id)).toBe('2026-03-20');
  const run = { propertyId: id, businessDate: '2026-03-20', open: [] };
  const closed = await house.inside(who.tenantId, ctx => closeDay(ctx, run), night);
  expect(closed).toMatchObject({ closedDate: '2026-03-20', closedAt: night.toISOString() });
  expect(await dateOf(who, id)).toBe('2026-03-21');
});

test('R2: run twice, also with another key, the close answers the same and tells nothing new', async () => {
  const who = house.person();
  const { id } = await opened(who);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await close(who, id, yesterday, headers);
  standing[dayStatus.name] = [{ matter: 'departure_due', reference: newId('rsv') }];
  for (const again of [headers, undefined, undefined]) {
    const reply = await close(who, id, yesterday, again);
    expect(reply).toEqual(first);
  }
  expect(asked).toHaveLength(2);
  expect(await told(who)).toHaveLength(1);
  expect(await dateOf(who, id)).toBe(addDays(yesterday, 1));
});

describe('R2: a crash half-way', () => {
  test.each(['http.before-complete', 'db.before-commit'])(
    'at %s leaves the day open, and the next run closes it once',
    async point => {
      const who = house.person();
      const { id } = await opened(who);
      const headers = { 'idempotency-key': randomUUID() };
      failAt(point);
      expect((await close(who, id, yesterday, headers)).status).toBeGreaterThanOrEqual(500);
      disarmFailpoints();
      expect(await dateOf(who, id)).toBe(yesterday);
      expect(await told(who)).toEqual([]);
      expect(await close(who, id, yesterday, headers)).toMatchObject({ status: 200 });
      expect(await told(who)).toHaveLength(1);
    },
  );

  test('after the commit, with the reply lost, leaves one close that the next run finds', async () => {
    const who = house.person();
    const { id } = await opened(who);
    failAt('http.committed');
    expect((await close(who, id, yesterday)).status).toBeGreaterThanOrEqual(500);
    disarmFailpoints();
    expect(await close(who, id, yesterday)).toMatchObject({ status: 200, body: { closedDate: yesterday } });
    expect(await told(who)).toHaveLength(1);
    expect(await dateOf(who, id)).toBe(addDays(yesterday, 1));
  });
});

test('R2: two people who close the same day at the same moment close it once', async () => {
  const who = house.person();
  const { id } = await opened(who);
  const held = holdAt('db.before-commit');
  const first = close(who, id, yesterday);
  await held.reached;
  const others = Array.from({ length: 5 }, () => close(who, id, yesterday));
  held.release();
  const replies = await Promise.all([first, ...others]);
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await told(who)).toHaveLength(1);
});

test('R2: what stands open blocks, each matter by its name, and changes nothing', async () => {
  const who = house.person();
  const { id } = await opened(who, { arrivalsNotIn: 'block' });
  const [arrival, departure, shift] = [newId('rsv'), newId('rsv'), newId('shf')];
  standing[dayStatus.name] = [
    { matter: 'arrival_not_in', reference: arrival },
    { matter: 'departure_due', reference: departure },
  ];
  standing[openShifts.name] = [{ matter: 'shift_open', reference: shift }];
  const { status, body } = await close(who, id, yesterday);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'DAY_BLOCKED' });
  expect(body.issues?.map(({ path, code }) => [code, path])).toEqual([
    ['arrival_not_in', arrival],
    ['departure_due', departure],
    ['shift_open', shift],
  ]);
  expect(await told(who)).toEqual([]);
  standing[dayStatus.name] = [];
  standing[openShifts.name] = [];
  expect(await close(who, id, yesterday)).toMatchObject({ status: 200 });
});

test('R2, R17: what the house rules resolve is told with the close', async () => {
  const who = house.person();
  const { id } = await opened(who, { openShifts: 'carry_over', departuresDue: 'extend' });
  const [late, stays, shift] = [newId('rsv'), newId('rsv'), newId('shf')];
  standing[dayStatus.name] = [
    { matter: 'arrival_not_in', reference: late },
    { matter: 'departure_due', reference: stays },
  ];
  standing[openShifts.name] = [{ matter: 'shift_open', reference: shift }];
  const { body } = await close(who, id, yesterday);
  const resolved = [
    { matter: 'arrival_not_in', reference: late, as: 'no_show' },
    { matter: 'departure_due', reference: stays, as: 'extended' },
    { matter: 'shift_open', reference: shift, as: 'carried_over' },
  ];
  expect(body.resolved).toEqual(resolved);
  expect(await told(who)).toMatchObject([{ payload: { resolved } }]);
});

test('R2: when one who is asked does not answer, nothing is closed', async () => {
  const deaf = await openHouse({
    dayChecks: [dayStatus],
    ask: () => Promise.reject(new Error('nobody there')),
  });
  try {
    const who = deaf.person();
    const { id } = await deaf.property(who, { businessDate: yesterday });
    const reply = await deaf.send(who, 'POST', `/properties/${id}/day-close`, { businessDate: yesterday });
    expect(reply.status).toBe(500);
    expect((await deaf.propertyOf(who.tenantId, id))?.businessDate).toBe(yesterday);
  } finally {
    await deaf.close();
  }
});

test('R1: only the present hotel day can be closed, and not before its evening', async () => {
  const who = house.person();
  const { id } = await opened(who);
  expect(await close(who, id, addDays(yesterday, 1))).toMatchObject({ body: { code: 'DAY_NOT_BEGUN' } });
  expect(await close(who, id, addDays(yesterday, -1))).toMatchObject({
    body: { code: 'DAY_BEFORE_OPENING' },
  });
  const ahead = addDays(yesterday, 30);
  const future = await house.property(who, { businessDate: ahead });
  expect(await close(who, future.id, ahead)).toMatchObject({ status: 409, body: { code: 'DAY_STILL_RUNS' } });
  expect(await close(who, newId('pro'), yesterday)).toMatchObject({ status: 404 });
  expect(asked).toEqual([]);
});

test('R1: no change of the house moves its hotel day', async () => {
  const who = house.person();
  const { id, version } = await opened(who);
  const patch = { version, businessDate: '2030-01-01' };
  expect(await house.send(who, 'PATCH', `/properties/${id}`, patch)).toMatchObject({ status: 400 });
  await house.inside(who.tenantId, ctx =>
    changeProperty(ctx, { id, patch: { version, checkInFrom: '15:00' } }),
  );
  expect(await dateOf(who, id)).toBe(yesterday);
});

test('R1: a lagging house closes its days one by one, and the list shows them, latest first', async () => {
  const who = house.person();
  const first = addDays(yesterday, -3);
  const { id } = await house.property(who, { businessDate: first });
  const days = [0, 1, 2, 3].map(n => addDays(first, n));
  for (const date of days) expect(await close(who, id, date)).toMatchObject({ status: 200 });
  const { body } = await house.send<{ days: DayCloseView[] }>(
    who,
    'GET',
    `/properties/${id}/day-closes?limit=3`,
  );
  expect(body.days.map(one => one.closedDate)).toEqual(days.slice(1).reverse());
  const { body: rest } = await house.send<{ days: DayCloseView[] }>(
    who,
    'GET',
    `/properties/${id}/day-closes?before=${days[1]}`,
  );
  expect(rest.days.map(one => one.closedDate)).toEqual([first]);
  const versions = (await told(who)).map(({ aggregateVersion }) => aggregateVersion);
  expect(versions).toEqual([2, 3, 4, 5]);
});
