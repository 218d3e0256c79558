import { serviceRole } from '@ghasi/db/roles';
import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { dieAt } from '@ghasi/testing/dying-process';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postDay } from './commands/day-close.ts';
import { FolioChargePosted, InvoiceIssued } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { afn, NIGHT, newHouse, newStay } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
  inn.answers['reservation.contact-of'] = () => ({ name: 'Zarghuna Ahmadi', locale: 'en' });
});
afterAll(() => inn?.close());

const clerk = new URL('./fixtures/dying-clerk.ts', import.meta.url);
const killed = { code: null, signal: 'SIGKILL' };

/** A house with guests whose first night is over, and a process that charges it and writes an invoice of the first. */
async function houseAtNight(guests: number) {
  const [owner, house] = [inn.newPerson(), newHouse()];
  const { tenantId } = owner;
  const stays = Array.from({ length: guests }, () => newStay({ propertyId: house.propertyId }));
  await inn.know(tenantId, house);
  await inn.tell(tenantId, ...stays.flatMap(stay => [stay.confirmed(), stay.checkInStarted()]));
  const { folioId } = await inn.folio(owner, stays[0] as { reservationId: string });
  const day = { propertyId: house.propertyId, closedDate: '2026-03-21' };
  const url = inn.system.database.roleUrl(serviceRole('billing'));
  return {
    ...{ owner, tenantId, day, folioId },
    dieAt: (failpoint: string) => dieAt(clerk, failpoint, { url, tenantId, folioId, ...day }),
    transaction: <R>(work: (ctx: Ctx) => Promise<R>) =>
      tenantTransaction(inn.system.db(inn.service), { tenantId, actor: testActor }, work),
    nights: async () =>
      (await inn.system.query('billing', 'select 1 from lines where tenant_id = $1', [tenantId])).length,
  };
}

test('R2: a process killed after the night of a folio was posted leaves that night, and the next run posts the others once', async () => {
  const house = await houseAtNight(4);
  expect(await house.dieAt('billing.night-posted@2')).toEqual(killed);
  expect(await house.nights()).toBe(2);
  expect(await house.dieAt('billing.night-posted@1')).toEqual(killed);
  expect(await postDay(house, house.day)).toEqual({ folios: 1 });
  await inn.system.settled();
  expect(await house.nights()).toBe(4);
  const told = await inn.said(house.tenantId, FolioChargePosted);
  expect(new Set(told.map(({ folioId }) => folioId)).size).toBe(4);
  expect(told).toHaveLength(4);
});

test('EVT-44: a process killed between the number of an invoice and its document wastes no number, and leaves no invoice', async () => {
  const house = await houseAtNight(1);
  expect(await house.dieAt('billing.invoice-numbered')).toEqual(killed);
  await inn.system.settled();
  expect(await inn.said(house.tenantId, InvoiceIssued)).toEqual([]);
  const { body } = await inn.send(house.owner, 'POST', `/folios/${house.folioId}/invoices`, {});
  expect(body).toMatchObject({ invoiceNumber: 'INV-2026-000001', gross: afn(NIGHT) });
  await inn.system.settled();
  expect(await inn.said(house.tenantId, InvoiceIssued)).toMatchObject([{ invoiceId: body.invoiceId }]);
});
