import { isUuid7 } from '@ghasi/domain-primitives/uuid';
import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, sha256 } from '@melmastoon/catalog/hotel-parts';
import { idText, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Where a root can be put so that we cannot take it back. */
export const anchorMedia = ['timestamp_authority', 'public_ledger', 'write_once_storage'] as const;

/** Place in the tenant's chain: 1, 2, 3 and so on without a gap. */
const position = z.int().min(1);

/** One more entry in the tenant's chain. Each one holds the hash of the one before, so that none can vanish. */
export const EntryAppended = defineEvent({
  subject: 'melmastoon.audit.entry.appended.v1',
  summary: 'an audit entry was recorded',
  retention: 'cold',
  payload: z
    .strictObject({
      entryId: idText('aud'),
      position,
      /** What happened, `billing.invoice.voided`. */
      action: z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/),
      /** What it happened to. */
      about: z.strictObject({ type: code, id: z.string().min(1).max(200) }),
      actor: z.strictObject({
        type: z.enum(['user', 'system', 'service', 'api_key']),
        id: z.string().min(1).max(200),
      }),
      /** The event it records; null: somebody wrote it down himself. */
      recordedEventId: z.string().refine(isUuid7, 'is no UUIDv7').nullable(),
      entryHash: sha256,
      /** Null for the first entry only. */
      previousHash: sha256.nullable(),
    })
    .refine(p => (p.previousHash === null) === (p.position === 1), 'only the first entry follows none'),
  aggregateId: p => p.entryId,
  idempotencyKey: p => `${p.recordedEventId ?? p.entryId}:appended`,
});

/** All entries of a day are under a root that others keep: from here on a change of any of them shows. */
export const MerkleAnchored = defineEvent({
  subject: 'melmastoon.audit.merkle.anchored.v1',
  summary: 'the Merkle root of a day was anchored outside',
  retention: 'cold',
  payload: z
    .strictObject({
      anchorId: idText('anc'),
      /** In UTC: a tenant's houses may lie in several zones. */
      day: localDate,
      firstPosition: position,
      lastPosition: position,
      rootHash: sha256,
      /** Of the day before that had entries; null for the first one. */
      previousRootHash: sha256.nullable(),
      medium: z.enum(anchorMedia),
      /** How to find it there. */
      reference: z.string().min(1).max(400),
    })
    .refine(p => p.firstPosition <= p.lastPosition, 'covers no entry'),
  aggregateId: p => p.anchorId,
  idempotencyKey: p => `merkle:${p.day}:${p.medium}`,
});

/** All events of audit-service. */
export const events = [EntryAppended, MerkleAnchored];
