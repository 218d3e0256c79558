import { newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { broken, type House, type Inn, inDays, openHouse, today } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let inn: Inn;
let ids: Record<string, string>;
beforeAll(async () => {
  house = await openHouse();
  inn = await house.inn(2);
  const owner = { tenantId: inn.tenantId, roles: ['owner'] };
  const ticket = await house.send(owner, 'POST', '/maintenance/tickets', broken(inn));
  ids = { ticketId: ticket.body.id, planId: crypto.randomUUID() };
});
afterAll(() => house.close());

const afn = { amount: '100', currency: 'AFN' };
const block = { kind: 'out_of_order', from: inDays(3), until: inDays(5) };
const words = { severity: 'urgent', title: 'Door sticks', description: 'x', photoIds: [newId('fil')] };

/** One good body per route that takes one, by the end of its path. */
const good: Record<string, () => Record<string, unknown>> = {
  'POST tickets': () => ({ ...broken(inn), ...words, block, reservationId: null, taskId: null, area: null }),
  'PATCH :ticketId': () => ({ version: 1, ...words }),
  'POST block': () => block,
  'POST follow-up': () => ({ ...words, block: null }),
  'POST assign': () => ({ assigneeId: newId('usr'), note: null }),
  'POST start': () => ({ note: 'x' }),
  'POST hold': () => ({ note: 'x' }),
  'POST close': () => ({
    ...{ resolution: 'replaced', needsCleaning: true, labour: { minutes: 5, cost: afn }, note: null },
    parts: [{ name: 'Hinge', quantity: 1, cost: afn }],
  }),
  'POST cancel': () => ({ resolution: 'will_not_repair', note: 'x' }),
  'POST plans': () => ({
    ...{ propertyId: inn.propertyId, area: 'roof', roomId: null, everyRoom: false, category: 'structure' },
    ...{ severity: 'cosmetic', title: 'Look', everyDays: 30, nextDue: today },
  }),
};

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path.split('/').at(-1)}`;
const pathOf = ({ path }: AnyRoute) =>
  path.replace('/api/v1', '').replace(/:(\w+)/g, (_, name: string) => ids[name] as string);
const withBody = service.routes.filter(route => route.body !== undefined);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await house.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'maintenance'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = names.map(
    ({ name }) =>
      `(select coalesce(string_agg(t::text, '|' order by t::text), '') from maintenance.${name} t)`,
  );
  const [found] = await house.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return found?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e21, 2 ** 31, '', ' ', 'x'.repeat(5_000), [], {}, [[]]),
  fc.constantFrom<unknown>('a\u0000b', 'tab\there', '\ud800', '2026-02-30', '0000-01-01', '9999-12-31'),
  fc.constantFrom<unknown>(
    { ...block, until: block.from },
    { minutes: 1, cost: { amount: '-5', currency: 'AFN' } },
    { minutes: 1, cost: { amount: '99999999999999999', currency: 'AFN' } },
    { minutes: 1, cost: { amount: '5', currency: 'XXX' } },
  ),
  fc.constantFrom<unknown>('rom_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', 'usr_x', ['fil_x']),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom('tenant_id', 'tenantId', 'id', 'status', 'cost', 'constructor', 'x');

type Odd = { at: number; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  at: fc.nat(),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

function spoil(body: Record<string, unknown>, { at, value, how, key }: Odd): Record<string, unknown> {
  const keys = Object.keys(body);
  const target = keys[at % keys.length] as string;
  if (how === 'add') return { ...body, [key]: value };
  if (how === 'replace') return { ...body, [target]: value };
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== target));
}

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01, safety-14: %s refuses a body outside its schema with 400 and writes nothing, and never answers 5xx',
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
      { numRuns: 15 },
    );
  },
);

test('safety-11: who may call what', async () => {
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1/maintenance', '')}: ${row.roles.join(' ')}`,
  );
  const readers = 'auditor front_desk housekeeping maintenance manager owner';
  const reporters = 'front_desk housekeeping maintenance manager owner';
  const workers = 'maintenance manager owner';
  expect(table.sort()).toEqual(
    [
      `GET /tickets: ${readers}`,
      `POST /tickets: ${reporters}`,
      `GET /tickets/:ticketId: ${readers}`,
      `PATCH /tickets/:ticketId: ${workers}`,
      'POST /tickets/:ticketId/block: front_desk maintenance manager owner',
      `POST /tickets/:ticketId/follow-up: ${reporters}`,
      ...['assign', 'start', 'hold', 'close', 'cancel'].map(
        step => `POST /tickets/:ticketId/${step}: ${workers}`,
      ),
      'GET /plans: auditor maintenance manager owner',
      `POST /plans: ${workers}`,
      `POST /plans/:planId/end: ${workers}`,
    ].sort(),
  );
  expect(await house.send(undefined, 'GET', `/maintenance/tickets/${ids.ticketId}`)).toMatchObject({
    status: 401,
  });
});

test('a malformed id is refused before the database is asked', async () => {
  const owner = { tenantId: inn.tenantId, roles: ['owner'] };
  for (const id of ['mtk_x', '%27', '..%2f..'])
    expect(await house.send(owner, 'GET', `/maintenance/tickets/${id}`)).toMatchObject({ status: 400 });
});
