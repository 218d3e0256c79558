import { hours } from '@ghasi/domain-primitives/duration';
import { parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Action,
  aheadMs,
  type Door,
  decideKeys,
  marginMs,
  type RoomKey,
  type Stay,
} from './room-keys.ts';
import { plus, type Window } from './windows.ts';

const arrival = new Date('2026-12-01T09:30:00Z'); // 14:00 in Kabul
const window = { from: arrival, until: new Date('2026-12-05T07:30:00Z') };
const hour = (count: number) => plus(arrival, hours(count));

const door = (more: Partial<Extract<Door, { kind: 'electronic' }>> = {}, taken: Window[] = []): Door => ({
  kind: 'electronic',
  lockId: 'lock 1',
  changesInPlace: false,
  rounding: {
    rules: {
      stepMs: hours(1),
      unusedForMs: hours(24),
      longestMs: hours(24) * 365,
      sameWindowSameCode: true,
    },
    zone: parseZone('Asia/Kabul'),
    end: 'up',
    taken,
  },
  ...more,
});
const stay = (more: Partial<Stay> = {}): Stay => ({
  phase: 'expected',
  isPaid: true,
  roomId: 'room 1',
  window,
  endReason: null,
  ...more,
});
const key = (more: Partial<RoomKey> = {}): RoomKey => ({
  id: 'key 1',
  roomId: 'room 1',
  lockId: 'lock 1',
  status: 'issued',
  wish: 'live',
  atVendor: 'live',
  announce: true,
  window,
  stay: window,
  givenAt: null,
  ...more,
});
const decide = (of: Stay, keys: RoomKey[], now: Date, at: Door = door()) =>
  decideKeys(of, { door: at, keys, now });
const doing = (actions: Action[]) =>
  actions.map(action => (action.do === 'want' ? `want ${action.reason}` : `${action.do} ${action.keyId}`));

describe('before the guest comes', () => {
  test('SAGA-20: a paid booking with a room wants a key, once', () => {
    const first = decide(stay(), [], hour(-100));
    expect(first).toEqual([{ do: 'want', window, announce: true, replaces: null, reason: 'booking' }]);
    expect(decide(stay(), [key({ status: 'wanted', atVendor: 'absent' })], hour(-100))).toEqual([]);
  });

  test('without a room there is no key, and a room that is taken away takes its key along', () => {
    expect(decide(stay({ roomId: null }), [], hour(-10))).toEqual([]);
    expect(doing(decide(stay({ roomId: null }), [key()], hour(-10)))).toEqual(['end key 1']);
  });

  test('SAGA-27: cash on arrival: fetched on the last day and a half, and nobody is told', () => {
    const unpaid = stay({ isPaid: false });
    expect(decide(unpaid, [], hour(-37))).toEqual([]);
    expect(decide(unpaid, [], hour(-35))).toMatchObject([{ do: 'want', announce: false }]);
    const ready = key({ status: 'ready', announce: false });
    expect(doing(decide(stay(), [ready], hour(-100)))).toEqual(['announce key 1']);
  });

  test('R27: a code for a late arrival begins before the first one is dead', () => {
    const [spare] = decide(stay(), [key()], hour(-20));
    expect(spare).toMatchObject({
      do: 'want',
      announce: false,
      window: { from: hour(23), until: window.until },
    });
    const second = key({
      id: 'key 2',
      status: 'ready',
      announce: false,
      window: { ...window, from: hour(23) },
    });
    expect(decide(stay(), [key(), second], hour(-20))).toEqual([]);
  });

  test('R27: a stay of one night needs none: it is over before the first code dies', () => {
    const night = { from: arrival, until: hour(22) };
    expect(decide(stay({ window: night }), [key({ window: night, stay: night })], hour(-20))).toEqual([]);
  });

  test('R27: a code that nobody used in its day is dead; the next one takes its place', () => {
    const second = key({
      id: 'key 2',
      status: 'ready',
      announce: false,
      window: { ...window, from: hour(23) },
    });
    expect(doing(decide(stay(), [key(), second], hour(23))).slice(0, 2)).toEqual([
      'end key 1',
      'announce key 2',
    ]);
  });

  test('SAGA-53: other dates change the key in place where that is possible, else there is another one', () => {
    const later = stay({ window: { from: hour(24), until: hour(72) } });
    const changed = decide(later, [key()], hour(-100), door({ changesInPlace: true }));
    expect(changed).toEqual([{ do: 'rewindow', keyId: 'key 1', window: later.window }]);
    const replaced = decide(later, [key()], hour(-100));
    expect(doing(replaced)).toEqual(['end key 1', 'want replacement']);
    // Nobody has it yet: it simply gets the new dates.
    const unborn = key({ status: 'wanted', atVendor: 'absent' });
    expect(doing(decide(later, [unborn], hour(-100)))).toEqual(['rewindow key 1']);
  });
});

describe('the guest is here', () => {
  const here = stay({ phase: 'here' });

  test('X-123: the key that is there will do', () => {
    expect(doing(decide(here, [key()], hour(3)))).toEqual(['give key 1']);
    expect(decide(here, [key({ givenAt: hour(3) })], hour(3))).toEqual([]);
    expect(decide(here, [key({ givenAt: hour(3) })], hour(60))).toEqual([]); // it was used: it lives
  });

  test('SAGA-36: a missing one is wanted, from now on', () => {
    const [wanted] = decide(here, [], hour(3.4));
    expect(wanted).toMatchObject({ reason: 'check_in', announce: true, window: { from: hour(3) } });
  });

  test('what lies ready is handed out, and spares are dropped', () => {
    const ready = key({ status: 'ready', announce: false });
    const spare = key({
      id: 'key 2',
      status: 'ready',
      announce: false,
      window: { ...window, from: hour(23) },
    });
    expect(doing(decide(here, [ready, spare], hour(3)))).toEqual([
      'end key 2',
      'announce key 1',
      'give key 1',
    ]);
  });

  test('R27: who comes on day 2 gets a fresh code', () => {
    const spare = key({
      id: 'key 2',
      status: 'ready',
      announce: false,
      window: { ...window, from: hour(23) },
    });
    const decided = decide(here, [key(), spare], hour(30));
    expect(doing(decided)).toEqual(['end key 1', 'announce key 2', 'give key 2']);
    expect(decided[1]).toMatchObject({ replaces: 'key 1', reason: 'replacement' });
    expect(doing(decide(here, [key()], hour(30)))).toEqual(['end key 1', 'want replacement']);
  });

  test('who comes early opens early', () => {
    const changed = decide(here, [key()], hour(-3), door({ changesInPlace: true }));
    expect(changed).toEqual([
      { do: 'rewindow', keyId: 'key 1', window: { from: hour(-3), until: window.until } },
    ]);
    expect(doing(decide(here, [key()], hour(-3)))).toEqual(['want replacement']);
  });

  test('R16: another room: the old key dies at once, and another one comes', () => {
    const moved = decide(
      stay({ phase: 'here', roomId: 'room 2' }),
      [key()],
      hour(30),
      door({ lockId: 'lock 2' }),
    );
    expect(doing(moved)).toEqual(['end key 1', 'want replacement']);
    expect(moved[1]).toMatchObject({ replaces: 'key 1', window: { from: hour(30) } });
  });

  test('a longer stay at a lock out of reach: the old code lives until the new one does', () => {
    const longer = stay({ phase: 'here', window: { from: arrival, until: hour(200) } });
    const old = key({ givenAt: hour(1) });
    expect(doing(decide(longer, [old], hour(30)))).toEqual(['want replacement']);
    const made = { from: hour(30), until: hour(200) };
    const fresh = key({
      id: 'key 2',
      status: 'wanted',
      atVendor: 'absent',
      window: made,
      stay: longer.window,
    });
    expect(decide(longer, [old, fresh], hour(30.1))).toEqual([]);
    const born = { ...fresh, status: 'issued', atVendor: 'live' } as const;
    expect(doing(decide(longer, [old, born], hour(30.2)))).toEqual(['end key 1', 'give key 2']);
  });

  test('a key that sleeps sleeps on order: no other one is made', () => {
    expect(decide(here, [key({ status: 'suspended', wish: 'asleep' })], hour(30))).toEqual([]);
  });

  test('a stay that is over has no window: a person decides, once', () => {
    expect(decide(here, [], hour(200))).toMatchObject([{ do: 'want', window: null }]);
    expect(decide(here, [key({ givenAt: hour(1) })], hour(120))).toEqual([]);
  });

  test('R27: a stay of two years gets another code before its first year is over', () => {
    const long = { from: arrival, until: hour(24 * 700) };
    const first = key({ window: { from: arrival, until: hour(24 * 365) }, stay: long, givenAt: arrival });
    const guest = stay({ phase: 'here', window: long });
    expect(decide(guest, [first], hour(24 * 300))).toEqual([]);
    expect(doing(decide(guest, [first], hour(24 * 364.5)))).toEqual(['want replacement']);
  });
});

describe('metal keys', () => {
  const metal: Door = { kind: 'metal' };
  const brass = key({ lockId: 'lock of brass', atVendor: 'by_hand', givenAt: hour(1) });

  test('one is handed over when the guest is here, not before', () => {
    expect(decide(stay(), [], hour(-1), metal)).toEqual([]);
    const [handed] = decide(stay({ phase: 'here' }), [], hour(2), metal);
    expect(handed).toMatchObject({ do: 'want', announce: true, reason: 'check_in', window });
    expect(decide(stay({ phase: 'here' }), [brass], hour(3), metal)).toEqual([]);
  });

  test('it opens as long as the guest stays, also when the hotel’s clock is ahead of his dates', () => {
    const longer = stay({ phase: 'here', window: { from: arrival, until: hour(120) } });
    expect(doing(decide(longer, [brass], hour(3), metal))).toEqual(['rewindow key 1']);
    const [late] = decide(stay({ phase: 'here' }), [], hour(500), metal);
    expect(late).toMatchObject({ do: 'want', window });
  });
});

test('SAGA-31, SAGA-44: a stay that ended has no keys, whatever they are', () => {
  for (const endReason of ['check_out', 'cancellation', 'no_show'] as const) {
    const ended = stay({ phase: 'ended', endReason });
    const all = [key(), key({ id: 'key 2', status: 'ready' }), key({ id: 'key 3', wish: 'asleep' })];
    expect(decide(ended, all, hour(1))).toEqual(
      ['key 1', 'key 2', 'key 3'].map(keyId => ({ do: 'end', keyId, reason: endReason })),
    );
  }
});

test('R27: looked after every half hour, an expected guest always has a code that lives another day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 180 }), late => {
      const keys: RoomKey[] = [];
      for (let step = -72; step <= late; step++) {
        const now = hour(step / 2);
        if (now >= window.until) return;
        for (let round = 0; round < 4; round++) {
          const taken = keys.map(one => one.window);
          for (const action of decide(
            stay(),
            keys.filter(one => one.wish === 'live'),
            now,
            door({}, taken),
          )) {
            const place = keys.findIndex(one => 'keyId' in action && one.id === action.keyId);
            const found = keys[place];
            if (action.do === 'end' && found) keys[place] = { ...found, wish: 'gone' };
            if (action.do === 'announce' && found)
              keys[place] = { ...found, announce: true, status: 'issued' };
            if (action.do === 'want' && action.window !== null)
              keys.push(
                key({
                  id: `key ${keys.length + 1}`,
                  window: action.window,
                  announce: action.announce,
                  status: action.announce ? 'issued' : 'ready',
                }),
              );
          }
        }
        const alive = keys.filter(one => one.wish === 'live');
        expect(alive.filter(one => one.announce)).toHaveLength(1);
        // With the net down from now on, some code opens at any moment of the next day and a half.
        for (let ahead = 0; ahead < aheadMs; ahead += hours(1)) {
          const at = new Date(Math.max(now.getTime(), arrival.getTime()) + ahead);
          if (at >= window.until) break;
          const opens = alive.some(
            one => one.window.from <= at && at < plus(one.window.from, hours(24)) && at < one.window.until,
          );
          expect(opens).toBe(true);
        }
      }
    }),
    { numRuns: 10 },
  );
  expect(marginMs).toBeLessThan(hours(24));
});
