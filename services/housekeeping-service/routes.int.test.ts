import { type Id, newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observe } from './commands/observe.ts';
import { FIRST_DAY, type House, type Inn, openHouse } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let inn: Inn;
let ids: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  inn = await house.inn(1);
  const [roomId] = inn.rooms as [Id<'rom'>];
  const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
  await house.hear(inn.tenantId, booking.checkedIn(), booking.checkedOut({ businessDate: FIRST_DAY }));
  const found = await house.inside(inn.tenantId, ctx =>
    observe(ctx, { roomId, occupancy: 'occupied', persons: 1 }),
  );
  const [task] = await house.tasksOf(inn.tenantId, roomId);
  const discrepancyId = found?.id as string;
  ids = { propertyId: inn.propertyId, roomId, taskId: task?.id as string, discrepancyId, kind: 'turndown' };
});
afterAll(() => house.close());

/** One good body per route that takes one, by the end of its path. */
const good: Record<string, () => Record<string, unknown>> = {
  'POST room-conditions': () => ({ roomIds: [ids.roomId], condition: 'dirty' }),
  'POST observations': () => ({ occupancy: 'occupied', persons: 2 }),
  'POST resolve': () => ({ decision: 'observation_wrong', note: 'x' }),
  'POST tasks': () => ({ roomId: ids.roomId, kind: 'turndown', rush: true, reservationId: null, note: 'x' }),
  'PUT checklist': () => ({ done: [0, 1] }),
  'POST assign': () => ({ assigneeId: newId('usr') }),
  'POST start': () => ({}),
  'POST complete': () => ({ outcome: 'refused_by_guest', ticketId: null, note: 'x' }),
  'POST inspect': () => ({ passed: false, note: 'x' }),
  'POST cancel': () => ({ note: 'x' }),
  'PUT :propertyId': () => ({ stayoverService: true, deepCleanEvery: 30 }),
  'PUT :kind': () => ({ estimatedMinutes: 5, items: ['bed'] }),
};

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path.split('/').at(-1)}`;
const pathOf = ({ path }: AnyRoute) =>
  path.replace('/api/v1', '').replace(/:(\w+)/g, (_, name: string) => ids[name] as string);
const withBody = service.routes.filter(route => route.body !== undefined);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await house.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'housekeeping'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = names.map(
    ({ name }) =>
      `(select coalesce(string_agg(t::text, '|' order by t::text), '') from housekeeping.${name} t)`,
  );
  const [found] = await house.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return found?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e21, 2 ** 31, '', ' ', 'x'.repeat(5_000), [], {}, [[]]),
  fc.constantFrom<unknown>(
    'a\u0000b',
    'tab\there',
    '\ud800',
    '2026-02-30',
    ['\u0000'],
    [-1],
    [1, 1],
    'occupied',
  ),
  fc.constantFrom<unknown>('rom_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', 'usr_x', ['rom_x']),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom('tenant_id', 'tenantId', 'id', 'status', 'condition', 'constructor', 'x');

type Odd = { at: number; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  at: fc.nat(),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

function spoil(body: Record<string, unknown>, { at, value, how, key }: Odd): Record<string, unknown> {
  const keys = Object.keys(body);
  const target = keys[at % keys.length];
  if (how === 'add' || target === undefined) return { ...body, [key]: value };
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
        const body = (good[name] as () => Record<string, unknown>)();
        const spoilt = JSON.parse(JSON.stringify(spoil(body, odd)));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const owner = { tenantId: inn.tenantId, roles: ['owner'] };
        const { status } = await house.send(owner, route.method, pathOf(route), spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 12 },
    );
  },
);

test('safety-11: who may call what', async () => {
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1/housekeeping', '')}: ${row.roles.join(' ')}`,
  );
  const readers = 'auditor front_desk housekeeping maintenance manager owner';
  const keepers = 'housekeeping manager owner';
  expect(table.sort()).toEqual(
    [
      `GET /rooms: ${readers}`,
      `POST /room-conditions: ${keepers}`,
      `POST /rooms/:roomId/observations: ${keepers}`,
      `GET /discrepancies: ${readers}`,
      'POST /discrepancies/:discrepancyId/resolve: front_desk manager owner',
      `GET /tasks: ${readers}`,
      'POST /tasks: front_desk housekeeping manager owner',
      `GET /tasks/:taskId: ${readers}`,
      `PUT /tasks/:taskId/checklist: ${keepers}`,
      ...['assign', 'start', 'complete', 'inspect', 'cancel'].map(
        step => `POST /tasks/:taskId/${step}: ${keepers}`,
      ),
      'GET /houses/:propertyId: auditor front_desk housekeeping manager owner',
      'PUT /houses/:propertyId: manager owner',
      'PUT /houses/:propertyId/plans/:kind: manager owner',
    ].sort(),
  );
  expect(
    await house.send(undefined, 'GET', `/housekeeping/rooms?propertyId=${inn.propertyId}`),
  ).toMatchObject({
    status: 401,
  });
});

test('a malformed id is refused before the database is asked', async () => {
  const owner = { tenantId: inn.tenantId, roles: ['owner'] };
  for (const id of ['hkt_x', '%27', '..%2f..'])
    expect(await house.send(owner, 'GET', `/housekeeping/tasks/${id}`)).toMatchObject({ status: 400 });
});
