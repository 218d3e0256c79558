import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type House, openHouse, type View } from './fixtures/house.ts';
import { newStay } from './fixtures/stay.ts';
import type { ProviderRail } from './model.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => {
  for (const simulator of Object.values(house.simulators)) {
    simulator.webhooks = 'hold';
    simulator.events.length = 0;
  }
});
afterAll(() => house?.close());

const rails = ['card', 'paypal', 'mobile_money'] as const;

async function pending(rail: ProviderRail) {
  const [stay, { tenantId }] = [newStay({ rail }), house.newPerson()];
  await house.tell(tenantId, stay.held(), stay.allocated());
  const [payment] = await house.intents({ tenantId }, stay);
  return { stay, tenantId, payment: payment as View };
}

const back = (tenantId: string, { paymentId }: View) =>
  house.send(undefined, 'POST', `/payment-returns/${tenantId}/${paymentId}`);
const captures = async (tenantId: Parameters<House['told']>[0]) => ({
  lines: (await house.ledger(tenantId)).filter(({ kind }) => kind === 'capture').length,
  told: (await house.told(tenantId)).filter(({ event }) => event === 'intent.captured').length,
});

describe('R24: webhook and browser meet on one key', () => {
  test.each(rails)(
    '%s: every callback five times, out of order, before and after the redirect: one ledger line',
    async rail => {
      const { tenantId, payment } = await pending(rail);
      const simulator = house.simulators[rail];
      await house.payInBrowser(rail, payment);
      if (rail === 'paypal') simulator.provider.pay(house.checkoutOf(rail, payment));
      const early = [...simulator.events].reverse();
      for (const event of early) await simulator.deliver(event, 2);
      expect(await back(tenantId, payment)).toMatchObject({ status: 200, body: { status: 'captured' } });
      await Promise.all(simulator.events.map(event => simulator.deliver(event, 3)));
      expect(await back(tenantId, payment)).toMatchObject({ body: { status: 'captured' } });
      await house.system.settled();
      expect(await captures(tenantId)).toEqual({ lines: 1, told: 1 });
      expect(simulator.sent.every(({ status }) => status === 200)).toBe(true);
    },
  );

  test('any mixture of webhooks, returns, inquiries and time gives one line', async () => {
    const step = fc.constantFrom('webhook', 'old webhook', 'return', 'inquire', 'time');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async steps => {
        const { tenantId, payment } = await pending('card');
        const { card } = house.simulators;
        await house.payInBrowser('card', payment);
        const events = card.events.filter(({ checkout }) => checkout.reference === payment.paymentId);
        const auditor = house.newPerson(['auditor'], tenantId);
        const todo = {
          webhook: () => card.deliver(events.at(-1) as never),
          'old webhook': () => card.deliver(events[0] as never),
          return: () => back(tenantId, payment),
          inquire: () => house.send(auditor, 'POST', `/payments/${payment.paymentId}/inquire`),
          time: () => house.passTime(),
        };
        await Promise.all(steps.map(one => todo[one]()));
        await back(tenantId, payment);
        await house.system.settled();
        expect(await captures(tenantId)).toEqual({ lines: 1, told: 1 });
      }),
      { numRuns: 5 },
    );
  });

  test('a webhook that arrives before the provider’s own answer finds its intent', async () => {
    const { card } = house.simulators;
    card.webhooks = 'send';
    card.misbehave('open', 'early');
    const { tenantId } = await pending('card');
    await house.system.settled();
    expect(await captures(tenantId)).toEqual({ lines: 1, told: 1 });
    expect(card.sent.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('one open intent per reservation and purpose, by whomever it is asked for', async () => {
    const { stay, tenantId, payment } = await pending('card');
    const clerk = house.newPerson(['front_desk'], tenantId);
    const wanted = {
      reservationId: stay.reservationId,
      rail: 'mobile_money',
      amount: { amount: '100', currency: 'AFN' },
    };
    const again = await house.send(clerk, 'POST', '/payments', { ...wanted, purpose: 'booking' });
    expect(again).toMatchObject({ status: 409, body: { code: 'INTENT_OPEN' } });
    expect(JSON.stringify(again.body)).toContain(payment.paymentId);
    const many = await Promise.all(
      Array.from({ length: 10 }, () =>
        house.send(clerk, 'POST', '/payments', { ...wanted, purpose: 'incidental' }),
      ),
    );
    expect(many.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });
});

describe('an unknown outcome is asked, never assumed', () => {
  test.each(rails)('%s: the answer to the first call is lost: unknown, then asked, then paid', async rail => {
    house.simulators[rail].misbehave('open', 'lost');
    const { tenantId, payment } = await pending(rail);
    expect(payment).toMatchObject({ status: 'unknown', redirectUrl: null });
    await house.passTime();
    const [stayed] = await house.system.database.admin<{ status: string; url: string }>(
      'select status, redirect_url as url from payment_gateway.intents where tenant_id = $1',
      [tenantId],
    );
    expect(stayed).toMatchObject({ status: 'pending', url: expect.stringContaining('/pay/') });
    await house.payInBrowser(rail, payment);
    await house.passTime(); // no webhook ever came
    await house.system.settled();
    expect(await captures(tenantId)).toEqual({ lines: 1, told: 1 });
  });

  test('a provider that never got the call is called again with the same key', async () => {
    house.simulators.card.misbehave('open', 'cut');
    const { tenantId, payment } = await pending('card');
    expect(payment.status).toBe('unknown');
    await house.passTime();
    expect(house.checkoutOf('card', payment).status).toBe('open');
    expect((await house.told(tenantId)).map(({ event }) => event)).toEqual(['intent.created']);
  });

  test('a capture whose answer is lost (PayPal) is captured once', async () => {
    const { paypal } = house.simulators;
    const { tenantId, payment } = await pending('paypal');
    await house.payInBrowser('paypal', payment);
    paypal.misbehave('capture', 'lost');
    await house.passTime();
    expect(await captures(tenantId)).toEqual({ lines: 0, told: 0 });
    await house.passTime();
    expect(await captures(tenantId)).toEqual({ lines: 1, told: 1 });
  });

  test('while the provider is silent nothing is decided, and the guest’s page is told so', async () => {
    const { tenantId, stay, payment } = await pending('mobile_money');
    await house.payInBrowser('mobile_money', payment);
    house.simulators.mobile_money.misbehave('inquire', 'garbage', 'error');
    expect(await back(tenantId, payment)).toMatchObject({ status: 200, body: { status: 'unknown' } });
    expect(await house.intents({ tenantId }, stay)).toMatchObject([{ status: 'pending' }]);
    const auditor = house.newPerson(['auditor'], tenantId);
    const asked = await house.send(auditor, 'POST', `/payments/${payment.paymentId}/inquire`);
    expect(asked).toMatchObject({ status: 503, body: { code: 'PROVIDER_UNREACHABLE' } });
    expect(await back(tenantId, payment)).toMatchObject({ body: { status: 'captured' } });
  });
});

describe('webhooks from strangers', () => {
  const post = async (provider: string, tenantId: string, body: string, headers: object) => {
    const url = `${house.publicUrl}/api/v1/payment-webhooks/${provider}/${tenantId}`;
    const all = { 'content-type': 'application/json', ...headers };
    const reply = await fetch(url, { method: 'POST', body, headers: all });
    return reply.status;
  };
  const signed = (body: string, secret: string, at = Date.now()) =>
    house.simulators.card.protocol.sign(
      secret,
      String(Math.floor(at / 1_000)),
      createHash('sha256').update(body).digest('hex'),
    );
  const secret = 'a secret between the house and its test providers';

  test('forged, changed, stale or sent to another account: refused, and nothing is written', async () => {
    const { tenantId, payment } = await pending('card');
    const { card } = house.simulators;
    await house.payInBrowser('card', payment);
    const body = JSON.stringify(card.protocol.webhook(card.events.at(-1) as never));
    const other = house.newPerson().tenantId;
    expect(await post('visa_acquirer', tenantId, body, {})).toBe(401);
    expect(await post('visa_acquirer', tenantId, body, signed(body, 'guessed'))).toBe(401);
    expect(await post('visa_acquirer', tenantId, `${body} `, signed(body, secret))).toBe(401);
    const stale = signed(body, secret, Date.now() - 301_000);
    expect(await post('visa_acquirer', tenantId, body, stale)).toBe(401);
    expect(await post('visa_acquirer', other, body, signed(body, secret))).toBe(401);
    expect(await post('paypal', tenantId, body, signed(body, secret))).toBe(401);
    expect(await post('nobody', tenantId, body, signed(body, secret))).toBe(401);
    expect(await post('visa_acquirer', tenantId, '[]', signed('[]', secret))).toBe(400);
    expect(await captures(tenantId)).toEqual({ lines: 0, told: 0 });
    expect(await post('visa_acquirer', tenantId, body, signed(body, secret))).toBe(200);
    expect(await captures(tenantId)).toMatchObject({ lines: 1 });
  });

  test('an amount that is not what was asked is booked by nobody and shown to finance', async () => {
    const { tenantId, payment } = await pending('card');
    const { card } = house.simulators;
    await house.payInBrowser('card', payment);
    const paid = card.events.at(-1) as (typeof card.events)[number];
    const body = JSON.stringify(
      card.protocol.webhook({ ...paid, checkout: { ...paid.checkout, amount: '54.00' } }),
    );
    expect(await post('visa_acquirer', tenantId, body, signed(body, secret))).toBe(200);
    expect(await captures(tenantId)).toEqual({ lines: 0, told: 0 });
    expect(await house.journal(tenantId)).toEqual(['capture.mismatch']);
  });

  test('what a provider sends is not kept: no table holds the body, and no card number is anywhere', async () => {
    const { tenantId, payment } = await pending('card');
    await house.payInBrowser('card', payment); // types 4000 0000 0000 0000 at the provider
    await house.simulators.card.deliver(house.simulators.card.events.at(-1) as never);
    const tables = Object.keys(house.service.tables).length;
    expect(tables).toBeGreaterThan(8);
    const dump = await house.system.database.admin<{ text: string }>(
      `select query_to_xml('select * from payment_gateway.' || relname, true, false, '')::text as text
       from pg_class
       where relnamespace = 'payment_gateway'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    const all = dump.map(({ text }) => text).join('');
    expect(all).toContain(tenantId);
    expect(all).not.toMatch(/4000[ -]?0000/);
  });
});
