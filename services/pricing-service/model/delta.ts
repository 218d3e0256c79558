import type { Id } from '@ghasi/domain-primitives/ids';
import { compareDates, daysBetween, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { nightDates, type Stay } from '@ghasi/domain-primitives/stay';
import type { CancellationTerms, ExtraGuests } from '../contract/resources.ts';
import type { nightChanges } from '../contract.ts';
import { type ChargeRule, chargeNights, type Guests, isPerStay, type Taxed, taxed } from './charges.ts';
import { feeOf } from './policies.ts';
import { listedPrice, type QuotedNight, type QuotedRoom, totalOf, unchargedNight } from './quote.ts';
import { extraGuestPrice } from './rates.ts';
import type { Day } from './restrictions.ts';
import { remainderIndex } from './split.ts';

/** A booked room at its new dates, with the calendar its new nights are priced from. */
export type MovedRoom = Guests & {
  bookedRoomId: Id<'brm'>;
  roomTypeId: Id<'rty'>;
  ratePlanId: Id<'rpl'>;
  newStay: Stay;
  plan: { version: number; board: QuotedRoom['board']; extraGuests: ExtraGuests | null };
  days: ReadonlyMap<LocalDate, Day>;
  baseDays: ReadonlyMap<LocalDate, Day> | null;
};

/** What happened to one night. */
export type NightChange = {
  bookedRoomId: Id<'brm'>;
  date: LocalDate;
  change: (typeof nightChanges)[number];
  price: Taxed;
};

/** A date change of a whole booking. */
export type DateChange = {
  previous: readonly QuotedRoom[];
  rooms: readonly MovedRoom[];
  previousStay: Stay;
  newStay: Stay;
  rules: readonly ChargeRule[];
  terms: CancellationTerms;
  /** On the property's calendar. */
  today: LocalDate;
};

/** The price of a booking after a date change. */
export type Delta = {
  rooms: QuotedRoom[];
  nights: NightChange[];
  previousTotal: Taxed;
  newTotal: Taxed;
  fee: bigint;
  /** What the guest still owes; negative: what he gets back. */
  delta: bigint;
};

/**
 * Nights that stay keep the price that was promised (R21), new ones cost what the calendar says today. Rooms are
 * allocated already, so nothing here refuses: a night without a price costs what the nearest night did.
 */
export function deltaOf(change: DateChange): Delta {
  const pairs = pairRooms(change.previous, change.rooms);
  const moved = pairs.map(({ room, before }) => moveRoom(room, before, change.rules));
  const rooms = moved.map(({ room }) => room);
  const previousTotal = totalOf(change.previous);
  const newTotal = totalOf(rooms);
  const fee = feeFor(
    change,
    moved.map(({ removed }) => removed),
  );
  return {
    rooms,
    nights: moved.flatMap(({ changes }) => changes),
    previousTotal,
    newTotal,
    fee,
    delta: newTotal.gross + fee - previousTotal.gross,
  };
}

/** R15: a guest who is in the house and leaves before his time pays for the nights he gives back; others for the change. */
function feeFor(
  { previous, previousStay, newStay, terms, today }: DateChange,
  removed: QuotedNight[][],
): bigint {
  const leaves = newStay.arrival === previousStay.arrival && newStay.departure < previousStay.departure;
  if (leaves && today >= previousStay.arrival)
    return feeOf(
      terms.earlyDepartureFee,
      removed.map(nights => ({ nights })),
    );
  return feeOf(terms.changeFee, previous);
}

type Pair = { room: MovedRoom; before: QuotedRoom | undefined };

/** Which priced room a booked room was: by identity where the quote knows it, else the first that looks like it. */
function pairRooms(previous: readonly QuotedRoom[], rooms: readonly MovedRoom[]): Pair[] {
  const free = new Set(previous);
  const take = (fits: (before: QuotedRoom) => boolean) => {
    const found = [...free].find(fits);
    if (found !== undefined) free.delete(found);
    return found;
  };
  const found = new Map<MovedRoom, QuotedRoom>();
  const rounds: ((room: MovedRoom) => (before: QuotedRoom) => boolean)[] = [
    room => before => before.bookedRoomId === room.bookedRoomId,
    room => before =>
      isSameKind(room, before) && before.adults === room.adults && before.children === room.children,
    room => before => isSameKind(room, before),
    () => () => true,
  ];
  for (const fits of rounds) {
    for (const room of rooms) {
      if (found.has(room)) continue;
      const before = take(fits(room));
      if (before !== undefined) found.set(room, before);
    }
  }
  return rooms.map(room => ({ room, before: found.get(room) }));
}

function isSameKind(room: MovedRoom, before: QuotedRoom): boolean {
  return before.roomTypeId === room.roomTypeId && before.ratePlanId === room.ratePlanId;
}

type Moved = { room: QuotedRoom; changes: NightChange[]; removed: QuotedNight[] };

function moveRoom(room: MovedRoom, before: QuotedRoom | undefined, rules: readonly ChargeRule[]): Moved {
  const frozen = new Map(before?.nights.map(night => [night.date, night]));
  const dates = nightDates(room.newStay);
  const removed = [...frozen.values()].filter(({ date }) => !dates.includes(date));
  const added = addedNights(
    room,
    dates.filter(date => !frozen.has(date)),
    { before, rules },
  );
  const changeOf = new Map<LocalDate, NightChange['change']>();
  const nights = dates.map(date => {
    const kept = frozen.get(date);
    changeOf.set(date, kept === undefined ? 'added' : 'kept');
    return kept ?? (added.get(date) as QuotedNight);
  });
  // What is paid once for a stay goes on with it when its night is given back.
  const once = removed.flatMap(({ charges }) =>
    charges.filter(line => line.mode === 'exclusive' && isPerStay(line)),
  );
  const [first] = nights as [QuotedNight];
  if (once.length > 0) {
    const charges = [...first.charges, ...once];
    nights[0] = { ...first, charges, price: taxed(listedPrice(first), charges) };
    if (changeOf.get(first.date) === 'kept') changeOf.set(first.date, 'repriced');
  }
  const { bookedRoomId, roomTypeId, ratePlanId, newStay, plan, adults, children } = room;
  const dearest = nights[remainderIndex(nights.map(listedPrice))] ?? first;
  const say = (night: QuotedNight, change: NightChange['change']) => ({
    bookedRoomId,
    date: night.date,
    change,
    price: night.price,
  });
  return {
    room: {
      ...{ bookedRoomId, roomTypeId, ratePlanId, adults, children, nights },
      stay: newStay,
      planVersion: plan.version,
      board: plan.board,
      remainderOn: dearest.date,
    },
    removed,
    changes: [
      ...nights.map(night => say(night, changeOf.get(night.date) ?? 'kept')),
      ...removed.map(night => say(night, 'removed')),
    ].sort((a, b) => compareDates(a.date, b.date)),
  };
}

function addedNights(
  room: MovedRoom,
  dates: readonly LocalDate[],
  { before, rules }: { before: QuotedRoom | undefined; rules: readonly ChargeRule[] },
): Map<LocalDate, QuotedNight> {
  const extra = extraGuestPrice(room.plan.extraGuests, room);
  const listed = dates.map(date => {
    const sold = room.days.get(date)?.price ?? null;
    if (sold === null) return carried(date, before);
    const calendar = room.baseDays === null ? sold : (room.baseDays.get(date)?.price ?? sold);
    return unchargedNight(date, { sold, calendar }, extra);
  });
  const prices = listed.map(night => ({ date: night.date, price: listedPrice(night) }));
  const charged = chargeNights(prices, rules, { guests: room, perStay: before === undefined });
  return new Map(
    listed.map((night, index) => [night.date, { ...night, ...(charged[index] as (typeof charged)[number]) }]),
  );
}

/** The calendar has no price for a night that is allocated: it costs what the nearest night of the stay did. */
function carried(date: LocalDate, before: QuotedRoom | undefined): Omit<QuotedNight, 'charges' | 'price'> {
  const distance = (night: QuotedNight) => Math.abs(daysBetween(night.date, date));
  const nearest = before?.nights.reduce((best, night) => (distance(night) < distance(best) ? night : best));
  const kept = nearest?.adjustments.filter(({ kind }) => kind !== 'promo' && kind !== 'carried_rate') ?? [];
  return {
    date,
    base: nearest?.base ?? 0n,
    adjustments: [...kept, { kind: 'carried_rate', amount: 0n }],
  };
}
