import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import { z } from 'zod';
import type { AIProvenance } from './ai-provenance.ts';
import { errors } from './errors.ts';
import { reasonOf } from './reason.ts';
import { type RetentionClass, retentionClasses } from './retention.ts';
import { parseSubject, type ServiceToken } from './subject.ts';

/** Tokens whose events may leave their tenant (XT-01). */
export const crossTenantTokens: readonly ServiceToken[] = ['analytics', 'search_aggregation'];

/** Facts about one occurrence that are not in its payload. */
export type Occurrence = {
  /** Version of the aggregate after the change, from 1 (ENV-26). */
  readonly aggregateVersion: number;
  /** `eventId` of the event that led to this one (ENV-10). */
  readonly causedBy?: UUIDv7;
  /** Required on every event of ai_orchestrator (ENV-23). */
  readonly aiProvenance?: AIProvenance;
};

/** An event that was decided but not yet written: plain data, the runtime puts it into its envelope. */
export type PendingEvent<P = unknown> = Occurrence & {
  readonly event: EventType<P>;
  readonly payload: P;
  readonly aggregateId: string;
  readonly idempotencyKey: string;
};

// Methods, not properties, below: a list of events of many payloads must be an `EventType[]`.
type Definition<P> = {
  /** `melmastoon.<service>.<aggregate>.<verb>.v<n>`; stored for ever. */
  readonly subject: string;
  /** What happened, in one clause: 'a tenant was onboarded'. */
  readonly summary: string;
  readonly retention: RetentionClass;
  /** A strict, non-empty object of plain JSON. */
  readonly payload: z.ZodType<P>;
  /** Which aggregate the fact is about; half of the ordering key (ENV-24). */
  aggregateId(payload: P): string;
  /** Deterministic from the business intent: `${p.reservationId}:confirmed:${at.aggregateVersion}` (ENV-17, ENV-27). */
  idempotencyKey(payload: P, at: { readonly aggregateVersion: number }): string;
  /** May be read by other tenants' readers; analytics and search_aggregation only. */
  readonly crossTenant?: true;
  /** Directory of the owning service; default: what the token table says, and never anything else. */
  readonly owner?: string;
};

/** A declared event: the one place that knows its subject, its payload and its policies. */
export type EventType<P = unknown> = Omit<Definition<P>, 'owner' | 'aggregateId' | 'idempotencyKey'> & {
  aggregateId(payload: P): string;
  idempotencyKey(payload: P, at: { readonly aggregateVersion: number }): string;
  readonly owner: string;
  /** The subject without its version. */
  readonly type: string;
  readonly version: number;
  readonly service: ServiceToken;
  readonly aggregate: string;
  readonly verb: string;
  /** One occurrence; throws INVALID_EVENT when the payload does not fit. */
  from(payload: P, occurrence: Occurrence): PendingEvent<P>;
};

/** The payload of an event: `PayloadOf<typeof BookingHeld>`. */
export type PayloadOf<E extends EventType> = E extends EventType<infer P> ? P : never;

const defined = new WeakSet<object>();

/** Declares an event; a wrong declaration throws when the owner's contract is loaded. */
export function defineEvent<Schema extends z.ZodType>(
  definition: Omit<Definition<z.output<Schema>>, 'payload'> & { readonly payload: Schema },
): EventType<z.output<Schema>> {
  type P = z.output<Schema>;
  const parts = parseSubject(definition.subject);
  const wrong = whatIsWrong(definition as Definition<unknown>, parts);
  if (wrong !== undefined) throw new TypeError(`defineEvent(${definition.subject}): ${wrong}`);
  const event: EventType<P> = Object.freeze({
    ...definition,
    payload: definition.payload as z.ZodType<P>,
    ...parts,
    from: (payload: P, occurrence: Occurrence) => occur(event, payload, occurrence),
  });
  defined.add(event);
  return event;
}

/** True for what `defineEvent` returned. */
export function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && defined.has(value);
}

function whatIsWrong(
  { summary, retention, payload, crossTenant, owner }: Definition<unknown>,
  parts: { service: ServiceToken; owner: string },
): string | undefined {
  if (summary.trim() === '') return 'say in `summary` what happened';
  if (!retentionClasses.includes(retention)) return `retention is one of ${retentionClasses.join(', ')}`;
  if (owner !== undefined && owner !== parts.owner) return `only ${parts.owner} may own this subject`;
  if (crossTenant && !crossTenantTokens.includes(parts.service))
    return `only ${crossTenantTokens.join(' and ')} may publish across tenants (XT-01)`;
  return whatIsWrongWith(payload);
}

function whatIsWrongWith(payload: z.ZodType): string | undefined {
  if (payload instanceof z.ZodUnion) {
    const reasons = payload.options.map(option => whatIsWrongWith(option as z.ZodType));
    return reasons.find(reason => reason !== undefined);
  }
  if (!(payload instanceof z.ZodObject)) return 'the payload must be a z.strictObject, or a union of them';
  if (!(payload.def.catchall instanceof z.ZodNever)) return 'the payload must be strict: use z.strictObject';
  if (Object.keys(payload.shape).length === 0) return 'the payload is empty: a consumer could not act on it';
  return undefined;
}

function occur<P>(event: EventType<P>, given: P, occurrence: Occurrence): PendingEvent<P> {
  const refuse = (reason: string) => errors.INVALID_EVENT({ subject: event.subject, reason });
  const parsed = event.payload.safeParse(given);
  if (!parsed.success) throw refuse(`payload: ${reasonOf(parsed.error)}`);
  const { aggregateVersion } = occurrence;
  if (!Number.isSafeInteger(aggregateVersion) || aggregateVersion < 1)
    throw refuse(`aggregateVersion is a whole number from 1, got ${aggregateVersion}`);
  const payload = parsed.data;
  const aggregateId = event.aggregateId(payload);
  if (!aggregateId) throw refuse('aggregateId gave nothing');
  const idempotencyKey = event.idempotencyKey(payload, { aggregateVersion });
  if (!idempotencyKey) throw refuse('idempotencyKey gave nothing');
  return { ...occurrence, event, payload, aggregateId, idempotencyKey };
}
