import { isLocalDate } from '@ghasi/domain-primitives/local-date';
import { code, sha256 } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate, paragraphs, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { anchorMedia } from '../contract.ts';

/** Life of a verification. */
export const verificationStatuses = ['waiting', 'running', 'intact', 'broken'] as const;

const position = z.int().min(1);

/** A day that PostgreSQL knows too: there is no year 0. */
export const calendarDay = localDate.refine(isLocalDate, 'is no day');

/** Text without control characters, which PostgreSQL cannot take. */
const plain = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'one line of text');

/** An entry, as its hash covers it: SHA-256 over the canonical JSON (RFC 8785) of all members but `entryHash`. */
export const entryView = z.strictObject({
  version: z.literal(1),
  tenantId: tenantIdText,
  position,
  entryId: idText('aud'),
  action: z.string(),
  about: z.strictObject({ type: z.string(), id: z.string() }),
  actor: z.strictObject({ type: z.enum(['user', 'system', 'service', 'api_key']), id: z.string() }),
  eventId: z.string().nullable(),
  payloadHash: sha256.nullable(),
  noteHash: sha256.nullable(),
  occurredAt: instant,
  recordedAt: instant,
  previousHash: sha256.nullable(),
  entryHash: sha256,
});

/** An entry with what somebody wrote into it; null: nothing, or it was forgotten. */
export const entryWithNote = z.strictObject({
  entry: entryView,
  note: z.strictObject({ salt: z.string(), text: z.string() }).nullable(),
});

/** Text of at most one page, without control characters but line ends. */
const page = paragraphs(2_000);

/** Something a person writes down about something, an incident for one (DLQ-25). */
export const newNote = z.strictObject({
  about: z.strictObject({
    type: code.max(60),
    id: plain(200),
  }),
  text: page,
});

/** Which entries; all that are named must fit. */
export const entryFilter = z.strictObject({
  /** Id of what it happened to. */
  about: plain(200).optional(),
  /** Id of who did it. */
  actor: plain(200).optional(),
  /** An action, or all below it: `billing`, `billing.invoice`, `billing.invoice.voided`. */
  action: z
    .string()
    .max(200)
    .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
    .optional(),
  /** Day in UTC on which it was recorded. */
  day: calendarDay.optional(),
  /** Only entries before this position: `next` of the page before. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** A page of entries, latest first. */
export const entryPage = z.strictObject({ entries: z.array(entryView), next: position.nullable() });

/** The root over the entries of a day, and where else it is kept. */
export const rootView = z.strictObject({
  day: localDate,
  firstPosition: position,
  lastPosition: position,
  rootHash: sha256,
  previousRootHash: sha256.nullable(),
  anchors: z.array(z.strictObject({ medium: z.enum(anchorMedia), reference: z.string() })),
});

/** The proof that an entry was recorded: under 5 KB, verified by `verifyProof` without asking anybody. */
export const proofView = z.strictObject({
  entry: entryView,
  root: rootView,
  path: z.strictObject({ index: z.int().min(0), size: position, path: z.array(sha256) }),
});

/** One thing that is wrong with a chain. */
export const findingView = z.strictObject({
  kind: z.enum(['changed', 'missing', 'inserted', 'replaced', 'out_of_place', 'root_differs', 'unreadable']),
  position: position.nullable(),
  entryId: z.string().nullable(),
  line: position.nullable(),
  text: z.string(),
});

/** How far a verification is, and what it found. */
export const verificationView = z.strictObject({
  id: z.uuid(),
  status: z.enum(verificationStatuses),
  askedBy: z.string(),
  askedAt: instant,
  /** How long the chain was when somebody asked, and how much of it was looked at. */
  lastPosition: z.int().min(0),
  checkedTo: z.int().min(0),
  rootsChecked: z.int().min(0),
  findings: z.array(findingView),
  endedAt: instant.nullable(),
});

/** Most entries in one part of an export. */
export const MOST_EXPORTED = 5_000;

/** Which part of a chain to export. */
export const exportRange = z.strictObject({
  from: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(1),
  limit: z.coerce.number().int().min(1).max(MOST_EXPORTED).default(MOST_EXPORTED),
});
