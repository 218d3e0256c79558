import { type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { isolationContract } from '@ghasi/testing/isolation';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepBook } from './commands/keep-book.ts';
import { begin, newTruth, type Step, step, take } from './fixtures/folio-model.ts';
import { type House, openHouse, type Person } from './fixtures/house.ts';
import { newHouse, newStay, type Stay } from './fixtures/stay.ts';
import { type Book, bookOf } from './model/book.ts';
import { findFolio, lockOrPrepare } from './queries/folios.ts';
import { listNights } from './queries/nights.ts';
import { service } from './service.ts';

let inn: House;
let a: Person;
let b: Person;
let stayOfA: Stay;
let folioOfA: string;
beforeAll(async () => {
  inn = await openHouse();
  [a, b] = [inn.newPerson(), inn.newPerson()];
  [stayOfA, folioOfA] = await fill(a);
  await fill(b);
});
afterAll(() => inn?.close());

/** Something in every table: a stay that was shortened, invoiced, paid, left, and somebody drank tea after it. */
async function fill(owner: Person): Promise<[Stay, string]> {
  const house = newHouse();
  const stay = newStay({ propertyId: house.propertyId });
  const { tenantId } = owner;
  await inn.know(tenantId, house);
  await inn.tell(tenantId, stay.confirmed(), stay.captured(newId('pay'), 400_000), stay.checkInStarted());
  await inn.tell(tenantId, stay.delta(2), house.dayClosed('2026-03-21'));
  const { folioId } = await inn.folio(owner, stay);
  const paper = { locale: 'en', recipient: { name: 'Guest' } };
  const { body } = await inn.send(owner, 'POST', `/folios/${folioId}/invoices`, paper);
  await inn.send(owner, 'POST', `/invoices/${body.invoiceId}/void`, { reason: 'duplicate' });
  const service = {
    what: { kind: 'service', service: 'other' },
    quantity: 1,
    unitPrice: { amount: '700', currency: 'AFN' },
  };
  await inn.send(owner, 'POST', `/folios/${folioId}/charges`, service);
  await inn.tell(tenantId, stay.checkOutStarted());
  await inn.tell(tenantId, stay.captured(newId('pay'), 700, 'check_out'));
  await inn.tell(tenantId, stay.consumed(newId('cns')));
  expect(await inn.folio(owner, stay)).toMatchObject({ status: 'closed' });
  return [stay, folioId];
}

const growing = [
  'lines',
  'entries',
  'collections',
  'invoices',
  'invoice_lines',
  'invoice_documents',
  'invoice_voids',
];
const db = () => inn.system.db(inn.service);
const as = (tenantId: TenantId) => ({ tenantId, actor: testActor });

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(
    service,
    () => ({ database: inn.system.database, db: db(), own: a.tenantId, other: b.tenantId }),
    { onlyGrows: growing },
  );

  test('safety-10: over HTTP another tenant’s folios and invoices do not exist', async () => {
    const { body } = await inn.send(a, 'GET', `/invoices?folioId=${folioOfA}`);
    const [{ invoiceId }] = body.invoices;
    const charge = {
      what: { kind: 'service', service: 'other' },
      quantity: 1,
      unitPrice: { amount: '1', currency: 'AFN' },
    };
    for (const [method, path, sent] of [
      ['GET', `/folios/${folioOfA}`],
      ['POST', `/folios/${folioOfA}/charges`, charge],
      ['POST', `/folios/${folioOfA}/splits`, { name: 'Mine' }],
      ['POST', `/folios/${folioOfA}/collect`],
      ['POST', `/folios/${folioOfA}/invoices`, {}],
      ['GET', `/invoices/${invoiceId}`],
      ['GET', `/invoices/${invoiceId}/document`],
      ['POST', `/invoices/${invoiceId}/void`, { reason: 'duplicate' }],
    ] as const)
      expect([path, (await inn.send(b, method, path, sent)).status]).toEqual([path, 404]);
    expect(await inn.folio(b, stayOfA)).toBeUndefined();
  });
});

describe('what the database itself refuses', () => {
  test.each(growing)('R22, safety-26: %s only grows, for its owner too', async name => {
    for (const statement of [
      `update billing.${name} set tenant_id = tenant_id`,
      `delete from billing.${name}`,
    ])
      await expect(inn.system.database.admin(statement)).rejects.toMatchObject({ code: '42501' });
  });

  const addEntry = (account: string, amount: number) =>
    inn.system.database.admin(
      `insert into billing.entries
       select tenant_id, line_id, 90, folio_id, $2, $3, currency
       from billing.entries where tenant_id = $1 limit 1`,
      [a.tenantId, account, amount],
    );

  test('a line whose debits and credits differ cannot be committed', async () => {
    await expect(addEntry('suspense', 5)).rejects.toMatchObject({ code: '23514' });
  });

  test('R22: nothing is posted to a closed folio, and it is not opened again', async () => {
    await expect(addEntry('guest:1', 5)).rejects.toMatchObject({ code: '42501' });
    for (const statement of [
      `update billing.folios set status = 'open', closed_on = null, occasion = null where tenant_id = $1`,
      'delete from billing.folios where tenant_id = $1',
    ])
      await expect(inn.system.database.admin(statement, [a.tenantId])).rejects.toMatchObject({
        code: '42501',
      });
  });

  test('R22: a refund beyond its capture', async () => {
    const statement = 'update billing.payments set refunded = amount + 1 where tenant_id = $1';
    await expect(inn.system.database.admin(statement, [a.tenantId])).rejects.toMatchObject({
      constraint: 'payments_refunded',
    });
  });
});

test('M2, R22: hundreds of random steps on PostgreSQL leave what the model has; every prefix of the ledger balances', async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (history: Step[]) => {
      const tenantId = newTenantId();
      const truth = newTruth();
      const origin = { reservationId: newId('rsv'), propertyId: newId('pro'), currency: 'AFN' } as const;
      let book = await tenantTransaction(db(), as(tenantId), async ctx => {
        const folio = await lockOrPrepare(ctx, origin);
        return keepBook(ctx, { folio }, fresh => begin(fresh, truth)).book;
      });
      for (const one of [...history, { do: 'check-in' }, { do: 'check-out' }, { do: 'settle' }] as Step[]) {
        const before = book;
        // Decided in memory, saved on the database, and compared before the next one.
        const after = take(one, before, truth);
        if (after === before) continue;
        steps++;
        await tenantTransaction(db(), as(tenantId), async ctx => {
          await sameAsStored(ctx, before);
          keepBook(ctx, before, () => after);
        });
        book = bookOf({ ...after.folio, payments: byId(after.folio.payments) }, after.nights);
      }
      await tenantTransaction(db(), as(tenantId), ctx => sameAsStored(ctx, book));
    }),
    { numRuns: 20 },
  );
  expect(steps).toBeGreaterThan(200);
  const [broken] = await inn.system.database.admin<{ prefixes: number; off: number }>(
    `select count(*)::int as prefixes, (count(*) filter (where sum <> 0))::int as off
     from (select sum(sum(e.amount)) over (partition by l.tenant_id, l.currency order by l.occurred_at, l.id) as sum
           from billing.lines l join billing.entries e on e.tenant_id = l.tenant_id and e.line_id = l.id
           group by l.tenant_id, l.currency, l.occurred_at, l.id) as prefix`,
  );
  expect(broken).toMatchObject({ off: 0 });
  expect(broken?.prefixes).toBeGreaterThan(100);
});

const byId = <T extends { id: string }>(all: readonly T[]): T[] =>
  [...all].sort((x, y) => (x.id < y.id ? -1 : 1));

async function sameAsStored({ tx }: Ctx, { folio, nights }: Book): Promise<void> {
  const stored = await findFolio(tx, { folioId: folio.id });
  const used = new Map([...folio.balances].filter(([account]) => stored?.balances.has(account)));
  expect(stored).toEqual({ ...folio, balances: used });
  expect([...folio.balances].filter(([account, amount]) => amount !== 0n && !used.has(account))).toEqual([]);
  const byDate = [...nights].sort((x, y) => (x.date < y.date ? -1 : 1));
  expect(await listNights(tx, { folioId: folio.id })).toEqual(byDate);
}
