import type { Id } from '@ghasi/domain-primitives/ids';
import { RoleGranted } from '../events.ts';
import { type Membership, rolesGiven } from '../model.ts';

/**
 * What a change gives to a member, as an event; nothing when it takes or leaves. `by` is null for the platform and
 * for seeds. The version is the membership's own, changed under the tenant's lock.
 */
export function roleGranted(
  after: Membership,
  { before, by }: { before?: Membership; by: Id<'usr'> | null },
) {
  const granted = rolesGiven(before, after);
  if (granted.length === 0) return [];
  const { id: membershipId, operatorId, roles, propertyIds, version } = after;
  const payload = { membershipId, operatorId, granted, roles, propertyIds, grantedBy: by };
  return [RoleGranted.from(payload, { aggregateVersion: version })];
}
