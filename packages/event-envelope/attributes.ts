import { uuidFromUlid } from '@ghasi/domain-primitives/uuid';
import type { EventEnvelope } from './envelope.ts';
import { errors } from './errors.ts';

/** What a broker shows of a message without its body (ENV-32); all values are text. The ordering key is a publish option. */
export type MessageAttributes = {
  readonly eventId: string;
  readonly eventType: string;
  readonly eventVersion: string;
  readonly tenantId: string;
  readonly idempotencyKey: string;
  readonly traceparent: string;
};

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** The attributes of an envelope; `traceparent` names the span that raised it, in the trace of its correlation id. */
export function messageAttributes(envelope: EventEnvelope, traceparent: string): MessageAttributes {
  const wrong = whatIsWrong(envelope, traceparent);
  if (wrong !== undefined) throw refuse(`traceparent: ${wrong}`);
  return { ...copied(envelope), traceparent };
}

/** Throws INVALID_ENVELOPE when attributes that came with an envelope say something else than it does. */
export function assertAttributes(
  attributes: Readonly<Record<string, unknown>>,
  envelope: EventEnvelope,
): asserts attributes is MessageAttributes {
  for (const [name, value] of Object.entries(copied(envelope))) {
    if (!Object.hasOwn(attributes, name)) throw refuse(`attribute ${name} is missing`);
    if (attributes[name] !== value) throw refuse(`attribute ${name} is not what the body says`);
  }
  const wrong = whatIsWrong(envelope, attributes.traceparent);
  if (wrong !== undefined) throw refuse(`attribute traceparent: ${wrong}`);
}

function copied(envelope: EventEnvelope): Omit<MessageAttributes, 'traceparent'> {
  const { eventId, eventType, eventVersion, tenantId, idempotencyKey } = envelope;
  return { eventId, eventType, eventVersion: String(eventVersion), tenantId, idempotencyKey };
}

function whatIsWrong({ correlationId }: EventEnvelope, traceparent: unknown): string | undefined {
  const [, traceId, spanId = ''] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return 'not a W3C traceparent';
  const trace = uuidFromUlid(correlationId).replaceAll('-', '');
  return trace === traceId ? undefined : 'of another trace than correlationId';
}

function refuse(reason: string) {
  return errors.INVALID_ENVELOPE({ reason });
}
