import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, daysBetween, type LocalDate, weekday } from '@ghasi/domain-primitives/local-date';
import { type Stay, stay } from '@ghasi/domain-primitives/stay';
import { weekend } from '@melmastoon/pricing-service/demo-prices';
import type { Chance } from './demo-chance.ts';

/** A room somebody sleeps in, or would have. */
export type Bed = { readonly roomTypeId: Id<'rty'>; readonly roomId: Id<'rom'> };

/** Who has which rooms when, and how it ended; nothing else is known of him yet. */
export type Plan = {
  readonly end: 'stays' | 'cancelled' | 'no_show';
  readonly stay: Stay;
  readonly beds: readonly Bed[];
};

/** Arrivals begin so many days before today: a week of run-up, so that the first of three months is as full as the last. */
const DAYS_BACK = 97;
/** And end so many days after it. */
const DAYS_AHEAD = 90;
/** Of a hundred arrivals so many never come. */
const CANCELLED = 9;
const NO_SHOW = 2;
/** Of a hundred bookings so many are for two or three rooms. */
const PARTIES = 6;

/**
 * Fills the rooms of a house day by day: about 60 % of the nights that were, more at weekends, and fewer the further
 * ahead a night is. A room is given to the next guest only once the one before has left it, so none is sold twice.
 */
export function planNights(beds: readonly Bed[], today: LocalDate, by: Chance): Plan[] {
  const freeFrom = new Map<Id<'rom'>, LocalDate>();
  const plans: Plan[] = [];
  for (let day = -DAYS_BACK; day <= DAYS_AHEAD; day += 1) {
    const date = addDays(today, day);
    const isFree = ({ roomId }: Bed) => (freeFrom.get(roomId) ?? date) <= date;
    for (const bed of by.shuffled(beds)) {
      if (!isFree(bed) || !by.percent(arrivals(date, day))) continue;
      const end = endOf(by, day);
      const asked = stay(date, addDays(date, lengthOf(by, date, day)));
      const others = end === 'stays' && by.percent(PARTIES) ? party(by, beds.filter(isFree), bed) : [];
      const plan = { end, stay: asked, beds: [bed, ...others] };
      // Nobody slept in the room of a no-show, and nobody else could that night; a cancelled one was free all along.
      const until = { stays: asked.departure, no_show: addDays(date, 1), cancelled: date }[end];
      for (const { roomId } of plan.beds) freeFrom.set(roomId, until);
      plans.push(plan);
    }
  }
  return plans;
}

/** How likely somebody comes to a free room, of a hundred: tuned so that six of ten nights are slept. */
function arrivals(date: LocalDate, day: number): number {
  const usual = weekend.includes(weekday(date)) ? 56 : 32;
  return day <= 0 ? usual : usual * (1 - (0.65 * day) / DAYS_AHEAD);
}

function endOf(by: Chance, day: number): Plan['end'] {
  if (by.percent(CANCELLED)) return 'cancelled';
  return day <= -3 && by.percent(NO_SHOW) ? 'no_show' : 'stays';
}

const lengths = [
  [1, 24],
  [2, 28],
  [3, 20],
  [4, 12],
  [5, 8],
  [6, 4],
  [7, 4],
] as const;

/** One to seven nights. Weekends of next month are sold from two nights on. */
function lengthOf(by: Chance, date: LocalDate, day: number): number {
  const nights = by.weighted(lengths);
  const isLimited = weekday(date) === 4 && day >= 30 && day < 60;
  return isLimited ? Math.max(2, nights) : nights;
}

/** The other rooms of a family or delegation. */
function party(by: Chance, free: readonly Bed[], own: Bed): Bed[] {
  const others = free.filter(({ roomId }) => roomId !== own.roomId);
  return by.shuffled(others).slice(0, by.int(1, 2));
}

/** Where a stay is, seen from today. */
export function phaseOf({ arrival, departure }: Stay, today: LocalDate): 'past' | 'in_house' | 'ahead' {
  if (daysBetween(today, arrival) >= 0) return 'ahead';
  return departure < today ? 'past' : 'in_house';
}
