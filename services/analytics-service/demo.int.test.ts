import { type Id, idToUuid, newId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeedStay, seedAnalytics } from './demo.ts';
import { type Analytics, openAnalytics } from './fixtures/open-analytics.ts';
import { eventsOf } from './fixtures/story-events.ts';
import { readSummary } from './queries/summary.ts';

const now = new Date('2026-03-21T08:00:00Z');
const today = parseLocalDate('2026-03-21');
let analytics: Analytics;
beforeAll(async () => {
  analytics = await openAnalytics({ now });
});
afterAll(() => analytics.close());

const house = () => ({
  tenantId: newTenantId(),
  propertyId: newId('pro'),
  types: [newId('rty'), newId('rty')] as const,
});

function stay(
  of: { propertyId: Id<'pro'>; roomTypeId: Id<'rty'>; arrival: LocalDate; nights: number },
  fate: SeedStay['fate'],
): SeedStay {
  const nights = Array.from({ length: of.nights }, (_, n) => ({
    date: addDays(of.arrival, n),
    net: 1_000n,
    gross: 1_100n,
  }));
  return {
    ...{
      reservationId: newId('rsv'),
      propertyId: of.propertyId,
      channel: 'booking_site',
      rail: 'card',
      currency: 'AFN',
    },
    bookedAt: new Date(Date.parse(`${of.arrival}T06:00:00Z`) - 10 * 86_400_000),
    rooms: [{ bookedRoomId: newId('brm'), roomTypeId: of.roomTypeId, nights }],
    fate,
  };
}

const summary = (
  tenantId: ReturnType<typeof newTenantId>,
  propertyId: Id<'pro'>,
  from: LocalDate,
  until: LocalDate,
) => analytics.inside(tenantId, ctx => readSummary(ctx, { propertyId, from, until, compare: null }));

test('2,500 stays of the past and the future are counted, and counted once however often they are seeded', async () => {
  const { tenantId, propertyId, types } = house();
  const stays = Array.from({ length: 2_500 }, (_, n) => {
    const arrival = addDays(today, (n % 180) - 90);
    const fates: SeedStay['fate'][] = [
      arrival < today ? { status: 'checked_out', at: now, on: addDays(arrival, 2) } : { status: 'confirmed' },
      { status: 'cancelled', at: new Date(Date.parse(`${arrival}T06:00:00Z`) - 86_400_000) },
    ];
    const fate = fates[n % 10 === 0 ? 1 : 0] as SeedStay['fate'];
    return stay({ propertyId, roomTypeId: types[n % 2] as Id<'rty'>, arrival, nights: 2 }, fate);
  });
  const charge = {
    ...{
      lineId: newId('fln'),
      propertyId,
      businessDate: today,
      kind: 'service' as const,
      currency: 'AFN' as const,
    },
    ...{ net: 500n, gross: 550n },
  };
  for (const _ of [1, 2]) await seedAnalytics(analytics.db, { tenantId, stays, charges: [charge] });
  const all = await summary(tenantId, propertyId, addDays(today, -100), addDays(today, 100));
  expect(all).toMatchObject({
    measures: {
      rooms: { sold: 2_250 * 2, arrivals: 2_250, departures: 2_250 },
      stays: { arriving: 2_500, cancellationRate: 1_000, lengthOfStay: 200, leadTime: 1_000 },
      bookings: { made: 2_500, cancelled: 250 },
      money: [
        {
          roomRevenue: { net: { amount: '4500000' }, gross: { amount: '4950000' } },
          otherRevenue: { net: { amount: '500' } },
        },
      ],
    },
  });
});

test('what is heard of a seeded booking wins, and the house it is in may be heard of later', async () => {
  const { tenantId, propertyId, types } = house();
  const arrival = parseLocalDate('2026-03-05');
  const seeded = stay({ propertyId, roomTypeId: types[0], arrival, nights: 3 }, { status: 'confirmed' });
  await seedAnalytics(analytics.db, { tenantId, stays: [seeded] });
  const march = ['2026-03-01', '2026-03-20'].map(parseLocalDate) as [LocalDate, LocalDate];
  expect(await summary(tenantId, propertyId, ...march)).toMatchObject({
    freshness: { status: 'READY' },
    measures: { rooms: { rooms: 0, sold: 3 }, occupancy: null },
  });
  const history = {
    ...{ createdMinute: 0, closes: [], tickets: [], statuses: [], bookings: [], charges: [], tasks: [] },
    rooms: [{ type: 0, from: 0, closed: null }],
  };
  await analytics.hear(tenantId, eventsOf(history, { propertyId, types }));
  await analytics.compute(tenantId, propertyId);
  expect(await summary(tenantId, propertyId, ...march)).toMatchObject({
    measures: { rooms: { rooms: 19, sold: 3 }, occupancy: 1_579 },
  });
  await seedAnalytics(analytics.db, { tenantId, stays: [seeded] });
  const samples = await analytics.database.admin(
    'select kind from analytics.booking_samples where reservation_id = $1',
    [idToUuid(seeded.reservationId)],
  );
  expect(samples).toHaveLength(1);
});
