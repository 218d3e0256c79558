import type { TenantId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cast, dateOf, momentOf, newCast } from './fixtures/cast.ts';
import { everythingHappens, plainBooking } from './fixtures/everything-happens.ts';
import { factsInTables, inOrder } from './fixtures/facts-in-tables.ts';
import { type Analytics, openAnalytics } from './fixtures/open-analytics.ts';
import { DAY, type PlainHistory, ZONE_MINUTES } from './fixtures/plain-history.ts';
import { eventsOf } from './fixtures/story-events.ts';
import { readDaily } from './queries/daily.ts';
import { readSummary } from './queries/summary.ts';

let analytics: Analytics;
beforeAll(async () => {
  analytics = await openAnalytics({ now: momentOf(3 * DAY) });
});
afterAll(() => analytics.close());

const house = { type: 0, from: 0, closed: null };
const empty: PlainHistory = {
  ...everythingHappens,
  rooms: [house, house, house, house],
  bookings: [],
  charges: [],
  tasks: [],
  tickets: [],
  statuses: [],
  closes: [],
};

async function told(history: Partial<PlainHistory>): Promise<{ tenantId: TenantId; cast: Cast }> {
  const [tenantId, cast] = [newTenantId(), newCast()];
  await analytics.hear(tenantId, eventsOf({ ...empty, ...history }, cast));
  await analytics.compute(tenantId, cast.propertyId);
  return { tenantId, cast };
}
const daily = ({ tenantId, cast: { propertyId } }: { tenantId: TenantId; cast: Cast }, until: number) =>
  analytics.inside(tenantId, ctx =>
    readDaily(ctx, { propertyId, roomTypeId: null, from: dateOf(0), until: dateOf(until) }),
  );

/** A time on the wall of the house, on a date of the calendar. */
const wall = (day: number, hours: number, minutes = 0) => day * DAY + hours * 60 + minutes - ZONE_MINUTES;

test('R1: at 01:30 before the close it is still yesterday, and after it today, whatever the calendar says', async () => {
  const one = await told({
    closes: [wall(1, 2)], // the first day is closed at two in the morning of the second
    bookings: [wall(0, 23), wall(1, 1, 30), wall(1, 2, 30), wall(5, 12)].map(minute =>
      plainBooking({ minute }),
    ),
  });
  // Nobody has closed the second day since: it may lag by days.
  expect((await daily(one, 7)).bookings).toEqual([2, 2, 0, 0, 0, 0, 0]);
});

test('R1: a house that opens with a date ahead of the calendar counts for that day from the start, and a close nobody heard of is no end', async () => {
  const minutes = [-2 * DAY, wall(0, 12), wall(1, 12), wall(2, 12)];
  const bookings = minutes.map(minute => plainBooking({ minute }));
  const one = await told({ createdMinute: -3 * DAY, closes: [null, wall(1, 22)], bookings });
  expect((await daily(one, 4)).bookings).toEqual([3, 0, 1, 0]);
});

test('R2: a day close that is told twice, or computed again, posts nothing new', async () => {
  const history = { ...everythingHappens };
  const one = await told(history);
  const before = await factsInTables(analytics.database, one);
  const closes = eventsOf(history, one.cast).filter(({ event }) => event.event.verb === 'advanced');
  expect(closes).toHaveLength(history.closes.length);
  for (const _ of [1, 2]) {
    await analytics.hear(one.tenantId, closes);
    await analytics.compute(one.tenantId, one.cast.propertyId);
  }
  expect(inOrder(await factsInTables(analytics.database, one))).toEqual(inOrder(before));
});

test('R11: out of order leaves the base of occupancy and RevPAR, out of service stays', async () => {
  const bookings = [plainBooking({ arrival: 1 })];
  const block = (kind: 'out_of_order' | 'out_of_service') => ({
    room: 0,
    block: kind,
    from: 1,
    nights: 2,
    closedMinute: null,
  });
  const rates = async (kind: 'out_of_order' | 'out_of_service') => {
    const { occupancy, available, money } = await daily(await told({ bookings, tickets: [block(kind)] }), 3);
    return [available, occupancy, money[0]?.revenuePerRoom];
  };
  expect(await rates('out_of_service')).toEqual([
    [4, 4, 4],
    [0, 2_500, 2_500],
    ['0', '250', '250'],
  ]);
  expect(await rates('out_of_order')).toEqual([
    [4, 3, 3],
    [0, 3_333, 3_333],
    ['0', '333', '333'],
  ]);
});

test('R19: one minor unit is one minor unit, and currencies stay apart', async () => {
  const unit = [{ net: 1, gross: 1 }];
  const one = await told({
    bookings: [plainBooking({ prices: unit }), plainBooking({ prices: unit, currency: 'USD' })],
    charges: [{ on: 4, kind: 'service', currency: 'USD', amount: { net: 1, gross: 2 }, reversedOn: null }],
  });
  const { measures } = await analytics.inside(one.tenantId, ctx =>
    readSummary(ctx, { propertyId: one.cast.propertyId, from: dateOf(4), until: dateOf(5), compare: null }),
  );
  expect(measures.money).toMatchObject([
    {
      currency: 'AFN',
      roomRevenue: { net: { amount: '1', currency: 'AFN' } },
      otherRevenue: { gross: { amount: '0' } },
    },
    {
      currency: 'USD',
      roomRevenue: { net: { amount: '1', currency: 'USD' } },
      otherRevenue: { gross: { amount: '2' } },
    },
  ]);
});
