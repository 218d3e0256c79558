import type { Ctx } from '@ghasi/db/tenant-transaction';
import { newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import { enqueue } from '@ghasi/jobs/enqueue';
import { type System, startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { PropertyCreated, RoomTypePublished } from '@melmastoon/property-service/contract';
import { BookingCancelled, BookingHeld } from '@melmastoon/reservation-service/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putPromo } from './commands/charges.ts';
import { makeQuote } from './commands/quotes.ts';
import type { QuoteOutcome, QuoteRequest } from './contract/questions.ts';
import { CalendarUpdated, QuoteExpired, RatePlanPublished } from './contract.ts';
import { seedPricing } from './demo.ts';
import { expireQuotes, purgeQuotes } from './jobs.ts';
import { findProperty, findRoomTypes } from './queries/houses.ts';
import { service } from './service.ts';

const samplesOf = async (owner: string) =>
  ((await import(new URL(`../${owner}/fixtures/samples.ts`, import.meta.url).href)) as { samples: Samples })
    .samples;
type Samples = Record<string, object>;
const [propertySamples, bookingSamples] = await Promise.all(
  ['property-service', 'reservation-service'].map(samplesOf),
);

const zone = parseZone('Asia/Kabul');
const today = localDateIn(zone, new Date());
const arrival = addDays(today, 10);
let system: System;
beforeAll(async () => {
  system = await startSystem({ services: [service] });
});
afterAll(() => system.stop());

async function hotel() {
  const tenantId = newTenantId();
  const [propertyId, roomTypeId] = [newId('pro'), newId('rty')];
  const plans = await seedPricing(system.db(service), {
    tenantId,
    property: { id: propertyId, zone, currency: 'USD', checkInFrom: '14:00' },
    roomTypes: [{ id: roomTypeId, maxAdults: 2, maxChildren: 1, maxGuests: 3, nightly: 4_000n }],
    today,
  });
  const quote = (promoCode: string | null = null, stay = [arrival, addDays(arrival, 2)]) =>
    system.run(service, tenantId, (ctx: Ctx, request: QuoteRequest) => makeQuote(ctx, request), {
      propertyId,
      stay: { arrival: stay[0] as LocalDate, departure: stay[1] as LocalDate },
      rooms: [{ roomTypeId, ratePlanId: plans.flexible, adults: 2, children: 0 }],
      promoCode,
      bookingDraftId: null,
    }) as Promise<QuoteOutcome>;
  return { tenantId, propertyId, roomTypeId, plans, quote };
}

test('the demo gives a house plans, prices and a code, once', async () => {
  const { tenantId, propertyId, roomTypeId, plans } = await hotel();
  const again = await seedPricing(system.db(service), {
    tenantId,
    property: { id: propertyId, zone, currency: 'USD', checkInFrom: '14:00' },
    roomTypes: [{ id: roomTypeId, maxAdults: 2, maxChildren: 1, maxGuests: 3, nightly: 9_999n }],
    today,
  });
  expect(again).toEqual(plans);
  await system.settled();
  const own = (await system.events()).filter(event => event.tenantId === tenantId);
  const count = (subject: string) =>
    own.filter(({ eventType, eventVersion }) => `${eventType}.v${eventVersion}` === subject).length;
  expect(count(RatePlanPublished.subject)).toBe(3);
  expect(count(CalendarUpdated.subject)).toBe(9); // price, weekend and shortest stay, each of three plans
});

test('a house and its room types are known from their events, whichever comes first or last (X-088)', async () => {
  const tenantId = newTenantId();
  const created = propertySamples?.[PropertyCreated.subject] as Parameters<typeof PropertyCreated.from>[0];
  const type = propertySamples?.[RoomTypePublished.subject] as Parameters<typeof RoomTypePublished.from>[0];
  const spec = (specVersion: number, maxGuests: number) =>
    RoomTypePublished.from({ ...type, specVersion, maxGuests }, { aggregateVersion: specVersion });
  await system.publish(tenantId, [spec(2, 4)]);
  await system.settled();
  await system.publish(tenantId, [PropertyCreated.from(created, { aggregateVersion: 1 })]);
  await system.settled();
  const known = await system.run(
    service,
    tenantId,
    async ({ tx }: Ctx, _: null) => ({
      property: await findProperty(tx, created.propertyId),
      types: await findRoomTypes(tx, created.propertyId, [type.roomTypeId]),
    }),
    null,
  );
  expect(known.property).toMatchObject({ zone: 'Asia/Kabul', currency: 'AFN', checkInFrom: '14:00' });
  expect(known.types.get(type.roomTypeId)).toMatchObject({ maxGuests: 4 });
});

test('EVT-39: the job expires what is over, of every tenant, and leaves what is booked', async () => {
  const [one, other] = [await hotel(), await hotel()];
  const quotes = [await one.quote(), await one.quote(), await other.quote()].map(idOf);
  await system.publish(one.tenantId, [heldWith(quotes[0] as string)]);
  await system.settled();
  await system.query(
    'pricing',
    `update quotes set expires_at = now() - interval '1 second' where status = 'open'`,
  );
  await runJob(expireQuotes);
  const lapsed = (await system.events(QuoteExpired)).map(({ payload }) => payload.quoteId);
  expect(lapsed.sort()).toEqual(quotes.slice(1).sort());
  await runJob(expireQuotes);
  expect(await system.events(QuoteExpired)).toHaveLength(2);

  await system.query('pricing', `update quotes set expires_at = now() - interval '31 days'`);
  await runJob(purgeQuotes);
  const left = await system.query<{ nights: bigint; quotes: bigint }>(
    'pricing',
    `select count(*) as nights, count(distinct quote_id) as quotes from quote_nights where tenant_id = any($1)`,
    [[one.tenantId, other.tenantId]],
  );
  expect(left.map(row => [Number(row.quotes), Number(row.nights)])).toEqual([[1, 2]]);
});

test('a promo code is used up by bookings, and given back by cancelled ones in whatever order', async () => {
  const { tenantId, propertyId, quote } = await hotel();
  const values = {
    name: [{ locale: 'en' as const, text: 'First guest' }],
    ...{ kind: 'percent' as const, basisPoints: 5_000, minNights: 1, ratePlanIds: null, mostUses: 1 },
    ...{ stayFrom: today, stayUntil: null, bookFrom: today, bookUntil: null },
  };
  const put = (ctx: Ctx, code: string) => putPromo(ctx, { propertyId, code }, { version: 0, values });
  await system.run(service, tenantId, put, 'FIRST');
  const reason = (outcome: QuoteOutcome) => (outcome.kind === 'refused' ? outcome.refusals[0]?.reason : null);
  const first = await quote('FIRST');
  const second = await quote('FIRST');
  await system.publish(tenantId, [heldWith(idOf(first))]);
  await system.settled();
  expect(reason(await quote('FIRST'))).toBe('promo_used_up');
  await system.publish(tenantId, [cancelled(reservationOf())]);
  await system.settled();
  expect(reason(await quote('FIRST'))).toBeNull();
  const late = newId('rsv');
  await system.publish(tenantId, [cancelled(late)]);
  await system.settled();
  await system.publish(tenantId, [heldWith(idOf(second), late)]);
  await system.settled();
  expect(reason(await quote('FIRST'))).toBeNull();
});

function idOf(outcome: QuoteOutcome): string {
  if (outcome.kind === 'refused') expect.fail(JSON.stringify(outcome.refusals));
  return outcome.quote.quoteId;
}

function reservationOf(): string {
  const { reservationId } = { ...bookingSamples?.[BookingHeld.subject] } as { reservationId: string };
  return reservationId;
}

function heldWith(quoteId: string, reservationId = reservationOf()) {
  const payload = { ...bookingSamples?.[BookingHeld.subject], quoteId, reservationId };
  return BookingHeld.from(payload as never, { aggregateVersion: 1 });
}

function cancelled(reservationId: string) {
  const payload = { ...bookingSamples?.[BookingCancelled.subject], reservationId };
  return BookingCancelled.from(payload as never, { aggregateVersion: 2 });
}

async function runJob(job: typeof expireQuotes | typeof purgeQuotes): Promise<void> {
  await system.run(
    service,
    PLATFORM_TENANT_ID,
    (ctx: Ctx, input: Record<string, never>) => enqueue(ctx, job, input),
    {},
  );
  await system.settled();
}
