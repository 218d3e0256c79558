import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, locale } from '@melmastoon/catalog/hotel-parts';
import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Ways to reach somebody. `printed`: a sheet of paper at the front desk, for a guest whom nothing else reaches. */
export const channels = ['email', 'sms', 'whatsapp', 'printed'] as const;

/** What is written. A cancelled booking has one template per reason: a failed payment is no cancellation. */
export const templates = [
  'booking_confirmed',
  'hold_expired',
  'payment_failed',
  'booking_cancelled',
  'booking_modified',
  'dates_changed',
  'dates_unavailable',
  'key_ready',
  'welcome',
  'receipt',
  'stay_survey',
  'staff_alert',
] as const;

/** Why a message did not arrive. */
export const bounceReasons = [
  'unknown_address',
  'mailbox_full',
  'blocked',
  'opted_out',
  'expired',
  'provider_error',
] as const;

/** One message to one person over one channel. Address and text stay here: events carry ids. */
const message = {
  messageId: idText('msg'),
  recipient: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('guest'), guestId: idText('gst') }),
    z.strictObject({ kind: z.literal('operator'), operatorId: idText('usr') }),
  ]),
  /** Null: it is not about a booking. */
  reservationId: idText('rsv').nullable(),
  propertyId: idText('pro').nullable(),
  template: z.enum(templates),
  channel: z.enum(channels),
  locale,
  provider: code,
  /** What the provider calls it. */
  providerReference: z.string().regex(/^[\w.:@<>-]{1,200}$/),
  /** Which try it was, from 1. */
  attempt: z.int().min(1),
};

/** The provider has taken the message. For the check-in saga a welcome counts from here. */
export const MessageDispatched = defineEvent({
  subject: 'melmastoon.notification.message.dispatched.v1',
  summary: 'a message was handed to its provider',
  retention: 'hot',
  payload: z.strictObject(message),
  aggregateId: p => p.messageId,
  idempotencyKey: p => `${p.messageId}:dispatched:${p.attempt}`,
});

/** The message is with its reader. */
export const MessageDelivered = defineEvent({
  subject: 'melmastoon.notification.message.delivered.v1',
  summary: 'the provider confirmed delivery',
  retention: 'hot',
  payload: z.strictObject({ ...message, deliveredAt: instant }),
  aggregateId: p => p.messageId,
  idempotencyKey: p => `${p.messageId}:delivered`,
});

/** The message did not arrive. */
export const MessageBounced = defineEvent({
  subject: 'melmastoon.notification.message.bounced.v1',
  summary: 'the provider reported a bounce or failure',
  retention: 'hot',
  payload: z.strictObject({
    ...message,
    reason: z.enum(bounceReasons),
    /** True: this address or number will never work; do not try again. */
    permanent: z.boolean(),
  }),
  aggregateId: p => p.messageId,
  idempotencyKey: p => `${p.messageId}:bounced:${p.attempt}`,
});

/** All events of notification-service. */
export const events = [MessageDispatched, MessageDelivered, MessageBounced];
