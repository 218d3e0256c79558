import { minutes } from '@ghasi/domain-primitives/duration';
import { offsetMinutes, type Zone } from '@ghasi/domain-primitives/zone';

/** When something opens a door, `[from, until)`. */
export type Window = { readonly from: Date; readonly until: Date };

/** Where the end of a stay goes when a lock knows whole hours only. */
export const endRoundings = ['up', 'down', 'nearest'] as const;
export type EndRounding = (typeof endRoundings)[number];

/** What a vendor's codes can be. */
export type CodeRules = {
  /** Codes begin and end on whole steps of this length, on the clock at the property. */
  readonly stepMs: number;
  /** A code that nobody used so long after its start is suspended by the lock; null: it waits for ever. */
  readonly unusedForMs: number | null;
  /** The longest window a code can have; null: any. */
  readonly longestMs: number | null;
  /** One lock has one code for one window: asked for the same again it gives the same digits to somebody else. */
  readonly sameWindowSameCode: boolean;
};

/** How the windows of one lock are made. */
export type Rounding = {
  readonly rules: CodeRules;
  readonly zone: Zone;
  readonly end: EndRounding;
  /** Windows of earlier codes of the same lock. */
  readonly taken: readonly Window[];
};

/** Beyond so many steps of looking for a free window a code would die unused before its guest comes. */
const MOST_SHIFTS = 12;

/**
 * The window of a code for a stay (R27): it begins at or before the stay, ends as the house rounds, and is none that the
 * lock had before. Undefined: there is nothing left to open, or too many codes were made for it.
 */
export function codeWindow(stay: Window, { rules, zone, end, taken }: Rounding): Window | undefined {
  if (stay.from >= stay.until) return undefined;
  const step = { zone, stepMs: rules.stepMs };
  let from = floorStep(step, stay.from);
  const rounded = roundEnd(step, stay.until, end);
  const wanted = rounded > from ? rounded : ceilStep(step, stay.until);
  for (let shift = 0; shift < MOST_SHIFTS; shift++) {
    const until = capped(step, { from, until: wanted }, rules.longestMs);
    const isTaken = rules.sameWindowSameCode && taken.some(one => isSameWindow(one, { from, until }));
    if (!isTaken) return { from, until };
    from = floorStep(step, plus(from, -rules.stepMs)); // earlier: the guest loses nothing
  }
  return undefined;
}

type Step = { readonly zone: Zone; readonly stepMs: number };

/** The last whole step at or before a moment, on the clock at the property: 09:45 in Kabul lies in the hour of 09:00. */
export function floorStep({ zone, stepMs }: Step, at: Date): Date {
  if (stepMs <= minutes(1)) return new Date(Math.floor(at.getTime() / stepMs) * stepMs);
  let floored = at;
  // Twice where a zone moves its clock by half an hour: there the hour before has another offset.
  for (let round = 0; round < 2; round++) {
    const local = floored.getTime() + minutes(offsetMinutes(zone, floored));
    floored = plus(floored, -modulo(local, stepMs));
  }
  return floored;
}

/** The first whole step at or after a moment. */
export function ceilStep(step: Step, at: Date): Date {
  const before = floorStep(step, at);
  if (before.getTime() === at.getTime()) return at;
  const after = floorStep(step, plus(before, step.stepMs));
  return after > at ? after : floorStep(step, plus(before, 2 * step.stepMs));
}

function roundEnd(step: Step, at: Date, rounding: EndRounding): Date {
  const [down, up] = [floorStep(step, at), ceilStep(step, at)];
  if (rounding !== 'nearest') return rounding === 'up' ? up : down;
  return at.getTime() - down.getTime() < up.getTime() - at.getTime() ? down : up;
}

function capped(step: Step, { from, until }: Window, longestMs: number | null): Date {
  if (longestMs === null || until.getTime() - from.getTime() <= longestMs) return until;
  return floorStep(step, plus(from, longestMs));
}

/** True for two windows that open and end together. */
export function isSameWindow(one: Window, other: Window): boolean {
  return one.from.getTime() === other.from.getTime() && one.until.getTime() === other.until.getTime();
}

/** So many milliseconds later. */
export function plus(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

function modulo(value: number, step: number): number {
  return ((value % step) + step) % step;
}
