import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanView } from './contract/resources.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let hotel: Hotel;
let plan: PlanView;
beforeAll(async () => {
  house = await openHouse();
  hotel = await house.hotel();
  const path = `/rate-plans/${hotel.plans.flexible}`;
  plan = (await house.send(hotel.owner, 'GET', path)).body as unknown as PlanView;
});
afterAll(() => house.close());

const text = [{ locale: 'en', text: 'Name' }];
const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });
const none = { kind: 'none' };
const policy = () => ({
  kind: 'deposit',
  propertyId: hotel.propertyId,
  name: text,
  terms: { deposit: { kind: 'amount', amount: afn(500) } },
});
const values = () => {
  const { id: _, status: __, version: ___, currency: ____, ...rest } = plan;
  return {
    ...rest,
    extraGuests: { includedAdults: 1, extraAdult: afn(5), includedChildren: 0, extraChild: afn(0) },
  };
};
const request = () => ({
  propertyId: hotel.propertyId,
  stay: { arrival: saturday, departure: addDays(saturday, 2) },
  rooms: [{ roomTypeId: hotel.single, ratePlanId: plan.id, adults: 1, children: 0 }],
  promoCode: 'SALAM10',
  bookingDraftId: newId('bdr'),
});

/** One good body per route that takes one. */
const good: Record<string, () => { path: string; body: Record<string, unknown> }> = {
  'POST /api/v1/rate-plans': () => ({ path: '/rate-plans', body: values() }),
  'PUT /api/v1/rate-plans/:ratePlanId': () => ({
    path: `/rate-plans/${plan.id}`,
    body: { version: plan.version, values: values() },
  }),
  'POST /api/v1/rate-plans/:ratePlanId/publish': () => ({
    path: `/rate-plans/${plan.id}/publish`,
    body: { version: plan.version },
  }),
  'POST /api/v1/rate-plans/:ratePlanId/archive': () => ({
    path: `/rate-plans/${plan.id}/archive`,
    body: { version: 99, reason: 'mistake', replacedBy: null },
  }),
  'PUT /api/v1/rate-plans/:ratePlanId/calendar': () => ({
    path: `/rate-plans/${plan.id}/calendar`,
    body: {
      ...{ from: saturday, until: addDays(saturday, 3), roomTypeIds: [hotel.single], weekdays: [1, 7] },
      ...{ price: afn(7), restrictions: { minNights: 1, maxNights: null, closed: false } },
    },
  }),
  'POST /api/v1/booking-policies': () => ({ path: '/booking-policies', body: policy() }),
  'PUT /api/v1/booking-policies/:policyId': () => ({
    path: `/booking-policies/${plan.policies.noShowPolicyId}`,
    body: {
      version: 1,
      policy: { ...policy(), kind: 'no_show', terms: { fee: none, keptUntil: null } },
    },
  }),
  'PUT /api/v1/taxes/:propertyId/:code': () => ({
    path: `/taxes/${hotel.propertyId}/NEW-${Math.floor(Math.random() * 1e9)}`,
    body: {
      version: 0,
      values: {
        ...{ name: text, kind: 'fee', mode: 'exclusive', basis: 'per_stay', amount: afn(5) },
        ...{ countsChildren: false, validFrom: '2026-01-01', validUntil: null },
      },
    },
  }),
  'PUT /api/v1/promos/:propertyId/:code': () => ({
    path: `/promos/${hotel.propertyId}/NEW-${Math.floor(Math.random() * 1e9)}`,
    body: {
      version: 0,
      values: {
        ...{ name: text, kind: 'amount', amount: afn(5), minNights: 1, ratePlanIds: null, mostUses: 3 },
        ...{ stayFrom: '2026-01-01', stayUntil: null, bookFrom: '2026-01-01', bookUntil: null },
      },
    },
  }),
  'POST /api/v1/quotes': () => ({ path: '/quotes', body: request() }),
  'POST /api/v1/quotes/with-override': () => ({
    path: '/quotes/with-override',
    body: { request: request(), reason: 'VIP' },
  }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await house.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'pricing'::regnamespace and relkind = 'r'
       and relname <> 'idempotency' order by 1`,
  );
  const parts = names.map(
    ({ name }) => `(select coalesce(string_agg(t::text, '|' order by t::text), '') from pricing.${name} t)`,
  );
  const [row] = await house.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return row?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e21, 2 ** 31, '', ' ', 'x'.repeat(5000), [], {}, [null]),
  fc.constantFrom<unknown>("'; drop table pricing.quotes; --", 'a\u202eb', '\u0007', '\ud800', '2026-02-30'),
  fc.constantFrom<unknown>(
    afn(-1),
    { amount: '1e3', currency: 'AFN' },
    { amount: '9'.repeat(18), currency: 'AFN' },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom('tenant_id', 'id', 'status', 'version', 'price', 'constructor', 'x');
type Odd = { path: number[]; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

/** Spoils one place, at any depth. */
function spoil(body: unknown, { path, value, how, key }: Odd): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  let at = copy;
  for (const [depth, step] of path.entries()) {
    const keys = Object.keys(at);
    const name = keys[step % keys.length];
    if (name === undefined) break;
    const next = at[name];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) {
      at = next as Record<string, unknown>;
      continue;
    }
    if (how === 'add') at[key] = value;
    else if (how === 'replace') at[name] = value;
    else if (!Array.isArray(at)) delete at[name];
    break;
  }
  return copy;
}

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 4xx and writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(oddities, async odd => {
        const { path, body } = (good[name] as (typeof good)[string])();
        const spoilt = JSON.parse(JSON.stringify(spoil(body, odd)));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await house.send(hotel.owner, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 12 },
    );
  },
);

test('safety-14: client prices are never used', async () => {
  const reply = await house.send(hotel.owner, 'POST', '/quotes', { ...request(), price: afn(1) });
  expect(reply).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
});

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    row => `${row.method} ${row.path.replace('/api/v1', '')}: ${row.roles.join(' ')}`,
  );
  const sellers = 'accountant auditor front_desk manager owner';
  const managers = 'manager owner';
  expect(table.sort()).toEqual(
    [
      `GET /booking-policies: ${sellers}`,
      `POST /booking-policies: ${managers}`,
      `PUT /booking-policies/:policyId: ${managers}`,
      `DELETE /booking-policies/:policyId: ${managers}`,
      `GET /promos: ${sellers}`,
      `PUT /promos/:propertyId/:code: ${managers}`,
      `DELETE /promos/:propertyId/:code: ${managers}`,
      `GET /taxes: ${sellers}`,
      `PUT /taxes/:propertyId/:code: accountant ${managers}`,
      `DELETE /taxes/:propertyId/:code: accountant ${managers}`,
      `GET /rate-plans: ${sellers}`,
      `POST /rate-plans: ${managers}`,
      `GET /rate-plans/:ratePlanId: ${sellers}`,
      `PUT /rate-plans/:ratePlanId: ${managers}`,
      `POST /rate-plans/:ratePlanId/publish: ${managers}`,
      `POST /rate-plans/:ratePlanId/archive: ${managers}`,
      `GET /rate-plans/:ratePlanId/calendar: ${sellers}`,
      `PUT /rate-plans/:ratePlanId/calendar: ${managers}`,
      'POST /quotes: front_desk manager owner',
      `POST /quotes/with-override: ${managers}`,
      `GET /quotes/:quoteId: ${sellers}`,
      `GET /quotes/:quoteId/cancellation-terms: ${sellers}`,
    ].sort(),
  );
});
