import { createHash } from 'node:crypto';
import { armFailpoint, disarmFailpoints } from '@ghasi/domain-primitives/failpoint';
import { newId } from '@ghasi/domain-primitives/ids';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { InvoiceIssued, InvoiceVoided } from './contract.ts';
import { type Body, type House, openHouse, type Person } from './fixtures/house.ts';
import { afn, NIGHT, newHouse, newStay } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
  inn.answers['reservation.contact-of'] = () => ({ name: 'Zarghuna Ahmadi', locale: 'fa-AF' });
});
afterAll(() => inn?.close());
afterEach(disarmFailpoints);

/** Guests who have slept a night each. */
async function slept(guests: number) {
  const [owner, house] = [inn.newPerson(), newHouse()];
  const stays = Array.from({ length: guests }, () => newStay({ propertyId: house.propertyId }));
  const events = stays.flatMap(stay => [stay.confirmed(), stay.checkInStarted()]);
  await inn.know(owner.tenantId, house);
  await inn.tell(owner.tenantId, ...events);
  await inn.tell(owner.tenantId, house.dayClosed('2026-03-21'));
  const folioIds: string[] = [];
  for (const stay of stays) folioIds.push((await inn.folio(owner, stay)).folioId);
  return { owner, house, stays, folioIds, tenantId: owner.tenantId };
}

const issue = (who: Person, folioId: string | undefined, body: object = {}) =>
  inn.send(who, 'POST', `/folios/${folioId}/invoices`, body);

test('EVT-44: an invoice has a number, the taxes of its lines, and a document whose hash is told', async () => {
  const { owner, folioIds, tenantId, stays } = await slept(1);
  const { status, body } = await issue(owner, folioIds[0]);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...{
      invoiceNumber: 'INV-2026-000001',
      issuedOn: '2026-03-22',
      gross: afn(NIGHT),
      split: 1,
      voided: null,
    },
    taxes: [{ taxCode: 'TAX', basisPoints: 1_000, taxable: afn(163_636), tax: afn(16_364) }],
  });
  const page = await inn.send(owner, 'GET', `/invoices/${body.invoiceId}/document`);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; style-src 'sha256-");
  expect(createHash('sha256').update(page.text).digest('hex')).toBe(body.document.sha256);
  expect(page.text).toContain('Zarghuna Ahmadi');
  expect(page.text).toContain('dir="rtl"');
  await inn.system.settled();
  const [told] = await inn.said(tenantId, InvoiceIssued);
  expect(told).toMatchObject({
    ...{ invoiceId: body.invoiceId, guestId: stays[0]?.guestId, document: { sha256: body.document.sha256 } },
  });
  expect(JSON.stringify(told)).not.toContain('Zarghuna');
});

test('what is on an invoice is frozen and billed once; later charges go on the next', async () => {
  const { owner, folioIds, house, tenantId, stays } = await slept(1);
  const [folioId] = folioIds;
  await issue(owner, folioId);
  expect(await issue(owner, folioId)).toMatchObject({ status: 409, body: { code: 'NOTHING_TO_INVOICE' } });
  const folio = await inn.folio(owner, stays[0] as never);
  const path = `/folios/${folioId}/lines/${folio.lines[0].lineId}/reverse`;
  expect(await inn.send(owner, 'POST', path, { reason: 'no' })).toMatchObject({
    ...{ status: 409, body: { code: 'LINE_INVOICED' } },
  });
  await inn.tell(tenantId, house.dayClosed('2026-03-22'));
  expect((await issue(owner, folioId)).body).toMatchObject({
    invoiceNumber: 'INV-2026-000002',
    gross: afn(NIGHT),
  });
});

test('nights that are charged ahead are invoiced once they are slept', async () => {
  const { owner, folioIds, house, tenantId, stays } = await slept(1);
  await inn.tell(tenantId, (stays[0] as (typeof stays)[0]).delta(4));
  expect(await issue(owner, folioIds[0])).toMatchObject({ status: 409, body: { code: 'CHARGED_AHEAD' } });
  await inn.tell(tenantId, ...['2026-03-22', '2026-03-23', '2026-03-24'].map(house.dayClosed));
  const { body } = await issue(owner, folioIds[0]);
  expect(body).toMatchObject({
    gross: afn(4 * NIGHT),
    taxes: [{ tax: afn(4 * 16_364), taxable: afn(4 * 163_636) }],
  });
});

test('EVT-45: a voided invoice keeps its number; the one in its place has the same lines', async () => {
  const { owner, folioIds, tenantId } = await slept(1);
  const { body: first } = await issue(owner, folioIds[0], { locale: 'en' });
  const company = { name: 'Hesar Trading <Ltd>', address: 'Shahr-e Naw 4' };
  const wrong = { reason: 'wrong_recipient', reissue: { locale: 'en', recipient: company } };
  const { body: voided } = await inn.send(owner, 'POST', `/invoices/${first.invoiceId}/void`, wrong);
  expect(voided).toMatchObject({ invoiceNumber: 'INV-2026-000001', voided: { reason: 'wrong_recipient' } });
  const { body: list } = await inn.send(owner, 'GET', `/invoices?folioId=${folioIds[0]}`);
  expect(list.invoices).toMatchObject([
    {
      invoiceId: voided.voided.replacedBy,
      invoiceNumber: 'INV-2026-000002',
      gross: afn(NIGHT),
      voided: null,
    },
    { invoiceNumber: 'INV-2026-000001' },
  ]);
  const page = await inn.send(owner, 'GET', `/invoices/${voided.voided.replacedBy}/document`);
  expect(page.text).toContain('Hesar Trading &lt;Ltd&gt;');
  const again = await inn.send(owner, 'POST', `/invoices/${first.invoiceId}/void`, { reason: 'duplicate' });
  expect(again).toMatchObject({ status: 409, body: { code: 'INVOICE_VOIDED' } });
  await inn.system.settled();
  expect(await inn.said(tenantId, InvoiceVoided)).toMatchObject([
    { invoiceId: first.invoiceId, replacedBy: voided.voided.replacedBy, voidedBy: owner.operatorId },
  ]);
});

test('numbers have no gap and no double: 24 at once, some of which fail after they had a number', async () => {
  const { owner, folioIds, house } = await slept(24);
  let hits = 0;
  armFailpoint('billing.invoice-numbered', () => {
    if (++hits % 5 === 0) throw new Error('the process died here');
  });
  const replies = await Promise.all(
    folioIds.map(folioId => issue(owner, folioId, { locale: 'en', recipient: { name: 'G' } })),
  );
  disarmFailpoints();
  const failed = replies.filter(({ status }) => status !== 201);
  expect(failed.length).toBeGreaterThanOrEqual(4);
  const again = replies.flatMap(({ status }, n) => (status === 201 ? [] : [folioIds[n]]));
  await Promise.all(again.map(folioId => issue(owner, folioId)));
  const { body } = await inn.send(owner, 'GET', `/invoices?propertyId=${house.propertyId}`);
  const numbers = body.invoices.map(({ invoiceNumber }: Body) => Number(invoiceNumber.slice(-6))).reverse();
  expect(numbers).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
});

test('every house counts for itself, under a name of its own', async () => {
  const { owner, folioIds, house } = await slept(2);
  await issue(owner, folioIds[0]);
  const named = await inn.send(owner, 'PUT', `/invoice-series/${house.propertyId}`, { prefix: 'BH' });
  expect(named).toMatchObject({ status: 200, body: { prefix: 'BH' } });
  expect((await issue(owner, folioIds[1])).body.invoiceNumber).toBe('BH-2026-000002');
  const { body } = await inn.send(owner, 'GET', `/invoices?propertyId=${house.propertyId}&before=2`);
  expect(body.invoices).toMatchObject([{ invoiceNumber: 'INV-2026-000001' }]);
  const unknown = await inn.send(owner, 'PUT', `/invoice-series/${newId('pro')}`, { prefix: 'BH' });
  expect(unknown.status).toBe(404);
});

test('a split is billed to its company', async () => {
  const { owner, folioIds, house, tenantId } = await slept(1);
  const [folioId] = folioIds;
  await inn.send(owner, 'POST', `/folios/${folioId}/splits`, { name: 'Hesar Trading' });
  await inn.send(owner, 'PUT', `/folios/${folioId}/routes`, { rooms: 2 });
  await inn.tell(tenantId, house.dayClosed('2026-03-22'));
  expect(await issue(owner, folioId, { split: 3 })).toMatchObject({
    status: 422,
    body: { code: 'SPLIT_UNKNOWN' },
  });
  const { body } = await issue(owner, folioId, { split: 2, locale: 'en' });
  expect(body).toMatchObject({ split: 2, gross: afn(NIGHT) });
  expect((await inn.send(owner, 'GET', `/invoices/${body.invoiceId}/document`)).text).toContain(
    'Hesar Trading',
  );
});
