import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, kabul, openHouse, type Person, plainRoom } from './fixtures/house.ts';
import { usualRules } from './model.ts';
import { service } from './service.ts';

let house: House;
let owner: Person;
let at: { propertyId: string; roomTypeId: string; roomId: string };
beforeAll(async () => {
  house = await openHouse();
  owner = house.person();
  const { id: propertyId } = await house.property(owner, { businessDate: '2026-03-20' });
  const { type, room } = await house.rooms(owner, propertyId);
  at = { propertyId, roomTypeId: type.id, roomId: room.id };
});
afterAll(() => house.close());

/** One good body per route that takes one. */
const good: Record<string, () => Record<string, unknown>> = {
  'POST /api/v1/properties': () => ({ ...kabul, businessDate: '2026-03-20' }),
  'PATCH /api/v1/properties/:propertyId': () => ({
    version: 1,
    name: kabul.name,
    city: kabul.city,
    position: { latitude: 34.5, longitude: 69.2 },
    locales: ['ps'],
    checkInFrom: '13:00',
    checkOutUntil: '11:00',
    houseRules: usualRules,
  }),
  'PUT /api/v1/properties/:propertyId/amenities': () => ({ version: 1, amenities: ['garden'] }),
  'POST /api/v1/properties/:propertyId/day-close': () => ({ businessDate: '2026-03-20' }),
  'POST /api/v1/properties/:propertyId/room-types': () => ({ code: 'SGL', spec: plainRoom }),
  'PUT /api/v1/room-types/:roomTypeId/draft': () => ({ version: 2, spec: plainRoom }),
  'POST /api/v1/room-types/:roomTypeId/publish': () => ({ version: 2 }),
  'POST /api/v1/properties/:propertyId/rooms': () => ({
    roomTypeId: at.roomTypeId,
    number: '7',
    floor: '1',
    accessible: false,
    sellableFrom: '2026-03-20',
  }),
  'POST /api/v1/rooms/:roomId/archive': () => ({ version: 1, closedFrom: '2026-05-01', reason: 'closed' }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);
const pathOf = (route: AnyRoute) =>
  route.path.replace('/api/v1', '').replace(/:(\w+)/, (_, name: keyof typeof at) => at[name]);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await house.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'property'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = names.map(
    ({ name }) => `(select coalesce(string_agg(t::text, '|' order by t::text), '') from property.${name} t)`,
  );
  const [found] = await house.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return found?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    2 ** 31,
    '',
    ' ',
    'x'.repeat(5_000),
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    'a\u0000b',
    'tab\there',
    '\ud800',
    'XXX',
    'Mars/Base',
    '0000-01-01',
    '2026-02-30',
    '24:00',
  ),
  fc.constantFrom<unknown>([{ locale: 'en', text: 'a\u0000b' }], [{ locale: 'fr', text: 'x' }], {
    ...plainRoom,
    beds: [],
  }),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom(
  'tenant_id',
  'tenantId',
  'id',
  'status',
  'businessDate',
  'constructor',
  'x',
);

type Odd = { at: number; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  at: fc.nat(),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

function spoil(body: Record<string, unknown>, { at: n, value, how, key }: Odd): Record<string, unknown> {
  const keys = Object.keys(body);
  const target = keys[n % keys.length] as string;
  if (how === 'add') return { ...body, [key]: value };
  if (how === 'replace') return { ...body, [target]: value };
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== target));
}

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 400 and writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(oddities, async odd => {
        const spoilt = JSON.parse(
          JSON.stringify(spoil((good[name] as () => Record<string, unknown>)(), odd)),
        );
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await house.send(owner, route.method, pathOf(route), spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 25 },
    );
  },
);

test.each(['pro_x', 'rom_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', '%27', '..%2f..'])(
  'a malformed id such as %s is refused before the database is asked',
  async id => {
    expect(await house.send(owner, 'GET', `/properties/${id}`)).toMatchObject({ status: 400 });
  },
);

test('safety-11: who may call what', async () => {
  const everyone = 'accountant auditor front_desk housekeeping maintenance manager owner';
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1', '')}: ${row.roles.join(' ')}`,
  );
  expect(table).toEqual([
    `GET /amenities: ${everyone}`,
    `GET /properties: ${everyone}`,
    'POST /properties: owner',
    `GET /properties/:propertyId: ${everyone}`,
    'PATCH /properties/:propertyId: manager owner',
    'PUT /properties/:propertyId/amenities: manager owner',
    'POST /properties/:propertyId/day-close: front_desk manager owner',
    'GET /properties/:propertyId/day-closes: accountant auditor front_desk manager owner',
    `GET /properties/:propertyId/room-types: ${everyone}`,
    'POST /properties/:propertyId/room-types: manager owner',
    `GET /properties/:propertyId/rooms: ${everyone}`,
    'POST /properties/:propertyId/rooms: manager owner',
    `GET /room-types/:roomTypeId: ${everyone}`,
    'PUT /room-types/:roomTypeId/draft: manager owner',
    'POST /room-types/:roomTypeId/publish: manager owner',
    `GET /rooms/:roomId: ${everyone}`,
    'POST /rooms/:roomId/archive: manager owner',
  ]);
  const cleaner = house.person('housekeeping', owner.tenantId);
  expect(await house.send(cleaner, 'POST', '/properties', kabul)).toMatchObject({ status: 403 });
  expect(await house.send(undefined, 'GET', '/properties')).toMatchObject({ status: 401 });
});
