import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, count, isOncePer, sha256, version } from '@melmastoon/catalog/hotel-parts';
import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** How fields that changed in two places are settled (SYNC-05..08, X-110). */
export const conflictStrategies = [
  'LAST_WRITE_WINS',
  'LOCAL_WINS',
  'SERVER_WINS',
  'MERGE',
  'APPEND_ONLY',
  'MAX_OF',
] as const;

/** Why no strategy could settle it and a person must. */
export const conflictReasons = [
  'changed_in_both',
  'deleted_on_server',
  'folio_closed',
  'room_not_free',
  'not_allowed',
  'parent_missing',
] as const;

/** A device has seen everything up to a place in its log. Many moves of one device are told as one. */
export const CursorAdvanced = defineEvent({
  subject: 'melmastoon.sync.cursor.advanced.v1',
  summary: 'the sync cursor of a device moved forward',
  retention: 'hot',
  payload: z
    .strictObject({
      deviceId: idText('dev'),
      /** It had seen everything up to here, */
      fromCursor: count,
      /** and now up to here. */
      toCursor: count,
      /** How many of the changes between were for this device. */
      changes: count,
    })
    .refine(p => p.fromCursor < p.toCursor, 'does not move forward')
    .refine(p => p.changes <= p.toCursor - p.fromCursor, 'saw more changes than there are'),
  aggregateId: p => p.deviceId,
  idempotencyKey: p => `${p.deviceId}:cursor:${p.toCursor}`,
});

/** Two people changed the same thing, and a third one decides. What they wrote stays out of the event. */
export const ConflictRecorded = defineEvent({
  subject: 'melmastoon.sync.conflict.recorded.v1',
  summary: 'a conflict was surfaced for an operator to decide',
  retention: 'warm',
  payload: z
    .strictObject({
      conflictId: idText('cfl'),
      deviceId: idText('dev'),
      /** Null: a record of the tenant, not of one house. */
      propertyId: idText('pro').nullable(),
      entity: z.strictObject({ type: code, id: z.string().min(1).max(200) }),
      fields: z.array(code).min(1).refine(isOncePer(String), 'names a field twice'),
      strategy: z.enum(conflictStrategies),
      reason: z.enum(conflictReasons),
      /** What the device had when it changed it; null: it made the record. */
      baseVersion: version.nullable(),
      /** What the server has; null: it was deleted, or never there. */
      serverVersion: version.nullable(),
      /** SHA-256 of the fields in canonical form, on either side: equal values are no conflict. */
      deviceHash: sha256,
      serverHash: sha256,
      changedBy: idText('usr'),
      /** By the device's clock: for people, never for order. */
      changedAt: instant,
    })
    .refine(p => p.deviceHash !== p.serverHash, 'both sides say the same')
    .refine(
      p => (p.baseVersion ?? 0) <= (p.serverVersion ?? Number.MAX_SAFE_INTEGER),
      'is based on the future',
    ),
  aggregateId: p => p.conflictId,
  idempotencyKey: p => `${p.conflictId}:recorded`,
});

/** All events of sync-service. */
export const events = [CursorAdvanced, ConflictRecorded];
