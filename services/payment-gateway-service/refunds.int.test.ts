import { sqlState } from '@ghasi/db/pg-errors';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse, type View } from './fixtures/house.ts';
import { newStay } from './fixtures/stay.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const afn = (minor: number | bigint) => ({ amount: String(minor), currency: 'AFN' });

async function paid() {
  const [stay, owner] = [newStay(), house.newPerson()];
  await house.tell(owner.tenantId, stay.held(), stay.allocated());
  const [payment] = (await house.intents(owner, stay)) as [View];
  await house.payInBrowser('card', payment);
  const refund = (minor: number | bigint, key?: string) =>
    house.send(
      owner,
      'POST',
      `/payments/${payment.paymentId}/refunds`,
      { amount: afn(minor), reason: 'service_recovery' },
      key === undefined ? {} : { 'idempotency-key': key },
    );
  return { stay, owner, payment, refund };
}

test('R22, safety-14: a hundred refunds at once never exceed the capture, here and at the provider', async () => {
  const { owner, payment, refund } = await paid();
  const replies = await Promise.all(Array.from({ length: 100 }, () => refund(100_000)));
  const count = (status: number) => replies.filter(one => one.status === status).length;
  expect({ made: count(201), refused: count(409) }).toEqual({ made: 5, refused: 95 });
  expect(new Set(replies.filter(one => one.status === 409).map(one => one.body.code))).toEqual(
    new Set(['REFUND_EXCEEDS_CAPTURE']),
  );
  await house.system.settled();
  const lines = (await house.ledger(owner.tenantId)).filter(({ kind }) => kind === 'refund');
  expect(lines.map(({ amount }) => amount)).toEqual(Array(5).fill(100_000n));
  const { provider } = house.simulators.card;
  expect(provider.refundedOf(house.checkoutOf('card', payment))).toBe(5_000_000n); // thousandths
  const told = (await house.told(owner.tenantId)).filter(({ event }) => event === 'intent.refunded');
  const totals = told.map(({ payload }) => payload.refundedTotal);
  expect(totals).toEqual([100_000, 200_000, 300_000, 400_000, 500_000].map(afn));
});

test('the same key gives back once', async () => {
  const { owner, refund } = await paid();
  const key = '0198c8f4-3e2a-7b1c-8d4e-5f6a7b8c9d0e';
  const replies = await Promise.all(Array.from({ length: 5 }, () => refund(1_000, key)));
  expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect(await refund(1_000, key)).toMatchObject({ status: 201 });
  await house.system.settled();
  expect((await house.ledger(owner.tenantId)).filter(({ kind }) => kind === 'refund')).toHaveLength(1);
});

test('whatever is asked for in whatever order, what goes back is at most what came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 2, maxLength: 6 }),
      async wanted => {
        const { owner, refund } = await paid();
        let left = 540_000;
        for (const minor of wanted) {
          const fits = minor <= left;
          expect((await refund(minor)).status).toBe(fits ? 201 : 409);
          if (fits) left -= minor;
        }
        await house.system.settled();
        const lines = (await house.ledger(owner.tenantId)).filter(({ kind }) => kind === 'refund');
        expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(540_000n - BigInt(left));
      },
    ),
    { numRuns: 3 },
  );
});

test('a refund whose answer is lost is asked about and not sent twice', async () => {
  const { owner, payment, refund } = await paid();
  const { card } = house.simulators;
  card.misbehave('refund', 'lost');
  card.webhooks = 'hold'; // nobody tells us: we have to ask
  expect(await refund(200_000)).toMatchObject({ status: 201 });
  await house.system.settled();
  expect((await house.ledger(owner.tenantId)).map(({ kind }) => kind)).toEqual(['capture']);
  await house.passTime();
  card.webhooks = 'send';
  expect((await house.ledger(owner.tenantId)).map(({ kind }) => kind)).toEqual(['capture', 'refund']);
  expect(card.provider.refundedOf(house.checkoutOf('card', payment))).toBe(2_000_000n);
});

test('a refund that takes its time is told once it is done', async () => {
  const { owner, refund } = await paid();
  const { card } = house.simulators;
  card.provider.refundOutcome = 'pending';
  const { body } = await refund(200_000);
  await house.system.settled();
  card.provider.refundOutcome = 'succeeded';
  expect((await house.ledger(owner.tenantId)).map(({ kind }) => kind)).toEqual(['capture']);
  card.provider.finishRefund((body as unknown as { refundId: string }).refundId); // tells it by webhook
  await card.quiet();
  await house.system.settled();
  expect((await house.ledger(owner.tenantId)).map(({ kind }) => kind)).toEqual(['capture', 'refund']);
});

test('nothing is given back of what was not captured, nor in another currency', async () => {
  const [stay, owner] = [newStay(), house.newPerson()];
  await house.tell(owner.tenantId, stay.held(), stay.allocated());
  const [payment] = (await house.intents(owner, stay)) as [View];
  const path = `/payments/${payment.paymentId}/refunds`;
  const body = { amount: afn(1), reason: 'overpayment' };
  expect(await house.send(owner, 'POST', path, body)).toMatchObject({
    status: 409,
    body: { code: 'NOT_CAPTURED' },
  });
  const dollars = { ...body, amount: { amount: '1', currency: 'USD' } };
  expect(await house.send(owner, 'POST', path, dollars)).toMatchObject({
    status: 422,
    body: { code: 'CURRENCY_DIFFERS' },
  });
});

test('a refund that is due has its turn beside more payments than one round takes', async () => {
  const tenantId = newTenantId();
  const { admin } = house.system.database;
  const nothingIsDue = async () => {
    for (const table of ['intents', 'refunds'])
      await admin(`update payment_gateway.${table} set next_check_at = null`);
  };
  await nothingIsDue();
  // Of a rail that no provider serves: they stay as they are, and only how often they were looked at changes.
  await admin(
    `insert into payment_gateway.intents (tenant_id, id, reservation_id, property_id, purpose, rail, amount, currency, status,
                                          next_check_at, created_at, updated_at)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'booking', 'cash', 1, 'AFN', 'pending', now(), now(), now()
     from generate_series(1, 250)`,
    [tenantId],
  );
  await admin(
    `insert into payment_gateway.refunds (tenant_id, id, payment_id, amount, currency, reason, cause, status, next_check_at,
                                          created_at, updated_at)
     select tenant_id, gen_random_uuid(), id, 1, 'AFN', 'overpayment', 'test', 'requested', now(), now(), now()
     from payment_gateway.intents where tenant_id = $1 limit 1`,
    [tenantId],
  );
  await house.passTime();
  const looked = await admin(
    `select (select sum(checks)::int from payment_gateway.intents where tenant_id = $1) as payments,
            (select sum(checks)::int from payment_gateway.refunds where tenant_id = $1) as refunds`,
    [tenantId],
  );
  expect(looked).toEqual([{ payments: 199, refunds: 1 }]);
  await nothingIsDue();
});

test('R22: the database refuses to change or remove a line, even for its owner, and a refund beyond the capture', async () => {
  const { stay, owner } = await paid();
  await house.tell(owner.tenantId, stay.cancelled('guest_request')); // leaves a note
  const { admin } = house.system.database;
  for (const statement of [
    'update payment_gateway.ledger set amount = amount + 1',
    'delete from payment_gateway.ledger',
    'truncate payment_gateway.ledger',
    'update payment_gateway.journal set entry = entry',
    'delete from payment_gateway.notices',
  ]) {
    const refused = await admin(statement).then(() => 'done', sqlState);
    expect([statement, refused]).toEqual([statement, '42501']);
  }
  const beyond = admin('update payment_gateway.intents set refunded = captured + 1');
  expect(await beyond.then(() => 'done', sqlState)).toBe('23514');
});
