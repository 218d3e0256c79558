import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(
    service,
    () => ({ ...house.system, db: house.system.db(service), own: a.tenantId, other: b.tenantId }),
    { onlyGrows: ['journal', 'ledger', 'notices'] },
  );
});

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
