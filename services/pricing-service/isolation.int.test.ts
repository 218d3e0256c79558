import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }), {
    onlyGrows: ['deltas'],
  });
});

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
