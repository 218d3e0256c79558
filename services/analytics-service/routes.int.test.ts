import { type Id, newId } from '@ghasi/domain-primitives/ids';
import { routeTable } from '@ghasi/http/route-table';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DailyView, PickupView, SummaryView } from './contract/views.ts';
import { type Cast, dateOf, momentOf, newCast } from './fixtures/cast.ts';
import { everythingHappens, plainBooking } from './fixtures/everything-happens.ts';
import { type Analytics, openAnalytics, type Reader, service } from './fixtures/open-analytics.ts';
import { DAY } from './fixtures/plain-history.ts';
import { eventsOf } from './fixtures/story-events.ts';

const now = momentOf(5 * DAY + 60);
let analytics: Analytics;
let cast: Cast;
let manager: Reader;
beforeAll(async () => {
  analytics = await openAnalytics({ now });
  [cast, manager] = [newCast(), { tenantId: newTenantId(), role: 'manager' }];
  await analytics.hear(manager.tenantId, eventsOf(everythingHappens, cast));
  await analytics.compute(manager.tenantId, cast.propertyId);
});
afterAll(() => analytics.close());

const days = (from: number, until: number) => `from=${dateOf(from)}&until=${dateOf(until)}`;
const of = (house: Id<'pro'>) => `propertyId=${house}`;
const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });

/*
 * The week of `everythingHappens`, by hand: four rooms are 28 room nights; one is out of order on two nights, another on
 * one, since its repair was over early. Sold are three nights of a stay that moved and two of a walk-in; one booking was
 * cancelled, one did not come.
 */
describe('the summary of a week', () => {
  test('R11, R19: each measure is what the README says it is', async () => {
    const { status, body } = await analytics.get<SummaryView>(
      manager,
      `/analytics/summary?${of(cast.propertyId)}&${days(0, 7)}`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      propertyId: cast.propertyId,
      businessDate: dateOf(5),
      period: { from: dateOf(0), until: dateOf(7) },
      freshness: { status: 'READY', asOf: expect.any(String), lag: 0 },
      comparison: null,
    });
    const revenue = (net: number) => ({ net: afn(net), gross: afn((net * 11) / 10) });
    expect(body.measures).toEqual({
      rooms: { rooms: 28, outOfOrder: 3, available: 25, sold: 5, arrivals: 2, departures: 2 },
      occupancy: 2_000,
      money: [
        {
          ...{ currency: 'AFN', roomsSold: 5, roomRevenue: revenue(5_000), postedRoomRevenue: revenue(0) },
          ...{ otherRevenue: revenue(1_000), averageRate: afn(1_000), revenuePerRoom: afn(200) },
        },
      ],
      bookings: { made: 4, cancelled: 1, noShows: 1 },
      stays: { arriving: 4, cancellationRate: 2_500, noShowRate: 3_333, lengthOfStay: 250, leadTime: 200 },
      channels: [
        {
          name: 'booking_site',
          roomsSold: 3,
          share: 6_000,
          revenue: [{ currency: 'AFN', ...revenue(3_000) }],
        },
        { name: 'walk_in', roomsSold: 2, share: 4_000, revenue: [{ currency: 'AFN', ...revenue(2_000) }] },
      ],
      rails: [
        { name: 'card', roomsSold: 5, share: 10_000, revenue: [{ currency: 'AFN', ...revenue(5_000) }] },
      ],
      tasksCompleted: 1,
    });
  });

  test('beside the days before, and what changed', async () => {
    const { body } = await analytics.get<SummaryView>(
      manager,
      `/analytics/summary?${of(cast.propertyId)}&${days(3, 5)}&compare=previous_period`,
    );
    expect(body.measures).toMatchObject({ occupancy: 3_333, money: [{ revenuePerRoom: afn(333) }] });
    expect(body.comparison).toMatchObject({
      against: 'previous_period',
      period: { from: dateOf(1), until: dateOf(3) },
      measures: { occupancy: 2_857, money: [{ revenuePerRoom: afn(286) }] },
      change: {
        ...{ occupancy: 476, roomsSold: 0, bookings: null },
        money: [{ currency: 'AFN', roomRevenue: 0, averageRate: 0, revenuePerRoom: 1_643 }],
      },
    });
  });

  test('of all houses, and of a house that has nothing', async () => {
    const all = await analytics.get<SummaryView>(
      manager,
      `/analytics/summary?${days(0, 7)}&compare=last_year`,
    );
    expect(all.body).toMatchObject({
      propertyId: null,
      businessDate: null,
      measures: { rooms: { sold: 5 } },
    });
    expect(all.body.comparison).toMatchObject({
      measures: { occupancy: null, money: [] },
      change: { money: [] },
    });
    const none = await analytics.get<SummaryView>(
      manager,
      `/analytics/summary?${of(newId('pro'))}&${days(0, 7)}`,
    );
    expect(none).toMatchObject({
      status: 200,
      body: { measures: { occupancy: null }, freshness: { status: 'READY', lag: 0 } },
    });
  });
});

test('day by day, in columns that a chart can take as they are', async () => {
  const { body } = await analytics.get<DailyView>(
    manager,
    `/analytics/daily?${of(cast.propertyId)}&${days(0, 6)}`,
  );
  expect(body).toMatchObject({
    dates: [0, 1, 2, 3, 4, 5].map(dateOf),
    rooms: [4, 4, 4, 4, 4, 4],
    outOfOrder: [0, 0, 1, 1, 1, 0],
    available: [4, 4, 3, 3, 3, 4],
    sold: [0, 1, 1, 1, 1, 1],
    arrivals: [0, 1, 0, 1, 0, 0],
    departures: [0, 0, 0, 1, 0, 0],
    occupancy: [0, 2_500, 3_333, 3_333, 3_333, 2_500],
    bookings: [4, 0, 0, 0, 0, 0],
    cancellations: [0, 1, 0, 0, 0, 0],
    noShows: [0, 0, 1, 0, 0, 0],
    money: [
      {
        currency: 'AFN',
        roomRevenueNet: ['0', '1000', '1000', '1000', '1000', '1000'],
        otherRevenueNet: ['0', '0', '0', '1000', '0', '0'],
        averageRate: [null, '1000', '1000', '1000', '1000', '1000'],
        revenuePerRoom: ['0', '250', '333', '333', '333', '250'],
      },
    ],
  });
  const roomTypeId = cast.types[1] as Id<'rty'>;
  const path = `/analytics/daily?${of(cast.propertyId)}&${days(1, 4)}&roomTypeId=${roomTypeId}`;
  const { body: type } = await analytics.get<DailyView>(manager, path);
  expect(type).toMatchObject({
    roomTypeId,
    rooms: [1, 1, 1],
    outOfOrder: [0, 1, 1],
    sold: [0, 0, 0],
    bookings: null,
    money: [],
  });
});

describe('pickup', () => {
  const ask = (more: string) =>
    analytics.get<PickupView>(manager, `/analytics/pickup?${of(cast.propertyId)}&${more}`);

  test('what was on the books for a night so many days before it, as it was known then', async () => {
    const { body } = await ask(`${days(4, 7)}&leads=4,3,0`);
    expect(body).toMatchObject({ businessDate: dateOf(5), dates: [4, 5, 6].map(dateOf), leads: [4, 3, 0] });
    const [fourth, fifth, sixth] = body.nights;
    // Two bookings had the fourth night on the first day; one was cancelled on the second.
    expect(fourth?.curve.map(books => books?.rooms)).toEqual([2, 1, 1]);
    expect(fourth?.curve[0]?.revenue.map(({ currency, net }) => [currency, net.amount])).toEqual([
      ['AFN', '1000'],
      ['USD', '1000'],
    ]);
    expect(fifth?.curve.map(books => books?.rooms)).toEqual([1, 1, undefined]); // that day is not over
    expect(sixth).toMatchObject({ now: { rooms: 0, revenue: [] }, since: null });
  });

  test('what came and went since a day', async () => {
    const { body } = await ask(`${days(4, 5)}&since=${dateOf(0)}`);
    expect(body.leads).toEqual([90, 60, 30, 14, 7, 3, 1, 0]);
    expect(body.nights[0]?.since).toMatchObject({
      asOf: dateOf(0),
      before: { rooms: 2 },
      pickup: {
        rooms: -1,
        revenue: [
          { currency: 'AFN', net: { amount: '0' } },
          { currency: 'USD', net: { amount: '-1000' } },
        ],
      },
    });
  });
});

test('the bookings that were made last, with their prices and without a word about the guest', async () => {
  const { body } = await analytics.get<{ bookings: object[] }>(
    manager,
    `/analytics/bookings?${of(cast.propertyId)}&limit=2`,
  );
  expect(body.bookings).toHaveLength(2);
  const all = await analytics.get<{ bookings: { status: string }[] }>(
    manager,
    `/analytics/bookings?${of(cast.propertyId)}`,
  );
  expect(all.body.bookings.map(({ status }) => status).sort()).toEqual([
    'cancelled',
    'checked_in',
    'confirmed',
    'no_show',
  ]);
  expect(JSON.stringify(all.body)).not.toMatch(/guest/i);
});

test('PROJ-05: an answer says whether it is computing, stale or current, and never hides it', async () => {
  const [own, house] = [{ tenantId: newTenantId(), role: 'owner' }, newCast()];
  const history = { ...everythingHappens, bookings: [plainBooking({})] };
  const told = eventsOf(history, house);
  const show = async () => {
    const path = `/analytics/summary?${of(house.propertyId)}&${days(0, 7)}`;
    const { freshness, measures } = (await analytics.get<SummaryView>(own, path)).body;
    // While it is current the moment is that of the request, which is later than the one of this test.
    const asOf = freshness.asOf !== null && freshness.asOf > now.toISOString() ? 'now' : freshness.asOf;
    return [freshness.status, freshness.lag, asOf, measures.rooms.sold];
  };
  await analytics.hear(own.tenantId, told);
  expect(await show()).toEqual(['COMPUTING', 1, null, 0]);
  await analytics.compute(own.tenantId, house.propertyId);
  expect(await show()).toEqual(['READY', 0, 'now', 2]);
  const more = eventsOf({ ...history, bookings: [plainBooking({ arrival: 1 })] }, house).slice(-1);
  await analytics.hear(own.tenantId, more);
  expect(await show()).toEqual(['STALE', 1, now.toISOString(), 2]);
  await analytics.compute(own.tenantId, house.propertyId);
  expect(await show()).toEqual(['READY', 0, 'now', 4]);
});

test('a stranger gets nothing of another tenant: the same as for a house that does not exist', async () => {
  const stranger = { tenantId: newTenantId(), role: 'owner' };
  const ask = async (house: Id<'pro'>) => {
    const { body } = await analytics.get<SummaryView>(
      stranger,
      `/analytics/summary?${of(house)}&${days(0, 7)}`,
    );
    return { ...body, propertyId: null, freshness: { ...body.freshness, asOf: null } };
  };
  expect(await ask(cast.propertyId)).toEqual(await ask(newId('pro')));
});

test.each([
  '/analytics/summary',
  `/analytics/summary?${days(3, 3)}`,
  `/analytics/summary?${days(3, 2)}`,
  '/analytics/summary?from=0001-01-01&until=9999-12-31',
  '/analytics/summary?from=2026-02-30&until=2026-03-02',
  `/analytics/summary?propertyId=pro_x&${days(0, 2)}`,
  `/analytics/summary?${days(0, 2)}&compare=yesterday`,
  `/analytics/summary?${days(0, 2)}&tenantId=x`,
  `/analytics/daily?${days(0, 2)}&roomTypeId=1`,
  `/analytics/pickup?${days(0, 2)}`,
  `/analytics/pickup?${of(newId('pro'))}&${days(0, 2)}&leads=-1`,
  `/analytics/pickup?${of(newId('pro'))}&${days(0, 2)}&leads=${Array.from({ length: 13 }).fill(1).join(',')}`,
  `/analytics/bookings?${of(newId('pro'))}&limit=101`,
])('VAL-01: a query such as %s is refused', async path => {
  expect(await analytics.get(manager, path)).toMatchObject({ status: 400 });
});

test.each([`from=0001-01-01&until=0001-06-01`, `from=9998-12-01&until=9999-12-31`])(
  'the ends of the calendar (%s) are no reason to fail',
  async period => {
    for (const path of ['summary', 'daily', 'pickup']) {
      const reply = await analytics.get(manager, `/analytics/${path}?${of(cast.propertyId)}&${period}`);
      expect([200, 400]).toContain(reply.status);
    }
    const compared = await analytics.get(manager, `/analytics/summary?${period}&compare=last_year`);
    expect([200, 400]).toContain(compared.status);
  },
);

test('safety-11: who may read what', () => {
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1', '')}: ${row.roles.join(' ')}`,
  );
  const readers = 'accountant auditor manager owner';
  expect(table).toEqual([
    `GET /analytics/bookings: ${readers}`,
    `GET /analytics/daily: ${readers}`,
    `GET /analytics/pickup: ${readers}`,
    `GET /analytics/summary: ${readers}`,
  ]);
});
