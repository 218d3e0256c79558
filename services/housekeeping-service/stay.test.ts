import { type Id, newId } from '@ghasi/domain-primitives/ids';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { day } from './fixtures/booking.ts';
import { effectsOf, follow, redate, type Stay, type Told } from './model/stay.ts';

const today = day('2027-05-10');
const [a, b] = [newId('rom'), newId('rom')];
const base = {
  bookedRoomId: newId('brm'),
  reservationId: newId('rsv'),
  propertyId: newId('pro'),
  arrival: today,
  departure: day('2027-05-13'),
  persons: 2,
};
const told = (version: number, roomId: Id<'rom'> | null, more: Partial<Told> = {}): Told => ({
  ...base,
  version,
  roomId,
  ...more,
});

/** A stay from its booking to its end, with a move on the way; what it moved out of is told with the move. */
const facts: { told: Told; out?: Id<'rom'> }[] = [
  { told: told(2, null, { status: 'expected' }) },
  { told: told(4, a, { fromNight: today }) },
  { told: told(5, a, { status: 'in_house', since: today }) },
  { told: told(8, b, { fromNight: today }), out: a },
  { told: told(9, b, { status: 'left' }) },
];

/** What the rooms look like after some facts, in the order given. */
function play(order: readonly number[]) {
  const occupied = new Set<Id<'rom'>>();
  const dirty = new Set<Id<'rom'>>();
  let stay: Stay | undefined;
  for (const place of order) {
    const fact = facts[place] as (typeof facts)[number];
    const next = follow(stay, fact.told, today);
    const { occupied: entered, vacated } = effectsOf(stay, next);
    stay = next;
    const isIn = (roomId: Id<'rom'>) => next.status === 'in_house' && next.roomId === roomId;
    for (const roomId of [...vacated.map(one => one.roomId), ...(fact.out ? [fact.out] : [])])
      if (!isIn(roomId)) {
        occupied.delete(roomId);
        dirty.add(roomId);
      }
    if (entered !== null) occupied.add(entered);
  }
  return { status: stay?.status, occupied: [...occupied], dirty: [...dirty].sort() };
}

const anyOrder = fc.shuffledSubarray([...facts.keys()], { minLength: facts.length });

describe('X-088: of each part of a stay the newest version counts', () => {
  test('R16, SAGA-41: in whatever order its facts arrive, it is over, both rooms are left and both are dirty', () => {
    fc.assert(
      fc.property(anyOrder, order => {
        expect(play(order)).toEqual({ status: 'left', occupied: [], dirty: [a, b].sort() });
      }),
      { numRuns: 300 },
    );
  });

  test('told twice it changes nothing', () => {
    fc.assert(
      fc.property(anyOrder, order => {
        expect(play(order.flatMap(place => [place, place]))).toEqual(play(order));
      }),
    );
  });

  test('while the guest is in house, the room is the one of the newest fact', () => {
    expect(play([0, 1, 3, 2])).toMatchObject({ status: 'in_house', occupied: [b] });
    expect(play([2, 0, 3, 1])).toMatchObject({ status: 'in_house', occupied: [b] });
  });

  test('X-115: a check-out that is told again leaves no room a second time', () => {
    const left = follow(undefined, told(5, a, { status: 'left' }), today);
    expect(effectsOf(undefined, left).vacated).toEqual([{ roomId: a, as: 'slept' }]);
    const again = follow(left, told(7, a, { status: 'left' }), today);
    expect(effectsOf(left, again)).toEqual({ occupied: null, vacated: [] });
  });

  test('a confirmation that is told anew does not put a guest in house outside the door', () => {
    const inHouse = follow(undefined, told(5, a, { status: 'in_house' }), today);
    expect(follow(inHouse, told(6, a, { status: 'expected' }), today).status).toBe('in_house');
    expect(follow(inHouse, told(6, a, { status: 'expected', isUndone: true }), today).status).toBe(
      'expected',
    );
  });
});

describe('X-117: dates move with the word of inventory only', () => {
  const known = follow(undefined, told(2, a, { status: 'expected' }), today);
  const longer = day('2027-05-20');

  test('the newest dates count, and a booking that is changed otherwise keeps them', () => {
    const moved = redate(known, told(7, a, { departure: longer }));
    expect(moved.departure).toBe(longer);
    expect(redate(moved, told(6, a)).departure).toBe(longer);
    expect(follow(moved, told(9, b), today)).toMatchObject({ departure: longer, roomId: b });
  });

  test('dates of a booking that nobody told of yet wait for it', () => {
    const unheard = redate(undefined, told(7, a, { departure: longer }));
    const confirmed = follow(unheard, told(2, b, { status: 'expected' }), today);
    expect(confirmed).toMatchObject({ departure: longer, roomId: b, status: 'expected', statusVersion: 2 });
  });
});
