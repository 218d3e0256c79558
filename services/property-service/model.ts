import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import type { ResolvedMatter, roomStatuses } from './contract/resources.ts';
import type { HouseRules, openMatters, resolutions } from './contract.ts';

type RoomStatus = (typeof roomStatuses)[number];
type OpenMatter = { matter: (typeof openMatters)[number]; reference: string };
type Resolution = (typeof resolutions)[number];

/** Where a room may go from where it is: archived is the end. */
export const nextRoomStatus = {
  active: ['archived'],
  archived: [],
} as const satisfies Record<RoomStatus, readonly RoomStatus[]>;

/** How a house works unless it says otherwise. */
export const usualRules: HouseRules = {
  inspectedBeforeCheckIn: false,
  dayCloseFrom: '20:00',
  arrivalsNotIn: 'no_show',
  departuresDue: 'block',
  openShifts: 'block',
  noShowHeldUntil: null,
};

/** The rules with the given ones in their place. */
export function mergeRules(
  before: HouseRules,
  patch: { [rule in keyof HouseRules]?: HouseRules[rule] | undefined },
): HouseRules {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

/** What decides about a day close. */
export type House = { zone: string; businessDate: string; openedOn: string; houseRules: HouseRules };

/** The hotel day a house opens with: the date on its wall calendar (R3). */
export function firstDay(zone: string, now: Date): LocalDate {
  return localDateIn(parseZone(zone), now);
}

/**
 * Whether a hotel day can be closed now. Days that are closed are answered before this is asked. A hotel day may lag
 * the calendar by any number of days, and run ahead of it by the evening of its last date only (R1).
 */
export function dayRefusal(house: House, asked: string, now: Date) {
  if (asked < house.openedOn) return 'DAY_BEFORE_OPENING';
  if (asked !== house.businessDate) return 'DAY_NOT_BEGUN';
  const closable = instantAt(parseZone(house.zone), parseLocalDate(asked), house.houseRules.dayCloseFrom);
  return now < closable ? 'DAY_STILL_RUNS' : undefined;
}

/** The hotel day after one. */
export function dayAfter(date: string): LocalDate {
  return addDays(parseLocalDate(date), 1);
}

/** What each rule makes of an open matter; undefined: it blocks. */
const resolutionBy = {
  arrival_not_in: ({ arrivalsNotIn }) => (arrivalsNotIn === 'no_show' ? 'no_show' : undefined),
  departure_due: ({ departuresDue }) => (departuresDue === 'extend' ? 'extended' : undefined),
  shift_open: ({ openShifts }) => (openShifts === 'carry_over' ? 'carried_over' : undefined),
} as const satisfies Record<OpenMatter['matter'], (rules: HouseRules) => Resolution | undefined>;

/** Settles what the house rules settle and names what blocks; each matter once, in a fixed order (R2). */
export function settle(
  open: readonly OpenMatter[],
  rules: HouseRules,
): { resolved: ResolvedMatter[]; blocking: OpenMatter[] } {
  const keyOf = ({ matter, reference }: OpenMatter) => `${matter} ${reference}`;
  const each = [...new Map(open.map(one => [keyOf(one), one])).values()];
  each.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  const resolved: ResolvedMatter[] = [];
  const blocking: OpenMatter[] = [];
  for (const { matter, reference } of each) {
    const as = resolutionBy[matter](rules);
    if (as === undefined) blocking.push({ matter, reference });
    else resolved.push({ matter, reference, as });
  }
  return { resolved, blocking };
}

/** What a new list of amenities adds and removes. */
export function amenityDifference(before: readonly string[], after: readonly string[]) {
  return {
    added: after.filter(code => !before.includes(code)),
    removed: before.filter(code => !after.includes(code)),
  };
}

/** Why a room cannot be archived, or undefined when it can. */
export function archivingRefusal(
  room: { status: RoomStatus },
  asked: { closedFrom: string; businessDate: string; reservationIds: readonly string[] },
) {
  const reachable: readonly RoomStatus[] = nextRoomStatus[room.status];
  if (!reachable.includes('archived')) return 'ROOM_ARCHIVED';
  if (asked.closedFrom < asked.businessDate) return 'ROOM_CLOSES_IN_THE_PAST';
  return asked.reservationIds.length > 0 ? 'ROOM_ASSIGNED' : undefined;
}
