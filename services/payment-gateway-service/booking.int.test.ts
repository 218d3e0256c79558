import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, openHouse } from './fixtures/house.ts';
import { newStay, type Stay } from './fixtures/stay.ts';
import type { ProviderRail } from './model.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });
const names = async (tenantId: Parameters<House['told']>[0]) =>
  (await house.told(tenantId)).map(({ event }) => event);

/** A booking whose guest has paid on the provider's page. */
async function paidStay(rail: ProviderRail = 'card', sold: { total?: number; dueNow?: number } = {}) {
  const [stay, { tenantId }] = [newStay({ rail, ...sold }), house.newPerson()];
  await house.tell(tenantId, stay.held(), stay.allocated());
  const [payment] = await house.intents({ tenantId }, stay);
  if (payment === undefined) throw new Error('no payment was asked for');
  await house.payInBrowser(rail, payment);
  await house.system.settled();
  return { stay, tenantId, payment };
}

describe('SAGA-17: a hold and its allocation', () => {
  test.each([
    ['hold first', (stay: Stay) => [stay.held(), stay.allocated()]],
    ['allocation first', (stay: Stay) => [stay.allocated(), stay.held()]],
  ])('%s: one intent once both were seen, and not before', async (_order, eventsOf) => {
    const [stay, { tenantId }] = [newStay(), house.newPerson()];
    const [first, second] = eventsOf(stay);
    await house.tell(tenantId, first);
    expect(await house.told(tenantId)).toEqual([]);
    await house.tell(tenantId, second);
    const { reservationId } = stay;
    const amount = afn(540_000);
    expect(await house.told(tenantId)).toMatchObject([
      {
        event: 'intent.created',
        payload: { reservationId, folioId: null, purpose: 'booking', rail: 'card', amount },
      },
    ]);
    const [payment] = await house.intents({ tenantId }, stay);
    expect(payment).toMatchObject({ status: 'pending', redirectUrl: expect.stringContaining('/pay/chk-') });
  });

  test.each(['card', 'paypal', 'mobile_money'] as const)(
    'a guest who pays by %s on the provider’s page is captured once',
    async rail => {
      const { tenantId, payment } = await paidStay(rail);
      expect(await names(tenantId)).toEqual(['intent.created', 'intent.captured']);
      const [, captured] = await house.told(tenantId);
      expect(captured?.payload).toMatchObject({
        paymentId: payment.paymentId,
        rail,
        amount: afn(540_000),
        provider: { card: 'visa_acquirer', paypal: 'paypal', mobile_money: 'hesabpay' }[rail],
      });
      expect(await house.ledger(tenantId)).toMatchObject([{ kind: 'capture', amount: 540_000n }]);
    },
  );

  test('part of the price now is a deposit (R23), and a refusal ends the intent for good', async () => {
    const [stay, { tenantId }] = [newStay({ dueNow: 100_000 }), house.newPerson()];
    await house.tell(tenantId, stay.held(), stay.allocated());
    const [payment] = await house.intents({ tenantId }, stay);
    expect(payment).toMatchObject({ purpose: 'deposit', amount: afn(100_000) });
    await house.payInBrowser('card', payment as never, 'decline');
    await house.system.settled();
    const [, failed] = await house.told(tenantId);
    expect(failed).toMatchObject({ event: 'intent.failed', payload: { reason: 'insufficient_funds' } });
    expect(await house.ledger(tenantId)).toEqual([]);
  });

  test('X-116: cash on arrival is told as captured with `due`, and no money moved', async () => {
    const [stay, { tenantId }] = [newStay({ rail: 'cash_pending' }), house.newPerson()];
    await house.tell(tenantId, stay.allocated(), stay.held());
    const [, captured] = await house.told(tenantId);
    expect(captured).toMatchObject({
      event: 'intent.captured',
      payload: { rail: 'cash_pending', due: afn(540_000) },
    });
    expect(captured?.payload).not.toHaveProperty('amount');
    expect(await house.ledger(tenantId)).toEqual([]);
  });

  test('an intent whose time is over is closed at the provider and fails as expired', async () => {
    const [stay, { tenantId }] = [newStay(), house.newPerson()];
    await house.tell(tenantId, stay.held(), stay.allocated());
    const [payment] = await house.intents({ tenantId }, stay);
    await house.system.database.admin(
      `update payment_gateway.intents set expires_at = now() - interval '1 second' where tenant_id = $1`,
      [tenantId],
    );
    await house.passTime();
    expect(house.checkoutOf('card', payment as never).status).toBe('cancelled');
    expect((await house.told(tenantId)).at(-1)).toMatchObject({
      event: 'intent.failed',
      payload: { reason: 'expired' },
    });
  });
});

describe('SAGA-30: a booking ends', () => {
  test('what the policy gives back goes back, and not more', async () => {
    const { stay, tenantId } = await paidStay();
    await house.tell(tenantId, stay.confirmed(), stay.cancelled('guest_request', { refund: 360_000 }));
    const [, , refunded] = await house.told(tenantId);
    expect(refunded).toMatchObject({
      event: 'intent.refunded',
      payload: { amount: afn(360_000), refundedTotal: afn(360_000), captured: afn(540_000) },
    });
    expect(await house.ledger(tenantId)).toMatchObject([{ kind: 'capture' }, { kind: 'refund' }]);
  });

  test('a policy that gives nothing back leaves a note and moves no money', async () => {
    const { stay, tenantId } = await paidStay();
    await house.tell(tenantId, stay.cancelled('guest_request'));
    expect(await house.journal(tenantId)).toEqual(['refund.not_due']);
    expect(await house.ledger(tenantId)).toHaveLength(1);
  });

  test('R23: a deposit ends once: after a refund no other ending moves it, and no ending moves it twice', async () => {
    const { stay, tenantId } = await paidStay('card', { dueNow: 100_000 });
    const ended = stay.cancelled('guest_request', { refund: 100_000 });
    await house.tell(tenantId, ended, stay.noShow({ refund: 100_000 }));
    await house.tell(tenantId, stay.cancelled('guest_request', { refund: 100_000, aggregateVersion: 9 }));
    expect((await house.ledger(tenantId)).filter(({ kind }) => kind === 'refund')).toHaveLength(1);
    const kept = await paidStay('card', { dueNow: 100_000 });
    await house.tell(kept.tenantId, kept.stay.noShow({ refund: 0 }));
    await house.tell(
      kept.tenantId,
      kept.stay.cancelled('guest_request', { refund: 100_000, aggregateVersion: 9 }),
    );
    expect((await house.ledger(kept.tenantId)).filter(({ kind }) => kind === 'refund')).toEqual([]);
  });

  test('a promise of cash is over without a trace in the ledger', async () => {
    const [stay, { tenantId }] = [newStay({ rail: 'cash_pending' }), house.newPerson()];
    await house.tell(tenantId, stay.held(), stay.allocated());
    await house.tell(tenantId, stay.cancelled('guest_request'));
    expect(await house.intents({ tenantId }, stay)).toMatchObject([{ status: 'cancelled' }]);
    expect(await house.ledger(tenantId)).toEqual([]);
  });

  test('an open checkout is closed at the provider too', async () => {
    const [stay, { tenantId }] = [newStay(), house.newPerson()];
    await house.tell(tenantId, stay.held(), stay.allocated());
    await house.tell(tenantId, stay.cancelled('hold_expired'));
    const [payment] = await house.intents({ tenantId }, stay);
    expect(payment).toMatchObject({ status: 'cancelled' });
    expect(house.checkoutOf('card', payment as never).status).toBe('cancelled');
    expect(await names(tenantId)).toEqual(['intent.created']);
  });

  test('a cancel that comes while the provider is being asked closes the checkout all the same', async () => {
    const [stay, { tenantId }] = [newStay(), house.newPerson()];
    const { card } = house.simulators;
    card.webhooks = 'hold';
    await house.tell(tenantId, stay.held(), stay.allocated());
    const [payment] = await house.intents({ tenantId }, stay);
    const opened = card.events.find(({ checkout }) => checkout.reference === payment?.paymentId);
    const answer = Promise.withResolvers<void>();
    card.misbehave('inquire', answer.promise);
    await card.deliver(opened as never); // a reason to ask
    await waitUntil('the provider is asked', async () => (await house.checks(tenantId)) === 2);
    await house.system.publish(tenantId, [stay.cancelled('hold_expired')] as never);
    const isCancelled = async () => (await house.intents({ tenantId }, stay))[0]?.status === 'cancelled';
    await waitUntil('the intent is cancelled', isCancelled);
    card.webhooks = 'send';
    answer.resolve();
    await house.system.settled();
    expect(house.checkoutOf('card', payment as never).status).toBe('cancelled');
  });

  test('an allocation that comes after the cancel asks for nothing', async () => {
    const [stay, { tenantId }] = [newStay(), house.newPerson()];
    await house.tell(tenantId, stay.held(), stay.cancelled('hold_expired'));
    await house.tell(tenantId, stay.allocated());
    expect(await house.intents({ tenantId }, stay)).toEqual([]);
  });

  test.each(['webhook', 'inquiry'] as const)(
    'X-119: money that arrives after the cancel, told by %s, goes back whole',
    async how => {
      const [stay, { tenantId }] = [newStay({ rail: 'mobile_money' }), house.newPerson()];
      const { mobile_money: wallet } = house.simulators;
      wallet.webhooks = 'hold'; // from the start: a webhook of the opening would ask, and find the money before the cancel
      await house.tell(tenantId, stay.held(), stay.allocated());
      const [payment] = await house.intents({ tenantId }, stay);
      await house.payInBrowser('mobile_money', payment as never);
      if (how === 'inquiry') await house.tell(tenantId, stay.cancelled('hold_expired'));
      else {
        wallet.misbehave('cancel', 'cut');
        await house.tell(tenantId, stay.cancelled('hold_expired'));
        await wallet.deliver(wallet.events.at(-1) as never, 5);
        await house.system.settled();
      }
      wallet.webhooks = 'send';
      expect(await names(tenantId)).toEqual(['intent.created', 'intent.captured', 'intent.refunded']);
      expect((await house.told(tenantId)).at(-1)?.payload).toMatchObject({
        reason: 'late_capture',
        amount: afn(540_000),
      });
      expect(await house.journal(tenantId)).toEqual(['capture.late']);
      expect(await house.ledger(tenantId)).toMatchObject([{ kind: 'capture' }, { kind: 'refund' }]);
    },
  );

  test('a refund that fails never un-cancels: it is written down, and its money can be given back again', async () => {
    const { stay, tenantId, payment } = await paidStay();
    const { provider } = house.simulators.card;
    provider.refundOutcome = 'failed';
    await house.tell(tenantId, stay.cancelled('guest_request', { refund: 540_000 }));
    provider.refundOutcome = 'succeeded';
    expect(await house.journal(tenantId)).toEqual(['refund.failed']);
    const owner = house.newPerson(['owner'], tenantId);
    const { body } = await house.send(owner, 'GET', `/payments/${payment.paymentId}`);
    const { refunds } = body as unknown as { refunds: { refundId: string; status: string }[] };
    expect(refunds).toMatchObject([{ status: 'failed' }]);
    const again = await house.send(owner, 'POST', `/refunds/${refunds[0]?.refundId}/retry`);
    expect(again).toMatchObject({ status: 201, body: { status: 'requested' } });
    await house.system.settled();
    expect(await names(tenantId)).toContain('intent.refunded');
  });
});

describe('X-126: other dates, another price', () => {
  test('a stay that costs more is asked for once; a second change replaces what is open by the sum', async () => {
    const { stay, tenantId } = await paidStay();
    await house.tell(tenantId, stay.confirmed(), stay.folioOpened(), stay.delta(50_000));
    const [, first] = await house.intents({ tenantId }, stay);
    const amount = afn(50_000);
    const { folioId } = stay;
    expect(first).toMatchObject({ purpose: 'date_change', rail: 'card', status: 'pending', amount, folioId });
    await house.tell(tenantId, stay.delta(20_000, { balance: 70_000, aggregateVersion: 3 }));
    const [, old, both] = await house.intents({ tenantId }, stay);
    expect(old).toMatchObject({ status: 'cancelled' });
    expect(both).toMatchObject({ status: 'pending', amount: afn(70_000) });
  });

  test('no money is asked for that the folio does not owe', async () => {
    const { stay, tenantId } = await paidStay();
    await house.tell(tenantId, stay.folioOpened(), stay.delta(50_000, { balance: 0 }));
    expect(await house.intents({ tenantId }, stay)).toHaveLength(1);
  });

  test('a stay that costs less gives back what billing posted, under billing’s own refund id', async () => {
    const { stay, tenantId, payment } = await paidStay();
    const back = stay.deltaBack(180_000, payment.paymentId);
    await house.tell(tenantId, stay.folioOpened(), back);
    expect((await house.told(tenantId)).at(-1)).toMatchObject({
      event: 'intent.refunded',
      payload: { amount: afn(180_000), reason: 'date_change', refundId: back.payload.refundId },
    });
  });
});
