import { type Id, idFromUuid } from '@ghasi/domain-primitives/ids';
import { RoomArchived } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignRoom } from './commands/assign-room.ts';
import { blockRoom, endBlock } from './commands/blocks.ts';
import { limitOverbooking } from './commands/capacity.ts';
import { removeFeed } from './commands/feeds.ts';
import { beginWaitingBlocks } from './commands/waiting-blocks.ts';
import { AllocationCommitted, OversellBlocked } from './contract.ts';
import { day } from './fixtures/bookings.ts';
import { movesOf, openFeed } from './fixtures/feeds.ts';
import { type House, type Inn, openHouse } from './fixtures/house.ts';
import type { PortalEvent } from './fixtures/portal.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Few nights: an inn is made for every test. */
const kabul = { zone: 'Asia/Kabul', from: '2027-04-25' };
const at = (date: string) => new Date(`${date}T08:00:00.000Z`);
const booked = (uid: string, from: string, until: string, summary = 'Reserved'): PortalEvent => ({
  ...{ uid, summary },
  ...{ from: `2027-05-${from}`, until: `2027-05-${until}` },
});
/** How many rooms are left to sell, from one day of May to another. */
const left = async (inn: Inn, from: string, until: string) =>
  (await house.nights(inn, `2027-05-${from}`, `2027-05-${until}`)).map(night => night.capacity - night.sold);
const held = async (inn: Inn, from: string, until: string, more = {}) => {
  const booking = inn.book(`2027-05-${from}`, `2027-05-${until}`, more);
  const [told] = await house.hear(inn.tenantId, booking.held());
  return { booking, isTaken: told?.event === AllocationCommitted };
};
const begin = (inn: Inn, now?: Date) => house.inside(inn.tenantId, beginWaitingBlocks, now);
const room = (inn: Inn, n = 0) => inn.rooms[n] as Id<'rom'>;

describe('R13: a calendar of a room', () => {
  test('R13: the same feed ten times, then without what is over and with another "not available" window: zero new rows', async () => {
    const inn = await house.inn(2, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    const window = (uid: string, from: string) => ({
      ...{ uid, from, until: '2027-12-31', summary: 'Airbnb (Not available)' },
    });
    const bookings = [booked('a', '05', '08'), booked('b', '10', '12'), booked('c', '12', '15')];
    const first = await feed.take([...bookings, window('w1', '2027-06-01')], at('2027-05-06'));
    expect(first.counts).toEqual({ booked: 3, ignored: 1, added: 3, moved: 0, dropped: 0, waiting: 0 });
    const rows = await feed.rows();
    expect(rows).toHaveLength(6);
    for (let n = 0; n < 10; n += 1) {
      const { counts } = await feed.take([...bookings, window(`w1`, '2027-06-01')], at('2027-05-06'));
      expect(counts).toMatchObject({ added: 0, moved: 0, dropped: 0 });
    }
    // The portal goes with the time: what is over or has begun is left out, its closed window gets a new UID every day.
    await feed.take(
      [booked('b', '10', '12'), booked('c', '12', '15'), window('w2', '2027-06-02')],
      at('2027-05-07'),
    );
    await feed.take([booked('c', '12', '15'), window('w3', '2027-06-06')], at('2027-05-11'));
    await feed.take([booked('c', '13', '15'), window('w4', '2027-06-08')], at('2027-05-13'));
    await feed.take([], at('2027-05-16'));
    expect(await feed.rows()).toEqual(rows);
    expect(await left(inn, '04', '16')).toEqual([2, 2, 1, 1, 2, 2, 1, 1, 1, 1, 1, 2]);
  });

  test('R13: changed dates move the block, and the nights come free and are taken', async () => {
    const inn = await house.inn(1, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([booked('a', '10', '12')]);
    expect(await left(inn, '09', '15')).toEqual([1, 0, 0, 1, 1, 1]);
    const rows = (await feed.rows()).length;
    expect((await feed.take([booked('a', '11', '14')])).counts).toMatchObject({ added: 0, moved: 1 });
    expect(await left(inn, '09', '15')).toEqual([1, 1, 0, 0, 0, 1]);
    expect((await feed.rows()).length).toBe(rows);
    expect(await feed.blocks()).toEqual({ a: 'active 2027-05-11 2027-05-14' });
  });

  test('R13: vanished events are dropped if they have not begun, never past or running ones, and come back as the same row', async () => {
    const inn = await house.inn(3, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    const all = [booked('past', '01', '03'), booked('running', '05', '09'), booked('next', '12', '14')];
    await feed.take(all, at('2027-05-01'));
    expect((await feed.take([], at('2027-05-06'))).counts).toMatchObject({ dropped: 1 });
    expect(await feed.blocks()).toEqual({
      past: 'active 2027-05-01 2027-05-03',
      running: 'active 2027-05-05 2027-05-09',
      next: 'ended vanished 2027-05-12 2027-05-14',
    });
    expect(await left(inn, '01', '15')).toEqual([2, 2, 3, 3, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    const blocks = (await feed.rows()).filter(row => row.startsWith('block'));
    await feed.take([booked('next', '12', '14')], at('2027-05-06'));
    expect((await feed.rows()).filter(row => row.startsWith('block'))).toEqual(blocks);
    expect(await left(inn, '12', '14')).toEqual([2, 2]);
  });

  test('R13: a running event may end earlier or later; the nights that were slept stay', async () => {
    const inn = await house.inn(1, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([booked('a', '05', '09')], at('2027-05-05'));
    await feed.take([booked('a', '05', '11')], at('2027-05-07'));
    expect(await left(inn, '05', '12')).toEqual([0, 0, 0, 0, 0, 0, 1]);
    await feed.take([booked('a', '05', '08')], at('2027-05-07'));
    expect(await left(inn, '05', '12')).toEqual([0, 0, 0, 1, 1, 1, 1]);
    await feed.take([booked('a', '20', '22')], at('2027-05-07'));
    expect(await left(inn, '05', '12')).toEqual([0, 0, 1, 1, 1, 1, 1]);
    expect(await left(inn, '20', '23')).toEqual([0, 0, 1]);
    expect(await feed.rows()).toHaveLength(3);
  });

  test('R3, R13: today is the date on the wall of the house: 20:00 UTC is tomorrow in Kabul, yesterday evening in Los Angeles', async () => {
    const late = new Date('2027-05-10T20:00:00.000Z');
    const outcomes = [];
    for (const where of ['Asia/Kabul', 'America/Los_Angeles']) {
      const inn = await house.inn(1, { ...kabul, zone: where });
      const feed = await openFeed(house, inn, { room: 0 });
      await feed.take([booked('a', '11', '13')], at('2027-05-01'));
      await feed.take([], late);
      outcomes.push((await feed.blocks()).a?.split(' ')[0]);
    }
    expect(outcomes).toEqual(['active', 'ended']);
  });

  test('R13: its room is not assigned, not repaired over, and shown on the chart as imported', async () => {
    const inn = await house.inn(2, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([booked('a', '10', '12')]);
    const { booking } = await held(inn, '10', '12');
    const assigning = house.inside(inn.tenantId, ctx =>
      assignRoom(ctx, { bookedRoomId: booking.bookedRoomId, roomId: room(inn) }),
    );
    await expect(assigning).rejects.toMatchObject({ code: 'ROOM_TAKEN' });
    const nights = { from: day('2027-05-11'), until: day('2027-05-13') };
    const blocking = (kind: 'out_of_order') =>
      house.inside(inn.tenantId, ctx => blockRoom(ctx, { roomId: room(inn), kind, ...nights, reason: null }));
    await expect(blocking('out_of_order')).rejects.toMatchObject({ code: 'ROOM_BLOCKED' });
    const query = `propertyId=${inn.propertyId}&from=2027-05-01&until=2027-06-01`;
    const desk = { tenantId: inn.tenantId, roles: ['front_desk'] };
    const chart = await house.send(desk, 'GET', `/room-assignments?${query}`);
    expect(chart.body).toMatchObject({
      uses: [{ kind: 'imported', nights: { from: '2027-05-10', until: '2027-05-12' }, reservationId: null }],
    });
    const listed = await house.send(desk, 'GET', `/room-blocks?${query}`);
    expect(listed.body).toMatchObject({
      blocks: [{ kind: 'imported', feedId: feed.id, roomId: room(inn), roomTypeId: null, reason: null }],
    });
  });
});

describe('R11, R13: what a portal sold that is sold already', () => {
  test('R11: nothing is oversold: the free nights are taken, the rest is on the move list and tried again when the guest has moved', async () => {
    const inn = await house.inn(2, kabul);
    const { booking } = await held(inn, '11', '13', { roomId: room(inn) });
    const feed = await openFeed(house, inn, { room: 0 });
    expect((await feed.take([booked('a', '10', '14')])).counts).toMatchObject({ added: 1, waiting: 1 });
    expect(await left(inn, '10', '14')).toEqual([1, 1, 1, 1]);
    expect(await movesOf(house, inn)).toEqual([
      `room_wanted_by_feed 2027-05-11 2027-05-13 ${booking.reservationId}`,
    ]);
    expect(await begin(inn)).toBe(0);
    await house.inside(inn.tenantId, ctx =>
      assignRoom(ctx, { bookedRoomId: booking.bookedRoomId, roomId: room(inn, 1) }),
    );
    expect(await begin(inn)).toBe(1);
    expect(await left(inn, '10', '14')).toEqual([1, 0, 0, 1]);
    expect(await movesOf(house, inn)).toEqual([]);
    expect(await feed.blocks()).toEqual({ a: 'active 2027-05-10 2027-05-14' });
  });

  test('R11: the next import tries again too, and a cancelled booking frees the way', async () => {
    const inn = await house.inn(1, kabul);
    const { booking } = await held(inn, '10', '12');
    const feed = await openFeed(house, inn, { room: 0 });
    const told = [booked('a', '10', '12')];
    expect((await feed.take(told)).counts).toMatchObject({ waiting: 1 });
    // Nobody is in this very room, but every room of the type is sold.
    expect(await movesOf(house, inn)).toEqual(['nothing_free 2027-05-10 2027-05-12']);
    const rows = (await feed.rows()).length;
    expect((await feed.take(told)).counts).toMatchObject({ added: 0, waiting: 1 });
    expect((await feed.rows()).length).toBe(rows);
    await house.hear(inn.tenantId, booking.cancelled());
    expect((await feed.take(told)).counts).toMatchObject({ waiting: 0 });
    expect((await held(inn, '10', '12')).isTaken).toBe(false);
    expect(await movesOf(house, inn)).toEqual([]);
  });

  test('R11: two portals that sold the same night: the first has it, the second is on the move list', async () => {
    const inn = await house.inn(1, kabul);
    const [one, two] = [
      await openFeed(house, inn, { room: 0 }),
      await openFeed(house, inn, { room: 0, name: 'B' }),
    ];
    await one.take([booked('a', '10', '12')]);
    await two.take([booked('a', '11', '13')]);
    expect(await two.blocks()).toEqual({ a: 'waiting 2027-05-11 2027-05-13' });
    expect(await movesOf(house, inn)).toEqual(['nothing_free 2027-05-11 2027-05-13']);
    await one.take([]);
    expect(await begin(inn)).toBe(1);
    expect(await left(inn, '10', '13')).toEqual([1, 0, 0]);
  });

  test('what waited until its nights were over waits no more', async () => {
    const inn = await house.inn(1, kabul);
    await held(inn, '10', '12', { roomId: room(inn) });
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([booked('a', '10', '12')]);
    await begin(inn, at('2027-05-11'));
    expect(await feed.blocks()).toEqual({ a: 'waiting 2027-05-10 2027-05-12' });
    await begin(inn, at('2027-05-12'));
    expect(await feed.blocks()).toEqual({ a: 'ended lapsed 2027-05-10 2027-05-12' });
  });

  test('R13: what the desk ends comes free from today on, and stays ended until the portal says something new', async () => {
    const inn = await house.inn(1, kabul);
    const feed = await openFeed(house, inn, { room: 0 });
    await feed.take([booked('a', '05', '09')], at('2027-05-05'));
    const [found] = await house.database.admin<{ id: string }>(
      'select id from inventory.blocks where tenant_id = $1',
      [inn.tenantId],
    );
    const blockId = idFromUuid('rbl', found?.id ?? '');
    await house.inside(inn.tenantId, ctx => endBlock(ctx, { blockId }), at('2027-05-07'));
    expect(await left(inn, '05', '09')).toEqual([0, 0, 1, 1]);
    await feed.take([booked('a', '05', '09')], at('2027-05-07'));
    expect(await left(inn, '05', '09')).toEqual([0, 0, 1, 1]);
    await feed.take([booked('a', '05', '10')], at('2027-05-07'));
    expect(await left(inn, '05', '10')).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('R13: a calendar of a room type', () => {
  test('R13: every event takes one room of the type from the counters, also several on a night', async () => {
    const inn = await house.inn(3, kabul);
    const feed = await openFeed(house, inn, {});
    const told = [booked('a', '10', '13'), booked('b', '11', '12')];
    await feed.take(told);
    expect(await left(inn, '10', '14')).toEqual([2, 1, 2, 3]);
    const rows = await feed.rows();
    for (let n = 0; n < 10; n += 1) await feed.take(told);
    expect(await feed.rows()).toEqual(rows);
    await feed.take([booked('b', '11', '12')]);
    expect(await left(inn, '10', '14')).toEqual([3, 2, 3, 3]);
  });

  test('R11: a sold-out night waits on the move list and never oversells, with an overbooking limit or without', async () => {
    const inn = await house.inn(1, kabul);
    const { booking } = await held(inn, '11', '12');
    const feed = await openFeed(house, inn, {});
    await feed.take([booked('a', '10', '13')]);
    expect(await house.nights(inn, '2027-05-10', '2027-05-13')).toMatchObject([
      { rooms: 0, sold: 0 },
      { rooms: 1, sold: 1 },
      { rooms: 0, sold: 0 },
    ]);
    expect(await movesOf(house, inn)).toEqual(['nothing_free 2027-05-10 2027-05-13']);
    await house.inside(inn.tenantId, async ctx => {
      await limitOverbooking(ctx, { roomTypeId: inn.roomTypeId, limit: 1 });
    });
    expect(await begin(inn)).toBe(1); // the house may sell one more than it has
    expect(await house.nights(inn, '2027-05-11', '2027-05-12')).toMatchObject([{ rooms: 0, sold: 1 }]);
    const nights = { from: day('2027-05-10'), until: day('2027-05-11') };
    const blocking = house.inside(inn.tenantId, ctx =>
      blockRoom(ctx, { roomId: room(inn), kind: 'out_of_order', ...nights, reason: null }),
    );
    await expect(blocking).rejects.toMatchObject({ code: 'NIGHTS_SOLD' });
    await house.hear(inn.tenantId, booking.cancelled());
    const [told] = await house.hear(inn.tenantId, inn.book('2027-05-11', '2027-05-12', { rooms: 2 }).held());
    expect(told?.event).toBe(OversellBlocked);
  });
});

test("R11: a room that is archived under a portal's booking leaves none to sell, not fewer than none", async () => {
  const inn = await house.inn(2, kabul);
  const feed = await openFeed(house, inn, {});
  await feed.take([booked('a', '10', '12'), booked('b', '10', '12')]);
  const archived = {
    ...{ roomId: room(inn), propertyId: inn.propertyId, roomTypeId: inn.roomTypeId, number: '101' },
    ...{ closedFrom: '2027-05-11', reason: 'converted' as const },
  };
  await house.hear(inn.tenantId, RoomArchived.from(archived, { aggregateVersion: 2 }));
  expect((await house.nights(inn, '2027-05-10', '2027-05-13')).map(({ rooms }) => rooms)).toEqual([0, 0, 1]);
  await feed.take([booked('b', '10', '12')]);
  expect((await house.nights(inn, '2027-05-10', '2027-05-13')).map(({ rooms }) => rooms)).toEqual([1, 0, 1]);
});

test('R13: a removed feed gives back what has not begun, and its address is forgotten', async () => {
  const inn = await house.inn(1, kabul);
  const feed = await openFeed(house, inn, { room: 0 });
  await feed.take([booked('running', '05', '08'), booked('next', '10', '12')], at('2027-05-05'));
  await house.inside(inn.tenantId, ctx => removeFeed(ctx, { feedId: feed.id }), at('2027-05-06'));
  expect(await feed.blocks()).toEqual({
    running: 'active 2027-05-05 2027-05-08',
    next: 'ended feed_removed 2027-05-10 2027-05-12',
  });
  expect(await left(inn, '05', '12')).toEqual([0, 0, 0, 1, 1, 1, 1]);
  await expect(feed.take([])).rejects.toThrow('gone');
});

test('R7, R13: imports and bookings that race for the last room: no night has both, and nobody waits in a circle', async () => {
  const inn = await house.inn(1, kabul);
  const feed = await openFeed(house, inn, { room: 0 });
  for (let round = 0; round < 12; round += 1) {
    // The calendar takes late nights before early ones, the bookings the other way round.
    const told = [booked('a', '14', '16'), booked('b', '10', '12')];
    const bookings = Array.from({ length: 6 }, (_, n) =>
      inn.book('2027-05-11', '2027-05-15', n % 2 === 0 ? { roomId: room(inn) } : {}),
    );
    const [imported] = await Promise.all([
      feed.take(told),
      ...bookings.map(booking => house.hear(inn.tenantId, booking.held())),
    ]);
    const nights = await house.nights(inn, '2027-05-10', '2027-05-16');
    for (const { sold, rooms } of nights) expect(sold).toBeLessThanOrEqual(rooms);
    const sold = nights[1]?.sold ?? 0;
    expect(imported.counts?.waiting, `round ${round}`).toBe(sold === 1 ? 2 : 0);
    for (const booking of bookings) await house.hear(inn.tenantId, booking.cancelled());
    await feed.take([]);
  }
  expect(await left(inn, '10', '16')).toEqual([1, 1, 1, 1, 1, 1]);
});
