import { newId } from '@ghasi/domain-primitives/ids';
import { StopSellActivated } from '@melmastoon/inventory-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Inn, inDays } from './fixtures/inn.ts';
import { openTown, type Town } from './fixtures/town.ts';

let town: Town;
let khyber: Inn;
let garden: Inn;
let herat: Inn;
beforeAll(async () => {
  town = await openTown();
  [khyber, garden, herat] = (await town.inns(
    {},
    {
      ...{ name: ['Garden House', 'باغ‌خانه'], nightly: 250_000, amenities: ['free_wifi', 'garden'] },
      ...{ position: { latitude: 34.6, longitude: 69.2 }, maxAdults: 4, maxChildren: 2, board: 'half_board' },
    },
    {
      ...{ name: ['Citadel Hotel', 'هوتل ارگ'], city: ['Herat', 'هرات'], currency: 'USD', nightly: 4_000 },
      position: null,
    },
  )) as [Inn, Inn, Inn];
});
afterAll(() => town.close());

const stay = { arrival: inDays(10), departure: inDays(13) };

describe('where and what', () => {
  test('everything that is listed is found, without dates and without an offer', async () => {
    const { status, body } = await town.search();
    expect(status).toBe(200);
    expect(body.listings).toHaveLength(3);
    expect(body.listings[0]).toMatchObject({ country: 'AF', offer: null, distanceKm: null });
    expect(body.nextPage).toBeNull();
  });

  test.each([['Kabul'], ['kabul'], ['کابل'], [' KÂBUL '], ['كابل']])(
    'a city is found in every language and however it is spelt: %s',
    async city => {
      expect((await town.found({ city })).sort()).toEqual([khyber.propertyId, garden.propertyId].sort());
    },
  );

  test.each([
    ['khy', ['khyber']],
    ['Inn Khyber', ['khyber']],
    ['خيبر', ['khyber']],
    ['باغخانه', ['garden']],
    ['hotel', ['herat']],
    ['هرات', ['herat']],
    ['garden kabul', ['garden']],
    ['garden herat', []],
    ['?!', []],
    ['& | ! :*', []],
    ["'); drop table listings; --", []],
  ] as const)('words of names and cities are found, also their beginnings: %s', async (text, names) => {
    const inns = { khyber, garden, herat };
    expect(await town.found({ text })).toEqual(names.map(name => inns[name].propertyId));
  });

  test('by country, amenities and currency', async () => {
    expect(await town.found({ country: 'PK' })).toEqual([]);
    expect(await town.found({ amenities: 'garden' })).toEqual([garden.propertyId]);
    expect(await town.found({ amenities: 'garden,pool' })).toEqual([]);
    expect(await town.found({ currency: 'USD' })).toEqual([herat.propertyId]);
  });
});

describe('when and for how much', () => {
  test('a stay has the cheapest offer of each house, with its price for all nights, guests and rooms', async () => {
    const { body } = await town.search({ ...stay, guests: 2, children: 1, rooms: 2, city: 'Kabul' });
    const offers = new Map(body.listings.map((one: { propertyId: string }) => [one.propertyId, one]));
    for (const inn of [khyber, garden]) {
      expect(offers.get(inn.propertyId)).toMatchObject({
        tenantSlug: inn.slug,
        from: { amount: String(inn.facts.nightly), currency: 'AFN' },
        offer: {
          roomTypeId: inn.roomTypeId,
          ratePlanId: inn.ratePlanId,
          free: 3,
          total: { amount: inn.priceOf(3, { adults: 2, children: 1, rooms: 2 }), currency: 'AFN' },
        },
      });
    }
  });

  test('only rooms that take everybody are offered', async () => {
    expect(await town.found({ ...stay, guests: 3 })).toEqual([garden.propertyId]);
    expect(await town.found({ ...stay, guests: 2, children: 2 })).toEqual([garden.propertyId]);
    expect(await town.found({ ...stay, guests: 5 })).toEqual([]);
    expect(await town.found({ ...stay, rooms: 4 })).toEqual([]);
  });

  test('by board and by the most it may cost', async () => {
    expect(await town.found({ ...stay, board: 'half_board' })).toEqual([garden.propertyId]);
    const most = khyber.priceOf(3);
    expect(await town.found({ ...stay, currency: 'AFN', mostTotal: most })).toEqual([khyber.propertyId]);
    expect(await town.found({ ...stay, currency: 'AFN', mostTotal: Number(most) - 1 })).toEqual([]);
  });

  test('R9: every night of the stay is tested, not the first: a sold-out third night of four hides the house', async () => {
    const inn = await town.inn({ name: ['Full House', 'خانه پر'], rooms: 1 });
    const four = { arrival: inDays(20), departure: inDays(24), text: 'full house' };
    expect(await town.found(four)).toEqual([inn.propertyId]);
    await town.tell(inn.tenantId, inn.booked(inDays(22), inDays(23)));
    expect(await town.found(four)).toEqual([]);
    expect(await town.found({ ...four, departure: inDays(22) })).toEqual([inn.propertyId]); // R5: half-open
    expect(await town.found({ ...four, arrival: inDays(23) })).toEqual([inn.propertyId]);
  });

  test('R12: restrictions are read on arrival, on departure and on every night', async () => {
    const inn = await town.inn({ name: ['Strict House', 'خانه سخت'] });
    const from = 40;
    inn.rules.set(inDays(from), { minNights: 3 });
    inn.rules.set(inDays(from + 1), { closedToArrival: true });
    inn.rules.set(inDays(from + 5), { closedToDeparture: true });
    inn.rules.set(inDays(from + 6), { maxNights: 2 });
    inn.unpriced.add(inDays(from + 10));
    inn.stopped.add(inDays(from + 14));
    const { propertyId, roomTypeId } = inn;
    await town.tell(
      inn.tenantId,
      inn.priceChanged(),
      StopSellActivated.from(
        {
          ...{ stopSellId: newId('sps'), propertyId, roomTypeId, reason: 'renovation', ticketId: null },
          nights: { from: inDays(from + 14), until: inDays(from + 15) },
        },
        { aggregateVersion: 1 },
      ),
    );
    const isFound = async (arrival: number, departure: number) =>
      (await town.found({ arrival: inDays(arrival), departure: inDays(departure), text: 'strict' }))
        .length === 1;
    const cases: [number, number, boolean][] = [
      [from, from + 2, false],
      [from, from + 3, true],
      [from - 1, from + 1, true],
      [from + 1, from + 4, false],
      [from + 3, from + 5, false],
      [from + 4, from + 7, true],
      [from + 6, from + 9, false],
      [from + 6, from + 8, true],
      [from + 9, from + 11, false],
      [from + 9, from + 10, true],
      [from + 13, from + 15, false],
      [from + 13, from + 14, true],
    ];
    for (const [arrival, departure, expected] of cases)
      expect([arrival - from, departure - from, await isFound(arrival, departure)]).toEqual([
        arrival - from,
        departure - from,
        expected,
      ]);
  });

  test('nights beyond the index, and in the past, are free nowhere', async () => {
    expect(await town.found({ arrival: inDays(364), departure: inDays(367) })).toEqual([]);
    expect(await town.found({ arrival: inDays(-3), departure: inDays(-1) })).toEqual([]);
  });
});

describe('order and pages', () => {
  test('prices are ordered within their currency', async () => {
    const low = await town.found({ ...stay, order: 'price_low_first' });
    expect(low.indexOf(khyber.propertyId)).toBeLessThan(low.indexOf(garden.propertyId));
    expect(low.at(-1)).toBe(herat.propertyId);
    const high = await town.found({ ...stay, order: 'price_high_first' });
    expect(high.indexOf(garden.propertyId)).toBeLessThan(high.indexOf(khyber.propertyId));
    expect(high.at(-1)).toBe(herat.propertyId);
  });

  test('nearest first; a house that nobody has put on the map is near nothing', async () => {
    const near = { latitude: 34.61, longitude: 69.21, order: 'nearest', amenities: 'free_wifi' };
    const { body } = await town.search({ ...near, text: 'kabul' });
    expect(body.listings[0]).toMatchObject({ propertyId: garden.propertyId });
    expect(body.listings[0].distanceKm).toBeCloseTo(1.44, 1);
    expect(await town.found(near)).not.toContain(herat.propertyId);
  });

  test('pages follow each other without a gap, and the last one says so', async () => {
    const all = await town.found();
    const seen: string[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const { body } = await town.search({ perPage: 2, page });
      seen.push(...body.listings.map(({ propertyId }: { propertyId: string }) => propertyId));
      page = body.nextPage;
    }
    expect(seen).toEqual(all);
  });
});

test.each([
  [{ arrival: inDays(1) }],
  [{ departure: inDays(1) }],
  [{ arrival: inDays(2), departure: inDays(2) }],
  [{ arrival: inDays(2), departure: inDays(1) }],
  [{ arrival: inDays(1), departure: inDays(62) }],
  [{ guests: 0 }],
  [{ guests: 'many' }],
  [{ country: 'Afghanistan' }],
  [{ amenities: 'free wifi' }],
  [{ mostTotal: 5 }],
  [{ order: 'nearest' }],
  [{ latitude: 34 }],
  [{ latitude: 99, longitude: 0 }],
  [{ page: 41 }],
  [{ perPage: 51 }],
  [{ text: '' }],
  [{ text: 'x'.repeat(121) }],
  [{ currency: 'XXX' }],
  [{ arrival: '0000-01-01', departure: '0000-01-03' }],
  [{ nonsense: 1 }],
] as Record<string, string | number>[][])('VAL-01: %j is refused', async query => {
  expect((await town.search(query)).status).toBe(400);
});
