import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, count, sha256 } from '@melmastoon/catalog/hotel-parts';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What a file is for; it decides who may open it and for how long it is kept. */
export const filePurposes = [
  'property_photo',
  'room_photo',
  'theme_asset',
  'invoice',
  'report',
  'maintenance_photo',
  'import',
] as const;

/** Why nobody can say whether a file is clean. */
export const unscannableReasons = ['encrypted', 'too_large', 'broken', 'scanner_failed'] as const;

/** The bytes are there and complete. Nobody may open the file before FileScanned says `clean`. */
export const FileUploaded = defineEvent({
  subject: 'melmastoon.file.uploaded.v1',
  summary: 'an object reached the store by signed URL',
  retention: 'warm',
  payload: z.strictObject({
    fileId: idText('fil'),
    /** Null: of the tenant, not of one house. */
    propertyId: idText('pro').nullable(),
    purpose: z.enum(filePurposes),
    /** As found in the bytes, not as the sender named it (safety rule 43). */
    contentType: z.string().regex(/^[a-z]+\/[a-z0-9.+-]{1,80}$/),
    sizeBytes: count.min(1),
    sha256,
  }),
  aggregateId: p => p.fileId,
  idempotencyKey: p => `${p.fileId}:uploaded`,
});

const scan = {
  fileId: idText('fil'),
  /** Of the bytes that were scanned: a verdict is about them and no others. */
  sha256,
  scanner: code,
  /** Of the scanner's signatures. */
  signatures: z.string().regex(/^[\w.:-]{1,60}$/),
};

/** A scan finished. A file may be scanned again when the signatures know more. */
export const FileScanned = defineEvent({
  subject: 'melmastoon.file.scanned.v1',
  summary: 'a virus scan finished',
  retention: 'warm',
  payload: z.discriminatedUnion('verdict', [
    z.strictObject({ ...scan, verdict: z.literal('clean') }),
    z.strictObject({
      ...scan,
      verdict: z.literal('infected'),
      /** The scanner's name of it. */
      threat: z.string().regex(/^[\w.:/-]{1,120}$/),
    }),
    z.strictObject({ ...scan, verdict: z.literal('unscannable'), reason: z.enum(unscannableReasons) }),
  ]),
  aggregateId: p => p.fileId,
  idempotencyKey: p => `${p.fileId}:scanned:${p.scanner}:${p.signatures}`,
});

/** All events of file-storage-service. */
export const events = [FileUploaded, FileScanned];
