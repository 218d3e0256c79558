import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { isolationContract } from '@ghasi/testing/isolation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockRoom } from './commands/blocks.ts';
import { publishCalendar } from './commands/calendars.ts';
import { addFeed } from './commands/feeds.ts';
import { importFeed } from './commands/import-feed.ts';
import { stopSelling } from './commands/stop-sells.ts';
import { day } from './fixtures/bookings.ts';
import { type House, type Inn, openHouse } from './fixtures/house.ts';
import { service } from './service.ts';

let house: House;
let a: Inn;
let b: Inn;
beforeAll(async () => {
  house = await openHouse();
  [a, b] = [await house.inn(2, { zone: 'Asia/Kabul' }), await house.inn(2, { zone: 'Asia/Kabul' })];
  for (const inn of [a, b]) {
    const [roomId, other] = inn.rooms as [Id<'rom'>, Id<'rom'>];
    const nights = { from: day('2027-05-10'), until: day('2027-05-12') };
    await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-12', { roomId }).held());
    await house.inside(inn.tenantId, ctx =>
      blockRoom(ctx, { roomId: other, kind: 'out_of_order', ...nights, reason: 'paint' }),
    );
    await house.inside(inn.tenantId, ctx =>
      stopSelling(ctx, { roomTypeId: inn.roomTypeId, ...nights, reason: 'owner_use' }),
    );
    await house.inside(inn.tenantId, ctx => arrangeCalendars(ctx, inn));
  }
});
afterAll(() => house.close());

/** A feed that has taken a room of the type, and a calendar of ours. */
async function arrangeCalendars(ctx: Ctx, { roomTypeId }: Inn): Promise<void> {
  const { id: feedId } = await addFeed(ctx, { roomTypeId, name: 'Portal', url: null }, {});
  const nights = { from: day('2027-06-01'), until: day('2027-06-03') };
  const events = [{ uid: 'a', summary: 'Reserved', cancelled: false, ...nights }];
  await importFeed(ctx, { feedId, looked: { kind: 'calendar', events, etag: null, lastModified: null } });
  await publishCalendar(ctx, { roomTypeId, exceptFeedId: feedId, tokenHash: Buffer.alloc(32, 7) });
}

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  isolationContract(service, () => ({ ...house, own: a.tenantId, other: b.tenantId }));
});

test('safety-8: two tenants may have the same room id on the same night, and learn nothing of each other', async () => {
  const [roomId] = a.rooms;
  const told = await house.hear(
    b.tenantId,
    b.book('2027-06-10', '2027-06-12', { roomId: roomId ?? null }).held(),
  );
  const own = await house.hear(
    a.tenantId,
    a.book('2027-06-10', '2027-06-12', { roomId: roomId ?? null }).held(),
  );
  expect([...told, ...own].map(({ event }) => event.verb)).toEqual(['committed', 'committed']);
});

test('safety-6: the functions that look across tenants give ids, to this service only', async () => {
  const open = await house.database.admin<{ name: string; open: boolean }>(
    `select p.proname as name, has_function_privilege('svc_iam', p.oid, 'execute') as open
     from pg_proc p where p.pronamespace = 'inventory'::regnamespace and p.prosecdef order by 1`,
  );
  expect(open).toEqual(
    expect.arrayContaining([
      { name: 'calendar_of_token', open: false },
      { name: 'due_feeds', open: false },
      { name: 'tenants_to_tidy', open: false },
      { name: 'tenants_with_due_holds', open: false },
      { name: 'tenants_with_waiting_blocks', open: false },
    ]),
  );
  expect(open.some(one => one.open)).toBe(false);
});
