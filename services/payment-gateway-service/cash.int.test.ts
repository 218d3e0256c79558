import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, openHouse, type Person, type View } from './fixtures/house.ts';
import { newStay } from './fixtures/stay.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' });
const usd = (minor: number) => ({ amount: String(minor), currency: 'USD' });
const notes = (minor: number) => [{ direction: 'in', cash: afn(minor), value: afn(minor) }];
/** 100 dollars at 70 afghani, and 1,600 afghani back: 5,400 afghani. */
const dollarsWithChange = [
  { direction: 'in', cash: usd(10_000), value: afn(700_000) },
  { direction: 'out', cash: afn(160_000), value: afn(160_000) },
];

/** A guest who will pay cash on arrival, with an open folio, and a clerk with a drawer. */
async function arrival(float: object[] = [afn(1_000_000), usd(0)]) {
  const stay = newStay({ rail: 'cash_pending' });
  const clerk = house.newPerson(['front_desk']);
  await house.tell(clerk.tenantId, stay.held(), stay.allocated(), stay.folioOpened());
  const [payment] = (await house.intents(clerk, stay)) as [View];
  const shiftId = await house.clockIn(clerk, stay, float);
  const take = (drawer: object[], who: Person = clerk) =>
    house.send(who, 'POST', `/payments/${payment.paymentId}/take-cash`, { shiftId, drawer });
  const at = (what: string, body: object, who = clerk) =>
    house.send(who, 'POST', `/drawers/${shiftId}/${what}`, body);
  return { stay, clerk, payment, shiftId, take, at };
}

describe('cash over the desk', () => {
  test('X-116, EVT-50: a promise becomes money when the notes are in the drawer, in two currencies', async () => {
    const { stay, clerk, shiftId, take } = await arrival();
    expect(await take(dollarsWithChange)).toMatchObject({
      status: 200,
      body: { status: 'captured', captured: afn(540_000) },
    });
    await house.system.settled();
    const told = (await house.told(clerk.tenantId)).at(-1);
    expect(told?.event).toBe('cash.reconciled');
    expect(told?.payload).toMatchObject({
      folioId: stay.folioId,
      due: afn(540_000),
      received: afn(540_000),
      drawer: dollarsWithChange,
      takenBy: clerk.operatorId,
      shiftId,
      businessDate: '2026-12-01', // R1: the shift's, whatever the calendar says
    });
    const lines = await house.ledger(clerk.tenantId);
    expect(lines.map(({ kind, amount, currency }) => [kind, amount, currency])).toEqual([
      ['float', 1_000_000n, 'AFN'],
      ['capture', 540_000n, 'AFN'],
      ['cash_in', 10_000n, 'USD'],
      ['cash_out', 160_000n, 'AFN'],
    ]);
  });

  test('taken twice it is taken once', async () => {
    const { clerk, take } = await arrival();
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => take(notes(540_000))));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await house.ledger(clerk.tenantId)).filter(({ kind }) => kind === 'capture')).toHaveLength(1);
  });

  test('less than promised leaves a balance and a note', async () => {
    const { clerk, take } = await arrival();
    expect(await take(notes(500_000))).toMatchObject({ body: { captured: afn(500_000) } });
    expect(await house.journal(clerk.tenantId)).toEqual(['capture.partial_cash']);
  });

  test('what does not add up is refused and moves nothing', async () => {
    const { clerk, take, payment, shiftId } = await arrival();
    const refusals = [
      [[{ direction: 'out', cash: afn(100), value: afn(100) }], 'CASH_NOT_BALANCED'],
      [[{ direction: 'in', cash: afn(540_000), value: afn(540_100) }], 'CASH_NOT_BALANCED'],
      [[{ direction: 'in', cash: usd(10_000), value: usd(10_000) }], 'CURRENCY_DIFFERS'],
      [[{ direction: 'in', cash: afn(540_050), value: afn(540_050) }], 'CASH_STEP'],
    ] as const;
    for (const [drawer, code] of refusals) {
      expect(await take([...drawer])).toMatchObject({ status: 422, body: { code } });
    }
    const stranger = house.newPerson(['front_desk'], clerk.tenantId);
    expect(await take(notes(540_000), stranger)).toMatchObject({
      status: 403,
      body: { code: 'NOT_YOUR_SHIFT' },
    });
    const elsewhere = house.newPerson(['manager']);
    const path = `/payments/${payment.paymentId}/take-cash`;
    expect(await house.send(elsewhere, 'POST', path, { shiftId, drawer: notes(540_000) })).toMatchObject({
      status: 404,
    });
    expect((await house.ledger(clerk.tenantId)).map(({ kind }) => kind)).toEqual(['float']);
  });

  test('a refund of cash is notes out of a drawer: exactly once, exactly so much', async () => {
    const { stay, clerk, take, shiftId } = await arrival();
    await take(notes(540_000));
    await house.tell(clerk.tenantId, stay.cancelled('guest_request', { refund: 360_000 }));
    const [payment] = (await house.intents(clerk, stay)) as [View];
    const { body } = await house.send(clerk, 'GET', `/payments/${payment.paymentId}`);
    const [refund] = (body as unknown as { refunds: { refundId: string; status: string }[] }).refunds;
    expect(refund).toMatchObject({ status: 'at_desk' });
    const payOut = (minor: number) =>
      house.send(clerk, 'POST', `/refunds/${refund?.refundId}/pay-out`, {
        shiftId,
        drawer: [{ direction: 'out', cash: afn(minor), value: afn(minor) }],
      });
    expect(await payOut(350_000)).toMatchObject({ status: 422, body: { code: 'CASH_AMOUNT_DIFFERS' } });
    expect(await payOut(360_000)).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await payOut(360_000)).toMatchObject({ status: 409, body: { code: 'REFUND_NOT_AT_DESK' } });
    await house.system.settled();
    expect((await house.told(clerk.tenantId)).at(-1)).toMatchObject({
      event: 'intent.refunded',
      payload: { rail: 'cash', amount: afn(360_000), providerReference: null },
    });
  });
});

describe('R25: the drawer', () => {
  const open = async () => {
    const house = await arrival([afn(1_000_000), usd(5_000)]);
    await house.take(dollarsWithChange);
    return house;
  };

  test('AFN and USD are counted blind, and each closes to its own count', async () => {
    const { clerk, at, shiftId } = await open();
    const before = await house.send(clerk, 'GET', `/drawers/${shiftId}`);
    expect(before.body).toMatchObject({ status: 'open', counts: [] }); // nothing to copy from
    expect(await at('close', {})).toMatchObject({ status: 409, body: { code: 'DRAWER_NOT_COUNTED' } });
    const counted = await at('count', { counts: [afn(839_000), usd(15_100)] });
    expect(counted.body).toMatchObject({
      status: 'counted',
      counts: [
        { counted: afn(839_000), expected: afn(840_000), variance: afn(-1_000) },
        { counted: usd(15_100), expected: usd(15_000), variance: usd(100) },
      ],
    });
    const why = [
      { currency: 'AFN', reason: 'ten afghani missing from the change' },
      { currency: 'USD', reason: 'a guest left a dollar' },
    ];
    expect(await at('close', { reasons: why.slice(0, 1) })).toMatchObject({
      status: 422,
      body: { code: 'VARIANCE_NEEDS_REASON' },
    });
    expect(await at('close', { reasons: why })).toMatchObject({ status: 200, body: { status: 'closed' } });
    const lines = await house.ledger(clerk.tenantId);
    const variance = lines.filter(({ kind }) => kind === 'variance');
    expect(variance.map(({ amount, currency, reason }) => [amount, currency, reason])).toEqual([
      [1_000n, 'AFN', why[0]?.reason],
      [100n, 'USD', why[1]?.reason],
    ]);
    const holds = (currency: string) =>
      lines
        .filter(one => one.currency === currency)
        .reduce(
          (sum, { from, to, amount }) =>
            sum + (to.startsWith('drawer:') ? amount : 0n) - (from.startsWith('drawer:') ? amount : 0n),
          0n,
        );
    expect([holds('AFN'), holds('USD')]).toEqual([839_000n, 15_100n]);
  });

  test('a second count would not be blind; a currency that moved must be counted; a counted drawer takes no money', async () => {
    const { at, take } = await open();
    expect(await at('count', { counts: [afn(840_000)] })).toMatchObject({
      status: 422,
      body: { code: 'CURRENCY_NOT_COUNTED' },
    });
    expect(await at('count', { counts: [afn(840_000), usd(15_000)] })).toMatchObject({ status: 200 });
    expect(await at('count', { counts: [afn(1), usd(1)] })).toMatchObject({
      status: 409,
      body: { code: 'DRAWER_COUNTED' },
    });
    expect(await take(notes(100))).toMatchObject({ status: 409 });
    expect(await at('close', {})).toMatchObject({ status: 200 }); // no difference, no reason, no line
  });

  test('a drawer is of one shift, opened once, by who works it or a manager', async () => {
    const { clerk, shiftId, stay } = await arrival();
    const again = await house.send(clerk, 'POST', '/drawers', { shiftId, float: [] });
    expect(again).toMatchObject({ status: 409, body: { code: 'DRAWER_EXISTS' } });
    const manager = house.newPerson(['manager'], clerk.tenantId);
    const seen = await house.send(manager, 'POST', `/drawers/${shiftId}/count`, { counts: [afn(1_000_000)] });
    expect(seen).toMatchObject({ status: 200 });
    const other = house.newPerson(['front_desk']);
    expect(await house.send(other, 'GET', `/drawers/${shiftId}`)).toMatchObject({ status: 404 });
    await house.clockIn(other, stay);
  });
});
