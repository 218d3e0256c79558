import { inTraceOf, isTracing, recordSpan, withSpan } from '@ghasi/telemetry/tracing';
import type { Readable } from './read-delivery.ts';

/** An event the relay has just published. Times are milliseconds since 1970, by the database's clock. */
export type PublishedEvent = {
  readonly topic: string;
  readonly eventId: string;
  readonly traceparent: string | null;
  readonly appendedMs: number;
  readonly publishedMs: number;
};

/**
 * The publish span of an event, as a `traceparent` to link to. Its id is the end of the event's id, so every
 * consumer knows it, in any process and after any replay, and nothing more has to travel with the message.
 */
export function publishSpan(traceparent: string, eventId: string): string {
  return `${traceparent.slice(0, TRACE_END)}${publishSpanId(eventId)}${traceparent.slice(SPAN_END)}`;
}

// 00-<32 of the trace>-<16 of the span>-<flags>
const TRACE_END = 36;
const SPAN_END = 52;

function publishSpanId(eventId: string): string {
  return eventId.slice(19).replace('-', '');
}

/** Records how long an event waited in the outbox, as a child of the span that appended it. */
export function recordOutboxWait(event: PublishedEvent): void {
  if (event.traceparent === null) return;
  recordSpan({
    name: 'outbox wait',
    kind: 'producer',
    spanId: publishSpanId(event.eventId),
    parent: event.traceparent,
    start: new Date(event.appendedMs),
    end: new Date(event.publishedMs),
    attributes: { 'messaging.message.id': event.eventId, 'messaging.destination.name': event.topic },
  });
}

/**
 * Runs the handler of an event in the event's trace: what it logs, asks and publishes belongs there. While spans are
 * recorded, the wait in the broker and the handler become children of the producer's span that link to the publish
 * span (OBS-02, X-025); a replay is the same trace with `melm.replay`.
 */
export function inTraceOfEvent<T>(read: Readable, handle: () => Promise<T>): Promise<T> {
  const origin = originOf(read);
  if (!isTracing()) return inTraceOf(origin, handle);
  const { name, links, attributes } = consumerSpan(read);
  recordBrokerWait(read, new Date());
  return inTraceOf(origin, () => withSpan({ name, kind: 'consumer', links }, attributes, handle));
}

/** The same for a handler that takes many events in one call: it runs in none of their traces and shows in each. */
export async function inTracesOfEvents<T>(reads: readonly Readable[], handle: () => Promise<T>): Promise<T> {
  if (!isTracing()) return handle();
  const start = new Date();
  const result = await handle();
  const end = new Date();
  for (const read of reads) {
    const { name, links, attributes } = consumerSpan(read);
    recordBrokerWait(read, start);
    const batch = { ...attributes, 'messaging.batch.message_count': reads.length };
    recordSpan({ name, kind: 'consumer', links, attributes: batch, parent: originOf(read), start, end });
  }
  return result;
}

function recordBrokerWait(read: Readable, end: Date): void {
  const { links, attributes } = consumerSpan(read);
  const start = read.delivery.publishedAt;
  recordSpan({ name: 'broker wait', links, attributes, parent: originOf(read), start, end });
}

function originOf({ delivery, envelope }: Readable) {
  return { correlationId: envelope.correlationId, traceparent: delivery.attributes.traceparent };
}

function consumerSpan({ delivery, envelope, claim }: Readable) {
  const { traceparent, replayOf } = delivery.attributes;
  return {
    name: `${delivery.topic} process`,
    links: traceparent === undefined ? [] : [publishSpan(traceparent, envelope.eventId)],
    attributes: {
      'messaging.message.id': envelope.eventId,
      'messaging.destination.name': delivery.topic,
      'messaging.consumer.group.name': claim.consumer,
      'melm.attempt': delivery.attempt,
      ...(replayOf === undefined ? {} : { 'melm.replay': true }),
    },
  };
}
