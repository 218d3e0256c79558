import type { Id } from '@ghasi/domain-primitives/ids';
import type { PlanStatus, PlanView } from '../contract/resources.ts';

/** Where a plan may go from where it is. Archived is the end: a plan that comes back is a new one. */
export const nextStatus = {
  draft: ['published', 'archived'],
  published: ['archived'],
  archived: [],
} as const satisfies Record<PlanStatus, readonly PlanStatus[]>;

/** True when a plan may become that. */
export function mayBecome(from: PlanStatus, to: PlanStatus): boolean {
  const reachable: readonly PlanStatus[] = nextStatus[from];
  return reachable.includes(to);
}

/** What a plan needs of the one it is derived from: own prices, the same house, and all its room types. */
export function isBaseFor(base: PlanView | undefined, plan: PlanParts): boolean {
  return (
    base !== undefined &&
    base.derivation === null &&
    base.status !== 'archived' &&
    base.propertyId === plan.propertyId &&
    plan.roomTypeIds.every(id => base.roomTypeIds.includes(id))
  );
}

type PlanParts = { propertyId: Id<'pro'>; roomTypeIds: readonly Id<'rty'>[] };
