import { currencies } from '@ghasi/domain-primitives/currencies';
import { newId } from '@ghasi/domain-primitives/ids';
import { money } from '@ghasi/domain-primitives/money';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, type Gateway, NoAnswer } from './gateway.ts';
import type { Simulator } from './simulators/simulator.ts';

/** A gateway to be proved, and the provider behind it, which the suite makes misbehave. */
export type Candidate = {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  close(): Promise<void>;
};

/** What every remote gateway promises: run it for each adapter against its own simulator. */
export function gatewayConformance(name: string, open: () => Promise<Candidate>): void {
  describe(`gateway ${name}`, () => {
    let it: Candidate;
    beforeAll(async () => {
      it = await open();
      it.simulator.webhooks = 'hold';
    });
    afterAll(() => it?.close());

    const checkout = (amount = money(540_000n, 'AFN')): Checkout => ({
      tenantId: newTenantId(),
      paymentId: newId('pay'),
      amount,
      description: 'A room',
      returnUrl: 'http://127.0.0.1:9/return',
      webhookUrl: 'http://127.0.0.1:9/webhook',
    });
    const madeFor = ({ paymentId }: Checkout) => {
      const found = it.simulator.provider.checkouts.get(paymentId);
      if (found === undefined) throw new Error('the provider has no such checkout');
      return found;
    };
    const paid = async () => {
      const wanted = checkout();
      await it.gateway.open(wanted);
      it.simulator.provider.pay(madeFor(wanted));
      const standing = await it.gateway.inquire(wanted);
      if (standing.state !== 'captured') throw new Error(`it is ${standing.state}`);
      return { ...wanted, captureReference: standing.reference };
    };

    test('opens a checkout with a page of the provider; opened again it is the same one', async () => {
      const wanted = checkout();
      const first = await it.gateway.open(wanted);
      expect(first).toMatchObject({ state: 'pending', redirectUrl: expect.stringContaining('/pay/') });
      expect(await it.gateway.open(wanted)).toEqual(first);
      expect(await it.gateway.inquire(wanted)).toEqual(first);
    });

    test('R19: one minor unit of every currency arrives as one minor unit', async () => {
      for (const currency of ['AFN', 'PKR', 'IRR', 'IQD', 'JPY', 'USD', 'KWD'] as const) {
        const wanted = checkout(money(1n, currency));
        await it.gateway.open(wanted);
        const made = madeFor(wanted);
        expect(made.amount).toBe({ 0: '1', 2: '0.01', 3: '0.001' }[currencies[currency].exponent]);
        it.simulator.provider.pay(made);
        expect(await it.gateway.inquire(wanted)).toMatchObject({ amount: money(1n, currency) });
      }
    });

    test('a provider that never heard of a payment says so', async () => {
      expect(await it.gateway.inquire(checkout())).toEqual({ state: 'absent' });
      const order = { refundId: newId('rfd'), paymentId: newId('pay') };
      expect(await it.gateway.inquireRefund(order)).toEqual({ state: 'absent' });
    });

    test('a guest who agrees on the page has paid once we ask, and the amount is what was asked', async () => {
      const wanted = checkout();
      await it.gateway.open(wanted);
      const form = new URLSearchParams({ action: 'pay' });
      const page = `${it.simulator.url}/pay/${madeFor(wanted).id}`;
      const shown = await (await fetch(page)).text();
      expect(shown).toContain('5400.00');
      const reply = await fetch(page, { method: 'POST', body: form, redirect: 'manual' });
      expect(reply.headers.get('location')).toBe(wanted.returnUrl);
      const first = await it.gateway.inquire(wanted);
      expect(first).toMatchObject({ state: 'captured', amount: wanted.amount });
      expect(await it.gateway.inquire(wanted)).toEqual(first);
    });

    test('a refusal has a reason and the provider’s own code', async () => {
      const wanted = checkout();
      await it.gateway.open(wanted);
      it.simulator.provider.decline(madeFor(wanted), 'DO_NOT_HONOUR');
      const declined = { state: 'failed', reason: 'declined', providerCode: 'DO_NOT_HONOUR' };
      expect(await it.gateway.inquire(wanted)).toEqual(declined);
    });

    test('closes what is not paid, and says so of what is', async () => {
      const wanted = checkout();
      await it.gateway.open(wanted);
      expect(await it.gateway.cancel(wanted)).toEqual({ state: 'cancelled' });
      expect(await it.gateway.inquire(wanted)).toEqual({ state: 'cancelled' });
      expect(await it.gateway.cancel(await paid())).toMatchObject({ state: 'captured' });
    });

    test.each(['cut', 'lost', 'error', 'garbage', 3_000] as const)(
      'an answer that is %s is NoAnswer, and asking afterwards tells the truth',
      async fault => {
        const wanted = checkout();
        it.simulator.misbehave('open', fault);
        await expect(it.gateway.open(wanted)).rejects.toBeInstanceOf(NoAnswer);
        const hadEffect = fault === 'lost' || fault === 'garbage';
        const standing = await it.gateway.inquire(wanted);
        if (typeof fault !== 'number') expect(standing.state).toBe(hadEffect ? 'pending' : 'absent');
        expect(await it.gateway.open(wanted)).toMatchObject({ state: 'pending' });
      },
    );

    test('a refund is sent once, however often it is repeated, also when its answer was lost', async () => {
      const payment = await paid();
      const order = { ...payment, refundId: newId('rfd'), amount: money(180_000n, 'AFN') };
      it.simulator.misbehave('refund', 'lost');
      await expect(it.gateway.refund(order)).rejects.toBeInstanceOf(NoAnswer);
      const done = await it.gateway.inquireRefund(order);
      expect(done).toMatchObject({ state: 'completed' });
      expect(await it.gateway.refund(order)).toEqual(done);
      expect(it.simulator.provider.refundedOf(madeFor(payment))).toBe(1_800_000n);
    });

    test('a refund of more than was paid fails', async () => {
      const payment = await paid();
      const order = { ...payment, refundId: newId('rfd'), amount: money(540_001n, 'AFN') };
      expect(await it.gateway.refund(order)).toMatchObject({ state: 'failed' });
    });

    test('a refund that takes its time is pending until it is done', async () => {
      const order = { ...(await paid()), refundId: newId('rfd'), amount: money(1n, 'AFN') };
      it.simulator.provider.refundOutcome = 'pending';
      expect(await it.gateway.refund(order)).toEqual({ state: 'pending' });
      it.simulator.provider.refundOutcome = 'succeeded';
      it.simulator.provider.finishRefund(order.refundId);
      expect(await it.gateway.inquireRefund(order)).toMatchObject({ state: 'completed' });
    });
  });
}
