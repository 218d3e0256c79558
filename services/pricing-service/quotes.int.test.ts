import { addDays } from '@ghasi/domain-primitives/local-date';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireDueQuotes, makeQuote as freeze } from './commands/quotes.ts';
import { cancellationTermsOf, makeQuote, type QuoteView, quoteOf } from './contract/questions.ts';
import { QuoteExpired } from './contract.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';

let house: House;
let hotel: Hotel;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
});
afterAll(() => house.close());

const threeNights = { arrival: saturday, departure: addDays(saturday, 3) };
const single = (more: object = {}) => ({
  roomTypeId: hotel.single,
  ratePlanId: hotel.plans.flexible,
  adults: 1,
  children: 0,
  ...more,
});
const request = (more: object = {}) => ({
  tenantId: hotel.tenantId,
  propertyId: hotel.propertyId,
  stay: threeNights,
  rooms: [single()],
  ...more,
});

async function quoted(more: object = {}): Promise<QuoteView> {
  const outcome = await house.ask(makeQuote, request(more));
  if (outcome.kind === 'refused') expect.fail(JSON.stringify(outcome.refusals));
  return outcome.quote;
}

async function reasons(more: object): Promise<string[]> {
  const outcome = await house.ask(makeQuote, request(more));
  return outcome.kind === 'refused' ? outcome.refusals.map(({ reason }) => reason) : [];
}

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });

describe('a quote', () => {
  test('R21: has one frozen row per night, and its lines make its total', async () => {
    const quote = await quoted();
    const [room] = quote.rooms;
    expect(room?.nights.map(({ date }) => date)).toEqual([0, 1, 2].map(n => addDays(saturday, n)));
    // 1,000.00 with 10 % inside, and 50.00 city fee for one person on top of every night
    expect(quote.total).toEqual({ net: afn(272_727), tax: afn(42_273), gross: afn(315_000) });
    expect(quote.charges.map(({ code, amount }) => [code, amount.amount])).toEqual([
      ['BRT', '27273'],
      ['CITY', '15000'],
    ]);
    expect(room?.nights.map(({ price }) => price.tax.amount)).toEqual(['14091', '14091', '14091']);
    expect(Date.parse(quote.expiresAt) - Date.parse(quote.quotedAt)).toBe(15 * 60_000);
    expect(quote.status).toBe('open');
  });

  test('R6: says when it can be cancelled, in the zone of the house', async () => {
    const quote = await quoted();
    expect(quote.zone).toBe('Asia/Kabul');
    expect(quote.cancellation).toEqual([
      { until: `${addDays(saturday, -2)}T09:30:00.000Z`, fee: afn(0) },
      { until: null, fee: afn(105_000) },
    ]);
  });

  test('says what is due now on each rail', async () => {
    const due = ({ rails }: QuoteView) =>
      Object.fromEntries(rails.map(({ rail, dueNow }) => [rail, dueNow.amount]));
    expect(due(await quoted())).toMatchObject({ cash_pending: '0', card: '315000' });
    const halfBoard = await quoted({ rooms: [single({ ratePlanId: hotel.plans.halfBoard })] });
    expect(halfBoard.total.gross).toEqual(afn(360_000)); // 1,150.00 and the city fee
    expect(halfBoard.deposit).toEqual(afn(108_000));
    expect(due(halfBoard)).toEqual({
      card: '108000',
      paypal: '108000',
      mobile_money: '108000',
      cash: '108000',
    });
  });

  test('of a derived plan follows the base, and shows by how much', async () => {
    const quote = await quoted({ rooms: [single({ ratePlanId: hotel.plans.saver })] });
    const [night] = quote.rooms[0]?.nights ?? [];
    expect(night).toMatchObject({
      base: afn(100_000),
      adjustments: [{ kind: 'derivation', amount: afn(-10_000) }],
    });
    expect(quote.total.gross).toEqual(afn(285_000));
  });

  test('with a promo code is cheaper, and its lines still make its total', async () => {
    const quote = await quoted({ promoCode: 'SALAM10' });
    expect(quote.total.gross).toEqual(afn(285_000));
    expect(quote.promoCode).toBe('SALAM10');
  });

  test('is read back as it was made, and by nobody else', async () => {
    const quote = await quoted({ rooms: [single(), single({ roomTypeId: hotel.family, children: 2 })] });
    const { tenantId } = hotel;
    expect(await house.ask(quoteOf, { tenantId, quoteId: quote.quoteId })).toEqual(quote);
    const other = await house.hotel();
    expect(await house.ask(quoteOf, { tenantId: other.tenantId, quoteId: quote.quoteId })).toBeNull();
  });
});

describe('a stay is refused with its reasons', () => {
  test.each([
    ['too_many_guests', () => ({ rooms: [single({ adults: 2 })] })],
    ['room_type_unknown', () => ({ rooms: [single({ roomTypeId: 'rty_01J8ZQ4T3Y5V6W7X8Y9Z0A1B33' })] })],
    ['plan_unknown', () => ({ rooms: [single({ ratePlanId: 'rpl_01J8ZQ4T3Y5V6W7X8Y9Z0A1B33' })] })],
    ['property_unknown', () => ({ propertyId: 'pro_01J8ZQ4T3Y5V6W7X8Y9Z0A1B33' })],
    ['arrival_passed', () => ({ stay: { arrival: addDays(saturday, -60), departure: saturday } })],
    ['promo_unknown', () => ({ promoCode: 'NOPE' })],
    [
      'promo_not_valid',
      () => ({ promoCode: 'SALAM10', stay: { ...threeNights, departure: addDays(saturday, 1) } }),
    ],
    ['mixed_conditions', () => ({ rooms: [single(), single({ ratePlanId: hotel.plans.saver })] })],
    ['stay_too_long', () => ({ stay: { arrival: saturday, departure: addDays(saturday, 366) } })],
    [
      'stay_too_long',
      () => ({
        rooms: Array.from({ length: 20 }, () => single()),
        stay: { arrival: saturday, departure: addDays(saturday, 26) },
      }),
    ],
  ])('%s', async (reason, more) => {
    expect(await reasons(more())).toContain(reason);
  });

  test('R9: a third night that is not sold refuses four nights', async () => {
    const other = await house.hotel();
    const date = addDays(saturday, 2);
    const change = { from: date, until: addDays(date, 1), roomTypeIds: [other.single], price: null };
    await house.send(other.owner, 'PUT', `/rate-plans/${other.plans.flexible}/calendar`, change);
    const outcome = await house.ask(makeQuote, {
      tenantId: other.tenantId,
      propertyId: other.propertyId,
      stay: { arrival: saturday, departure: addDays(saturday, 4) },
      rooms: [{ roomTypeId: other.single, ratePlanId: other.plans.saver, adults: 1, children: 0 }],
    });
    expect(outcome).toEqual({
      kind: 'refused',
      refusals: [{ reason: 'no_price', room: 0, date, limit: null }],
    });
  });
});

describe('R21: later changes never touch a quote', () => {
  test('prices, taxes, policies and the plan change, the quote does not', async () => {
    const other = await house.hotel();
    const { owner, tenantId, propertyId, plans } = other;
    const ask = { tenantId, propertyId, stay: threeNights };
    const rooms = [{ roomTypeId: other.single, ratePlanId: plans.flexible, adults: 1, children: 0 }];
    const before = await house.ask(makeQuote, { ...ask, rooms });
    if (before.kind === 'refused') expect.fail('refused');
    const range = { from: saturday, until: addDays(saturday, 9), roomTypeIds: [other.single] };
    const changes = [
      ['PUT', `/rate-plans/${plans.flexible}/calendar`, { ...range, price: afn(999_900) }],
      ['DELETE', `/taxes/${propertyId}/BRT?version=1`, undefined],
      ['DELETE', `/taxes/${propertyId}/CITY?version=1`, undefined],
    ] as const;
    for (const [method, path, body] of changes)
      expect((await house.send(owner, method, path, body)).status).toBeLessThan(300);
    const policy = before.quote.policies.cancellation;
    const terms = { ...policy.terms, steps: [], lateFee: { kind: 'percent', basisPoints: 10_000 } };
    const changed = { kind: 'cancellation', propertyId, name: policy.name, terms };
    const put = { version: 1, policy: changed };
    expect(await house.send(owner, 'PUT', `/booking-policies/${policy.policyId}`, put)).toMatchObject({
      status: 200,
    });
    const { quoteId } = before.quote;
    expect(await house.ask(quoteOf, { tenantId, quoteId })).toEqual(before.quote);
    const after = await house.ask(makeQuote, { ...ask, rooms });
    expect(after).toMatchObject({ quote: { total: { gross: afn(2_999_700), tax: afn(0) } } });
  });

  test('the database itself refuses to change a frozen night or an amount', async () => {
    for (const statement of [
      'update pricing.quote_nights set gross_minor = 1, net_minor = 1, tax_minor = 0',
      'update pricing.quotes set gross_minor = net_minor, tax_minor = 0',
      'delete from pricing.quote_nights',
    ])
      await expect(
        house.inside(hotel.tenantId, ({ tx }) => tx.$client.query(statement)),
      ).rejects.toMatchObject({ code: '42501' });
  });
});

describe('EVT-39: a quote lapses', () => {
  test('after 15 minutes, once, and says what it was', async () => {
    const other = await house.hotel();
    const made = new Date();
    const outcome = await house.inside(
      other.tenantId,
      ctx =>
        freeze(ctx, {
          propertyId: other.propertyId,
          stay: threeNights,
          rooms: [1, 2].map(() => ({
            ...{ roomTypeId: other.single, ratePlanId: other.plans.flexible, adults: 1, children: 0 },
          })),
          promoCode: null,
          bookingDraftId: null,
        }),
      made,
    );
    const { quote } = outcome as { quote: QuoteView };
    const expireAt = (ms: number) =>
      house.inside(other.tenantId, ctx => expireDueQuotes(ctx, 10), new Date(made.getTime() + ms));
    const lapsed = async () =>
      (await house.published(other.tenantId)).filter(({ topic }) => topic === QuoteExpired.subject);
    expect(await expireAt(15 * 60_000 - 1)).toBe(0);
    expect(await lapsed()).toEqual([]);
    expect(await expireAt(15 * 60_000)).toBe(1);
    expect(await expireAt(16 * 60_000)).toBe(0);
    const [event, ...more] = await lapsed();
    expect(more).toEqual([]);
    expect(event?.payload).toMatchObject({
      quoteId: quote.quoteId,
      rooms: [{ roomTypeId: other.single, quantity: 2 }],
      total: quote.total,
    });
    const found = await house.ask(quoteOf, { tenantId: other.tenantId, quoteId: quote.quoteId });
    expect(found).toEqual({ ...quote, status: 'expired' });
  });
});

describe('pricing.cancellation-terms', () => {
  const leaving = async (quoteId: QuoteView['quoteId'], at: string, more: object = {}) =>
    house.ask(cancellationTermsOf, { tenantId: hotel.tenantId, quoteId, at, ...more });

  test('free in time, the first night after that, and what was paid comes back without the fee', async () => {
    const { quoteId } = await quoted();
    const deadline = `${addDays(saturday, -2)}T09:30:00.000Z`;
    expect(await leaving(quoteId, deadline)).toMatchObject({ fee: afn(0), refund: afn(315_000) });
    const late = `${addDays(saturday, -2)}T09:30:00.001Z`;
    expect(await leaving(quoteId, late)).toMatchObject({
      fee: afn(105_000),
      refund: afn(210_000),
      owed: afn(0),
      freeUntil: deadline,
    });
    const unpaid = await leaving(quoteId, late, { paid: afn(5_000) });
    expect(unpaid).toMatchObject({ refund: afn(0), owed: afn(100_000) });
  });

  test('X-126: money above the price, such as the fee of a date change, does not come back', async () => {
    const { quoteId } = await quoted();
    const inTime = await leaving(quoteId, `${addDays(saturday, -3)}T09:30:00.000Z`, { paid: afn(365_000) });
    expect(inTime).toMatchObject({ fee: afn(0), refund: afn(315_000), owed: afn(0) });
  });

  test('R17: a guest who does not come pays by the no-show policy, and his room is kept until its hour', async () => {
    const { quoteId } = await quoted();
    const terms = await leaving(quoteId, `${addDays(saturday, 1)}T00:00:00Z`, { because: 'no_show' });
    expect(terms).toMatchObject({
      fee: afn(105_000),
      keptUntil: `${addDays(saturday, 1)}T01:30:00.000Z`,
    });
  });

  test('nobody’s quote has no terms', async () => {
    expect(await leaving('quo_01J8ZQ4T3Y5V6W7X8Y9Z0A1B31' as never, '2026-01-01T00:00:00Z')).toBeNull();
  });
});
