import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { nights as lengthOf, stay } from '@ghasi/domain-primitives/stay';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancellationTermsOf, makeQuote, quoteOf } from './contract/questions.ts';
import { demoNights, demoPlans } from './demo-prices.ts';
import { readPlans, type SeedQuote, seedQuotes } from './demo-quotes.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';
import { moneyIn, taxedIn } from './quote-view.ts';

const zone = parseZone('Asia/Kabul');
let house: House;
let hotel: Hotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
});
afterAll(() => house.close());

const guests = { adults: 2, children: 1 };
const weeks = [1, 2, 5, 7].map(length => stay(saturday, addDays(saturday, length)));

/** As a quote tells them. */
function told(nights: ReturnType<typeof demoNights>) {
  const [json, taxed] = [moneyIn('AFN'), taxedIn('AFN')];
  return nights.map(({ adjustments, charges, base, price, date }) => ({
    date,
    base: json(base),
    adjustments: adjustments.map(one => ({ ...one, amount: json(one.amount) })),
    charges: charges.map(one => ({ ...one, amount: json(one.amount) })),
    price: taxed(price),
  }));
}

test.for(demoPlans)(
  'R20, R21: the demo prices nights of the plan %s as a quote does, weekends included',
  async plan => {
    for (const asked of weeks) {
      const outcome = await house.ask(makeQuote, {
        ...{ tenantId: hotel.tenantId, propertyId: hotel.propertyId, stay: asked },
        rooms: [{ roomTypeId: hotel.family, ratePlanId: hotel.plans[plan], ...guests }],
      });
      if (outcome.kind === 'refused') expect.fail(JSON.stringify(outcome.refusals));
      const own = demoNights({ ...guests, stay: asked, plan, nightly: 200_000n, currency: 'AFN' });
      expect(own).toHaveLength(lengthOf(asked));
      expect(outcome.quote.rooms[0]?.nights).toEqual(told(own));
    }
  },
);

test('a seeded quote is used, tells the terms of its plan, and is there once however often it is seeded', async () => {
  const [asked] = weeks.slice(-1) as [(typeof weeks)[number]];
  const nights = demoNights({ ...guests, stay: asked, plan: 'saver', nightly: 200_000n, currency: 'AFN' });
  const quote: SeedQuote = {
    ...{ quoteId: newId('quo'), reservationId: newId('rsv'), plan: 'saver', stay: asked, isGivenBack: false },
    bookedAt: new Date('2026-03-21T08:00:00Z'),
    rooms: [{ roomTypeId: hotel.family, ...guests, nights }],
  };
  const property = { id: hotel.propertyId, zone, currency: 'AFN', checkInFrom: '14:00' };
  const seeded = { ...hotel, property };
  await Promise.all([1, 2].map(() => seedQuotes(house.db, seeded, () => [quote])));
  await seedQuotes(house.db, seeded, () => expect.fail('a house with used quotes is left alone'));
  const { tenantId } = hotel;
  const found = await house.ask(quoteOf, { tenantId, quoteId: quote.quoteId });
  expect(found).toMatchObject({ status: 'used', refundable: false, rooms: [{ nights: told(nights) }] });
  const at = new Date().toISOString();
  const terms = await house.ask(cancellationTermsOf, { tenantId, quoteId: quote.quoteId, at });
  expect(terms).toMatchObject({ fee: found?.total.gross, refund: { amount: '0' } });
  const plans = await readPlans(house.db, hotel);
  expect(plans.saver.policies.cancellationPolicyId).toBe(found?.policies.cancellation.policyId);
});
