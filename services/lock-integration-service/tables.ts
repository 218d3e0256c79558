import { sql } from '@ghasi/db/drizzle';
import {
  at,
  boolean,
  customType,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from '@ghasi/db/drizzle-tables';
import {
  issueReasons,
  keyMedia,
  revokeReasons,
  suspendReasons,
  vendorFailures,
  vendors,
} from './contract.ts';
import { reaches } from './lock-vendor.ts';
import { actionNames, metalKeyRules, operations } from './model/desk.ts';
import { keyStatuses, whereabouts, wishes } from './model/key.ts';
import { phases } from './model/room-keys.ts';
import { endRoundings } from './model/windows.ts';

const schema = pgSchema('lock_integration');
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const tenantId = uuid('tenant_id').notNull();

/** Houses and their rules about keys. */
export const houses = schema.table(
  'houses',
  {
    tenantId,
    propertyId: uuid('property_id').notNull(),
    zone: text('zone').notNull(),
    endRounding: text('end_rounding', { enum: endRoundings }).notNull().default('up'),
    metalKeys: text('metal_keys', { enum: metalKeyRules }).notNull().default('with_check_in'),
    version: integer('version').notNull().default(1),
  },
  t => [primaryKey({ name: 'houses_pk', columns: [t.tenantId, t.propertyId] })],
);

export const rooms = schema.table(
  'rooms',
  {
    tenantId,
    roomId: uuid('room_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    number: text('number').notNull(),
    archived: boolean('archived').notNull().default(false),
  },
  t => [primaryKey({ name: 'rooms_pk', columns: [t.tenantId, t.roomId] })],
);

/** What hangs on a door. */
export const locks = schema.table(
  'locks',
  {
    tenantId,
    id: uuid('id').notNull(),
    propertyId: uuid('property_id').notNull(),
    roomId: uuid('room_id'),
    vendor: text('vendor', { enum: vendors }).notNull(),
    vendorReference: text('vendor_reference').notNull(),
    reach: text('reach', { enum: reaches }).notNull(),
    status: text('status', { enum: ['paired', 'unpaired'] }).notNull(),
    isOnline: boolean('is_online'),
    battery: integer('battery'),
    failure: text('failure', { enum: vendorFailures }),
    lookedAt: at('looked_at'),
    pairedAt: at('paired_at').notNull(),
    version: integer('version').notNull().default(1),
  },
  t => [
    primaryKey({ name: 'locks_pk', columns: [t.tenantId, t.id] }),
    uniqueIndex('locks_one_per_room')
      .on(t.tenantId, t.roomId)
      .where(sql`status = 'paired' and room_id is not null`),
    uniqueIndex('locks_one_per_reference')
      .on(t.tenantId, t.vendor, t.vendorReference)
      .where(sql`status = 'paired'`),
    index('locks_by_property').on(t.tenantId, t.propertyId),
    index('locks_to_look_at').on(t.lookedAt).where(sql`status = 'paired'`),
  ],
);

/** What this service remembers of a booking. */
export const bookings = schema.table(
  'bookings',
  {
    tenantId,
    reservationId: uuid('reservation_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    guestId: uuid('guest_id').notNull(),
    version: integer('version').notNull().default(0),
    windowVersion: integer('window_version').notNull().default(0),
    phase: text('phase', { enum: phases }).notNull(),
    isPaid: boolean('is_paid').notNull(),
    validFrom: at('valid_from').notNull(),
    validUntil: at('valid_until').notNull(),
    endReason: text('end_reason', { enum: revokeReasons }),
    lookAt: at('look_at'),
  },
  t => [
    primaryKey({ name: 'bookings_pk', columns: [t.tenantId, t.reservationId] }),
    index('bookings_to_look_after').on(t.lookAt).where(sql`look_at is not null`),
  ],
);

export const bookedRooms = schema.table(
  'booked_rooms',
  {
    tenantId,
    bookedRoomId: uuid('booked_room_id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    roomId: uuid('room_id'),
  },
  t => [
    primaryKey({ name: 'booked_rooms_pk', columns: [t.tenantId, t.bookedRoomId] }),
    index('booked_rooms_by_booking').on(t.tenantId, t.reservationId),
  ],
);

/** Keys: what they should become, what the vendor has, what others were told. */
export const keys = schema.table(
  'keys',
  {
    tenantId,
    id: uuid('id').notNull(),
    reservationId: uuid('reservation_id').notNull(),
    bookedRoomId: uuid('booked_room_id').notNull(),
    propertyId: uuid('property_id').notNull(),
    guestId: uuid('guest_id').notNull(),
    roomId: uuid('room_id').notNull(),
    lockId: uuid('lock_id').notNull(),
    vendor: text('vendor', { enum: vendors }).notNull(),
    medium: text('medium', { enum: keyMedia }).notNull(),
    status: text('status', { enum: keyStatuses }).notNull(),
    wish: text('wish', { enum: wishes }).notNull(),
    atVendor: text('at_vendor', { enum: whereabouts }).notNull(),
    announce: boolean('announce').notNull(),
    stayFrom: at('stay_from').notNull(),
    stayUntil: at('stay_until').notNull(),
    windowFrom: at('window_from').notNull(),
    windowUntil: at('window_until').notNull(),
    heldFrom: at('held_from'),
    heldUntil: at('held_until'),
    toldFrom: at('told_from'),
    toldUntil: at('told_until'),
    vendorReference: text('vendor_reference'),
    sealedCode: bytes('sealed_code'),
    givenAt: at('given_at'),
    reason: text('reason', { enum: issueReasons }).notNull(),
    replaces: uuid('replaces'),
    endReason: text('end_reason', { enum: revokeReasons }),
    confirmedByLock: boolean('confirmed_by_lock'),
    suspendReason: text('suspend_reason', { enum: suspendReasons }),
    suspendedUntil: at('suspended_until'),
    suspendedBy: text('suspended_by'),
    nextTryAt: at('next_try_at'),
    leasedUntil: at('leased_until'),
    lease: uuid('lease'),
    tries: integer('tries').notNull().default(0),
    operation: text('operation', { enum: operations }),
    failure: text('failure', { enum: vendorFailures }),
    vendorCode: text('vendor_code'),
    queuedAt: at('queued_at'),
    version: integer('version').notNull().default(1),
    createdAt: at('created_at').notNull(),
    updatedAt: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'keys_pk', columns: [t.tenantId, t.id] }),
    index('keys_by_booking').on(t.tenantId, t.reservationId),
    index('keys_by_booked_room').on(t.tenantId, t.bookedRoomId).where(sql`wish <> 'gone'`),
    index('keys_by_lock').on(t.tenantId, t.lockId),
    index('keys_by_room').on(t.tenantId, t.roomId),
    index('keys_due').on(t.nextTryAt).where(sql`next_try_at is not null`),
    index('keys_unfinished').on(t.windowUntil).where(sql`not (wish = 'gone' and at_vendor = 'gone')`),
    index('keys_queued').on(t.tenantId, t.propertyId, t.queuedAt).where(sql`queued_at is not null`),
  ],
);

/** Who did what by hand. Only grows. */
export const actions = schema.table(
  'actions',
  {
    tenantId,
    id: uuid('id').notNull(),
    action: text('action', { enum: actionNames }).notNull(),
    keyId: uuid('key_id'),
    lockId: uuid('lock_id'),
    reservationId: uuid('reservation_id'),
    actorType: text('actor_type', { enum: ['user', 'system', 'service', 'api_key'] }).notNull(),
    actorId: text('actor_id').notNull(),
    deviceId: text('device_id'),
    sessionId: text('session_id'),
    attestationId: text('attestation_id'),
    at: at('at').notNull(),
  },
  t => [
    primaryKey({ name: 'actions_pk', columns: [t.tenantId, t.id] }),
    index('actions_by_key').on(t.tenantId, t.keyId).where(sql`key_id is not null`),
  ],
);
