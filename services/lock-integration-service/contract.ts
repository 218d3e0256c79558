import { defineEvent } from '@melmastoon/catalog/define-event';
import { keyWindow } from '@melmastoon/catalog/hotel-parts';
import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Whose locks we speak to. */
export const lockVendors = ['ttlock', 'salto', 'assa_abloy', 'wiegand'] as const;

/** Where keys come from. `mechanical`: a lock of brass, whose key the desk hands over; nobody is called. */
export const vendors = [...lockVendors, 'mechanical'] as const;

/** What the guest holds in his hand. */
export const keyMedia = ['passcode', 'card', 'mobile_key', 'metal_key'] as const;

/** Why a key was issued. */
export const issueReasons = ['booking', 'check_in', 'replacement'] as const;

/** What changed on a key. */
export const keyChanges = ['room_moved', 'dates_changed', 'suspension_lifted'] as const;

/** Why a key died. `replaced`: another one took its place (R27); `expired`: nobody used it in the time the lock gives. */
export const revokeReasons = [
  'check_out',
  'cancellation',
  'no_show',
  'replaced',
  'expired',
  'security',
  'check_in_undone',
] as const;

/** Why a key sleeps. */
export const suspendReasons = ['police_hold', 'dispute', 'security'] as const;

/** What went wrong between us and a vendor. */
export const vendorFailures = [
  'timeout',
  'unreachable',
  'rate_limited',
  'not_authorised',
  'refused',
  'lock_offline',
  'bad_reply',
] as const;

const vendor = z.enum(vendors);
const electronic = z.enum(lockVendors);

/** What the vendor calls it; never the code or the bytes that open the door. */
const vendorReference = z.string().regex(/^[\w.:-]{1,100}$/);

const credential = {
  credentialId: idText('key'),
  reservationId: idText('rsv'),
  propertyId: idText('pro'),
  vendor,
};
const door = { roomId: idText('rom'), lockId: idText('lck'), window: keyWindow };

/** A key opens a door in its window. */
export const KeyCredentialIssued = defineEvent({
  subject: 'melmastoon.lock_integration.key_credential.issued.v1',
  summary: 'a key was issued through a vendor',
  retention: 'cold',
  payload: z.strictObject({
    ...credential,
    ...door,
    guestId: idText('gst'),
    medium: z.enum(keyMedia),
    vendorReference,
    reason: z.enum(issueReasons),
    /** The key that died for this one, if there was one (R27). */
    replaces: idText('key').nullable(),
  }),
  aggregateId: p => p.credentialId,
  idempotencyKey: p => `${p.credentialId}:issued`,
});

/** A key opens another door, or in another window; `before` is what it opened until now. */
export const KeyCredentialUpdated = defineEvent({
  subject: 'melmastoon.lock_integration.key_credential.updated.v1',
  summary: 'a key changed',
  retention: 'cold',
  payload: z
    .strictObject({
      ...credential,
      ...door,
      change: z.enum(keyChanges),
      before: z.strictObject(door),
    })
    .refine(p => p.change !== 'room_moved' || p.roomId !== p.before.roomId, 'moved to where it was')
    .refine(p => p.change !== 'dates_changed' || !isSameWindow(p), 'changed to the window it had'),
  aggregateId: p => p.credentialId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.credentialId}:updated:${aggregateVersion}`,
});

/** A key is dead for good. */
export const KeyCredentialRevoked = defineEvent({
  subject: 'melmastoon.lock_integration.key_credential.revoked.v1',
  summary: 'a key was revoked',
  retention: 'cold',
  payload: z.strictObject({
    ...credential,
    roomId: idText('rom'),
    lockId: idText('lck'),
    reason: z.enum(revokeReasons),
    /** False: the lock was out of reach and the code ends with its window or at the next contact. */
    confirmedByLock: z.boolean(),
  }),
  aggregateId: p => p.credentialId,
  idempotencyKey: p => `${p.credentialId}:revoked`,
});

/** A key opens nothing for a time; KeyCredentialUpdated with `suspension_lifted` wakes it. */
export const KeyCredentialSuspended = defineEvent({
  subject: 'melmastoon.lock_integration.key_credential.suspended.v1',
  summary: 'a key was suspended for a time',
  retention: 'cold',
  payload: z.strictObject({
    ...credential,
    vendor: electronic,
    roomId: idText('rom'),
    lockId: idText('lck'),
    reason: z.enum(suspendReasons),
    /** Null: until somebody lifts it. */
    until: instant.nullable(),
    orderedBy: idText('usr'),
  }),
  aggregateId: p => p.credentialId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.credentialId}:suspended:${aggregateVersion}`,
});

const failure = {
  vendor: electronic,
  propertyId: idText('pro'),
  lockId: idText('lck'),
  failure: z.enum(vendorFailures),
  /** The vendor's own code, for the runbook; null when it gave none. */
  vendorCode: z
    .string()
    .regex(/^[\w.:-]{1,60}$/)
    .nullable(),
  /** Which try of this operation it was, from 1. */
  attempt: z.int().min(1),
  /** Null: nobody tries again; it is in the front desk's queue (SAGA-26). */
  retryAt: instant.nullable(),
};

/** A vendor failed us. Nothing else follows from it: a booking stays confirmed (SAGA-26). */
export const VendorError = defineEvent({
  subject: 'melmastoon.lock_integration.vendor.error.v1',
  summary: 'a vendor failure was recorded',
  retention: 'cold',
  payload: z.discriminatedUnion('operation', [
    z.strictObject({
      operation: z.enum(['issue', 'update', 'revoke', 'suspend']),
      ...failure,
      credentialId: idText('key'),
      reservationId: idText('rsv'),
      roomId: idText('rom'),
    }),
    z.strictObject({ operation: z.enum(['pair', 'read_status']), ...failure }),
  ]),
  // The key it is about: failures and the success after them stay in order.
  aggregateId: p => ('credentialId' in p ? p.credentialId : p.lockId),
  idempotencyKey: (p, { aggregateVersion }) =>
    `${'credentialId' in p ? p.credentialId : p.lockId}:${p.operation}_failed:${aggregateVersion}`,
});

/** A lock belongs to a door of a property. */
export const DevicePaired = defineEvent({
  subject: 'melmastoon.lock_integration.device.paired.v1',
  summary: 'a lock device was paired to a property',
  retention: 'cold',
  payload: z.strictObject({
    lockId: idText('lck'),
    propertyId: idText('pro'),
    /** Null: a door of the house, not of a room. */
    roomId: idText('rom').nullable(),
    vendor: electronic,
    vendorReference,
    /** `offline`: codes work without it hearing from us, and cannot be taken back before they end (R27). */
    reach: z.enum(['online', 'gateway', 'offline']),
    pairedBy: idText('usr'),
  }),
  aggregateId: p => p.lockId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.lockId}:paired:${aggregateVersion}`,
});

/** All events of lock-integration-service. */
export const events = [
  KeyCredentialIssued,
  KeyCredentialUpdated,
  KeyCredentialRevoked,
  KeyCredentialSuspended,
  VendorError,
  DevicePaired,
];

type Window = z.output<typeof keyWindow>;

function isSameWindow({ window, before }: { window: Window; before: { window: Window } }): boolean {
  return window.validFrom === before.window.validFrom && window.validUntil === before.window.validUntil;
}
