import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { rows } from '@ghasi/db/sql';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse, type Person, type View } from './fixtures/house.ts';
import { newStay, type Stay } from './fixtures/stay.ts';
import { service } from './service.ts';

let house: House;
let a: Person;
let b: Person;
let stayOfA: Stay;
let paymentOfA: View;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [house.newPerson(), house.newPerson()];
  stayOfA = await fill(a);
  await fill(b);
  [paymentOfA] = (await house.intents(a, stayOfA)) as [View];
});
afterAll(() => house?.close());

/** Something in every table: a paid and cancelled booking, and a drawer that was counted. */
async function fill(owner: Person): Promise<Stay> {
  const stay = newStay({ rail: 'card' });
  await house.tell(owner.tenantId, stay.held(), stay.allocated());
  const [payment] = (await house.intents(owner, stay)) as [View];
  await house.payInBrowser('card', payment);
  const amount = { amount: '100', currency: 'AFN' };
  await house.send(owner, 'POST', `/payments/${payment.paymentId}/refunds`, {
    amount,
    reason: 'overpayment',
  });
  await house.tell(owner.tenantId, stay.cancelled('guest_request'));
  const shiftId = await house.clockIn(owner, stay, [amount]);
  await house.send(owner, 'POST', `/drawers/${shiftId}/count`, { counts: [amount] });
  return stay;
}

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('payment_gateway')}.${sql.identifier(name)}`;
const db = () => house.system.db(service);

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.system.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: a tenant sees its own rows of payment_gateway.%s and nobody else’s', async name => {
  const seen = await tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
  const none = await systemTransaction(db(), { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(none).toEqual([]);
});

test.each(owned)(
  'safety-7: a row of payment_gateway.%s cannot be written into another tenant',
  async name => {
    const attempt = tenantTransaction(db(), { tenantId: a.tenantId, actor: testActor }, ({ tx }) =>
      rows(
        tx,
        sql`insert into ${table(name)}
          select (jsonb_populate_record(t, jsonb_build_object('tenant_id', ${b.tenantId}::text))).*
          from ${table(name)} t
          limit 1`,
      ),
    );
    expect(await attempt.then(() => false, isPrivilegeViolation)).toBe(true);
  },
);

test('safety-11: over HTTP another tenant’s payments do not exist', async () => {
  const { paymentId } = paymentOfA;
  for (const [method, path, body] of [
    ['GET', `/payments/${paymentId}`],
    ['POST', `/payments/${paymentId}/cancel`],
    ['POST', `/payments/${paymentId}/inquire`],
    [
      'POST',
      `/payments/${paymentId}/refunds`,
      { amount: { amount: '1', currency: 'AFN' }, reason: 'overpayment' },
    ],
  ] as const) {
    expect([path, (await house.send(b, method, path, body)).status]).toEqual([path, 404]);
  }
  expect(await house.intents(b, stayOfA)).toEqual([]);
  const back = await house.send(undefined, 'POST', `/payment-returns/${b.tenantId}/${paymentId}`);
  expect(back.status).toBe(404);
});

test('money never appears or vanishes: in every currency all accounts together are zero', async () => {
  const sums = await house.system.database.admin<{ sum: bigint }>(
    `select sum(amount * sign)::bigint as sum
     from payment_gateway.ledger,
          lateral (values (to_account, 1), (from_account, -1)) as of_account (account, sign)
     group by tenant_id, currency`,
  );
  expect(sums.length).toBeGreaterThan(0);
  expect(sums.every(({ sum }) => sum === 0n)).toBe(true);
});
