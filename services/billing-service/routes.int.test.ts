import { newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { afn, type Stay } from './fixtures/stay.ts';
import { service } from './service.ts';

let inn: House;
let owner: Person;
let stay: Stay;
let folioId: string;
let lineId: string;
let propertyId: string;
beforeAll(async () => {
  inn = await openHouse();
  const made = await inn.booked();
  [owner, stay, propertyId] = [made.owner, made.stay, made.house.propertyId];
  folioId = (await inn.folio(owner, stay)).folioId;
  const { body } = await inn.send(owner, 'POST', `/folios/${folioId}/charges`, charge());
  lineId = body.lines[0].lineId;
});
afterAll(() => inn?.close());

const charge = () => ({
  ...{ what: { kind: 'service', service: 'other' }, quantity: 1, unitPrice: afn(700), text: 'Tea' },
  ...{ tax: { code: 'BRT', basisPoints: 1_000 }, split: 1 },
});

/** One good body per route that takes one. */
const good: Record<string, () => { path: string; body: Record<string, unknown> }> = {
  'POST /api/v1/folios/:folioId/charges': () => ({ path: `/folios/${folioId}/charges`, body: charge() }),
  'POST /api/v1/folios/:folioId/lines/:lineId/reverse': () => ({
    ...{ path: `/folios/${folioId}/lines/${lineId}/reverse`, body: { reason: 'cold' } },
  }),
  'POST /api/v1/folios/:folioId/splits': () => ({ path: `/folios/${folioId}/splits`, body: { name: 'Co' } }),
  'PUT /api/v1/folios/:folioId/routes': () => ({ path: `/folios/${folioId}/routes`, body: { rooms: 1 } }),
  'POST /api/v1/folios/:folioId/transfers': () => ({
    ...{ path: `/folios/${folioId}/transfers`, body: { from: 1, to: 2, amount: afn(1) } },
  }),
  'POST /api/v1/folios/:folioId/invoices': () => ({
    path: `/folios/${folioId}/invoices`,
    body: { split: 1, locale: 'en', recipient: { name: 'G', address: null } },
  }),
  'POST /api/v1/invoices/:invoiceId/void': () => ({
    path: `/invoices/${newId('inv')}/void`,
    body: { reason: 'duplicate', reissue: null },
  }),
  'PUT /api/v1/invoice-series/:propertyId': () => ({
    ...{ path: `/invoice-series/${propertyId}`, body: { prefix: 'BH' } },
  }),
  'POST /api/v1/late-postings/:id/resolve': () => ({
    path: `/late-postings/${crypto.randomUUID()}/resolve`,
    body: { as: 'written_off', note: 'a tea' },
  }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1.5, 1e21, '', 'x'.repeat(5_000), [], {}, [null], '\u0007', 'XXX'),
  fc.constantFrom<unknown>(
    afn(-1),
    afn(0),
    { amount: 100, currency: 'AFN' },
    { amount: '1', currency: 'XXX' },
  ),
  fc.constantFrom<unknown>({ amount: '9'.repeat(18), currency: 'AFN' }, { name: '\u0000' }, { kind: 'fee' }),
  fc.jsonValue({ maxDepth: 2 }),
);

const everything = async () =>
  JSON.stringify(
    await inn.system.database.admin(
      `select (select count(*)::int from billing.lines) as lines,
              (select count(*)::int from billing.invoices) as invoices,
              (select md5(string_agg(f::text, '' order by f.id)) from billing.folios f) as folios`,
    ),
  );

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01, safety-14: %s refuses a body outside its schema with 4xx, writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(odd, fc.nat(), fc.boolean(), async (value, at, isExtra) => {
        const { path, body } = (good[name] as (typeof good)[string])();
        const keys = Object.keys(body);
        const key = isExtra ? 'tenantId' : (keys[at % keys.length] as string);
        const spoilt = JSON.parse(JSON.stringify({ ...body, [key]: value }));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await inn.send(owner, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 8 },
    );
  },
);

test.each(['fol_x', 'rsv_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', '%27'])(
  'a malformed id such as %s is refused before the database is asked',
  async id => {
    expect(await inn.send(owner, 'GET', `/folios/${id}`)).toMatchObject({ status: 400 });
  },
);

test('safety-13: the same key charges once', async () => {
  const key = '0198c8f4-3e2a-7b1c-8d4e-5f6a7b8c9d0e';
  const before = (await inn.folio(owner, stay)).lines.length;
  for (let n = 0; n < 3; n++)
    expect(
      (await inn.send(owner, 'POST', `/folios/${folioId}/charges`, charge(), { 'idempotency-key': key }))
        .status,
    ).toBe(201);
  expect((await inn.folio(owner, stay)).lines).toHaveLength(before + 1);
});

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    ({ method, path, roles }) => `${method} ${path.replace('/api/v1', '')}: ${roles.join(' ')}`,
  );
  const [desk, readers, finance, papers] = [
    'front_desk manager owner',
    'accountant auditor front_desk manager owner',
    'accountant manager owner',
    'accountant front_desk manager owner',
  ];
  expect(table).toEqual([
    `GET /folios: ${readers}`,
    `GET /folios/:folioId: ${readers}`,
    `POST /folios/:folioId/charges: ${desk}`,
    `POST /folios/:folioId/collect: ${desk}`,
    `POST /folios/:folioId/invoices: ${papers}`,
    `POST /folios/:folioId/lines/:lineId/reverse: ${desk}`,
    `PUT /folios/:folioId/routes: ${desk}`,
    `POST /folios/:folioId/splits: ${desk}`,
    `POST /folios/:folioId/transfers: ${desk}`,
    `PUT /invoice-series/:propertyId: ${finance}`,
    `GET /invoices: ${readers}`,
    `GET /invoices/:invoiceId: ${readers}`,
    `GET /invoices/:invoiceId/document: ${readers}`,
    `POST /invoices/:invoiceId/void: ${finance}`,
    `GET /late-postings: ${readers}`,
    `POST /late-postings/:id/resolve: ${finance}`,
  ]);
});
