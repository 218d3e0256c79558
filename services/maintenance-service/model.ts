import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { resolutions } from './contract.ts';

/** Where a ticket can be. */
export const ticketStatuses = ['open', 'assigned', 'in_progress', 'on_hold', 'done', 'cancelled'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** What may follow what. The last two are for good: what breaks again is another ticket that follows this one. */
export const nextStatuses = {
  open: ['assigned', 'in_progress', 'on_hold', 'done', 'cancelled'],
  assigned: ['assigned', 'in_progress', 'on_hold', 'done', 'cancelled'],
  in_progress: ['assigned', 'on_hold', 'done', 'cancelled'],
  on_hold: ['assigned', 'in_progress', 'done', 'cancelled'],
  done: [],
  cancelled: [],
} as const satisfies Record<TicketStatus, readonly TicketStatus[]>;

/** True when one status may follow another. */
export function mayBecome(from: TicketStatus, to: TicketStatus): boolean {
  return (nextStatuses[from] as readonly TicketStatus[]).includes(to);
}

/** True while somebody still has to do something. */
export function isOpen(status: TicketStatus): boolean {
  return nextStatuses[status].length > 0;
}

type Resolution = (typeof resolutions)[number];

/** How a ticket may end: by work, or without any. */
export const resolutionsOf = {
  done: ['repaired', 'replaced', 'no_fault_found'],
  cancelled: ['duplicate', 'will_not_repair', 'no_fault_found'],
} as const satisfies Record<'done' | 'cancelled', readonly Resolution[]>;

/** How a room is taken out; out of order leaves the inventory, out of service stays sellable (R11). */
export const blockKinds = ['out_of_service', 'out_of_order'] as const;
export type BlockKind = (typeof blockKinds)[number];

/** A room taken out for some nights `[from, until)`. */
export type Block = { readonly kind: BlockKind; readonly from: LocalDate; readonly until: LocalDate };

/** Most nights one ticket takes a room out for: a typing error must not close a room for a century. */
export const MOST_NIGHTS = 550;

/** Why a block cannot be, or undefined. Nights that are over cannot be blocked: the room was there. */
export function blockProblem(
  block: Block,
  { today, closedFrom, others }: { today: LocalDate; closedFrom: LocalDate | null; others: readonly Block[] },
): 'BLOCK_IN_THE_PAST' | 'BLOCK_TOO_LONG' | 'ROOM_CLOSED' | 'ROOM_BLOCKED' | undefined {
  const { from, until } = block;
  if (from < today) return 'BLOCK_IN_THE_PAST';
  if (addDays(from, MOST_NIGHTS) < until) return 'BLOCK_TOO_LONG';
  if (closedFrom !== null && closedFrom < until) return 'ROOM_CLOSED';
  return others.some(other => other.from < until && from < other.until) ? 'ROOM_BLOCKED' : undefined;
}

/** The first day a plan is due after it was done for `due`, later than today: what was missed is done once. */
export function dueAfter(due: LocalDate, everyDays: number, today: LocalDate): LocalDate {
  let next = addDays(due, everyDays);
  while (next <= today) next = addDays(next, everyDays);
  return next;
}
