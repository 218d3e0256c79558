import { idFromUuid } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import {
  KeyCredentialIssued,
  KeyCredentialRevoked,
  KeyCredentialSuspended,
  KeyCredentialUpdated,
  VendorError,
} from '../contract.ts';
import type { VendorFailure, VendorName } from '../lock-vendor.ts';
import type { KeyOperation } from '../model/desk.ts';
import type { Fact } from '../model/key.ts';
import { credentialIdOf, type Key } from '../queries/keys.ts';

/** What others hear of a key; `before` is the key as they knew it. None of it opens a door. */
export function keyEvent(fact: Fact, key: Key, before: Key): PendingEvent {
  const at = { aggregateVersion: key.version };
  const head = headOf(key);
  const place = { roomId: idFromUuid('rom', key.roomId), lockId: idFromUuid('lck', key.lockId) };
  switch (fact) {
    case 'issued':
      return KeyCredentialIssued.from(
        {
          ...head,
          ...place,
          window: heldWindow(key),
          guestId: idFromUuid('gst', key.guestId),
          medium: key.medium,
          vendorReference: key.vendorReference ?? 'none',
          reason: key.reason,
          replaces: key.replaces === null ? null : idFromUuid('key', key.replaces),
        },
        at,
      ) as PendingEvent;
    case 'dates_changed':
    case 'suspension_lifted':
      return KeyCredentialUpdated.from(
        {
          ...head,
          ...place,
          window: heldWindow(key),
          change: fact,
          before: { ...place, window: toldWindow(before) },
        },
        at,
      ) as PendingEvent;
    case 'suspended':
      return KeyCredentialSuspended.from(
        {
          ...head,
          vendor: key.vendor as VendorName,
          ...place,
          reason: key.suspendReason ?? 'security',
          until: key.suspendedUntil?.toISOString() ?? null,
          orderedBy: key.suspendedBy as never,
        },
        at,
      ) as PendingEvent;
    case 'revoked':
      return KeyCredentialRevoked.from(
        {
          ...head,
          ...place,
          reason: key.endReason ?? 'security',
          confirmedByLock: key.confirmedByLock ?? false,
        },
        at,
      ) as PendingEvent;
  }
}

/** A try that failed: which, why, and when the next one is. */
export function vendorErrorEvent(
  key: Key,
  about: { failure: VendorFailure; operation: KeyOperation; retryAt: Date | null },
): PendingEvent {
  const { failure, operation, retryAt } = about;
  return VendorError.from(
    {
      operation,
      vendor: key.vendor as VendorName,
      propertyId: idFromUuid('pro', key.propertyId),
      lockId: idFromUuid('lck', key.lockId),
      failure: failure.failure,
      vendorCode: failure.vendorCode,
      attempt: key.tries,
      retryAt: retryAt?.toISOString() ?? null,
      credentialId: credentialIdOf(key),
      reservationId: idFromUuid('rsv', key.reservationId),
      roomId: idFromUuid('rom', key.roomId),
    },
    { aggregateVersion: key.version },
  ) as PendingEvent;
}

function headOf(key: Key) {
  return {
    credentialId: credentialIdOf(key),
    reservationId: idFromUuid('rsv', key.reservationId),
    propertyId: idFromUuid('pro', key.propertyId),
    vendor: key.vendor,
  };
}

function heldWindow({ heldFrom, heldUntil, windowFrom, windowUntil }: Key) {
  return {
    validFrom: (heldFrom ?? windowFrom).toISOString(),
    validUntil: (heldUntil ?? windowUntil).toISOString(),
  };
}

function toldWindow(key: Key) {
  const { toldFrom, toldUntil } = key;
  if (toldFrom === null || toldUntil === null) return heldWindow(key);
  return { validFrom: toldFrom.toISOString(), validUntil: toldUntil.toISOString() };
}
