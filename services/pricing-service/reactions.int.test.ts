import type { Ctx } from '@ghasi/db/tenant-transaction';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { doubleDeliveryContract, type Samples } from '@ghasi/testing/double-delivery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyDelta, type Reallocated } from './commands/deltas.ts';
import { makeQuote, type QuoteView, quoteOf } from './contract/questions.ts';
import type { DeltaApplied } from './contract.ts';
import { arrange } from './fixtures/arrange.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';
import { service } from './service.ts';

/** The owners' samples: a contract and its readers are tested with the same ones. */
async function samplesOf(owner: string): Promise<Samples> {
  const file = new URL(`../${owner}/fixtures/samples.ts`, import.meta.url);
  return ((await import(file.href)) as { samples: Samples }).samples;
}
const owners = ['property-service', 'inventory-service', 'reservation-service'];
const samples = Object.assign({}, ...(await Promise.all(owners.map(samplesOf)))) as Samples;

describe('INBOX-10: what others tell has one effect', () => {
  doubleDeliveryContract([service], samples, { arrange });
});

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' as const });
const day = (n: number) => addDays(saturday, n);
const reservationId = 'rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D' as Reallocated['reservationId'];
const bookedRoomId = 'brm_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2T' as Reallocated['rooms'][number]['bookedRoomId'];

let house: House;
let hotel: Hotel;
let quote: QuoteView;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function booked(plan: keyof Hotel['plans'] = 'flexible'): Promise<void> {
  hotel = await house.hotel();
  const outcome = await house.ask(makeQuote, {
    tenantId: hotel.tenantId,
    propertyId: hotel.propertyId,
    stay: { arrival: day(0), departure: day(3) },
    rooms: [{ roomTypeId: hotel.single, ratePlanId: hotel.plans[plan], adults: 1, children: 0 }],
  });
  if (outcome.kind === 'refused') expect.fail(JSON.stringify(outcome.refusals));
  quote = outcome.quote;
}

function moveTo(from: [number, number], to: [number, number], reservationVersion: number): Reallocated {
  const stayOf = ([arrival, departure]: [number, number]) => ({
    arrival: day(arrival),
    departure: day(departure),
  });
  const [previousStay, newStay] = [stayOf(from), stayOf(to)];
  const [room] = quote.rooms as [QuoteView['rooms'][number]];
  const { roomTypeId, ratePlanId, adults, children } = room;
  return {
    allocationId: 'alc_01J8ZQ4T3Y5V6W7X8Y9Z0A1B30' as Reallocated['allocationId'],
    ...{ reservationId, reservationVersion, propertyId: hotel.propertyId, quoteId: quote.quoteId },
    guestId: 'gst_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2G' as Reallocated['guestId'],
    locale: 'en',
    ...{ previousStay, newStay },
    rooms: [
      {
        ...{ bookedRoomId, roomTypeId, ratePlanId, adults, children, previousStay, newStay },
        ...{ previousRoomId: null, roomId: null },
      },
    ],
    keyWindow: { validFrom: `${day(0)}T09:30:00.000Z`, validUntil: `${day(9)}T07:30:00.000Z` },
    nights: [{ roomTypeId, date: day(4), sold: 1, available: 3, nightVersion: 2 }],
  };
}

type Told = Parameters<typeof DeltaApplied.from>[0];
/** What is told of a change, which nobody hears of here. */
const apply = async (change: Reallocated, now?: Date) => {
  const work = async (ctx: Ctx) => ({ told: await applyDelta(ctx, change) });
  return (await house.inside(hotel.tenantId, work, now)).told as { payload: Told } | undefined;
};
const changesIn = (told: Told | undefined) => told?.nights.map(night => `${night.date} ${night.change}`);

describe('SAGA-51: a date change is priced against what was promised', () => {
  test('a night more costs what the calendar says now; the others keep their price (R21)', async () => {
    await booked();
    const range = { from: day(0), until: day(5), roomTypeIds: [hotel.single], price: afn(150_000) };
    await house.send(hotel.owner, 'PUT', `/rate-plans/${hotel.plans.flexible}/calendar`, range);
    const told = (await apply(moveTo([0, 3], [0, 4], 5)))?.payload;
    expect(changesIn(told)).toEqual([
      `${day(0)} kept`,
      `${day(1)} kept`,
      `${day(2)} kept`,
      `${day(3)} added`,
    ]);
    expect(told).toMatchObject({
      previousTotal: quote.total,
      newTotal: { gross: afn(470_000) },
      fee: afn(0),
      delta: afn(155_000), // 1,500.00 and the city fee
    });
    const next = await house.ask(quoteOf, { tenantId: hotel.tenantId, quoteId: told?.newQuoteId as never });
    expect(next).toMatchObject({
      status: 'used',
      previousQuoteId: quote.quoteId,
      total: told?.newTotal,
      rooms: [{ bookedRoomId, stay: { arrival: day(0), departure: day(4) } }],
    });
  });

  test('X-126: fewer nights give money back, and the next change counts from there', async () => {
    await booked();
    const shorter = (await apply(moveTo([0, 3], [1, 3], 5)))?.payload;
    expect(changesIn(shorter)).toEqual([`${day(0)} removed`, `${day(1)} kept`, `${day(2)} kept`]);
    expect(shorter).toMatchObject({ newTotal: { gross: afn(210_000) }, delta: afn(-105_000) });
    const back = (await apply(moveTo([1, 3], [0, 3], 7)))?.payload;
    expect(back).toMatchObject({
      quoteId: shorter?.newQuoteId,
      previousTotal: shorter?.newTotal,
      newTotal: { gross: afn(315_000) },
      delta: afn(105_000),
    });
  });

  test('X-088: a change that a newer one has overtaken, or that came before, is not counted', async () => {
    await booked();
    await apply(moveTo([0, 3], [0, 5], 6));
    expect(await apply(moveTo([0, 3], [0, 4], 5))).toBeUndefined();
    expect(await apply(moveTo([0, 3], [0, 5], 6))).toBeUndefined();
  });

  test('R15: who leaves early pays what his policy keeps of the nights he gives back', async () => {
    await booked('saver');
    const inHouse = new Date(`${day(1)}T06:00:00Z`);
    const told = (await apply(moveTo([0, 3], [0, 1], 5), inHouse))?.payload;
    expect(told).toMatchObject({
      newTotal: { gross: afn(95_000) },
      fee: afn(190_000), // not refundable: both nights
      delta: afn(0),
    });
  });

  test('a change before arrival costs the change fee of the policy', async () => {
    await booked('saver');
    const told = (await apply(moveTo([0, 3], [0, 2], 5)))?.payload;
    expect(told).toMatchObject({ fee: afn(95_000), delta: afn(0) }); // first night
  });

  test('a night without a price costs what the nearest one did, and says so', async () => {
    await booked();
    const range = { from: day(3), until: day(4), roomTypeIds: [hotel.single], price: null };
    await house.send(hotel.owner, 'PUT', `/rate-plans/${hotel.plans.flexible}/calendar`, range);
    const told = (await apply(moveTo([0, 3], [0, 4], 5)))?.payload;
    expect(told?.delta).toEqual(afn(105_000));
  });

  test('a quote that is not here stops the change instead of inventing a price', async () => {
    await booked();
    const change = { ...moveTo([0, 3], [0, 4], 5), quoteId: 'quo_01J8ZQ4T3Y5V6W7X8Y9Z0A1B31' as never };
    await expect(apply(change)).rejects.toMatchObject({ code: 'QUOTE_UNKNOWN_FOR_DELTA' });
  });
});
