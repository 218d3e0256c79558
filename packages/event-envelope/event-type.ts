import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import type { z } from 'zod';
import type { AIProvenance } from './ai-provenance.ts';
import type { RetentionClass } from './retention.ts';

/** Facts about one occurrence that are not in its payload. */
export type Occurrence = {
  /** Version of the aggregate after the change, from 1 (ENV-26). */
  readonly aggregateVersion: number;
  /** `eventId` of the event that led to this one (ENV-10). */
  readonly causedBy?: UUIDv7;
  /** Required where the catalogue says so (ENV-23). */
  readonly aiProvenance?: AIProvenance;
  /**
   * The how-manieth correction of a fact that was published wrongly, from 1: its key gets `:fix<n>`, or the outbox would
   * take it for the old one and stay silent. Default: no correction.
   */
  readonly correction?: number;
};

/** An event that was decided but not yet written. Only `from` makes one; it is frozen, for nobody checks it again. */
export type PendingEvent<P = unknown> = Omit<Occurrence, 'correction'> & {
  readonly event: EventType<P>;
  readonly payload: P;
  readonly aggregateId: string;
  readonly idempotencyKey: string;
};

// Methods, not properties, below: a list of events of many payloads must be an `EventType[]`.

/** How a version relates to the one before it (GEN-14, REG-14). */
export type Replacement<Old, P> = {
  /** The version before this one. */
  readonly event: EventType<Old>;
  /** Makes the older payload while both versions are published; leave it out to stop publishing the older one. */
  downcast?(payload: P): Old;
  /** Makes this payload from a stored older one; stays for ever. */
  upcast(payload: Old): P;
};

/** What an owner says about one of its events. */
export type Definition<P, Old = unknown> = {
  /** `<prefix>.<service>.<aggregate>.<verb>.v<n>`; stored for ever. */
  readonly subject: string;
  /** What happened, in one clause: 'a tenant was onboarded'. */
  readonly summary: string;
  readonly retention: RetentionClass;
  /** A strict, non-empty object of plain JSON. */
  readonly payload: z.ZodType<P>;
  /** Which aggregate the fact is about; half of the ordering key (ENV-24). */
  aggregateId(payload: P): string;
  /** Deterministic from the business intent: `${p.orderId}:placed:${at.aggregateVersion}` (ENV-17, ENV-27). */
  idempotencyKey(payload: P, at: { readonly aggregateVersion: number }): string;
  /** May be read by other tenants' readers; only where the catalogue allows it. */
  readonly crossTenant?: true;
  /** Required from v2 on: the version before and the ways between the two. */
  readonly replaces?: Replacement<Old, P>;
};

/** A declared event: the one place that knows its subject, its payload and its policies. */
export type EventType<P = unknown> = Omit<Definition<P>, 'aggregateId' | 'idempotencyKey'> & {
  aggregateId(payload: P): string;
  idempotencyKey(payload: P, at: { readonly aggregateVersion: number }): string;
  /** Directory of the only service that may publish it (CAT-07). */
  readonly owner: string;
  /** The subject without its version. */
  readonly type: string;
  readonly version: number;
  readonly service: string;
  readonly aggregate: string;
  readonly verb: string;
  /** May belong to the platform instead of a tenant. */
  readonly platform: boolean;
  /** Must say which model made it (ENV-23). */
  readonly aiProvenance: boolean;
  /** One occurrence; throws INVALID_EVENT when the payload does not fit. */
  from(payload: P, occurrence: Occurrence): PendingEvent<P>;
};

/** The payload of an event: `PayloadOf<typeof OrderPlaced>`. */
export type PayloadOf<E extends EventType> = E extends EventType<infer P> ? P : never;
