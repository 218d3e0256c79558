import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  issueReasons,
  keyMedia,
  lockVendors,
  revokeReasons,
  suspendReasons,
  vendorFailures,
  vendors,
} from '../contract.ts';

/** How we reach a lock. */
const reach = z.enum(['online', 'gateway', 'offline']);
const window = z.strictObject({ validFrom: instant, validUntil: instant });

/** A lock as the desk sees it. `isOnline` null: nobody has looked yet. */
export const lockView = z.strictObject({
  lockId: idText('lck'),
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  vendor: z.enum(vendors),
  vendorReference: z.string(),
  reach,
  status: z.enum(['paired', 'unpaired']),
  isOnline: z.boolean().nullable(),
  /** Percent; null where nobody measures it. */
  battery: z.int().nullable(),
  failure: z.enum(vendorFailures).nullable(),
  lookedAt: instant.nullable(),
  pairedAt: instant,
  version: z.int(),
});

/** A lock to be paired with a door. */
export const newLock = z.strictObject({
  propertyId: idText('pro'),
  roomId: idText('rom').nullable(),
  vendor: z.enum(lockVendors),
  vendorReference: z.string().regex(/^[\w.:-]{1,100}$/),
  reach,
});

/** How a house rounds and hands out keys. */
export const keyRules = z.strictObject({
  endRounding: z.enum(['up', 'down', 'nearest']),
  metalKeys: z.enum(['with_check_in', 'confirmed']),
});
export const keyRulesView = z.strictObject({
  ...keyRules.shape,
  propertyId: idText('pro'),
  version: z.int(),
});

/** A key as the desk sees it; what opens the door is shown by `release` alone. */
export const keyView = z.strictObject({
  credentialId: idText('key'),
  reservationId: idText('rsv'),
  bookedRoomId: idText('brm'),
  propertyId: idText('pro'),
  roomId: idText('rom'),
  lockId: idText('lck'),
  vendor: z.enum(vendors),
  medium: z.enum(keyMedia),
  /** `ready`: sealed here, nobody was told; `ending`: its vendor is being told. */
  status: z.enum(['wanted', 'ready', 'issued', 'suspended', 'ending', 'revoked']),
  window,
  reason: z.enum(issueReasons),
  replaces: idText('key').nullable(),
  endReason: z.enum(revokeReasons).nullable(),
  confirmedByLock: z.boolean().nullable(),
  suspendedUntil: instant.nullable(),
  givenAt: instant.nullable(),
  /** With the front desk since then; null: nobody has to do anything. */
  queuedAt: instant.nullable(),
  createdAt: instant,
  version: z.int(),
});

/** What somebody did with a key. */
export const actionView = z.strictObject({
  action: z.string(),
  actorId: z.string(),
  deviceId: z.string().nullable(),
  secondFactor: z.boolean(),
  at: instant,
});

/** A key with everything that was done with it by hand. */
export const keyHistory = z.strictObject({ key: keyView, actions: z.array(actionView) });

/** What opens the door. For a card: its number, `26:<facility>:<number>`. */
export const releasedKey = z.strictObject({ key: keyView, code: z.string() });

/** Something the vendor did not do, for a person to do (SAGA-26). */
export const queueEntry = z.strictObject({
  key: keyView,
  roomNumber: z.string().nullable(),
  operation: z.enum(['issue', 'update', 'revoke', 'suspend']),
  /** Null: no vendor is involved, a metal key is to be handed over. */
  failure: z.enum(vendorFailures).nullable(),
  vendorCode: z.string().nullable(),
  tries: z.int(),
});

export const replacement = z.strictObject({
  reservationId: idText('rsv'),
  bookedRoomId: idText('brm'),
  because: z.enum(['lost', 'security']),
});
export const suspension = z.strictObject({ reason: z.enum(suspendReasons), until: instant.nullable() });
export const encoding = z.strictObject({ encoder: z.string().regex(/^[\w.-]{1,64}$/) });
