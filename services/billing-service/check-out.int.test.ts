import { newId } from '@ghasi/domain-primitives/ids';
import { collect } from '@melmastoon/payment-gateway-service/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FolioClosed } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { afn, NIGHT } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
});
afterAll(() => inn?.close());
beforeEach(() => {
  inn.asked.length = 0;
  inn.answers[collect.name] = ({ purpose, rail, amount }) => ({
    ...{
      paymentId: newId('pay'),
      purpose,
      rail,
      amount,
      status: 'created',
      redirectUrl: null,
      expiresAt: null,
    },
  });
});

const asked = () => inn.asked.filter(({ name }) => name === collect.name).map(({ input }) => input);

/** A guest in the house who has paid so much ahead. */
async function inHouse(paid: number, rail: 'card' | 'cash_pending' = 'card') {
  const made = await inn.booked({ rail });
  const { tenantId, stay } = made;
  const ahead = paid === 0 ? [] : [stay.captured(newId('pay'), paid)];
  await inn.tell(tenantId, ...ahead, stay.checkInStarted(), stay.checkedIn());
  return made;
}

test('X-113: who owes nothing leaves at once, and nobody is asked for money', async () => {
  const { owner, stay, tenantId } = await inHouse(3 * NIGHT);
  await inn.tell(tenantId, stay.checkOutStarted(), stay.checkedOut());
  expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
    { occasion: 'check_out', charges: afn(3 * NIGHT) },
  ]);
  expect(await inn.folio(owner, stay)).toMatchObject({ status: 'closed', stage: 'left' });
  expect(asked()).toEqual([]);
});

test('SAGA-43, X-113: what is owed is asked for once, by the rail of the booking; the capture closes the folio', async () => {
  const { owner, stay, tenantId } = await inHouse(NIGHT);
  await inn.tell(tenantId, stay.checkOutStarted());
  expect(asked()).toMatchObject([
    {
      tenantId,
      reservationId: stay.reservationId,
      purpose: 'check_out',
      rail: 'card',
      amount: afn(2 * NIGHT),
    },
  ]);
  expect(await inn.said(tenantId, FolioClosed)).toEqual([]);
  expect(await inn.folio(owner, stay)).toMatchObject({
    status: 'open',
    stage: 'leaving',
    balance: afn(2 * NIGHT),
  });
  await inn.tell(tenantId, stay.captured(newId('pay'), 2 * NIGHT, 'check_out'));
  expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
    { occasion: 'check_out', charges: afn(3 * NIGHT), payments: afn(3 * NIGHT) },
  ]);
});

test('SAGA-48, X-115: who leaves owing keeps an open folio, and a later payment settles it', async () => {
  inn.answers[collect.name] = () => null; // nobody takes cards, nobody takes cash
  const { owner, stay, tenantId } = await inHouse(0);
  await inn.tell(tenantId, stay.checkOutStarted(), stay.checkedOut(3 * NIGHT));
  expect(asked().map(({ rail }) => rail)).toEqual(['card', 'cash']);
  const folio = await inn.folio(owner, stay);
  expect(folio).toMatchObject({
    ...{ status: 'open', stage: 'left', due: afn(3 * NIGHT) },
    collections: [{ outcome: 'refused', paymentId: null, amount: afn(3 * NIGHT) }],
  });
  const again = await inn.send(owner, 'POST', `/folios/${folio.folioId}/collect`);
  expect(again.status).toBe(202);
  await inn.system.settled();
  // The same balance under the same key: asked again after a crash, payment makes no second intent.
  expect(asked().map(({ key }) => key)).toEqual([0, 1, 0, 1].map(n => asked()[n].key));
  await inn.tell(tenantId, stay.captured(newId('pay'), 3 * NIGHT, 'check_out'));
  expect(await inn.said(tenantId, FolioClosed)).toMatchObject([{ occasion: 'late_settlement' }]);
  expect(await inn.send(owner, 'POST', `/folios/${folio.folioId}/collect`)).toMatchObject({
    ...{ status: 409, body: { code: 'NOTHING_TO_COLLECT' } },
  });
});

test('what is promised or asked for already is not asked for again', async () => {
  const { stay, tenantId } = await inHouse(0, 'cash_pending');
  const [promise, page] = [newId('pay'), newId('pay')];
  await inn.tell(tenantId, stay.promised(promise, 2 * NIGHT), stay.asked(page, 50_000, 'incidental'));
  await inn.tell(tenantId, stay.checkOutStarted());
  expect(asked()).toMatchObject([{ rail: 'cash', amount: afn(NIGHT - 50_000) }]);
  await inn.tell(tenantId, stay.failed(page, 50_000, 'incidental'), stay.reconciled(promise, 2 * NIGHT));
  await inn.tell(tenantId, stay.captured(newId('pay'), NIGHT, 'check_out'));
  expect(await inn.said(tenantId, FolioClosed)).toMatchObject([{ payments: afn(3 * NIGHT) }]);
});

test('a guest who has paid too much is given it back before his folio closes', async () => {
  const { owner, stay, tenantId } = await inHouse(0);
  const paymentId = newId('pay');
  await inn.tell(tenantId, stay.captured(paymentId, 4 * NIGHT, 'incidental'));
  await inn.tell(tenantId, stay.checkOutStarted());
  expect(await inn.folio(owner, stay)).toMatchObject({ status: 'open', balance: afn(-NIGHT) });
  expect(asked()).toEqual([]);
  const back = { paymentId, minor: NIGHT, captured: 4 * NIGHT, reason: 'overpayment' };
  await inn.tell(tenantId, stay.refunded(back));
  expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
    { charges: afn(3 * NIGHT), payments: afn(4 * NIGHT), refunds: afn(NIGHT) },
  ]);
});

test('R22: money after the end is kept in suspense and shown to the desk; given back, it needs nobody', async () => {
  const { owner, house, stay, tenantId } = await inHouse(3 * NIGHT);
  await inn.tell(tenantId, stay.checkOutStarted());
  const [twice, kind] = [newId('pay'), newId('pay')];
  const waiting = async () =>
    (await inn.send(owner, 'GET', `/late-postings?propertyId=${house.propertyId}`)).body.latePostings;
  await inn.tell(
    tenantId,
    stay.captured(twice, 70_000, 'check_out'),
    stay.captured(kind, 10_000, 'incidental'),
  );
  const late = (minor: number) => ({ kind: 'payment', reason: 'folio_closed', net: afn(minor) });
  expect(await waiting()).toEqual(
    expect.arrayContaining([expect.objectContaining(late(70_000)), expect.objectContaining(late(10_000))]),
  );
  await inn.tell(
    tenantId,
    stay.refunded({ paymentId: twice, minor: 70_000, captured: 70_000, reason: 'overpayment' }),
  );
  const [left] = await waiting();
  expect(left).toMatchObject({ net: afn(10_000) });
  const resolve = { as: 'paid_otherwise', note: 'a tip, to the kitchen' };
  const done = await inn.send(owner, 'POST', `/late-postings/${left.id}/resolve`, resolve);
  expect(done).toMatchObject({ status: 200, body: { status: 'paid_otherwise' } });
  expect(await inn.send(owner, 'POST', `/late-postings/${left.id}/resolve`, resolve)).toMatchObject({
    status: 409,
  });
  expect(await inn.folio(owner, stay)).toMatchObject({
    status: 'closed',
    charges: afn(3 * NIGHT),
    payments: afn(3 * NIGHT),
  });
});

test('a day that is closed between check-out and its event does not get the lines: they land on the day it is', async () => {
  const { owner, house, stay, tenantId } = await inHouse(3 * NIGHT);
  await inn.tell(tenantId, ...['2026-03-21', '2026-03-22', '2026-03-23', '2026-03-24'].map(house.dayClosed));
  await inn.tell(tenantId, stay.checkOutStarted('2026-03-24'));
  const { lines, closedOn } = await inn.folio(owner, stay);
  expect(closedOn).toBe('2026-03-25');
  expect(lines.at(-1)).toMatchObject({ kind: 'deposit_applied', businessDate: '2026-03-25' });
});
