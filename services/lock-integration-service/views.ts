import { idFromUuid } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { actionView, keyRulesView, keyView, lockView, queueEntry } from './contract/resources.ts';
import type { ActionRow } from './queries/actions.ts';
import type { House } from './queries/houses.ts';
import { credentialIdOf, type Key } from './queries/keys.ts';
import type { Lock } from './queries/locks.ts';

const text = (at: Date | null) => at?.toISOString() ?? null;

/** A key for the desk. */
export function viewKey(key: Key): z.input<typeof keyView> {
  return {
    credentialId: credentialIdOf(key),
    reservationId: idFromUuid('rsv', key.reservationId),
    bookedRoomId: idFromUuid('brm', key.bookedRoomId),
    propertyId: idFromUuid('pro', key.propertyId),
    roomId: idFromUuid('rom', key.roomId),
    lockId: idFromUuid('lck', key.lockId),
    vendor: key.vendor,
    medium: key.medium,
    status: shownStatus(key),
    window: {
      validFrom: (key.heldFrom ?? key.windowFrom).toISOString(),
      validUntil: (key.heldUntil ?? key.windowUntil).toISOString(),
    },
    reason: key.reason,
    replaces: key.replaces === null ? null : idFromUuid('key', key.replaces),
    endReason: key.endReason,
    confirmedByLock: key.confirmedByLock,
    suspendedUntil: text(key.suspendedUntil),
    givenAt: text(key.givenAt),
    queuedAt: text(key.queuedAt),
    createdAt: key.createdAt.toISOString(),
    version: key.version,
  };
}

/** A key that should be gone is shown as such while its vendor is still being told. */
export function shownStatus({ status, wish }: Key): z.input<typeof keyView>['status'] {
  return wish === 'gone' && status !== 'revoked' ? 'ending' : status;
}

/** What waits for a person. */
export function viewQueued(key: Key, numbers: ReadonlyMap<string, string>): z.input<typeof queueEntry> {
  const { operation, failure, vendorCode, tries } = key;
  const roomNumber = numbers.get(key.roomId) ?? null;
  return { key: viewKey(key), roomNumber, operation: operation ?? 'issue', failure, vendorCode, tries };
}

/** What somebody did. */
export function viewAction({
  action,
  actorId,
  deviceId,
  attestationId,
  at,
}: ActionRow): z.input<typeof actionView> {
  return { action, actorId, deviceId, secondFactor: attestationId !== null, at: at.toISOString() };
}

/** A lock for the desk. */
export function viewLock(lock: Lock): z.input<typeof lockView> {
  const { vendor, vendorReference, reach, status, isOnline, battery, failure, version } = lock;
  return {
    lockId: idFromUuid('lck', lock.id),
    propertyId: idFromUuid('pro', lock.propertyId),
    roomId: lock.roomId === null ? null : idFromUuid('rom', lock.roomId),
    ...{ vendor, vendorReference, reach, status, isOnline, battery, failure, version },
    lookedAt: text(lock.lookedAt),
    pairedAt: lock.pairedAt.toISOString(),
  };
}

/** The rules of a house. */
export function viewRules({
  propertyId,
  endRounding,
  metalKeys,
  version,
}: House): z.input<typeof keyRulesView> {
  return { propertyId: idFromUuid('pro', propertyId), endRounding, metalKeys, version };
}
