import { hours } from '@ghasi/domain-primitives/duration';
import type { issueReasons, revokeReasons } from '../contract.ts';
import type { KeyLife } from './key.ts';
import { codeWindow, isSameWindow, plus, type Rounding, type Window } from './windows.ts';

export type RevokeReason = (typeof revokeReasons)[number];
export type IssueReason = (typeof issueReasons)[number];

/** Where a guest is on his way. */
export const phases = ['expected', 'here', 'ended'] as const;
export type Phase = (typeof phases)[number];

/** One booked room as its keys see it. */
export type Stay = {
  readonly phase: Phase;
  /** Paid or guaranteed; false: cash on arrival, for which no key is handed out ahead (SAGA-27). */
  readonly isPaid: boolean;
  /** Null: any room of the type will do. */
  readonly roomId: string | null;
  readonly window: Window;
  /** Why it ended; null while it lives. */
  readonly endReason: RevokeReason | null;
};

/** What hangs on the door of the room. */
export type Door =
  | {
      readonly kind: 'electronic';
      readonly lockId: string;
      readonly changesInPlace: boolean;
      readonly rounding: Rounding;
    }
  | { readonly kind: 'metal' };

/** A key of the booked room that should not be gone. */
export type RoomKey = Pick<KeyLife, 'status' | 'atVendor' | 'window' | 'announce' | 'wish'> & {
  readonly id: string;
  readonly roomId: string;
  readonly lockId: string;
  /** The stay it was made for: another one needs another window. */
  readonly stay: Window;
  /** When the guest had it in his hands; a code that was used is not suspended by its lock any more. */
  readonly givenAt: Date | null;
};

/** What to do about the keys of a booked room. */
export type Action =
  | { readonly do: 'end'; readonly keyId: string; readonly reason: RevokeReason }
  | {
      readonly do: 'announce';
      readonly keyId: string;
      readonly replaces: string | null;
      readonly reason: IssueReason;
    }
  | { readonly do: 'give'; readonly keyId: string }
  | { readonly do: 'rewindow'; readonly keyId: string; readonly window: Window }
  /** `window` null: the stay is over, no lock takes it; a person decides. */
  | {
      readonly do: 'want';
      readonly window: Window | null;
      readonly announce: boolean;
      readonly replaces: string | null;
      readonly reason: IssueReason;
    };

/** So long before its window a code is fetched and sealed, and so long an arrival may be late with the net down. */
export const aheadMs = hours(36);

/** A code that the lock suspends within this time is as good as suspended: the guest has to reach the door. */
export const marginMs = hours(1);

/**
 * What the keys of a booked room should become (SAGA-20, 27, 36, 44, 53; R16, R27). Called again whenever anything
 * changed; with nothing to do it says nothing.
 */
export function decideKeys(
  stay: Stay,
  {
    door,
    keys,
    now,
    replaced = null,
  }: {
    readonly door: Door;
    readonly keys: readonly RoomKey[];
    readonly now: Date;
    /** A key that was just ended by hand, for which another one comes. */
    readonly replaced?: string | null;
  },
): Action[] {
  if (stay.phase === 'ended' || stay.roomId === null)
    return keys.map(({ id }) => end(id, stay.endReason ?? 'replaced'));
  const isAtDoor = ({ roomId, lockId }: RoomKey) =>
    roomId === stay.roomId && (door.kind === 'metal' || lockId === door.lockId);
  const elsewhere = keys.filter(key => !isAtDoor(key));
  const own = keys.filter(isAtDoor);
  const moved = elsewhere.map(({ id }) => end(id, 'replaced'));
  // A key that sleeps sleeps on order of somebody: no other one takes its place.
  if (own.some(({ wish }) => wish === 'asleep')) return moved;
  const before = replaced ?? elsewhere.find(({ status }) => status === 'issued')?.id ?? null;
  const decided =
    door.kind === 'metal' ? metalKeys(stay, { own, now, before }) : codes(stay, { door, own, now, before });
  return [...moved, ...decided];
}

type Given = { readonly own: readonly RoomKey[]; readonly now: Date; readonly before: string | null };

/** A metal key is in the guest's hand while he is here, and opens as long as he stays. */
function metalKeys(stay: Stay, { own, now, before }: Given): Action[] {
  const [key] = own;
  if (stay.phase !== 'here') return own.map(({ id }) => end(id, 'replaced'));
  const from = stay.window.from < now ? stay.window.from : now;
  const window = { from, until: stay.window.until > from ? stay.window.until : plus(from, hours(1)) };
  if (key === undefined) return [want(stay, { window, announce: true, replaces: before })];
  return key.stay.until.getTime() === stay.window.until.getTime()
    ? []
    : [{ do: 'rewindow', keyId: key.id, window: { from: key.window.from, until: window.until } }];
}

type Electronic = Extract<Door, { kind: 'electronic' }>;

function codes(stay: Stay, { door, own, now, before }: Given & { readonly door: Electronic }): Action[] {
  const stale = own.filter(key => isStale(key, door, now));
  const fresh = own.filter(key => !stale.includes(key)).sort(byStart);
  const expired = stale.map(({ id }) => end(id, 'expired'));
  const gone = stale.find(({ status }) => status === 'issued')?.id ?? before;
  const given = { door, own: fresh, now, before: gone };
  return [...expired, ...(stay.phase === 'here' ? codesOfGuest(stay, given) : codesAhead(stay, given))];
}

/** The guest stands there: one code that opens now and until he leaves; whatever is there already will do. */
function codesOfGuest(
  stay: Stay,
  { door, own, now, before }: Given & { readonly door: Electronic },
): Action[] {
  const opensNow = own.filter(({ window }) => window.from <= now && window.until > now);
  const fits = (key: RoomKey) =>
    key.stay.until.getTime() === stay.window.until.getTime() && !isRunningOut(key, stay, now);
  const best = opensNow.filter(fits).sort(byUse)[0];
  if (best !== undefined) {
    // The old one lives until the new one does: nobody is locked out in between.
    const others = own.filter(key => key !== best && (isThere(best) || !isThere(key)));
    const old = others.find(({ status }) => status === 'issued')?.id ?? before;
    return [
      ...others.map(({ id }) => end(id, 'replaced')),
      ...(best.announce ? [] : [announced(stay, best, old)]),
      ...(best.givenAt === null && isThere(best) ? [{ do: 'give', keyId: best.id } as const] : []),
    ];
  }
  const changeable = own.filter(key => door.changesInPlace || isNowhere(key)).sort(byUse)[0];
  const keepsStart =
    changeable !== undefined && changeable.window.from < now && !isRunningOut(changeable, stay, now);
  const from = keepsStart ? changeable.window.from : now;
  const window = codeWindow({ from, until: stay.window.until }, door.rounding);
  if (stay.window.until <= now || window === undefined)
    return own.length > 0 ? [] : [want(stay, { window: null, announce: true, replaces: before })];
  if (changeable === undefined) {
    const old = own.find(({ status }) => status === 'issued')?.id ?? before;
    return [want(stay, { window, announce: true, replaces: old })];
  }
  return [
    ...own.filter(key => key !== changeable && !isThere(key)).map(({ id }) => end(id, 'replaced')),
    { do: 'rewindow', keyId: changeable.id, window },
    ...(changeable.announce ? [] : [announced(stay, changeable, before)]),
  ];
}

/** Before the guest comes: a code for his arrival, and one more for a late one where codes die unused (R27). */
function codesAhead(stay: Stay, { door, own, now, before }: Given & { readonly door: Electronic }): Action[] {
  const isSoon = stay.window.from.getTime() - now.getTime() <= aheadMs;
  const begin = stay.window.from > now ? stay.window.from : now;
  if (stay.window.until <= now) return [];
  const fits = own.filter(key => isSameWindow(key.stay, stay.window));
  const misfits = own.filter(key => !fits.includes(key));
  const [main] = fits;
  if (main === undefined) {
    const [changeable] = misfits.filter(key => door.changesInPlace || isNowhere(key));
    const window = codeWindow({ from: begin, until: stay.window.until }, door.rounding);
    const rest = misfits.filter(key => key !== changeable);
    if (window === undefined) return misfits.map(({ id }) => end(id, 'replaced'));
    if (changeable !== undefined)
      return [...rest.map(({ id }) => end(id, 'replaced')), { do: 'rewindow', keyId: changeable.id, window }];
    if (!stay.isPaid && !isSoon && misfits.length === 0) return [];
    const old = misfits.find(({ status }) => status === 'issued')?.id ?? before;
    const fresh = want(stay, { window, announce: stay.isPaid, replaces: old });
    return [...misfits.map(({ id }) => end(id, 'replaced')), fresh];
  }
  const spare = isSoon ? spareFrom(fits, { stay, door, now }) : undefined;
  return [
    ...misfits.map(({ id }) => end(id, 'replaced')),
    ...(stay.isPaid && !fits.some(key => key.announce) ? [announced(stay, main, before)] : []),
    ...(spare === undefined ? [] : [want(stay, { window: spare, announce: false, replaces: null })]),
  ];
}

/** The next code of a chain in which each begins before the one before it is suspended. */
function spareFrom(
  codesNow: readonly RoomKey[],
  { stay, door, now }: { readonly stay: Stay; readonly door: Electronic; readonly now: Date },
): Window | undefined {
  const { unusedForMs } = door.rounding.rules;
  const last = codesNow.at(-1);
  if (unusedForMs === null || last === undefined) return undefined;
  const diesAt = plus(last.window.from, unusedForMs - marginMs);
  const covered = plus(stay.window.from > now ? stay.window.from : now, aheadMs);
  if (diesAt >= covered || diesAt >= stay.window.until) return undefined;
  return codeWindow({ from: diesAt, until: stay.window.until }, door.rounding);
}

function isStale({ givenAt, window }: RoomKey, { rounding }: Electronic, now: Date): boolean {
  const { unusedForMs } = rounding.rules;
  return unusedForMs !== null && givenAt === null && now >= plus(window.from, unusedForMs - marginMs);
}

/** A lock that takes a year at most needs another code before that year is over. */
function isRunningOut({ window }: RoomKey, stay: Stay, now: Date): boolean {
  return window.until < plus(stay.window.until, -hours(1)) && window.until <= plus(now, hours(24));
}

const end = (keyId: string, reason: RevokeReason): Action => ({ do: 'end', keyId, reason });

function announced({ phase }: Stay, { id }: RoomKey, replaces: string | null): Action {
  return { do: 'announce', keyId: id, replaces, reason: reasonOf(phase, replaces) };
}

function reasonOf(phase: Phase, replaces: string | null): IssueReason {
  if (replaces !== null) return 'replacement';
  return phase === 'here' ? 'check_in' : 'booking';
}

type Wanted = Pick<Extract<Action, { do: 'want' }>, 'window' | 'announce' | 'replaces'>;

function want({ phase }: Stay, wanted: Wanted): Action {
  return { do: 'want', ...wanted, reason: reasonOf(phase, wanted.replaces) };
}

const isThere = ({ atVendor }: RoomKey) => atVendor === 'live' || atVendor === 'by_hand';
const isNowhere = ({ atVendor }: RoomKey) => atVendor === 'absent' || atVendor === 'gone';
const byStart = (one: RoomKey, other: RoomKey) => one.window.from.getTime() - other.window.from.getTime();

/** What the guest has in his hands first, then what is there, then what others were told of, then the newest. */
function byUse(one: RoomKey, other: RoomKey): number {
  const rank = (key: RoomKey) =>
    (key.givenAt === null ? 0 : 8) + (isThere(key) ? 4 : 0) + (key.announce ? 2 : 0);
  return rank(other) - rank(one) || byStart(other, one);
}
