import type { taskKinds, taskOutcomes } from '../contract.ts';
import type { Work } from './room.ts';

export type TaskKind = (typeof taskKinds)[number];
export type TaskOutcome = (typeof taskOutcomes)[number];

/** Where a task can be. */
export const taskStatuses = ['created', 'assigned', 'started', 'completed', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** What may follow what; the last two are for good. */
export const nextStatuses = {
  created: ['assigned', 'started', 'completed', 'cancelled'],
  assigned: ['assigned', 'started', 'completed', 'cancelled'],
  started: ['assigned', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>;

/** True when one status may follow another. */
export function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return (nextStatuses[from] as readonly TaskStatus[]).includes(to);
}

/** True while somebody still has to do it. */
export function isOpen(status: TaskStatus): boolean {
  return nextStatuses[status].length > 0;
}

/** What finished work makes of a room; null: nothing. */
export const workOf = {
  departure_clean: 'cleaned',
  stayover_clean: 'cleaned',
  deep_clean: 'cleaned',
  linen_change: null,
  turndown: null,
  inspection: 'passed',
} as const satisfies Record<TaskKind, Work | null>;

/** True for work after which a room is clean, and which can be inspected. */
export function isCleaning(kind: TaskKind): boolean {
  return workOf[kind] === 'cleaned';
}

/** Open work that the cleaning after a departure makes pointless. */
export const replacedByDeparture: readonly TaskKind[] = [
  'stayover_clean',
  'linen_change',
  'turndown',
  'inspection',
];

/** What a task asks for, point by point. */
export type Checklist = readonly { readonly item: string; readonly done: boolean }[];

/** How a kind of work is done. */
export type Plan = { readonly estimatedMinutes: number; readonly items: readonly string[] };

/** How it is done where the house has no plan of its own. */
export const usualPlans: Readonly<Record<TaskKind, Plan>> = {
  departure_clean: {
    estimatedMinutes: 35,
    items: ['linen', 'towels', 'bathroom', 'dust', 'floor', 'supplies', 'lost_property'],
  },
  stayover_clean: { estimatedMinutes: 20, items: ['bed', 'towels', 'bathroom', 'waste', 'supplies'] },
  deep_clean: {
    estimatedMinutes: 120,
    items: ['curtains', 'carpet', 'mattress', 'windows', 'bathroom', 'vents', 'furniture'],
  },
  linen_change: { estimatedMinutes: 10, items: ['linen'] },
  turndown: { estimatedMinutes: 10, items: ['bed', 'curtains'] },
  inspection: { estimatedMinutes: 5, items: [] },
};

/** The points of a list that nobody has done. */
export function openItems(checklist: Checklist): string[] {
  return checklist.filter(({ done }) => !done).map(({ item }) => item);
}

/** The list with these points done, by their place; the others are not. */
export function ticked(checklist: Checklist, done: readonly number[]): Checklist {
  return checklist.map(({ item }, place) => ({ item, done: done.includes(place) }));
}
