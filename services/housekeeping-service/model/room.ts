import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { conditions, NotReady, RoomState } from '../contract/room-state.ts';

export type Condition = (typeof conditions)[number];
export type Overlay = NonNullable<RoomState['overlay']>;

/** What work and people do to the condition of a room (R26); null: that cannot be. */
export const conditionAfter = {
  cleaned: { dirty: 'clean', pickup: 'clean', clean: 'clean', inspected: 'inspected' },
  passed: { dirty: null, pickup: null, clean: 'inspected', inspected: 'inspected' },
  failed: { dirty: 'dirty', pickup: 'dirty', clean: 'dirty', inspected: 'dirty' },
  /** Walked through, not slept in: a quick hand will do. */
  shown: { dirty: 'dirty', pickup: 'pickup', clean: 'pickup', inspected: 'pickup' },
  soiled: { dirty: 'dirty', pickup: 'dirty', clean: 'dirty', inspected: 'dirty' },
  slept: { dirty: 'dirty', pickup: 'dirty', clean: 'dirty', inspected: 'dirty' },
} as const satisfies Record<string, Record<Condition, Condition | null>>;
export type Work = keyof typeof conditionAfter;

/** What somebody must have done for a room to be like that. */
const workFor = {
  clean: 'cleaned',
  inspected: 'passed',
  pickup: 'shown',
  dirty: 'soiled',
} as const satisfies Record<Condition, Work>;

/** Everything that can happen to the state of a room. */
export type RoomAct =
  | { readonly kind: 'occupied' }
  | { readonly kind: 'vacated'; readonly as: 'slept' | 'shown' }
  | { readonly kind: 'worked'; readonly work: Work }
  | { readonly kind: 'blocked'; readonly overlay: Overlay }
  | { readonly kind: 'unblocked'; readonly returns: Condition };

/**
 * The state after an act, or null when it cannot be. Whoever is let into a blocked room suspends the block: an occupied
 * room has no overlay (R11).
 */
export function stateAfter(state: RoomState, act: RoomAct): RoomState | null {
  switch (act.kind) {
    case 'occupied':
      return { ...state, occupancy: 'occupied', overlay: null };
    case 'vacated':
      return { ...state, occupancy: 'vacant', condition: conditionAfter[act.as][state.condition] };
    case 'worked': {
      const condition = conditionAfter[act.work][state.condition];
      return condition === null ? null : { ...state, condition };
    }
    case 'blocked':
      return state.occupancy === 'occupied' ? null : { ...state, overlay: act.overlay };
    case 'unblocked':
      return state.overlay === null ? null : { ...state, condition: act.returns, overlay: null };
  }
}

/** The state when somebody says by hand what the room is like, or null: a dirty room is not inspected without cleaning. */
export function setByHand(state: RoomState, wanted: Condition): RoomState | null {
  const next = stateAfter(state, { kind: 'worked', work: workFor[wanted] });
  return next?.condition === wanted ? next : null;
}

/** A block that maintenance asked for; whether it is in force follows from day and occupancy. */
export type Block = {
  readonly ticketId: Id<'mtk'>;
  readonly kind: Overlay['kind'];
  readonly from: LocalDate;
  readonly until: LocalDate;
  readonly returnCondition: Condition;
};

/** The block that holds a vacant room on a hotel day; out of order counts more than out of service. */
export function blockOn(blocks: readonly Block[], day: LocalDate): Block | undefined {
  const running = blocks.filter(({ from, until }) => from <= day && day < until);
  const inOrder = running.sort((a, b) => (a.ticketId < b.ticketId ? -1 : 1));
  return inOrder.find(({ kind }) => kind === 'out_of_order') ?? inOrder[0];
}

/** The overlay of a block as others hear of it. */
export function overlayOf({ ticketId, kind, from, until, returnCondition }: Block): Overlay {
  return { kind, days: { from, until }, returnCondition, ticketId };
}

/**
 * Puts the blocks of a room in force that should be, and takes off what is over: then the room returns in the condition
 * agreed on, or in `returns`. A block that only gives way to a guest or to another block returns nothing.
 */
export function withBlocks(
  state: RoomState,
  blocks: readonly Block[],
  { day, returns }: { day: LocalDate; returns?: Condition | undefined },
): { state: RoomState; isBack: boolean } {
  const { overlay } = state;
  const isOver =
    overlay !== null && !blocks.some(({ ticketId, until }) => ticketId === overlay.ticketId && day < until);
  const back = isOver
    ? stateAfter(state, { kind: 'unblocked', returns: returns ?? overlay.returnCondition })
    : null;
  const wanted = state.occupancy === 'occupied' ? undefined : blockOn(blocks, day);
  const base = back ?? { ...state, overlay: null };
  const next = wanted === undefined ? base : { ...base, overlay: overlayOf(wanted) };
  return { state: next, isBack: back !== null && wanted === undefined };
}

/**
 * Why a room is not ready by the rule of its house, or null when it is (R14). Out of service stays usable (R11); a room
 * in which housekeeping saw somebody the desk does not know of is not.
 */
export function notReady(
  room: { state: RoomState; isClosed: boolean; isSlept: boolean },
  rule: { inspectedBeforeCheckIn: boolean },
): NotReady | null {
  const { occupancy, condition, overlay } = room.state;
  if (room.isClosed) return 'closed';
  if (occupancy === 'occupied') return 'occupied';
  if (overlay?.kind === 'out_of_order') return 'out_of_order';
  if (room.isSlept) return 'discrepancy';
  if (condition === 'dirty' || condition === 'pickup') return 'not_clean';
  return rule.inspectedBeforeCheckIn && condition !== 'inspected' ? 'not_inspected' : null;
}
