import { safeReason } from '@ghasi/domain-primitives/safe-reason';
import { MOST_OF_A_REASON } from '../postgres/parking.ts';
import type { RawEntry, StreamMessage } from './stream-entry.ts';

/** What the stream of `<topic>.dlq` says of a message: who gave up on it, why and after how many attempts. */
export function deadLetterFields(
  message: StreamMessage,
  subscription: string,
  failure: { readonly attempts: number; readonly error: string },
): string[] {
  const attributes = {
    ...message.attributes,
    subscription,
    lastError: safeReason(failure.error, MOST_OF_A_REASON),
    googclient_deliveryattempt: String(failure.attempts),
  };
  return [
    ...['topic', `${message.topic}.dlq`, 'orderingKey', message.orderingKey, 'eventId', message.eventId],
    ...['tenantId', message.tenantId, 'attributes', JSON.stringify(attributes), 'envelope', message.envelope],
  ];
}

/** The same for an entry that is no message. */
export function unreadableFields([id, fields]: RawEntry, subscription: string): string[] {
  return ['id', id, 'subscription', subscription, 'fields', JSON.stringify(fields)];
}
