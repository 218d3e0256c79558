import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeCalendar } from './commands/calendar.ts';
import { putCharge } from './commands/charges.ts';
import { calendarOf, makeQuote } from './contract/questions.ts';
import { type Hotel, type House, openHouse, saturday, today } from './fixtures/house.ts';

let house: House;
let hotel: Hotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
  const fee = {
    name: [{ locale: 'en' as const, text: 'Fee' }],
    kind: 'fee' as const,
    mode: 'exclusive' as const,
  };
  const always = { countsChildren: true, validFrom: addDays(today, -30), validUntil: null };
  const afn = (amount: string) => ({ amount, currency: 'AFN' as const });
  await house.inside(hotel.tenantId, async ctx => {
    const { propertyId } = hotel;
    const values = { ...fee, ...always, basis: 'per_person_stay' as const, amount: afn('2500') };
    await putCharge(ctx, { propertyId, code: 'CARD' }, { version: 0, values });
  });
});
afterAll(() => house.close());

async function read(from: LocalDate = saturday, until: LocalDate = addDays(saturday, 5)) {
  const { tenantId, propertyId } = hotel;
  return house.ask(calendarOf, { tenantId, propertyId, from, until });
}

const rateOf = async (plan: string, roomType: string) =>
  (await read())?.rates.find(rate => rate.ratePlanId === plan && rate.roomTypeId === roomType);

test('every plan on sale lists every room type it has, with prices of all charges', async () => {
  const calendar = await read();
  expect(calendar?.currency).toBe('AFN');
  expect(calendar?.rates).toHaveLength(6);
  const flexible = await rateOf(hotel.plans.flexible, hotel.single);
  expect(flexible).toMatchObject({ board: 'breakfast', parties: { adults: 1, children: 0 } });
  // 1,000.00 and 50.00 city fee a night; once 25.00 for a person
  expect(flexible?.days[0]).toMatchObject({ date: saturday, gross: ['105000'], onArrival: ['2500'] });
  expect(flexible?.days).toHaveLength(5);
});

test('R20: the nights of a list make what a quote says, for every party and stay', async () => {
  const calendar = await read(saturday, addDays(saturday, 12));
  const { family, plans, tenantId, propertyId } = hotel;
  const rate = calendar?.rates.find(one => one.ratePlanId === plans.saver && one.roomTypeId === family);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 2, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 1 }),
      async (start, length, adults, children) => {
        const days = rate?.days.slice(start, start + length) ?? [];
        const party = children * 3 + adults - 1;
        const listed = days.reduce(
          (sum, { gross }) => sum + BigInt(gross?.[party] ?? 0),
          BigInt(days[0]?.onArrival[party] ?? 0),
        );
        const stay = { arrival: addDays(saturday, start), departure: addDays(saturday, start + length) };
        const rooms = [{ roomTypeId: family, ratePlanId: plans.saver, adults, children }];
        const outcome = await house.ask(makeQuote, { tenantId, propertyId, stay, rooms });
        expect(outcome).toMatchObject({
          kind: 'quoted',
          quote: { total: { gross: { amount: String(listed) } } },
        });
      },
    ),
    { numRuns: 40 },
  );
});

test('R12: restrictions are listed where they are read; a closed night has no price', async () => {
  const [from, next] = [addDays(saturday, 2), addDays(saturday, 3)];
  await house.inside(hotel.tenantId, ctx =>
    changeCalendar(ctx, {
      planId: hotel.plans.flexible,
      change: {
        ...{ from, until: next, roomTypeIds: [hotel.single] },
        restrictions: { closed: true, closedToDeparture: true, minNights: 3 },
      },
    }),
  );
  const day = (await rateOf(hotel.plans.flexible, hotel.single))?.days.find(({ date }) => date === from);
  expect(day).toMatchObject({ gross: null, onArrival: [], closedToDeparture: true, minNights: 3 });
});

test('a plan that is no longer sold for arrivals is closed to them, and an archived or drafted one is not listed', async () => {
  const { rates } = (await read(addDays(today, -99), addDays(today, -97))) ?? { rates: [] };
  expect(rates.every(({ days }) => days.every(({ closedToArrival }) => !closedToArrival))).toBe(true);
  const before = await read(addDays(today, -105), addDays(today, -98));
  const open = before?.rates[0]?.days
    .filter(({ closedToArrival }) => !closedToArrival)
    .map(({ date }) => date);
  expect(open?.every(date => date >= addDays(today, -100))).toBe(true);
  const plan = hotel.plans.halfBoard;
  const { body } = await house.send(hotel.owner, 'GET', `/rate-plans/${plan}`);
  const archived = await house.send(hotel.owner, 'POST', `/rate-plans/${plan}/archive`, {
    ...{ version: Number(body.version), reason: 'not_selling', replacedBy: null },
  });
  expect(archived.status).toBe(200);
  expect((await read())?.rates.some(({ ratePlanId }) => ratePlanId === plan)).toBe(false);
});

test('TEN-08: a house of another tenant is no house', async () => {
  const other = await house.hotel();
  const asked = { tenantId: other.tenantId, propertyId: hotel.propertyId };
  expect(await house.ask(calendarOf, { ...asked, from: saturday, until: addDays(saturday, 1) })).toBeNull();
});

test('VAL-01: more nights than 400, or none, are refused', async () => {
  await expect(read(saturday, saturday)).rejects.toThrow('at most 400 nights');
  await expect(read(saturday, addDays(saturday, 401))).rejects.toThrow('at most 400 nights');
});
