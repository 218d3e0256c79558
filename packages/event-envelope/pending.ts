import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import type { AIProvenance } from './ai-provenance.ts';
import { errors } from './errors.ts';
import type { EventType, Occurrence, PendingEvent } from './event-type.ts';
import { keyProblem, MAX_KEY } from './key-text.ts';
import { reasonOf } from './reason.ts';

/**
 * What `from` returns. A class for its private field, which no copy has: it proves that the payload was checked, and
 * holds its JSON, so that a handler that changes the payload afterwards cannot change what is published. (Measured for
 * 1 KB: freezing the payload costs 7 µs, a WeakMap instead of the field several µs of garbage collection; the text is
 * free, for it is needed anyway.)
 */
class Pending<P> {
  readonly event: EventType<P>;
  readonly payload: P;
  readonly aggregateId: string;
  readonly aggregateVersion: number;
  readonly idempotencyKey: string;
  declare readonly causedBy?: UUIDv7;
  declare readonly aiProvenance?: AIProvenance;
  readonly #text: string;

  constructor(
    checked: Pick<PendingEvent<P>, 'event' | 'payload' | 'aggregateId' | 'idempotencyKey'>,
    occurrence: Occurrence,
    text: string,
  ) {
    this.event = checked.event;
    this.payload = checked.payload;
    this.aggregateId = checked.aggregateId;
    this.aggregateVersion = occurrence.aggregateVersion;
    this.idempotencyKey = checked.idempotencyKey;
    if (occurrence.causedBy !== undefined) this.causedBy = occurrence.causedBy;
    if (occurrence.aiProvenance !== undefined) this.aiProvenance = occurrence.aiProvenance;
    this.#text = text;
    Object.freeze(this);
  }

  static textOf(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : undefined;
  }
}

const TENANT_AND_COLON = 37;

/** An escape of NUL or of a lone surrogate; after an odd number of backslashes it would be plain text. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** One occurrence of an event, checked. `key` replaces the event's own idempotency key. */
export function occur<P>(
  event: EventType<P>,
  given: P,
  occurrence: Occurrence,
  key?: string,
): PendingEvent<P> {
  const refuse = (reason: string) => errors.INVALID_EVENT({ subject: event.subject, reason });
  const parsed = event.payload.safeParse(given);
  if (!parsed.success) throw refuse(`payload: ${reasonOf(parsed.error)}`);
  const { aggregateVersion } = occurrence;
  if (!Number.isSafeInteger(aggregateVersion) || aggregateVersion < 1)
    throw refuse(`aggregateVersion is a whole number from 1, got ${aggregateVersion}`);
  const payload = parsed.data;
  const aggregateId = event.aggregateId(payload);
  const wrongId = keyProblem(aggregateId, MAX_KEY - TENANT_AND_COLON);
  if (wrongId !== undefined) throw refuse(`aggregateId: ${wrongId}`);
  const idempotencyKey = key ?? corrected(event.idempotencyKey(payload, { aggregateVersion }), occurrence);
  const wrongKey = keyProblem(idempotencyKey, MAX_KEY);
  if (wrongKey !== undefined) throw refuse(`idempotencyKey: ${wrongKey}`);
  const text = JSON.stringify(payload);
  if (text.includes('\\u') && UNSTORABLE.test(text))
    throw refuse('payload: a text has a NUL or half of a surrogate pair, which PostgreSQL cannot keep');

  return new Pending({ event, payload, aggregateId, idempotencyKey }, occurrence, text);
}

function corrected(key: string, { correction }: Occurrence): string {
  if (correction === undefined) return key;
  if (!Number.isSafeInteger(correction) || correction < 1)
    throw new TypeError(`correction is a whole number from 1, got ${correction}`);
  return `${key}:fix${correction}`;
}

/** True for what `from` returned; a copy of it, or an object made by hand, is none. */
export function isPending(value: unknown): value is PendingEvent {
  return Pending.textOf(value) !== undefined;
}

/** JSON of the payload as `from` checked it; throws INVALID_EVENT for anything but what `from` returned. */
export function payloadText(pending: PendingEvent): string {
  const text = Pending.textOf(pending);
  if (text !== undefined) return text;
  const subject = String(pending?.event?.subject);
  throw errors.INVALID_EVENT({ subject, reason: 'made or copied by hand: only what from() returned counts' });
}
