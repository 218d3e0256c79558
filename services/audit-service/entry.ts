import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';

/** Who can have done something (ENV-11). */
export const actorTypes = ['user', 'system', 'service', 'api_key'] as const;
export type ActorType = (typeof actorTypes)[number];

/** What is written down before it has a place in the chain. It says who did what to which id, and no values. */
export type Deed = {
  readonly entryId: Id<'aud'>;
  /** `billing.invoice.voided`. */
  readonly action: string;
  readonly about: { readonly type: string; readonly id: string };
  readonly actor: { readonly type: ActorType; readonly id: string };
  readonly occurredAt: Date;
  /** The event it records, and SHA-256 over the canonical JSON of what that said; null for a note. */
  readonly eventId: UUIDv7 | null;
  readonly payloadHash: string | null;
  /** SHA-256 over salt and text of a note, which are kept apart and can be forgotten; null for an event. */
  readonly noteHash: string | null;
};

/** Everything the hash of an entry covers, as JSON says it. Its members are for ever: old chains must verify. */
export type EntryContent = Omit<Deed, 'occurredAt'> & {
  readonly version: 1;
  readonly tenantId: string;
  /** 1, 2, 3 and so on without a gap. */
  readonly position: number;
  /** Of the entry before; null for the first. */
  readonly previousHash: string | null;
  readonly recordedAt: string;
  readonly occurredAt: string;
};

/** A link of the chain. */
export type Entry = EntryContent & { readonly entryHash: string };

/** SHA-256 over the canonical JSON (RFC 8785) of a content, as lower-case hex. */
export function hashOfContent(content: EntryContent): string {
  return payloadHash(content);
}

/** The content of an entry. */
export function contentOf({ entryHash: _, ...content }: Entry): EntryContent {
  return content;
}

/** SHA-256 over a note and its salt: without the salt nobody can guess a short note from its hash. */
export function hashOfNote(note: { salt: string; text: string }): string {
  return payloadHash(note);
}
