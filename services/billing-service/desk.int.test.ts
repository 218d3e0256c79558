import { newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balancesOf, folioOf } from './contract/questions.ts';
import { FolioChargePosted, FolioClosed } from './contract.ts';
import { type Body, type House, openHouse } from './fixtures/house.ts';
import { afn, NIGHT } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
});
afterAll(() => inn?.close());

async function guest() {
  const made = await inn.booked();
  await inn.tell(made.tenantId, made.stay.checkInStarted());
  const { folioId } = await inn.folio(made.owner, made.stay);
  const post = (path: string, body: unknown, method = 'POST') =>
    inn.send(made.owner, method, `/folios/${folioId}${path}`, body);
  const sell = (more: object = {}) =>
    post('/charges', {
      ...{ what: { kind: 'service', service: 'laundry' }, quantity: 6, unitPrice: afn(700) },
      ...{ tax: { code: 'BRT', basisPoints: 1_000 }, text: 'Shirts', ...more },
    });
  return { ...made, folioId, post, sell };
}

test('R20: six at 7.00 are 42.00, with the tax inside', async () => {
  const { sell, tenantId } = await guest();
  const { status, body } = await sell();
  expect(status).toBe(201);
  expect(body.lines).toMatchObject([
    { kind: 'service', text: '6 × Shirts', net: afn(3_818), tax: afn(382), balance: afn(4_200) },
  ]);
  await inn.system.settled();
  expect(await inn.said(tenantId, FolioChargePosted)).toMatchObject([
    {
      source: { kind: 'service', service: 'laundry' },
      amount: { net: afn(3_818), tax: afn(382), gross: afn(4_200) },
    },
  ]);
});

test('R22: a line is taken back in full and once, and the events say so', async () => {
  const { sell, post, tenantId } = await guest();
  const { body } = await sell();
  const [line] = body.lines;
  const back = await post(`/lines/${line.lineId}/reverse`, { reason: 'not his shirts' });
  expect(back).toMatchObject({ status: 201, body: { balance: afn(0) } });
  expect(back.body.lines[1]).toMatchObject({
    ...{
      kind: 'reversal',
      reversedLineId: line.lineId,
      net: afn(-3_818),
      tax: afn(-382),
      text: 'not his shirts',
    },
  });
  expect(await post(`/lines/${line.lineId}/reverse`, { reason: 'again' })).toMatchObject({
    ...{ status: 409, body: { code: 'LINE_REVERSED' } },
  });
  expect(await post(`/lines/${back.body.lines[1].lineId}/reverse`, { reason: 'no' })).toMatchObject({
    ...{ status: 409, body: { code: 'LINE_NOT_REVERSIBLE' } },
  });
  expect(await post(`/lines/${newId('fln')}/reverse`, { reason: 'no' })).toMatchObject({ status: 404 });
  await inn.system.settled();
  const [, reversal] = await inn.said(tenantId, FolioChargePosted);
  expect(reversal).toMatchObject({
    source: { kind: 'reversal' },
    amount: { gross: afn(-4_200) },
    balance: afn(0),
  });
});

test('R22: twenty at once charge twenty times, and of twenty who take one line back one does', async () => {
  const { sell, post, owner, stay } = await guest();
  const sold = await Promise.all(Array.from({ length: 20 }, () => sell()));
  expect(sold.map(({ status }) => status)).toEqual(Array(20).fill(201));
  const { lines, balance } = await inn.folio(owner, stay);
  expect([lines.length, balance]).toEqual([20, afn(20 * 4_200)]);
  const path = `/lines/${lines[7].lineId}/reverse`;
  const back = await Promise.all(Array.from({ length: 20 }, () => post(path, { reason: 'cold' })));
  expect(back.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(19 * 4_200) });
});

test('a fee by policy is charged once for a room', async () => {
  const { post, stay } = await guest();
  const fee = (bookedRoomId: unknown) => ({
    ...{ what: { kind: 'fee', fee: 'late_check_out', bookedRoomId }, quantity: 1, unitPrice: afn(90_000) },
  });
  expect(await post('/charges', fee(stay.bookedRoomIds[0]))).toMatchObject({
    status: 201,
    body: { balance: afn(90_000) },
  });
  expect(await post('/charges', fee(stay.bookedRoomIds[0]))).toMatchObject({
    status: 409,
    body: { code: 'FEE_POSTED' },
  });
  expect(await post('/charges', fee(newId('brm')))).toMatchObject({
    status: 422,
    body: { code: 'ROOM_NOT_IN_FOLIO' },
  });
});

describe('split folios', () => {
  const balances = ({ splits }: Body) => splits.map(({ balance }: Body) => balance.amount);

  test('R22: routing moves no posted line; the sum over the splits is conserved', async () => {
    const { post, sell, tenantId, house, owner, stay } = await guest();
    await sell();
    await inn.tell(tenantId, house.dayClosed('2026-03-21'));
    const opened = await post('/splits', { name: 'Hesar Trading' });
    expect(opened).toMatchObject({ status: 201, body: { balance: afn(184_200) } });
    const routed = await post('/routes', { rooms: 2 }, 'PUT');
    expect([balances(routed.body), routed.body.routes]).toEqual([['184200', '0'], { rooms: 2 }]);
    await inn.tell(tenantId, house.dayClosed('2026-03-22'));
    expect(balances(await inn.folio(owner, stay))).toEqual(['184200', '180000']);
    const moved = await post('/transfers', { from: 1, to: 2, amount: afn(180_000) });
    expect([balances(moved.body), moved.body.balance]).toEqual([['4200', '360000'], afn(364_200)]);
    expect(moved.body.lines.at(-1).effects).toEqual([
      { split: 2, amount: afn(180_000) },
      { split: 1, amount: afn(-180_000) },
    ]);
  });

  test('a folio closes once every split is at zero, not when one pays for the other', async () => {
    const { post, tenantId, owner, stay } = await guest();
    await post('/splits', { name: 'Hesar Trading' });
    await post('/routes', { rooms: 2 }, 'PUT');
    const paymentId = newId('pay');
    await inn.tell(tenantId, stay.captured(paymentId, 3 * NIGHT, 'incidental'), stay.checkOutStarted());
    expect(await inn.folio(owner, stay)).toMatchObject({ status: 'open', balance: afn(0) });
    const done = await post('/transfers', { from: 2, to: 1, amount: afn(3 * NIGHT) });
    expect(done.body).toMatchObject({ status: 'closed', occasion: 'check_out' });
    await inn.system.settled();
    expect(await inn.said(tenantId, FolioClosed)).toHaveLength(1);
  });

  test('what names no split, or moves nothing, is refused', async () => {
    const { post } = await guest();
    await post('/splits', { name: 'Hesar Trading' });
    for (const [path, body, code, method] of [
      ['/routes', { rooms: 3 }, 'SPLIT_UNKNOWN', 'PUT'],
      ['/transfers', { from: 1, to: 1, amount: afn(1) }, 'SAME_SPLIT', 'POST'],
      ['/transfers', { from: 1, to: 4, amount: afn(1) }, 'SPLIT_UNKNOWN', 'POST'],
      [
        '/transfers',
        { from: 1, to: 2, amount: { amount: '1', currency: 'USD' } },
        'CURRENCY_DIFFERS',
        'POST',
      ],
    ] as const)
      expect(await post(path, body, method)).toMatchObject({ status: 422, body: { code } });
  });

  test('nine are the most', async () => {
    const { post } = await guest();
    const replies = [];
    for (let n = 0; n < 9; n++) replies.push((await post('/splits', { name: `Company ${n}` })).status);
    expect(replies).toEqual([...Array(8).fill(201), 409]);
  });
});

describe('GEN-22, X-127: consumptions', () => {
  test('one is charged once, however often its push is replayed, and taken back once', async () => {
    const { owner, stay, tenantId } = await guest();
    const [tea, correction] = [newId('cns'), newId('cns')];
    await inn.tell(tenantId, stay.consumed(tea), stay.consumed(tea));
    expect(await inn.folio(owner, stay)).toMatchObject({
      balance: afn(11_000),
      lines: [{ kind: 'consumption', text: 'Green tea', net: afn(10_000), tax: afn(1_000) }],
    });
    await inn.tell(tenantId, stay.consumed(correction, tea), stay.consumed(newId('cns'), tea));
    expect(await inn.folio(owner, stay)).toMatchObject({
      balance: afn(0),
      lines: [{}, { kind: 'reversal' }],
    });
  });

  test('one that comes after the end waits for the desk, once; the closed folio stays as it is', async () => {
    const { owner, house, stay, tenantId, post } = await guest();
    await inn.tell(tenantId, stay.captured(newId('pay'), 3 * NIGHT), stay.checkOutStarted());
    const [late, withdrawn] = [newId('cns'), newId('cns')];
    await inn.tell(tenantId, stay.consumed(late), stay.consumed(late), stay.consumed(withdrawn));
    const waiting = async () =>
      (await inn.send(owner, 'GET', `/late-postings?propertyId=${house.propertyId}`)).body.latePostings;
    expect(await waiting()).toHaveLength(2);
    await inn.tell(tenantId, stay.consumed(newId('cns'), withdrawn));
    expect(await waiting()).toMatchObject([
      { kind: 'consumption', reason: 'folio_closed', net: afn(10_000), tax: afn(1_000), text: 'Green tea' },
    ]);
    expect(await inn.folio(owner, stay)).toMatchObject({ status: 'closed', charges: afn(3 * NIGHT) });
    const refused = await post('/charges', {
      what: { kind: 'service', service: 'other' },
      quantity: 1,
      unitPrice: afn(1),
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'FOLIO_CLOSED' } });
  });

  test('one of a stay nobody knows waits too', async () => {
    const { owner, house, tenantId, stay } = await inn.booked();
    const unknown = { ...(stay.consumed(newId('cns')).payload as object), reservationId: newId('rsv') };
    const { ConsumptionCreated } = await import('@melmastoon/housekeeping-service/contract');
    await inn.tell(tenantId, ConsumptionCreated.from(unknown as never, { aggregateVersion: 1 }));
    const { body } = await inn.send(owner, 'GET', `/late-postings?propertyId=${house.propertyId}`);
    expect(body.latePostings).toMatchObject([{ reason: 'no_folio', folioId: null }]);
  });
});

test('boards ask what a guest owes', async () => {
  const { sell, stay, tenantId } = await guest();
  await sell();
  await inn.tell(tenantId, stay.captured(newId('pay'), 3 * NIGHT));
  const ask = async (question: Body, input: object) => {
    const found = inn.service.answers.find(one => one.question === question);
    const ctx = { db: inn.system.db(inn.service), log: undefined, ask: undefined } as never;
    return question.output.parse(await found?.handle(ctx, question.input.parse({ tenantId, ...input })));
  };
  expect(await ask(folioOf, { reservationId: stay.reservationId })).toMatchObject({
    ...{ status: 'open', balance: afn(4_200), depositsHeld: afn(3 * NIGHT), due: afn(4_200 - 3 * NIGHT) },
    lines: [
      { kind: 'service', count: 1, amount: afn(4_200) },
      { kind: 'deposit', count: 1, amount: afn(0) },
    ],
  });
  expect(await ask(folioOf, { reservationId: newId('rsv') })).toBeNull();
  const many = await ask(balancesOf, { reservationIds: [newId('rsv'), stay.reservationId] });
  expect(many.folios).toMatchObject([{ reservationId: stay.reservationId, balance: afn(4_200) }]);
});
