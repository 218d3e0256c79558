import type { AnswerCtx, Question } from '@ghasi/backbone/question';
import { newId } from '@ghasi/domain-primitives/ids';
import { createLogger } from '@ghasi/telemetry/logger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckoutFacts, checkoutOf, collect, railsOffered, settleReturn } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { newStay } from './fixtures/stay.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const log = createLogger({ name: 'test', level: 'silent' });

async function ask(question: Question, input: object): Promise<CheckoutFacts | null> {
  const answering = house.service.answers.find(one => one.question === question);
  if (answering === undefined) throw new Error(`nobody answers ${question.name}`);
  const ctx: AnswerCtx = { db: house.system.db(house.service), log, ask: () => Promise.reject(new Error()) };
  const answer = await answering.handle(ctx, question.input.parse(input));
  return question.output.parse(answer) as CheckoutFacts | null;
}

test('a guest’s page learns where to send him, and what became of it when he is back', async () => {
  const [stay, { tenantId }] = [newStay({ rail: 'mobile_money' }), house.newPerson()];
  const of = { tenantId, reservationId: stay.reservationId, purpose: 'booking' };
  expect(await ask(checkoutOf, of)).toBeNull();
  house.simulators.mobile_money.webhooks = 'hold';
  await house.tell(tenantId, stay.held(), stay.allocated());
  const sent = await ask(checkoutOf, of);
  expect(sent).toMatchObject({ status: 'pending', redirectUrl: expect.stringContaining('/pay/') });
  const { paymentId } = sent as CheckoutFacts;
  await house.payInBrowser('mobile_money', { paymentId });
  expect(await ask(settleReturn, { tenantId, paymentId })).toMatchObject({ status: 'captured' });
  expect(await ask(settleReturn, { tenantId, paymentId })).toMatchObject({ status: 'captured' });
  expect(await ask(settleReturn, { tenantId, paymentId: newId('pay') })).toBeNull();
});

test('R24: a provider that is silent when the guest is back leaves the outcome unknown for him, not unpaid', async () => {
  const [stay, { tenantId }] = [newStay({ rail: 'card' }), house.newPerson()];
  house.simulators.card.webhooks = 'hold';
  await house.tell(tenantId, stay.held(), stay.allocated());
  const of = { tenantId, reservationId: stay.reservationId, purpose: 'booking' };
  const { paymentId } = (await ask(checkoutOf, of)) as CheckoutFacts;
  await house.payInBrowser('card', { paymentId });
  house.simulators.card.misbehave('inquire', 'cut');
  expect(await ask(settleReturn, { tenantId, paymentId })).toMatchObject({ status: 'unknown' });
  expect(await ask(settleReturn, { tenantId, paymentId })).toMatchObject({ status: 'captured' });
});

test('X-113: the remainder at check-out is asked for once per key; another amount replaces what is open', async () => {
  const [stay, { tenantId }] = [newStay(), house.newPerson()];
  await house.tell(tenantId, stay.held(), stay.allocated(), stay.folioOpened());
  const wanted = {
    tenantId,
    reservationId: stay.reservationId,
    purpose: 'check_out',
    rail: 'card',
    amount: { amount: '11000', currency: 'AFN' },
    key: `${stay.folioId}:1`,
  };
  const all = await Promise.all([1, 2, 3].map(() => ask(collect, wanted)));
  expect(new Set(all.map(one => one?.paymentId)).size).toBe(1);
  const more = { ...wanted, amount: { amount: '15000', currency: 'AFN' }, key: `${stay.folioId}:2` };
  expect((await ask(collect, more))?.paymentId).not.toBe(all[0]?.paymentId);
  await house.system.settled();
  const checkOut = (await house.intents({ tenantId }, stay)).filter(one => one.purpose === 'check_out');
  expect(checkOut.map(({ status, amount }) => [status, amount.amount])).toEqual([
    ['cancelled', '11000'],
    ['pending', '15000'],
  ]);
  expect(await ask(collect, { ...wanted, reservationId: newId('rsv') })).toBeNull();
  await house.tell(tenantId, stay.cancelled('guest_request'));
  expect(await ask(collect, { ...wanted, key: 'late' })).toBeNull();
});

test('only ways to pay that somebody takes here are offered', async () => {
  const { tenantId } = house.newPerson();
  const { rails } = railsOffered.output.parse(await ask(railsOffered, { tenantId }));
  expect(rails).toEqual(['card', 'paypal', 'mobile_money', 'cash', 'cash_pending']);
});
