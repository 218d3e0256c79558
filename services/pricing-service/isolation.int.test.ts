import { getTableName, sql } from '@ghasi/db/drizzle';
import { isPrivilegeViolation } from '@ghasi/db/pg-errors';
import { execute, row, rows } from '@ghasi/db/sql';
import { systemTransaction } from '@ghasi/db/tenant-transaction';
import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { drizzleDrift } from '@ghasi/testing/drizzle-drift';
import { testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyDelta } from './commands/deltas.ts';
import { makeQuote } from './contract/questions.ts';
import { type Hotel, type House, openHouse, saturday } from './fixtures/house.ts';
import { noteUse } from './queries/quotes.ts';
import { service } from './service.ts';

let house: House;
let a: Hotel;
let b: Hotel;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.hotel(), await house.hotel()];
  for (const hotel of [a, b]) await fill(hotel);
});
afterAll(() => house.close());

/** A row in every table. */
async function fill({ tenantId, propertyId, single, plans }: Hotel): Promise<void> {
  const room = { roomTypeId: single, ratePlanId: plans.flexible, adults: 1, children: 0 };
  const stay = { arrival: saturday, departure: addDays(saturday, 2) };
  const outcome = await house.ask(makeQuote, { tenantId, propertyId, stay, rooms: [room] });
  if (outcome.kind === 'refused') expect.fail('refused');
  const { quoteId } = outcome.quote;
  const reservationId = newId('rsv');
  const newStay = { arrival: saturday, departure: addDays(saturday, 3) };
  await house.inside(tenantId, async ctx => {
    noteUse(ctx, { reservationId, quoteId, status: 'booked' });
    await applyDelta(ctx, {
      ...{ allocationId: newId('alc'), reservationId, propertyId, reservationVersion: 2, quoteId },
      ...{ guestId: newId('gst'), locale: 'en', previousStay: stay, newStay, nights: [] },
      rooms: [
        {
          ...{ ...room, bookedRoomId: newId('brm'), previousStay: stay, newStay },
          ...{ previousRoomId: null, roomId: null },
        },
      ],
      keyWindow: { validFrom: '2026-03-21T09:30:00.000Z', validUntil: '2026-03-24T07:30:00.000Z' },
    });
  });
}

const owned = Object.values(service.tables).map(getTableName);
const table = (name: string) => sql`${sql.identifier('pricing')}.${sql.identifier(name)}`;

test('the Drizzle tables and the migrated database are the same, in both directions', async () => {
  expect(await drizzleDrift(house.database, service.schema, service.tables)).toEqual([]);
});

test.each(owned)('TEN-08: tenant A sees its own rows of pricing.%s and none of B', async name => {
  const seen = await house.inside(a.tenantId, ({ tx }) =>
    rows<{ tenant_id: string }>(tx, sql`select tenant_id from ${table(name)}`),
  );
  expect(new Set(seen.map(one => one.tenant_id))).toEqual(new Set([a.tenantId]));
});

test.each(owned)('safety-3: without a tenant pricing.%s is empty', async name => {
  const seen = await systemTransaction(house.db, { actor: testActor }, ({ tx }) =>
    rows(tx, sql`select 1 from ${table(name)}`),
  );
  expect(seen).toEqual([]);
});

test.each(owned)(
  'safety-7: a row of pricing.%s cannot be moved or written into another tenant',
  async name => {
    const copy = await house.inside(a.tenantId, ({ tx }) =>
      row<{ one: object }>(tx, sql`select to_jsonb(t) as one from ${table(name)} t limit 1`),
    );
    const foreign = JSON.stringify({ ...copy?.one, tenant_id: b.tenantId });
    const record = sql`select * from jsonb_populate_record(null::${table(name)}, ${foreign}::jsonb)`;
    for (const attempt of [
      sql`insert into ${table(name)} ${record}`,
      sql`insert into ${table(name)} ${record} on conflict do nothing`,
      sql`update ${table(name)} set tenant_id = ${b.tenantId}`,
    ]) {
      const refused = house.inside(a.tenantId, ({ tx }) => execute(tx, attempt));
      await expect(refused).rejects.toSatisfy(isPrivilegeViolation);
    }
  },
);

test('safety-10: another tenant’s plan, quote and policy look as if they did not exist', async () => {
  const plain = async (path: string) => {
    const { status, body } = await house.send(b.owner, 'GET', path);
    return { status, ...body, correlationId: '', instance: '' };
  };
  const theirs = await plain(`/rate-plans/${a.plans.flexible}`);
  expect(theirs).toEqual(await plain(`/rate-plans/${newId('rpl')}`));
  expect(theirs.status).toBe(404);
  const foreign = {
    propertyId: a.propertyId,
    stay: { arrival: saturday, departure: addDays(saturday, 2) },
    rooms: [{ roomTypeId: a.single, ratePlanId: a.plans.flexible, adults: 1, children: 0 }],
  };
  expect(await house.send(b.owner, 'POST', '/quotes', foreign)).toMatchObject({
    body: { kind: 'refused', refusals: [{ reason: 'property_unknown' }] },
  });
});

test('safety-6: the function that looks across tenants names tenants and nothing else, to this service only', async () => {
  const [found] = await house.database.admin<{ open: boolean; shown: string }>(
    `select has_function_privilege('svc_iam', p.oid, 'execute') as open, pg_get_function_result(p.oid) as shown
     from pg_proc p where p.proname = 'tenants_with_lapsed_quotes'`,
  );
  expect(found).toEqual({ open: false, shown: 'TABLE(tenant_id uuid)' });
});
