import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { BlockEnding } from '../model.ts';
import { isIgnored } from './ignored.ts';
import { areSame, type Nights, since } from './nights.ts';
import type { CalendarEvent } from './read-calendar.ts';

/** A block that a feed made. `taken`: the nights it has, from today on; `begun`: since when, if it had last night too. */
export type KnownBlock = Nights & {
  readonly id: Id<'rbl'>;
  readonly uid: string;
  readonly status: 'active' | 'waiting' | 'ended';
  readonly ending: BlockEnding | null;
  readonly taken: readonly Nights[];
  readonly begun: LocalDate | null;
};

/** A block as it should be: `nights` are those it wants from today on. */
export type Wish = Nights & {
  /** Null: the event is new. */
  readonly block: KnownBlock | null;
  readonly uid: string;
  readonly nights: readonly Nights[];
};

/** What a calendar changes. */
export type Followed = {
  readonly wishes: readonly Wish[];
  /** Blocks whose event is gone. */
  readonly drops: readonly KnownBlock[];
  /** How many events of the calendar are bookings of ours to keep, and how many are not. */
  readonly booked: number;
  readonly ignored: number;
};

/**
 * R13: what to do about a calendar. Nights before today never change, whatever it says; events that are over are not
 * looked at, and some hours of a day are no night. A block that vanished, or was cancelled, is dropped as long as it has
 * not begun: portals leave out what has begun, and the guest may be in the room.
 */
export function followFeed(input: {
  today: LocalDate;
  known: readonly KnownBlock[];
  told: readonly CalendarEvent[];
  ignored: readonly string[];
}): Followed {
  const { today } = input;
  const blocks = new Map(input.known.map(block => [block.uid, block]));
  const told = input.told.filter(
    event => !event.cancelled && event.from < event.until && !isIgnored(event.summary, input.ignored),
  );
  const events = new Map(told.map(event => [event.uid, event]));
  const wishes = told.flatMap(event => wishOf(event, blocks.get(event.uid) ?? null, today));
  const drops = input.known.filter(
    ({ uid, status, from }) => !events.has(uid) && status !== 'ended' && from > today,
  );
  const booked = told.filter(({ until }) => until > today).length;
  return { wishes, drops, booked, ignored: input.told.length - told.length };
}

function wishOf(event: CalendarEvent, block: KnownBlock | null, today: LocalDate): Wish[] {
  const { uid } = event;
  const nights = since(today, [event]);
  if (block === null) return nights.length === 0 ? [] : [{ block, uid, ...datesOf(event), nights }];
  const before = since(today, [block]);
  const isAsBefore = areSame(nights, before);
  if (nights.length === 0 && before.length === 0) return [];
  // Somebody at the desk ended it: it stays ended until the portal says something new.
  if (block.status === 'ended' && block.ending === 'operator' && isAsBefore) return [];
  if (block.status === 'active' && isAsBefore && areSame(block.taken, nights)) return [];
  // Portals cut off what is over; the block still began when it began.
  const from = block.from < today && event.from <= today ? block.from : event.from;
  const until = event.until > from ? event.until : today;
  return [{ block, uid, from, until, nights }];
}

const datesOf = ({ from, until }: Nights): Nights => ({ from, until });
