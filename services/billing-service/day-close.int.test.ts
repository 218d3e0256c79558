import type { Ctx } from '@ghasi/db/tenant-transaction';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { armFailpoint, disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { money } from '@ghasi/domain-primitives/money';
import { testActor } from '@ghasi/testing/tenants';
import { BookingConfirmed } from '@melmastoon/reservation-service/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { postDay } from './commands/day-close.ts';
import { chargeSale, type Sale } from './commands/desk.ts';
import { FolioChargePosted } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { afn, NIGHT, newHouse, newStay } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
});
afterAll(() => inn?.close());
afterEach(disarmFailpoints);

const runFor = (tenantId: TenantId) => ({
  transaction: <R>(work: (ctx: Ctx) => Promise<R>) =>
    tenantTransaction(inn.system.db(inn.service), { tenantId, actor: testActor }, work),
});

/** A house with so many guests in it. */
async function fullHouse(guests: number) {
  const [owner, house] = [inn.newPerson(), newHouse()];
  const stays = Array.from({ length: guests }, () => newStay({ propertyId: house.propertyId }));
  const events = stays.flatMap(stay => [stay.confirmed(), stay.checkInStarted(), stay.checkedIn()]);
  await inn.know(owner.tenantId, house);
  await inn.tell(owner.tenantId, ...events);
  return { owner, house, stays, tenantId: owner.tenantId };
}

const sums = (tenantId: TenantId) =>
  inn.system.query<{ kind: string; lines: number; charged: bigint }>(
    'billing',
    `select kind, count(*)::int as lines, sum(net + tax)::bigint as charged from lines where tenant_id = $1
     group by kind order by kind`,
    [tenantId],
  );

test('the night of a closed day is charged to everybody in the house at its frozen price, once', async () => {
  const { house, stays, tenantId } = await fullHouse(3);
  const expected = newStay({ propertyId: house.propertyId });
  await inn.tell(tenantId, expected.confirmed(), house.dayClosed('2026-03-21'));
  const posted = await inn.said(tenantId, FolioChargePosted);
  expect(posted.map(({ source }) => source)).toEqual(
    expect.arrayContaining(
      stays.map(stay => ({ kind: 'room_night', bookedRoomId: stay.bookedRoomIds[0], date: '2026-03-21' })),
    ),
  );
  expect(posted).toHaveLength(3);
  expect(posted[0]).toMatchObject({
    amount: { net: afn(163_636), tax: afn(16_364), gross: afn(NIGHT) },
    balance: afn(NIGHT),
    businessDate: '2026-03-21',
  });
});

test('R2: run twice and crashed halfway, the sums are those of one run', async () => {
  const { house, tenantId } = await fullHouse(6);
  const day = { propertyId: house.propertyId, closedDate: '2026-03-21' };
  armFailpoint('billing.night-posted', 'error', { onHit: 3 });
  await expect(postDay(runFor(tenantId), day)).rejects.toThrow('billing.night-posted');
  expect(await sums(tenantId)).toEqual([{ kind: 'room_night', lines: 3, charged: 3n * BigInt(NIGHT) }]);
  const once = { kind: 'room_night', lines: 6, charged: 6n * BigInt(NIGHT) };
  expect(await postDay(runFor(tenantId), day)).toEqual({ folios: 3 });
  expect(await sums(tenantId)).toEqual([once]);
  expect(await postDay(runFor(tenantId), day)).toEqual({ folios: 0 });
  await inn.tell(tenantId, house.dayClosed('2026-03-21'), house.dayClosed('2026-03-21'));
  expect(await sums(tenantId)).toEqual([once]);
});

test('R2: two that close the same day at once post one night', async () => {
  const { house, tenantId } = await fullHouse(4);
  const day = { propertyId: house.propertyId, closedDate: '2026-03-21' };
  await Promise.all(Array.from({ length: 4 }, () => postDay(runFor(tenantId), day)));
  expect(await sums(tenantId)).toEqual([{ kind: 'room_night', lines: 4, charged: 4n * BigInt(NIGHT) }]);
});

test('R2: a day that was missed comes with the next one, and check-out finds the rest', async () => {
  const { owner, house, stays, tenantId } = await fullHouse(1);
  const [stay] = stays as [(typeof stays)[0]];
  await postDay(runFor(tenantId), { propertyId: house.propertyId, closedDate: '2026-03-22' });
  expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(2 * NIGHT) });
  await inn.tell(tenantId, stay.checkOutStarted());
  expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(3 * NIGHT) });
});

test('R1: what is sold at half past one at night lands on the hotel day that is not closed, with today’s time', async () => {
  const { owner, house, stays, tenantId } = await fullHouse(1);
  const [stay] = stays as [(typeof stays)[0]];
  const { folioId } = await inn.folio(owner, stay);
  const at = new Date('2026-03-21T21:00:00.000Z'); // half past one on the 22nd in Kabul
  const sale: Sale = {
    folioId,
    what: { kind: 'service', service: 'restaurant' },
    ...{ quantity: 1, unitPrice: money(70_000n, 'AFN'), tax: null, split: null, text: null },
  };
  const who = { tenantId, actor: testActor, now: at };
  await tenantTransaction(inn.system.db(inn.service), who, ctx => chargeSale(ctx, sale));
  await inn.tell(tenantId, house.dayClosed('2026-03-21'));
  await tenantTransaction(inn.system.db(inn.service), who, ctx => chargeSale(ctx, sale));
  const { lines } = await inn.folio(owner, stay);
  expect(lines.map((line: { kind: string; businessDate: string }) => [line.kind, line.businessDate])).toEqual(
    [
      ['service', '2026-03-21'],
      ['room_night', '2026-03-21'],
      ['service', '2026-03-22'],
    ],
  );
  expect(lines[0].occurredAt).toBe(at.toISOString());
});

test('R21: whatever a rate becomes after the booking, the nights cost what was promised', async () => {
  const { owner, house, stays, tenantId } = await fullHouse(1);
  const [stay] = stays as [(typeof stays)[0]];
  // The booking is told again, later, with twice the price: only a price delta changes nights that were promised.
  const { payload, aggregateVersion } = stay.confirmed();
  const twice = (of: object) =>
    JSON.parse(JSON.stringify(of), (key, value) => (key === 'amount' ? String(2 * Number(value)) : value));
  await inn.tell(tenantId, BookingConfirmed.from(twice(payload as object), { aggregateVersion }));
  await inn.tell(tenantId, house.dayClosed('2026-03-21'));
  expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(NIGHT) });
});

test('taxes are named by the quote the nights were sold with, without touching their price', async () => {
  const [owner, house] = [inn.newPerson(), newHouse()];
  const stay = newStay({ propertyId: house.propertyId });
  inn.answers['pricing.quote-of'] = ({ quoteId }) => {
    if (quoteId !== stay.quoteId()) return null;
    const tax = (code: string, minor: number) => ({ code, kind: 'tax', amount: afn(minor) });
    const fee = { code: 'CLEAN', kind: 'fee', amount: afn(999) };
    const charges = [tax('BRT', 14_364), tax('CITY-TAX', 2_000), fee];
    const nights = ['2026-03-21', '2026-03-22'].map(date => ({ date, charges }));
    return { rooms: [{ bookedRoomId: null, nights }] };
  };
  await inn.tell(owner.tenantId, house.created);
  await inn.tell(owner.tenantId, stay.confirmed(), stay.checkInStarted());
  await inn.tell(owner.tenantId, stay.checkOutStarted());
  expect(await taxAccounts(owner)).toEqual([
    { account: 'tax:BRT', amount: -28_728n },
    { account: 'tax:CITY_TAX', amount: -4_000n },
    { account: 'tax:TAX', amount: -16_364n }, // the third night is not in the quote
  ]);
});

test('taxes that are told with the nights are kept, and nobody is asked', async () => {
  const [owner, house] = [inn.newPerson(), newHouse()];
  const stay = newStay({ propertyId: house.propertyId });
  let asked = 0;
  inn.answers['pricing.quote-of'] = ({ quoteId }) => {
    if (quoteId === stay.quoteId()) asked++;
    return null;
  };
  const taxes = [
    { code: 'BRT', amount: afn(14_364) },
    { code: 'CITY-TAX', amount: afn(2_000) },
  ];
  await inn.tell(owner.tenantId, house.created);
  await inn.tell(owner.tenantId, stay.confirmed(taxes), stay.checkInStarted());
  await inn.tell(owner.tenantId, stay.checkOutStarted());
  expect(await taxAccounts(owner)).toEqual([
    { account: 'tax:BRT', amount: -3n * 14_364n },
    { account: 'tax:CITY_TAX', amount: -6_000n },
  ]);
  expect(asked).toBe(0);
});

function taxAccounts({ tenantId }: { tenantId: TenantId }) {
  return inn.system.query(
    'billing',
    `select account, sum(amount)::bigint as amount from entries where tenant_id = $1 and account like 'tax:%'
     group by account order by account`,
    [tenantId],
  );
}
