import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';

/** Where a booked room is: `gone` was cancelled or never came. */
export const stayStatuses = ['expected', 'in_house', 'left', 'gone'] as const;
export type StayStatus = (typeof stayStatuses)[number];

/** What a booked room may become. A guest in house is not expected again unless his check-in is taken back (R18). */
export const nextStatuses = {
  expected: ['expected', 'in_house', 'left', 'gone'],
  in_house: ['left'],
  left: ['in_house'],
  gone: ['expected', 'in_house', 'left', 'gone'],
} as const satisfies Record<StayStatus, readonly StayStatus[]>;

/** A booked room as the front office told of it, part by part, each with the version of the booking that said it. */
export type Stay = {
  readonly bookedRoomId: Id<'brm'>;
  readonly reservationId: Id<'rsv'>;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'> | null;
  readonly roomVersion: number;
  /** A move that was agreed for a later hotel day (R16). */
  readonly next: { readonly roomId: Id<'rom'>; readonly from: LocalDate } | null;
  readonly arrival: LocalDate;
  readonly departure: LocalDate;
  readonly datesVersion: number;
  readonly persons: number;
  /** When the guest may stand at the door; null: nobody said. */
  readonly keyFrom: Date | null;
  readonly status: StayStatus;
  readonly statusVersion: number;
  /** The hotel day of the check-in. */
  readonly since: LocalDate | null;
};

/** What an event says of one booked room. Left out: it says nothing of that. */
export type Told = Pick<
  Stay,
  'bookedRoomId' | 'reservationId' | 'propertyId' | 'arrival' | 'departure' | 'persons'
> & {
  readonly version: number;
  readonly roomId: Id<'rom'> | null;
  readonly status?: StayStatus;
  /** With `expected`: a check-in was taken back. */
  readonly isUndone?: boolean;
  readonly since?: LocalDate;
  readonly keyFrom?: Date;
  /** The night from which a room is another one. */
  readonly fromNight?: LocalDate;
};

/**
 * A booked room after an event, whatever came before it: of each part the newest version counts, so that facts
 * may overtake each other and end alike. Dates move with inventory's word only.
 */
export function follow(known: Stay | undefined, told: Told, today: LocalDate | null): Stay {
  const { version, status, since, keyFrom } = told;
  if (known === undefined) {
    const { bookedRoomId, reservationId, propertyId, roomId, arrival, departure, persons } = told;
    return {
      ...{ bookedRoomId, reservationId, propertyId, roomId, arrival, departure, persons },
      roomVersion: version,
      next: null,
      datesVersion: 0,
      keyFrom: keyFrom ?? null,
      status: status ?? 'expected',
      statusVersion: status === undefined ? 0 : version,
      since: since ?? null,
    };
  }
  const isNewStatus =
    status !== undefined && version > known.statusVersion && mayBecome(known.status, status, told.isUndone);
  const isBack = isNewStatus && known.status === 'gone' && version > known.datesVersion;
  const next: Stay = {
    ...known,
    ...(isBack ? { arrival: told.arrival, departure: told.departure } : {}),
    ...(isNewStatus ? { status, statusVersion: version, since: since ?? known.since } : {}),
    keyFrom: known.keyFrom ?? keyFrom ?? null,
  };
  return version > known.roomVersion ? inRoom(next, told, today) : next;
}

function mayBecome(from: StayStatus, to: StayStatus, isUndone = false): boolean {
  return (nextStatuses[from] as readonly StayStatus[]).includes(to) || (isUndone && from === 'in_house');
}

/** Other dates, by the word of inventory; `version` is the booking's that asked for them. */
export function redate(known: Stay | undefined, told: Told): Stay {
  const { version, arrival, departure, keyFrom = null } = told;
  if (known === undefined) {
    const unheard = { roomVersion: 0, statusVersion: 0, datesVersion: version };
    return { ...follow(undefined, told, null), ...unheard };
  }
  return version > known.datesVersion
    ? { ...known, arrival, departure, keyFrom, datesVersion: version }
    : known;
}

/** The room part of what was told. A move that begins on a later day waits for it. */
function inRoom(stay: Stay, { version, roomId, persons, fromNight }: Told, today: LocalDate | null): Stay {
  const heard = { ...stay, roomVersion: version, persons };
  if (roomId === stay.roomId) return { ...heard, next: null };
  // Said again without a night: still planned. Who leaves before the day of the move never saw the other room.
  if (fromNight === undefined && roomId !== null && stay.next?.roomId === roomId)
    return stay.status === 'in_house' ? heard : { ...heard, next: null };
  const isLater = fromNight !== undefined && today !== null && fromNight > today;
  if (isLater && stay.status === 'in_house' && roomId !== null)
    return { ...heard, next: { roomId, from: fromNight } };
  return { ...heard, roomId, next: null };
}

/** What a change of a stay does to rooms: who was let in where, and which rooms were left. */
export type RoomEffects = {
  readonly occupied: Id<'rom'> | null;
  readonly vacated: readonly { readonly roomId: Id<'rom'>; readonly as: 'slept' | 'shown' }[];
};

/** Compares a booked room before and after an event. Only a stay that is in house occupies a room (SAGA-41). */
export function effectsOf(before: Stay | undefined, after: Stay): RoomEffects {
  const was = before?.status === 'in_house' ? before.roomId : null;
  const is = after.status === 'in_house' ? after.roomId : null;
  const as = after.status === 'expected' ? ('shown' as const) : ('slept' as const);
  const left = new Set<Id<'rom'>>();
  if (was !== null && was !== is) left.add(was);
  // The check-in, or a move before the check-out, is still on its way: the last room was slept in all the same.
  if (after.status === 'left' && before?.status !== 'left' && after.roomId !== null) left.add(after.roomId);
  return { occupied: is === was ? null : is, vacated: [...left].map(roomId => ({ roomId, as })) };
}
