import { newId } from '@ghasi/domain-primitives/ids';
import { addDays } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditions, occupancies, overlayKinds, type RoomState, roomState } from './contract/room-state.ts';
import { taskKinds } from './contract.ts';
import { day } from './fixtures/booking.ts';
import { decisions, differenceOf, discrepancyKinds, isDecisionFor } from './model/discrepancy.ts';
import {
  type Block,
  blockOn,
  conditionAfter,
  notReady,
  overlayOf,
  type RoomAct,
  setByHand,
  stateAfter,
  type Work,
  withBlocks,
} from './model/room.ts';
import { isOpen, mayBecome, nextStatuses, taskStatuses, usualPlans, workOf } from './model/task.ts';

const today = day('2027-05-10');
const block = (kind: Block['kind'], more: Partial<Block> = {}): Block => ({
  ticketId: newId('mtk'),
  kind,
  from: today,
  until: addDays(today, 2),
  returnCondition: 'dirty',
  ...more,
});
const fresh: RoomState = { occupancy: 'vacant', condition: 'dirty', overlay: null };

const work = Object.keys(conditionAfter) as Work[];
const acts: readonly RoomAct[] = [
  { kind: 'occupied' },
  { kind: 'vacated', as: 'slept' },
  { kind: 'vacated', as: 'shown' },
  ...work.map(one => ({ kind: 'worked', work: one }) as const),
  ...overlayKinds.map(kind => ({ kind: 'blocked', overlay: overlayOf(block(kind)) }) as const),
  ...conditions.map(returns => ({ kind: 'unblocked', returns }) as const),
];

const nameOf = ({ occupancy, condition, overlay }: RoomState) =>
  `${occupancy} ${condition} ${overlay?.kind ?? '-'}`;

describe('R26: two axes and an overlay', () => {
  test('every combination but an occupied room with an overlay can be reached, and that one cannot', () => {
    const seen = new Map([[nameOf(fresh), fresh]]);
    for (const state of seen.values())
      for (const act of acts) {
        const next = stateAfter(state, act);
        if (next !== null) seen.set(nameOf(next), next);
      }
    const legal = occupancies.flatMap(occupancy =>
      conditions.flatMap(condition =>
        ['-', ...(occupancy === 'vacant' ? overlayKinds : [])].map(
          overlay => `${occupancy} ${condition} ${overlay}`,
        ),
      ),
    );
    expect([...seen.keys()].sort()).toEqual(legal.sort());
  });

  test('whatever happens in whatever order, the state is one that may be told, and only its own axis moves', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...acts), { maxLength: 40 }), sequence => {
        let state = fresh;
        for (const act of sequence) {
          const next = stateAfter(state, act);
          if (next === null) continue;
          expect(roomState.safeParse(next).error).toBeUndefined();
          if (act.kind === 'worked') expect(next.occupancy).toBe(state.occupancy);
          if (act.kind === 'occupied' || act.kind === 'blocked') expect(next.condition).toBe(state.condition);
          if (next.occupancy === 'occupied')
            expect(act.kind === 'occupied' || state.occupancy === 'occupied').toBe(true);
          state = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['dirty', ['dirty', 'clean']],
    ['pickup', ['dirty', 'pickup', 'clean']],
    ['clean', ['dirty', 'pickup', 'clean', 'inspected']],
    ['inspected', ['dirty', 'pickup', 'inspected']],
  ] as const)('a %s room becomes %s by hand and nothing else', (condition, allowed) => {
    const reached = conditions.filter(to => setByHand({ ...fresh, condition }, to) !== null);
    expect(reached).toEqual(allowed);
  });

  test('R11: an occupied room is not blocked, and a guest who is let into a blocked room suspends the block', () => {
    const overlay = overlayOf(block('out_of_order'));
    expect(stateAfter({ ...fresh, occupancy: 'occupied' }, { kind: 'blocked', overlay })).toBeNull();
    expect(stateAfter({ ...fresh, overlay }, { kind: 'occupied' })).toEqual({
      ...fresh,
      occupancy: 'occupied',
    });
  });
});

describe('R26: dated blocks with a return condition', () => {
  const days = fc.integer({ min: -5, max: 5 }).map(n => addDays(today, n));
  const blocks = fc.array(
    fc.record({ kind: fc.constantFrom(...overlayKinds), from: days, length: fc.integer({ min: 1, max: 4 }) }),
    { maxLength: 4 },
  );

  test('a block holds a vacant room on its days and on no other, and out of order counts more', () => {
    fc.assert(
      fc.property(blocks, days, (asked, on) => {
        const all = asked.map(({ kind, from, length }) =>
          block(kind, { from, until: addDays(from, length) }),
        );
        const running = all.filter(({ from, until }) => from <= on && on < until);
        const found = blockOn(all, on);
        expect(found === undefined).toBe(running.length === 0);
        if (running.some(({ kind }) => kind === 'out_of_order')) expect(found?.kind).toBe('out_of_order');
        const { state } = withBlocks({ ...fresh, condition: 'clean' }, all, { day: on });
        expect(state.overlay).toEqual(found === undefined ? null : overlayOf(found));
        const guest = withBlocks({ ...fresh, occupancy: 'occupied' }, all, { day: on }).state;
        expect(guest.overlay).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('when its days are over the room comes back in the condition agreed on', () => {
    const one = block('out_of_service', { returnCondition: 'pickup' });
    const blocked: RoomState = { ...fresh, condition: 'inspected', overlay: overlayOf(one) };
    expect(withBlocks(blocked, [one], { day: addDays(today, 1) })).toEqual({ state: blocked, isBack: false });
    const back = { ...fresh, condition: 'pickup', overlay: null };
    expect(withBlocks(blocked, [one], { day: addDays(today, 2) })).toEqual({ state: back, isBack: true });
  });

  test('a block that gives way to another one returns nothing', () => {
    const [weak, strong] = [block('out_of_service'), block('out_of_order')];
    const blocked: RoomState = { ...fresh, condition: 'clean', overlay: overlayOf(weak) };
    const { state, isBack } = withBlocks(blocked, [weak, strong], { day: today });
    expect([state.condition, state.overlay?.kind, isBack]).toEqual(['clean', 'out_of_order', false]);
  });
});

test('R14: ready is inspected, or clean where the house says so, and never occupied, broken or slept in', () => {
  const ask = (more: Partial<RoomState>, rule = true, isSlept = false) =>
    notReady({ state: { ...fresh, ...more }, isClosed: false, isSlept }, { inspectedBeforeCheckIn: rule });
  expect(conditions.map(condition => ask({ condition }))).toEqual([
    'not_clean',
    'not_clean',
    'not_inspected',
    null,
  ]);
  expect(conditions.map(condition => ask({ condition }, false))).toEqual([
    'not_clean',
    'not_clean',
    null,
    null,
  ]);
  expect(ask({ condition: 'inspected', occupancy: 'occupied' })).toBe('occupied');
  const ooo = overlayOf(block('out_of_order'));
  expect(ask({ condition: 'inspected', overlay: ooo })).toBe('out_of_order');
  expect(ask({ condition: 'inspected', overlay: { ...ooo, kind: 'out_of_service' } })).toBeNull();
  expect(ask({ condition: 'inspected' }, true, true)).toBe('discrepancy');
  const closed = { state: { ...fresh, condition: 'inspected' as const }, isClosed: true, isSlept: false };
  expect(notReady(closed, { inspectedBeforeCheckIn: false })).toBe('closed');
});

describe('R26: discrepancies', () => {
  const views = fc.record({
    occupancy: fc.constantFrom(...occupancies),
    persons: fc.integer({ min: 1, max: 4 }),
  });

  test('the desk sees a guest and housekeeping none: skip; the other way round: sleep; else the count', () => {
    fc.assert(
      fc.property(views, views, (desk, seen) => {
        const kind = differenceOf(desk, seen);
        if (desk.occupancy === seen.occupancy)
          expect(kind).toBe(
            seen.occupancy === 'occupied' && desk.persons !== seen.persons ? 'person_count' : undefined,
          );
        else expect(kind).toBe(desk.occupancy === 'occupied' ? 'skip' : 'sleep');
        const uncounted = differenceOf(desk, { ...seen, persons: null });
        expect(uncounted === 'person_count').toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('each kind has decisions of its own', () => {
    const fit = discrepancyKinds.map(kind => decisions.filter(one => isDecisionFor(kind, one)));
    expect(fit).toEqual([
      ['observation_wrong', 'guest_left'],
      ['observation_wrong', 'room_cleared'],
      ['observation_wrong', 'count_accepted'],
    ]);
  });
});

describe('tasks', () => {
  test('what has ended stays ended, and everything open can end', () => {
    for (const from of taskStatuses) {
      expect(isOpen(from)).toBe(nextStatuses[from].length > 0);
      expect(mayBecome(from, 'created')).toBe(false);
      if (isOpen(from)) expect(mayBecome(from, 'completed') && mayBecome(from, 'cancelled')).toBe(true);
    }
  });

  test('every kind of work has a plan, and cleaning of any kind makes every room clean', () => {
    expect(Object.keys(usualPlans).sort()).toEqual([...taskKinds].sort());
    for (const kind of taskKinds) {
      const done = workOf[kind];
      if (done !== 'cleaned') continue;
      for (const condition of conditions)
        expect(['clean', 'inspected']).toContain(
          stateAfter({ ...fresh, condition }, { kind: 'worked', work: done })?.condition,
        );
    }
  });
});
