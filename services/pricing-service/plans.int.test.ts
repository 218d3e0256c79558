import { addDays } from '@ghasi/domain-primitives/local-date';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlanView } from './contract/resources.ts';
import { CalendarUpdated, RatePlanArchived, RatePlanPublished } from './contract.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';

let house: House;
let hotel: Hotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
});
afterAll(() => house.close());

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });
type Update = Parameters<typeof CalendarUpdated.from>[0];
async function told(subject: string): Promise<Record<string, unknown>[]> {
  const all = await house.published(hotel.tenantId);
  return all.filter(({ topic }) => topic === subject).map(({ payload }) => payload as never);
}
const since = async (before: number) =>
  (await told(CalendarUpdated.subject)).slice(before) as unknown as Update[];
const change = (plan: string, body: object) =>
  house.send(hotel.owner, 'PUT', `/rate-plans/${plan}/calendar`, body);
const days = (from: number, until: number) => ({
  from: addDays(saturday, from),
  until: addDays(saturday, until),
  roomTypeIds: [hotel.single],
});
async function planOf(id: string): Promise<PlanView> {
  return (await house.send(hotel.owner, 'GET', `/rate-plans/${id}`)).body as unknown as PlanView;
}
function valuesOf({ id: _, status: __, version: ___, currency: ____, ...values }: PlanView) {
  return values;
}

describe('EVT-37: the calendar', () => {
  test('a change tells what changed, old and new, and of derived plans too', async () => {
    const before = (await told(CalendarUpdated.subject)).length;
    expect(await change(hotel.plans.flexible, { ...days(0, 2), price: afn(120_000) })).toMatchObject({
      status: 200,
      body: { changed: 6 },
    });
    const updates = await since(before);
    expect(updates.map(({ ratePlanId, cause }) => [ratePlanId, cause])).toEqual([
      [hotel.plans.flexible, 'operator'],
      [hotel.plans.saver, 'rule'],
      [hotel.plans.halfBoard, 'rule'],
    ]);
    expect(updates.map(({ dates }) => [dates[0]?.previousPrice, dates[0]?.price])).toEqual([
      [afn(100_000), afn(120_000)],
      [afn(90_000), afn(108_000)],
      [afn(115_000), afn(138_000)],
    ]);
  });

  test('the same again changes nothing and tells nothing', async () => {
    const before = (await told(CalendarUpdated.subject)).length;
    await change(hotel.plans.flexible, { ...days(0, 2), price: afn(120_000) });
    const again = await change(hotel.plans.flexible, { ...days(0, 2), price: afn(120_000) });
    expect(again).toMatchObject({ status: 200, body: { changed: 0 } });
    expect((await since(before)).length).toBeLessThanOrEqual(3);
  });

  test('weekdays narrow a range, and restrictions leave prices as they are', async () => {
    const body = { ...days(84, 98), weekdays: [1], restrictions: { minNights: 3 } };
    expect(await change(hotel.plans.flexible, body)).toMatchObject({ body: { changed: 6 } });
    const window = `from=${addDays(saturday, 84)}&until=${addDays(saturday, 91)}&roomTypeId=${hotel.single}`;
    const path = `/rate-plans/${hotel.plans.saver}/calendar?${window}`;
    const seen = (await house.send(hotel.owner, 'GET', path)).body as unknown as {
      days: { price: object; restrictions: { minNights: number } }[];
    };
    expect(seen.days.map(({ restrictions }) => restrictions.minNights)).toEqual([1, 1, 3, 1, 1, 1, 1]);
    expect(seen.days[2]?.price).toEqual(afn(90_000));
  });

  test('a derived plan has no prices of its own, but may be more closed than its base', async () => {
    const { saver, flexible } = hotel.plans;
    const refused = await change(saver, { ...days(30, 31), price: afn(1) });
    expect(refused).toMatchObject({ status: 422, body: { code: 'PRICE_IS_DERIVED' } });
    await change(saver, { ...days(30, 31), restrictions: { minNights: 2 } });
    const before = (await told(CalendarUpdated.subject)).length;
    await change(flexible, { ...days(30, 31), restrictions: { closed: true } });
    const update = (await since(before)).find(({ ratePlanId }) => ratePlanId === saver);
    expect(update?.dates[0]?.restrictions).toMatchObject({ minNights: 2, closed: true });
  });

  test('ENV-26: parallel changes get versions one after the other', async () => {
    const before = (await told(CalendarUpdated.subject)).length;
    await Promise.all(
      [1, 2, 3, 4, 5].map(n =>
        change(hotel.plans.flexible, { ...days(40, 41), price: afn(100_000 + n * 1_000) }),
      ),
    );
    const own = (await since(before)).filter(one => one.ratePlanId === hotel.plans.flexible);
    const versions = own.map(({ calendarVersion }) => calendarVersion);
    expect(versions).toEqual(versions.map((_, n) => (versions[0] ?? 0) + n));
    own.slice(1).forEach((update, n) => {
      expect(update.dates[0]?.previousPrice).toEqual(own[n]?.dates[0]?.price);
    });
  });

  test.each([
    ['another currency', { price: { amount: '100', currency: 'USD' } }, 'CURRENCY_DIFFERS'],
    ['no stay possible', { restrictions: { minNights: 9, maxNights: 2 } }, 'RESTRICTIONS_ALLOW_NO_STAY'],
  ])('%s is refused', async (_, body, code) => {
    const reply = await change(hotel.plans.flexible, { ...days(50, 51), ...body });
    expect(reply).toMatchObject({ status: 422, body: { code } });
  });
});

describe('EVT-35, EVT-36: rate plans', () => {
  test('a change of a published plan is told as its next version; a stale one is refused', async () => {
    const plan = await planOf(hotel.plans.saver);
    const values = { ...valuesOf(plan), board: 'room_only' };
    const put = (version: number) =>
      house.send(hotel.owner, 'PUT', `/rate-plans/${plan.id}`, { version, values });
    expect(await put(plan.version)).toMatchObject({ status: 200, body: { version: plan.version + 1 } });
    expect(await put(plan.version)).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
    const last = (await told(RatePlanPublished.subject)).at(-1);
    expect(last).toMatchObject({ ratePlanId: plan.id, planVersion: plan.version + 1, board: 'room_only' });
  });

  test('another share of the base reprices every day to come', async () => {
    const plan = await planOf(hotel.plans.halfBoard);
    const before = (await told(CalendarUpdated.subject)).length;
    const derivation = { kind: 'amount', fromPlanId: hotel.plans.flexible, amount: afn(50_000) };
    const body = { version: plan.version, values: { ...valuesOf(plan), derivation } };
    expect(await house.send(hotel.owner, 'PUT', `/rate-plans/${plan.id}`, body)).toMatchObject({
      status: 200,
    });
    const updates = await since(before);
    expect(updates.map(({ ratePlanId, cause }) => [ratePlanId, cause])).toEqual([
      [plan.id, 'rule'],
      [plan.id, 'rule'],
    ]);
    expect(updates[0]?.dates.length).toBeGreaterThan(400);
  });

  test('a base with followers stays; a plan without them is archived, once', async () => {
    const archive = (id: string, version: number) =>
      house.send(hotel.owner, 'POST', `/rate-plans/${id}/archive`, {
        version,
        reason: 'not_selling',
        replacedBy: null,
      });
    const base = await planOf(hotel.plans.flexible);
    expect(await archive(base.id, base.version)).toMatchObject({ body: { code: 'BASE_PLAN_IN_USE' } });
    const plan = await planOf(hotel.plans.saver);
    expect(await archive(plan.id, plan.version)).toMatchObject({ status: 200, body: { status: 'archived' } });
    expect(await archive(plan.id, plan.version + 1)).toMatchObject({
      status: 409,
      body: { code: 'PLAN_TRANSITION_REFUSED' },
    });
    expect(await told(RatePlanArchived.subject)).toMatchObject([
      { ratePlanId: plan.id, reason: 'not_selling' },
    ]);
    const request = {
      propertyId: hotel.propertyId,
      stay: { arrival: saturday, departure: addDays(saturday, 1) },
      rooms: [{ roomTypeId: hotel.single, ratePlanId: plan.id, adults: 1, children: 0 }],
    };
    expect(await house.send(hotel.owner, 'POST', '/quotes', request)).toMatchObject({
      status: 200,
      body: { kind: 'refused', refusals: [{ reason: 'plan_not_on_sale' }] },
    });
  });

  test('a plan cannot be derived from itself, from a derived plan, or from another house', async () => {
    const other = await house.hotel();
    const plan = await planOf(hotel.plans.halfBoard);
    for (const fromPlanId of [plan.id, other.plans.flexible]) {
      const derivation = { kind: 'percent', basisPoints: -500, fromPlanId };
      const body = { version: plan.version, values: { ...valuesOf(plan), derivation } };
      const reply = await house.send(hotel.owner, 'PUT', `/rate-plans/${plan.id}`, body);
      expect(reply).toMatchObject({ status: 422, body: { code: 'BASE_PLAN_UNFIT' } });
    }
  });

  test('a policy in use stays', async () => {
    const { policies } = await planOf(hotel.plans.flexible);
    const path = `/booking-policies/${policies.noShowPolicyId}?version=1`;
    expect(await house.send(hotel.owner, 'DELETE', path)).toMatchObject({ body: { code: 'POLICY_IN_USE' } });
  });
});

describe('R12: putting restrictions aside', () => {
  const closed = () => ({
    propertyId: hotel.propertyId,
    stay: { arrival: addDays(saturday, 60), departure: addDays(saturday, 61) },
    rooms: [{ roomTypeId: hotel.single, ratePlanId: hotel.plans.flexible, adults: 1, children: 0 }],
  });
  const quote = (role: string, path: string, body: object) =>
    house.send({ tenantId: hotel.tenantId, roles: [role] }, 'POST', path, body);

  test('needs its own right and a reason, which stay with the quote', async () => {
    await change(hotel.plans.flexible, { ...days(60, 61), restrictions: { closedToArrival: true } });
    expect(await quote('front_desk', '/quotes', closed())).toMatchObject({
      status: 200,
      body: { refusals: [{ reason: 'closed_to_arrival', room: 0, date: addDays(saturday, 60) }] },
    });
    const path = '/quotes/with-override';
    const body = { request: closed(), reason: 'Guest of the ministry' };
    expect(await quote('front_desk', path, body)).toMatchObject({ status: 403 });
    expect(await quote('manager', path, { ...body, reason: ' ' })).toMatchObject({ status: 400 });
    expect(await quote('manager', path, body)).toMatchObject({
      status: 201,
      body: {
        quote: {
          override: {
            reason: 'Guest of the ministry',
            by: 'usr_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C',
            broken: [{ reason: 'closed_to_arrival' }],
          },
        },
      },
    });
  });

  test('does not make a night that has no price sellable', async () => {
    await change(hotel.plans.flexible, { ...days(60, 61), price: null });
    const reply = await quote('manager', '/quotes/with-override', { request: closed(), reason: 'VIP' });
    expect(reply).toMatchObject({ status: 200, body: { refusals: [{ reason: 'no_price' }] } });
  });
});
