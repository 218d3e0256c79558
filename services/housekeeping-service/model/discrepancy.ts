import type { occupancies } from '../contract/room-state.ts';

type Occupancy = (typeof occupancies)[number];

/**
 * How front office and housekeeping can disagree (R26). Skip: the desk has somebody in a room that is empty. Sleep: the
 * desk has nobody in a room where somebody is. The two count more than the number of persons.
 */
export const discrepancyKinds = ['skip', 'sleep', 'person_count'] as const;
export type DiscrepancyKind = (typeof discrepancyKinds)[number];

/** What a person can decide about each kind. */
export const resolutions = {
  skip: ['observation_wrong', 'guest_left'],
  sleep: ['observation_wrong', 'room_cleared'],
  person_count: ['observation_wrong', 'count_accepted'],
} as const satisfies Record<DiscrepancyKind, readonly string[]>;

/** Every decision. */
export const decisions = ['observation_wrong', 'guest_left', 'room_cleared', 'count_accepted'] as const;
export type Decision = (typeof decisions)[number];

/** How a discrepancy can end: decided, or overtaken by what desk or housekeeping did next. */
export const endings = [...decisions, 'front_office_changed', 'seen_again'] as const;

/** One side's view of a room; `persons` null: not counted. */
export type View = { readonly occupancy: Occupancy; readonly persons: number | null };

/** How two views differ, if they do. */
export function differenceOf(frontOffice: View, observed: View): DiscrepancyKind | undefined {
  if (frontOffice.occupancy !== observed.occupancy)
    return frontOffice.occupancy === 'occupied' ? 'skip' : 'sleep';
  if (observed.occupancy === 'vacant' || observed.persons === null) return undefined;
  return frontOffice.persons === observed.persons ? undefined : 'person_count';
}

/** True when a decision makes sense for a kind. */
export function isDecisionFor(kind: DiscrepancyKind, decision: Decision): boolean {
  return (resolutions[kind] as readonly Decision[]).includes(decision);
}
