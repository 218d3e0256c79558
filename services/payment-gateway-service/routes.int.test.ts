import { newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse, type Person, type View } from './fixtures/house.ts';
import { newStay, type Stay } from './fixtures/stay.ts';
import { service } from './service.ts';

let house: House;
let owner: Person;
let stay: Stay;
let payment: View;
let shiftId: string;
beforeAll(async () => {
  house = await openHouse();
  [owner, stay] = [house.newPerson(), newStay({ rail: 'cash_pending' })];
  await house.tell(owner.tenantId, stay.held(), stay.allocated(), stay.folioOpened());
  [payment] = (await house.intents(owner, stay)) as [View];
  shiftId = await house.clockIn(owner, stay);
});
afterAll(() => house?.close());

const afn = { amount: '100', currency: 'AFN' };
const cash = () => ({ shiftId, drawer: [{ direction: 'in', cash: afn, value: afn }] });

/** One good body per route that takes one; the webhook's is its provider's own. */
const good: Record<string, () => { path: string; body: Record<string, unknown> }> = {
  'POST /api/v1/payments': () => ({
    path: '/payments',
    body: { reservationId: stay.reservationId, purpose: 'incidental', rail: 'card', amount: afn },
  }),
  'POST /api/v1/payments/:paymentId/refunds': () => ({
    path: `/payments/${payment.paymentId}/refunds`,
    body: { amount: afn, reason: 'overpayment' },
  }),
  'POST /api/v1/payments/:paymentId/take-cash': () => ({
    path: `/payments/${payment.paymentId}/take-cash`,
    body: cash(),
  }),
  'POST /api/v1/refunds/:refundId/pay-out': () => ({
    path: `/refunds/${newId('rfd')}/pay-out`,
    body: cash(),
  }),
  'POST /api/v1/drawers': () => ({ path: '/drawers', body: { shiftId, float: [afn] } }),
  'POST /api/v1/drawers/:shiftId/count': () => ({
    path: `/drawers/${shiftId}/count`,
    body: { counts: [afn] },
  }),
  'POST /api/v1/drawers/:shiftId/close': () => ({ path: `/drawers/${shiftId}/close`, body: { reasons: [] } }),
  'POST /api/v1/payment-webhooks/:provider/:account': () => ({
    path: `/payment-webhooks/visa_acquirer/${owner.tenantId}`,
    body: { id: 'evt-1', type: 'checkout.paid' },
  }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1.5, 1e21, '', 'x'.repeat(5_000), [], {}, [null], '\u0007', 'XXX'),
  fc.constantFrom<unknown>({ amount: '-1', currency: 'AFN' }, { amount: 100, currency: 'AFN' }),
  fc.constantFrom<unknown>({ amount: '1', currency: 'XXX' }, { amount: '9'.repeat(19), currency: 'AFN' }),
  fc.jsonValue({ maxDepth: 2 }),
);

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

const everything = async () =>
  JSON.stringify(
    await house.system.database.admin(
      `select (select count(*)::int from payment_gateway.intents) as intents,
              (select count(*)::int from payment_gateway.ledger) as ledger,
              (select count(*)::int from payment_gateway.refunds) as refunds,
              (select count(*)::int from payment_gateway.notices) as notices,
              (select count(*)::int from payment_gateway.drawer_counts) as counts`,
    ),
  );

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 4xx, writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(odd, fc.nat(), fc.boolean(), async (value, at, isExtra) => {
        const { path, body } = (good[name] as (typeof good)[string])();
        const keys = Object.keys(body);
        const key = isExtra ? 'tenantId' : (keys[at % keys.length] as string);
        const spoilt = JSON.parse(JSON.stringify({ ...body, [key]: value }));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await house.send(owner, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 15 },
    );
  },
);

test.each(['pay_x', 'rsv_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', '%27', 'pay_01j8zq6m3n4p5r6s7t8v9wxyz0'])(
  'a malformed id such as %s is refused before the database is asked',
  async id => {
    expect(await house.send(owner, 'GET', `/payments/${id}`)).toMatchObject({ status: 400 });
  },
);

test('the desk asks for money and takes it back', async () => {
  const wanted = { reservationId: stay.reservationId, purpose: 'check_out', rail: 'paypal', amount: afn };
  const { body, status } = await house.send(owner, 'POST', '/payments', wanted);
  expect([status, body]).toMatchObject([201, { status: 'created', rail: 'paypal', folioId: stay.folioId }]);
  const { paymentId } = body as unknown as View;
  const cancelled = await house.send(owner, 'POST', `/payments/${paymentId}/cancel`);
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  const unknown = await house.send(owner, 'POST', '/payments', { ...wanted, reservationId: newId('rsv') });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'BOOKING_UNKNOWN' } });
});

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    ({ method, path, auth, roles }) =>
      `${method} ${path.replace('/api/v1', '')}: ${auth === 'open' ? 'open' : roles.join(' ')}`,
  );
  const [desk, readers, finance] = [
    'front_desk manager owner',
    'accountant auditor front_desk manager owner',
    'accountant manager owner',
  ];
  expect(table).toEqual([
    `POST /drawers: ${desk}`,
    `GET /drawers/:shiftId: ${readers}`,
    `POST /drawers/:shiftId/close: ${desk}`,
    `POST /drawers/:shiftId/count: ${desk}`,
    'POST /payment-returns/:account/:paymentId: open',
    'POST /payment-webhooks/:provider/:account: open',
    `GET /payments: ${readers}`,
    `POST /payments: ${desk}`,
    `GET /payments/:paymentId: ${readers}`,
    `POST /payments/:paymentId/cancel: ${desk}`,
    `POST /payments/:paymentId/inquire: ${readers}`,
    `POST /payments/:paymentId/refunds: ${finance}`,
    `POST /payments/:paymentId/take-cash: ${desk}`,
    `POST /refunds/:refundId/pay-out: ${desk}`,
    `POST /refunds/:refundId/retry: ${finance}`,
  ]);
});
