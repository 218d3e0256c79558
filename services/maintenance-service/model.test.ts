import { addDays, daysBetween, type LocalDate } from '@ghasi/domain-primitives/local-date';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolutions } from './contract.ts';
import {
  type Block,
  blockProblem,
  dueAfter,
  isOpen,
  MOST_NIGHTS,
  mayBecome,
  resolutionsOf,
  ticketStatuses,
} from './model.ts';

const today = '2027-05-10' as LocalDate;
const day = fc.integer({ min: -30, max: 30 }).map(n => addDays(today, n));
const block = fc
  .record({ from: day, nights: fc.integer({ min: 1, max: 9 }) })
  .map(({ from, nights }): Block => ({ kind: 'out_of_order', from, until: addDays(from, nights) }));

describe('the way of a ticket', () => {
  test('what is open can be worked on, paused and ended in any order; what has ended stays ended', () => {
    for (const from of ticketStatuses) {
      expect(mayBecome(from, 'open')).toBe(false);
      for (const to of ['done', 'cancelled'] as const) expect(mayBecome(from, to)).toBe(isOpen(from));
    }
    expect(ticketStatuses.filter(isOpen)).toEqual(['open', 'assigned', 'in_progress', 'on_hold']);
    expect(mayBecome('on_hold', 'in_progress')).toBe(true);
  });

  test('every way a ticket can end is told by one of the two', () => {
    expect(new Set([...resolutionsOf.done, ...resolutionsOf.cancelled])).toEqual(new Set(resolutions));
  });
});

describe('R11: nights a room can be taken out for', () => {
  test('none that are over, none of another ticket; nights that only meet are free', () => {
    fc.assert(
      fc.property(block, fc.array(block, { maxLength: 3 }), (wanted, others) => {
        const problem = blockProblem(wanted, { today, closedFrom: null, others });
        const nights = (one: Block) =>
          Array.from({ length: daysBetween(one.from, one.until) }, (_, n) => addDays(one.from, n));
        const taken = new Set(others.flatMap(nights));
        const isTaken = nights(wanted).some(night => taken.has(night));
        const expected = wanted.from < today ? 'BLOCK_IN_THE_PAST' : isTaken ? 'ROOM_BLOCKED' : undefined;
        expect(problem).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('none after the room is closed for good, and not for ever', () => {
    const wanted: Block = { kind: 'out_of_service', from: today, until: addDays(today, 3) };
    const on = (closedFrom: LocalDate) => blockProblem(wanted, { today, closedFrom, others: [] });
    expect(on(addDays(today, 2))).toBe('ROOM_CLOSED');
    expect(on(addDays(today, 3))).toBeUndefined();
    const endless = { ...wanted, until: addDays(today, MOST_NIGHTS + 1) };
    expect(blockProblem(endless, { today, closedFrom: null, others: [] })).toBe('BLOCK_TOO_LONG');
  });
});

test('a plan is next due on its own rhythm, later than today, however long nobody looked', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: 1, max: 40 }), (due, every) => {
      const next = dueAfter(due, every, today);
      expect(next > today && next > due).toBe(true);
      expect(daysBetween(due, next) % every).toBe(0);
      const before = addDays(next, -every);
      expect(before <= today || before === due).toBe(true);
    }),
    { numRuns: 200 },
  );
});
