import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';

/** The end of a tenant's chain. */
export type Head = {
  /** Of the last entry; 0 for an empty chain. */
  readonly position: number;
  readonly hash: string | null;
  readonly recordedAt: Date | null;
  /** The last day that is under a root: it takes no more entries. */
  readonly sealedDay: LocalDate | null;
  /** The first day that has entries and no root. */
  readonly openDay: LocalDate | null;
};

/** The chain of a tenant of whom nothing was recorded. */
export const emptyChain: Head = {
  position: 0,
  hash: null,
  recordedAt: null,
  sealedDay: null,
  openDay: null,
};

/** The day of an entry. In UTC, for a tenant's houses may lie in several zones. */
export function dayOf(moment: Date): LocalDate {
  return parseLocalDate(moment.toISOString().slice(0, 10));
}

/**
 * When the next entry counts as recorded: now, but never before the entry before it and never in a day that is under a
 * root. So days are runs of positions, whatever the clocks of several processes say.
 */
export function recordingTime({ recordedAt, sealedDay }: Head, now: Date): Date {
  const after = sealedDay === null ? 0 : Date.parse(`${addDays(sealedDay, 1)}T00:00:00.000Z`);
  return new Date(Math.max(now.getTime(), recordedAt?.getTime() ?? 0, after));
}

/** The day that can be put under a root now: it has entries and is over. */
export function dayToSeal({ openDay }: Head, now: Date): LocalDate | undefined {
  return openDay !== null && openDay < dayOf(now) ? openDay : undefined;
}
