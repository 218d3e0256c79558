import { newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { AllocationReleased } from '@melmastoon/inventory-service/contract';
import { AmenityChanged, RoomArchived } from '@melmastoon/property-service/contract';
import { TenantSuspended } from '@melmastoon/tenant-service/events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ListingEvicted, ListingIndexed } from './contract.ts';
import { type Inn, inDays } from './fixtures/inn.ts';
import { openTown, type Town } from './fixtures/town.ts';
import { begin, checkpointsOf, complete, lockPart } from './queries/checkpoints.ts';

let town: Town;
beforeAll(async () => {
  town = await openTown();
});
afterAll(() => town.close());

const indexed = (inn: Inn) => town.said(inn.tenantId, ListingIndexed);
const evicted = async (inn: Inn) =>
  (await town.said(inn.tenantId, ListingEvicted)).map(({ reason }) => reason);
const owner = (inn: Inn) => ({ tenantId: inn.tenantId, role: 'owner' });
const statusOf = async (inn: Inn) => {
  const { body } = await town.send(owner(inn), 'GET', '/listings');
  return body.listings.find(({ propertyId }: { propertyId: string }) => propertyId === inn.propertyId);
};
const isFound = async (inn: Inn, query = {}) => (await town.found(query)).includes(inn.propertyId);
const suspended = (inn: Inn, aggregateVersion = 2) => {
  inn.status = 'suspended';
  const payload = { tenantId: inn.tenantId, reason: 'billing_failure', staffLockedOut: false } as const;
  return TenantSuspended.from(payload, { aggregateVersion });
};
const [sweep, hourly, nightly] = [0, 1, 2];
const run = async (which: number) => {
  const job = town.service.schedules[which]?.job as never;
  await town.inside(PLATFORM_TENANT_ID, ctx => enqueue(ctx, job, {}));
  await town.system.settled();
};

describe('a listing', () => {
  test('EVT-71: is told with what is public of the house, its free nights and lowest prices', async () => {
    const inn = await town.inn();
    const [first, ...more] = await indexed(inn);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      propertyId: inn.propertyId,
      tenantSlug: inn.slug,
      country: 'AF',
      currency: 'AFN',
      roomTypes: [{ roomTypeId: inn.roomTypeId, maxGuests: 3 }],
    });
    const [type] = (first as { roomTypes: { nights: object[] }[] }).roomTypes;
    expect(type?.nights).toHaveLength(120);
    expect(type?.nights[0]).toEqual({
      date: inDays(0),
      free: 3,
      from: { amount: '100000', currency: 'AFN' },
    });
    expect(await statusOf(inn)).toMatchObject({
      status: 'listed',
      version: 1,
      freshness: { status: 'READY' },
    });
  });

  test('SAGA-23: shows a booking: the night has a room less, and the next version says so', async () => {
    const inn = await town.inn();
    await town.tell(inn.tenantId, inn.booked(inDays(3), inDays(4)));
    const [, second] = await indexed(inn);
    const [type] = (second as { roomTypes: { nights: { free: number }[] }[] }).roomTypes;
    expect(type?.nights.slice(2, 5).map(({ free }) => free)).toEqual([3, 2, 3]);
    const { body } = await town.search({ arrival: inDays(3), departure: inDays(4), city: 'Kabul' });
    const found = body.listings.find(
      ({ propertyId }: { propertyId: string }) => propertyId === inn.propertyId,
    );
    expect(found.offer.free).toBe(2);
  });

  test('many events in a row are one computation, and what changes nothing is not told', async () => {
    const inn = await town.inn({ rooms: 20 });
    inn.asked.length = 0;
    await town.tell(inn.tenantId, ...Array.from({ length: 10 }, () => inn.booked(inDays(5), inDays(6))));
    expect(await indexed(inn)).toHaveLength(2);
    expect(new Set(inn.asked)).toEqual(new Set(['inventory.availability']));
    await town.tell(inn.tenantId, released(inn));
    expect(await indexed(inn)).toHaveLength(2);
    expect(await statusOf(inn)).toMatchObject({ version: 2, freshness: { status: 'READY' } });
  });

  test('X-088: is the same whatever is heard first: rooms and types before their house, the tenant last', async () => {
    const inn = town.stranger();
    for (const event of inn.opening().reverse()) await town.system.publish(inn.tenantId, [event]);
    await town.system.settled();
    expect(await indexed(inn)).toMatchObject([{ propertyId: inn.propertyId, tenantSlug: inn.slug }]);
    expect(await statusOf(inn)).toMatchObject({ status: 'listed', freshness: { status: 'READY' } });
  });

  test('amenities and photos follow; an older change is ignored', async () => {
    const inn = await town.inn({ name: ['Springs', 'چشمه‌ها'] });
    const change = (amenities: string[], added: string[], aggregateVersion: number) =>
      AmenityChanged.from(
        { propertyId: inn.propertyId, roomTypeId: null, amenities, added, removed: [] },
        { aggregateVersion },
      );
    await town.tell(inn.tenantId, change(['free_wifi', 'garden', 'lift'], ['lift'], 3));
    await town.tell(inn.tenantId, change(['free_wifi', 'garden'], ['garden'], 2));
    expect(await isFound(inn, { amenities: 'lift' })).toBe(true);
  });

  test('a new name is found, the old one no more', async () => {
    const inn = await town.inn({ name: ['Oldname', 'قدیم'] });
    inn.name = ['Newname', 'جدید'];
    await run(hourly);
    expect(await isFound(inn, { text: 'newname' })).toBe(true);
    expect(await isFound(inn, { text: 'oldname' })).toBe(false);
  });
});

describe('EVT-72: a house leaves the index', () => {
  test('when its tenant is suspended: at once, and it is back when it sells again', async () => {
    const inn = await town.inn();
    await town.tell(inn.tenantId, suspended(inn));
    expect(await isFound(inn)).toBe(false);
    expect(await evicted(inn)).toEqual(['tenant_suspended']);
    await town.tell(inn.tenantId, inn.booked(inDays(1), inDays(2))); // work goes on inside
    expect(await isFound(inn)).toBe(false);
    inn.status = 'active';
    await run(hourly);
    expect(await isFound(inn)).toBe(true);
    expect((await statusOf(inn)).version).toBe(3);
    await town.tell(inn.tenantId, suspended(inn, 2)); // an old one, once more
    inn.status = 'active';
    expect(await evicted(inn)).toHaveLength(1);
  });

  test('when its tenant is closed', async () => {
    const inn = await town.inn();
    inn.status = 'closed';
    await run(nightly);
    expect(await evicted(inn)).toEqual(['tenant_closed']);
  });

  test('when its last room is archived', async () => {
    const inn = await town.inn({ rooms: 0 });
    const { propertyId, roomTypeId } = inn;
    const roomId = newId('rom');
    inn.facts.rooms = 1;
    await town.tell(inn.tenantId, inn.roomAdded('101', roomId));
    expect(await isFound(inn)).toBe(true);
    const closing = { number: '101', closedFrom: inDays(-1), reason: 'closed' } as const;
    const archived = RoomArchived.from(
      { roomId, propertyId, roomTypeId, ...closing },
      { aggregateVersion: 2 },
    );
    await town.tell(inn.tenantId, archived);
    expect(await evicted(inn)).toEqual(['no_sellable_rooms']);
  });

  test('when its people do not want it to be found, and comes back when they do', async () => {
    const inn = await town.inn();
    const path = `/listings/${inn.propertyId}`;
    expect((await town.send(owner(inn), 'PUT', path, { wanted: false })).status).toBe(200);
    await town.system.settled();
    expect(await statusOf(inn)).toMatchObject({ status: 'gone', reason: 'unpublished', wanted: false });
    expect(await evicted(inn)).toEqual(['unpublished']);
    await town.send(owner(inn), 'PUT', path, { wanted: true });
    await town.system.settled();
    expect(await isFound(inn)).toBe(true);
    expect(
      (await town.send({ ...owner(inn), role: 'front_desk' }, 'PUT', path, { wanted: false })).status,
    ).toBe(403);
    expect((await town.send(owner(inn), 'PUT', `/listings/${newId('pro')}`, { wanted: false })).status).toBe(
      404,
    );
    expect((await town.send(owner(inn), 'PUT', path, { wanted: 'no' })).status).toBe(400);
  });
});

test('a house whose rooms inventory-service has not counted yet is looked at again until it has', async () => {
  const inn = await town.inn({ rooms: 0 });
  inn.counted = false;
  inn.facts.rooms = 1;
  await town.tell(inn.tenantId, inn.roomAdded());
  expect(await isFound(inn)).toBe(false);
  const waiting = await town.system.query<{ data: { input: { looks: number } } }>(
    'jobs',
    `select data from job where tenant_id = $1 and state = 'created'`,
    [inn.tenantId],
  );
  expect(waiting.map(({ data }) => data.input.looks)).toEqual([1]);
  inn.counted = true;
  await town.system.query('jobs', 'update job set start_after = now() where tenant_id = $1 returning 1', [
    inn.tenantId,
  ]);
  await town.system.settled();
  expect(await isFound(inn)).toBe(true);
});

describe('watermarks', () => {
  test('PROJ-07, PROJ-08: a part that fails leaves the others alone, and is the only one that is tried again', async () => {
    const inn = await town.inn();
    town.silent.add('pricing.calendar');
    await town.tell(inn.tenantId, inn.booked(inDays(1), inDays(2)), inn.priceChanged());
    const failed = await statusOf(inn);
    expect(failed.freshness.status).toBe('FAILED');
    const statusByPart = (view: { parts: { handler: string; status: string }[] }) =>
      Object.fromEntries(view.parts.map(({ handler, status }) => [handler, status]));
    expect(statusByPart(failed)).toEqual({ facts: 'COMPLETED', availability: 'COMPLETED', prices: 'FAILED' });
    inn.asked.length = 0;
    town.silent.clear();
    await town.system.query(
      'jobs',
      `update job set start_after = now() where tenant_id = $1 and state = 'retry' returning 1`,
      [inn.tenantId],
    );
    await town.system.settled();
    expect(inn.asked.filter(name => name !== 'inventory.availability')).toEqual(['pricing.calendar']);
    expect(await statusOf(inn)).toMatchObject({ status: 'listed', freshness: { status: 'READY' } });
  });

  test('PROJ-09: what is heard during a computation keeps the part behind, and is computed next', async () => {
    const inn = await town.inn();
    const read = () => town.inside(inn.tenantId, ({ tx }) => checkpointsOf(tx, inn.propertyId));
    const partOf = async () => (await read()).find(({ handler }) => handler === 'availability');
    await town.system.publish(inn.tenantId, [inn.booked(inDays(1), inDays(2)) as never]);
    await town.system.settled();
    const { watermark = 0 } = (await partOf()) ?? {};
    const due = { handler: 'availability', watermark } as const;
    await town.inside(inn.tenantId, ctx =>
      complete(ctx, inn.propertyId, { ...due, watermark: watermark - 1 }),
    );
    expect(await partOf()).toMatchObject({ status: 'PENDING', watermark });
  });

  test('PROJ-10: a result that was overtaken by a newer one is thrown away', async () => {
    const inn = await town.inn();
    const locked = (watermark: number) =>
      town.inside(inn.tenantId, ({ tx }) => lockPart(tx, inn.propertyId, { handler: 'prices', watermark }));
    const parts = await town.inside(inn.tenantId, ({ tx }) => checkpointsOf(tx, inn.propertyId));
    const { watermark = 0 } = parts.find(({ handler }) => handler === 'prices') ?? {};
    expect(await locked(watermark)).toEqual({ superseded: true, overtaken: false });
    expect(await locked(watermark - 1)).toEqual({ superseded: true, overtaken: true });
    expect(await locked(watermark + 1)).toEqual({ superseded: false, overtaken: false });
    expect(await town.inside(inn.tenantId, ctx => begin(ctx, inn.propertyId))).toEqual([]);
  });

  test('a listing whose job was lost is found by the sweep', async () => {
    const inn = await town.inn();
    await town.system.query(
      'search_aggregation',
      `update checkpoints set watermark = watermark + 1, status = 'PENDING', marked_at = now() - interval '2 minutes'
       where tenant_id = $1 and handler = 'facts' returning 1`,
      [inn.tenantId],
    );
    const { body } = await town.search({ text: 'khyber' });
    const one = body.listings.find(({ tenantSlug }: { tenantSlug: string }) => tenantSlug === inn.slug);
    expect(one.freshness.status).toBe('STALE');
    await run(sweep);
    expect((await statusOf(inn)).freshness.status).toBe('READY');
  });
});

function released(inn: Inn) {
  const stay = { arrival: inDays(5), departure: inDays(6) };
  const { propertyId, roomTypeId } = inn;
  return AllocationReleased.from(
    {
      ...{ allocationId: newId('alc'), reservationId: newId('rsv'), propertyId, reason: 'hold_expired' },
      rooms: [{ bookedRoomId: newId('brm'), roomTypeId, roomId: null, stay }],
      nights: [{ roomTypeId, date: stay.arrival, sold: 0, available: 3, nightVersion: 3 }],
    },
    { aggregateVersion: 2 },
  );
}
