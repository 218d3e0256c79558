import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AllocationCommitted,
  AllocationReallocated,
  AllocationReleased,
  OversellBlocked,
} from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const subjects = (events: readonly { event: { subject: string } }[]) =>
  events.map(({ event }) => event.subject);

const nightsIn = (told: { payload: unknown } | undefined) =>
  (told?.payload as { nights: { date: string }[] } | undefined)?.nights ?? [];

describe('a hold', () => {
  test('EVT-29, SAGA-16: takes its nights from the counters and says what is left', async () => {
    const inn = await house.inn(2);
    const booking = inn.book('2027-03-21', '2027-03-24');
    const [told] = await house.hear(inn.tenantId, booking.held());
    expect(told).toMatchObject({
      event: AllocationCommitted,
      payload: {
        reservationId: booking.reservationId,
        reservationVersion: 1,
        holdExpiresAt: '2099-01-01T00:00:00.000Z',
        rooms: [{ roomId: null, stay: { arrival: '2027-03-21', departure: '2027-03-24' } }],
      },
    });
    const nights = nightsIn(told);
    expect(nights).toHaveLength(3);
    expect(nights[0]).toMatchObject({ date: '2027-03-21', sold: 1, available: 1 });
    expect(await house.sold(inn, '2027-03-20', '2027-03-25')).toEqual([0, 1, 1, 1, 0]);
    const [waiting] = await house.published(inn.tenantId);
    expect(waiting).toMatchObject({
      topic: AllocationCommitted.subject,
      idempotencyKey: `${booking.reservationId}:committed:1`,
    });
  });

  test('R4: one night is one counter, whatever the zone of server or session', async () => {
    const inn = await house.inn(1);
    await house.hear(inn.tenantId, inn.book('2027-03-21', '2027-03-22').held());
    expect(await house.sold(inn, '2027-03-19', '2027-03-24')).toEqual([0, 0, 1, 0, 0]);
  });

  test('R5: stays that meet on a day both get the room, stays that share a night do not', async () => {
    const inn = await house.inn(1);
    await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-12').held());
    const turnover = await house.hear(inn.tenantId, inn.book('2027-05-12', '2027-05-14').held());
    const overlap = await house.hear(inn.tenantId, inn.book('2027-05-11', '2027-05-13').held());
    expect(subjects(turnover)).toEqual([AllocationCommitted.subject]);
    expect(subjects(overlap)).toEqual([OversellBlocked.subject]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-14')).toEqual([1, 1, 1, 1]);
  });

  test('R8: a basket of two rooms with one left is refused whole', async () => {
    const inn = await house.inn(2);
    await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-11').held());
    const basket = inn.book('2027-05-10', '2027-05-11', { rooms: 2 });
    const [told] = await house.hear(inn.tenantId, basket.held());
    expect(told?.payload).toMatchObject({
      step: 'hold',
      reason: 'sold_out',
      keptStay: null,
      shortfall: [{ date: '2027-05-10', asked: 2, available: 1 }],
    });
    expect(await house.sold(inn, '2027-05-10', '2027-05-11')).toEqual([1]);
  });

  test('R9: a sold-out third night refuses a stay of four nights, and no night of it is sold', async () => {
    const inn = await house.inn(1);
    await house.hear(inn.tenantId, inn.book('2027-06-03', '2027-06-04').held());
    const [told] = await house.hear(inn.tenantId, inn.book('2027-06-01', '2027-06-05').held());
    expect(told?.payload).toMatchObject({ shortfall: [{ date: '2027-06-03', asked: 1, available: 0 }] });
    expect(await house.sold(inn, '2027-06-01', '2027-06-05')).toEqual([0, 0, 1, 0]);
  });

  test('nights that are not counted, before the house opened or beyond the horizon, are not sold', async () => {
    const inn = await house.inn(1, { from: '2027-06-02' });
    const early = await house.hear(inn.tenantId, inn.book('2027-06-01', '2027-06-03').held());
    const late = await house.hear(inn.tenantId, inn.book('2031-06-01', '2031-06-03').held());
    expect([...subjects(early), ...subjects(late)]).toEqual([
      OversellBlocked.subject,
      OversellBlocked.subject,
    ]);
  });

  test('a hold that names a room gets that room, and a second one is refused as room_taken with nothing sold', async () => {
    const inn = await house.inn(3);
    const roomId = inn.rooms[0] ?? null;
    const first = await house.hear(inn.tenantId, inn.book('2027-05-10', '2027-05-12', { roomId }).held());
    expect(first[0]?.payload).toMatchObject({ rooms: [{ roomId }] });
    const second = inn.book('2027-05-11', '2027-05-13', { roomId });
    const [told] = await house.hear(inn.tenantId, second.held());
    expect(told?.payload).toMatchObject({
      reason: 'room_taken',
      shortfall: [{ date: '2027-05-11', asked: 1, available: 0 }],
    });
    expect(await house.sold(inn, '2027-05-10', '2027-05-13')).toEqual([1, 1, 0]);
    expect(await house.hear(inn.tenantId, second.cancelled())).toEqual([]);
  });
});

describe('the end of a hold', () => {
  test('EVT-30, SAGA-29: a cancelled booking gives its nights back once', async () => {
    const inn = await house.inn(1);
    const booking = inn.book('2027-05-10', '2027-05-12');
    await house.hear(inn.tenantId, booking.held());
    await house.hear(inn.tenantId, booking.confirmed());
    const [told, ...more] = await house.hear(inn.tenantId, booking.cancelled());
    expect(more).toEqual([]);
    expect(told).toMatchObject({ event: AllocationReleased, payload: { reason: 'booking_cancelled' } });
    expect(await house.hear(inn.tenantId, booking.cancelled())).toEqual([]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([0, 0]);
  });

  test.each([
    ['payment_failed', 'payment_failed'],
    ['hold_expired', 'hold_expired'],
  ] as const)('SAGA-24, SAGA-25: cancelled for %s releases for %s', async (why, reason) => {
    const inn = await house.inn(1);
    const booking = inn.book('2027-05-10', '2027-05-12');
    await house.hear(inn.tenantId, booking.held());
    const [told] = await house.hear(inn.tenantId, booking.cancelled(why));
    expect(told?.payload).toMatchObject({ reason });
  });

  test('X-119: a hold that arrives after its booking was cancelled takes nothing', async () => {
    const inn = await house.inn(1);
    const booking = inn.book('2027-05-10', '2027-05-12');
    const held = booking.held();
    await house.hear(inn.tenantId, booking.cancelled());
    expect(await house.hear(inn.tenantId, held)).toEqual([]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([0, 0]);
  });

  test('X-119: a commit that came too late is released when the cancel arrives', async () => {
    const inn = await house.inn(1);
    const booking = inn.book('2027-05-10', '2027-05-12');
    const committed = await house.hear(inn.tenantId, booking.held());
    const released = await house.hear(inn.tenantId, booking.cancelled('hold_expired'));
    expect([...subjects(committed), ...subjects(released)]).toEqual([
      AllocationCommitted.subject,
      AllocationReleased.subject,
    ]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([0, 0]);
  });

  test('R17: a no-show gives its rooms back at once, or at the hour until which they are kept', async () => {
    const inn = await house.inn(2);
    const [gone, late] = [inn.book('2027-05-10', '2027-05-12'), inn.book('2027-05-10', '2027-05-12')];
    for (const booking of [gone, late]) {
      await house.hear(inn.tenantId, booking.held());
      await house.hear(inn.tenantId, booking.confirmed());
    }
    const [told] = await house.hear(inn.tenantId, gone.noShow());
    expect(told?.payload).toMatchObject({ reason: 'no_show' });
    expect(await house.hear(inn.tenantId, late.noShow('2098-05-11T02:00:00.000Z'))).toEqual([]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([1, 1]);
  });

  test('R18: a cancelled booking that is confirmed anew is asked for again, and refused when the night is full', async () => {
    const inn = await house.inn(1);
    const [first, second] = [inn.book('2027-05-10', '2027-05-12'), inn.book('2027-05-10', '2027-05-12')];
    await house.hear(inn.tenantId, first.held());
    await house.hear(inn.tenantId, first.cancelled());
    const back = await house.hear(inn.tenantId, first.confirmed());
    expect(subjects(back)).toEqual([AllocationCommitted.subject]);
    await house.hear(inn.tenantId, first.cancelled());
    await house.hear(inn.tenantId, second.held());
    const [refused] = await house.hear(inn.tenantId, first.confirmed());
    expect(refused).toMatchObject({ event: OversellBlocked, payload: { step: 'confirm' } });
    expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([1, 1]);
  });
});

describe('a change of dates', () => {
  const started = async (rooms = 1) => {
    const inn = await house.inn(rooms);
    const booking = inn.book('2027-05-10', '2027-05-13');
    await house.hear(inn.tenantId, booking.held());
    await house.hear(inn.tenantId, booking.confirmed());
    return { inn, booking };
  };

  test('EVT-31, SAGA-50: overlapping nights are kept, new ones taken, old ones let go', async () => {
    const { inn, booking } = await started();
    const changed = booking.datesChanged({ arrival: '2027-05-12', departure: '2027-05-15' });
    const [told] = await house.hear(inn.tenantId, changed);
    expect(told).toMatchObject({
      event: AllocationReallocated,
      payload: {
        previousStay: { arrival: '2027-05-10', departure: '2027-05-13' },
        newStay: { arrival: '2027-05-12', departure: '2027-05-15' },
      },
    });
    const nights = nightsIn(told);
    expect(nights.map(({ date }) => date)).toEqual(['2027-05-10', '2027-05-11', '2027-05-13', '2027-05-14']);
    expect(await house.sold(inn, '2027-05-10', '2027-05-16')).toEqual([0, 0, 1, 1, 1, 0]);
  });

  test('SAGA-55, X-117: a full night keeps the old stay, and the way back is nothing to do', async () => {
    const { inn, booking } = await started();
    await house.hear(inn.tenantId, inn.book('2027-05-14', '2027-05-15').held());
    const [told] = await house.hear(
      inn.tenantId,
      booking.datesChanged({ arrival: '2027-05-12', departure: '2027-05-16' }),
    );
    expect(told).toMatchObject({
      event: OversellBlocked,
      payload: {
        step: 'date_change',
        reason: 'sold_out',
        keptStay: { arrival: '2027-05-10', departure: '2027-05-13' },
        shortfall: [{ date: '2027-05-14', asked: 1, available: 0 }],
      },
    });
    const back = booking.datesChanged(
      { arrival: '2027-05-10', departure: '2027-05-13' },
      'reallocation_failed',
    );
    expect(await house.hear(inn.tenantId, back)).toEqual([]);
    expect(await house.sold(inn, '2027-05-10', '2027-05-16')).toEqual([1, 1, 1, 0, 1, 0]);
  });

  test('R15: who leaves on day two of three makes the rest sellable', async () => {
    const { inn, booking } = await started();
    await house.hear(
      inn.tenantId,
      booking.datesChanged({ arrival: '2027-05-10', departure: '2027-05-11' }, 'early_departure'),
    );
    const next = await house.hear(inn.tenantId, inn.book('2027-05-11', '2027-05-13').held());
    expect(subjects(next)).toEqual([AllocationCommitted.subject]);
  });

  test('an assigned room goes along where it is free; one that only we chose is given up where it is not', async () => {
    const { inn, booking } = await started(2);
    const roomId = inn.rooms[0] ?? null;
    await house.hear(inn.tenantId, booking.moved(roomId));
    const other = inn.book('2027-05-13', '2027-05-15', { roomId });
    await house.hear(inn.tenantId, other.held());
    const named = await house.hear(
      inn.tenantId,
      booking.datesChanged({ arrival: '2027-05-10', departure: '2027-05-14' }),
    );
    expect(named[0]).toMatchObject({ event: OversellBlocked, payload: { reason: 'room_taken' } });
    await house.hear(
      inn.tenantId,
      booking.datesChanged({ arrival: '2027-05-10', departure: '2027-05-13' }, 'reallocation_failed'),
    );
    if (booking.rooms[0]) booking.rooms[0].roomId = null;
    const [told] = await house.hear(
      inn.tenantId,
      booking.datesChanged({ arrival: '2027-05-10', departure: '2027-05-14' }),
    );
    expect(told).toMatchObject({
      event: AllocationReallocated,
      payload: { rooms: [{ roomId, previousRoomId: roomId }] },
    });
    const uses = await house.database.admin(
      'select from_date::text, until_date::text from inventory.room_uses where tenant_id = $1 order by 1',
      [inn.tenantId],
    );
    expect(uses).toEqual([
      { from_date: '2027-05-10', until_date: '2027-05-13' },
      { from_date: '2027-05-13', until_date: '2027-05-15' },
    ]);
  });
});

test('X-088: an older version of a booking changes nothing', async () => {
  const inn = await house.inn(1);
  const booking = inn.book('2027-05-10', '2027-05-12');
  const [held, moved] = [
    booking.held(),
    booking.datesChanged({ arrival: '2027-05-11', departure: '2027-05-12' }),
  ];
  await house.hear(inn.tenantId, held);
  await house.hear(inn.tenantId, moved);
  expect(await house.hear(inn.tenantId, held)).toEqual([]);
  expect(await house.sold(inn, '2027-05-10', '2027-05-12')).toEqual([0, 1]);
});
