import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeQuote } from './contract/questions.ts';
import { dateChangePreview, offersOf, plansOnSale } from './contract/site-questions.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';

let house: House;
let hotel: Hotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
});
afterAll(() => house.close());

const stay = { arrival: saturday, departure: addDays(saturday, 3) };
const parties = [
  { adults: 1, children: 0 },
  { adults: 1, children: 0 },
];
const asked = <More extends object>(more: More) => ({
  ...{ tenantId: hotel.tenantId, propertyId: hotel.propertyId, stay, rooms: parties },
  ...more,
});
const count = async () => {
  const text = 'select count(*)::int as quotes from pricing.quotes';
  return (await house.database.admin<{ quotes: number }>(text))[0]?.quotes;
};

test('R20, R21: an offer says to the minor unit what a quote would promise, and keeps nothing', async () => {
  const before = await count();
  const listed = await house.ask(offersOf, asked({}));
  expect(await count()).toBe(before);
  const priced = (listed?.offers ?? []).filter(({ outcome }) => outcome.kind === 'priced');
  expect(priced.length).toBeGreaterThan(1);
  for (const { roomTypeId, ratePlanId, outcome } of listed?.offers ?? []) {
    const rooms = parties.map(party => ({ roomTypeId, ratePlanId, ...party }));
    const quoted = await house.ask(makeQuote, asked({ rooms }));
    if (outcome.kind === 'refused' || quoted.kind === 'refused') {
      expect(outcome).toEqual(quoted);
      continue;
    }
    const { total, charges, rails, cancellation } = quoted.quote;
    expect(outcome.offer).toMatchObject({ total, charges, rails, cancellation });
    const nights = outcome.offer.nights.map(({ gross }) => BigInt(gross.amount));
    expect(nights.reduce((sum, one) => sum + one, 0n)).toBe(BigInt(total.gross.amount));
  }
});

test('what is in the way of a stay is said for every plan', async () => {
  const crowd = await house.ask(offersOf, asked({ rooms: [{ adults: 29, children: 0 }] }));
  for (const { outcome } of crowd?.offers ?? [])
    expect(outcome).toMatchObject({ kind: 'refused', refusals: [{ reason: 'too_many_guests' }] });
});

test('safety-10: another tenant’s house is no house', async () => {
  expect(await house.ask(offersOf, asked({ tenantId: newTenantId() }))).toBeNull();
  expect(await house.ask(offersOf, asked({ propertyId: newId('pro') }))).toBeNull();
  const { tenantId, propertyId } = hotel;
  const { plans } = await house.ask(plansOnSale, { tenantId, propertyId });
  expect(plans.map(({ ratePlanId }) => ratePlanId)).toContain(hotel.plans.flexible);
  expect(await house.ask(plansOnSale, { tenantId: newTenantId(), propertyId })).toEqual({ plans: [] });
});

test('SAGA-51: the preview of a date change keeps promised nights and prices new ones; nothing is kept', async () => {
  const room = { roomTypeId: hotel.single, ratePlanId: hotel.plans.flexible, adults: 1, children: 0 };
  const outcome = await house.ask(makeQuote, asked({ rooms: [room] }));
  if (outcome.kind === 'refused') expect.fail('no quote');
  const { quoteId, total } = outcome.quote;
  const before = await count();
  const of = { tenantId: hotel.tenantId, quoteId, rooms: [{ ...room, bookedRoomId: newId('brm') }] };
  const shorter = { arrival: stay.arrival, departure: addDays(stay.arrival, 2) };
  const preview = await house.ask(dateChangePreview, { ...of, newStay: shorter });
  // Two of three alike nights: 1,000.00 and 50.00 city fee each.
  expect(preview).toMatchObject({ previousTotal: total, newTotal: { gross: { amount: '210000' } } });
  expect(BigInt(preview?.delta.amount ?? 0)).toBe(-105_000n + BigInt(preview?.fee.amount ?? 0));
  expect(await count()).toBe(before);
  expect(await house.ask(dateChangePreview, { ...of, tenantId: newTenantId(), newStay: stay })).toBeNull();
});
