import { isEventType } from './define-event.ts';
import type { EventEnvelope } from './envelope-parts.ts';
import { errors } from './errors.ts';
import type { EventType, PendingEvent } from './event-type.ts';
import { occur, payloadText } from './pending.ts';
import { readPayload, type SchemaAge } from './read-payload.ts';
import { schemaUri } from './schema-uri.ts';
import { subjectOf } from './subject.ts';

/**
 * All versions in which a fact is published, the newest first: itself, and each older one while its successor still
 * has a `downcast` (REG-14). They share the idempotency key, so that a consumer of both applies one.
 */
export function expand(pending: PendingEvent): PendingEvent[] {
  payloadText(pending); // only what from() returned has one
  const versions = [pending];
  let newest = pending;
  for (let older = olderOf(newest); older !== undefined; older = olderOf(newest)) {
    versions.push(older);
    newest = older;
  }
  return versions;
}

function olderOf(pending: PendingEvent): PendingEvent | undefined {
  const { replaces } = pending.event;
  if (replaces?.downcast === undefined) return undefined;
  const { event, payload, aggregateId, idempotencyKey, ...occurrence } = pending;
  const older = occur(replaces.event, replaces.downcast(payload), occurrence, idempotencyKey);
  if (older.aggregateId === aggregateId) return older;
  const reason = `its aggregateId is not the one of ${event.subject}: the two would lose their order`;
  throw errors.INVALID_EVENT({ subject: replaces.event.subject, reason });
}

/**
 * The payload of an envelope as this version of its event has it: an older one goes through every `upcast` between
 * the two, and each step must fit its schema. Throws INVALID_ENVELOPE for another event and for a newer version.
 */
export function upcastPayload<P>(event: EventType<P>, envelope: EventEnvelope, age: SchemaAge = {}): P {
  if (!isEventType(event)) throw new TypeError('upcastPayload: not a declared event');
  const subject = subjectOf(envelope);
  if (subject === event.subject) {
    const strict = envelope.schemaUri === schemaUri(event);
    return readPayload(event as EventType<P>, envelope.payload, { ...age, strict });
  }
  const { replaces } = event as EventType<P>;
  if (envelope.eventType !== event.type || envelope.eventVersion > event.version || replaces === undefined)
    throw errors.INVALID_ENVELOPE({ reason: `no way leads from ${subject} to ${event.subject}` });
  const older = upcastPayload(replaces.event, envelope, age);
  const parsed = (event as EventType<P>).payload.safeParse(replaces.upcast(older));
  if (parsed.success) return parsed.data;
  const reason = `payload: what ${event.subject} makes of ${replaces.event.subject} does not fit it`;
  throw errors.INVALID_ENVELOPE({ reason });
}
