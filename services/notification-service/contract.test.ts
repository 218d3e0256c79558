import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { describe, expect, test } from 'vitest';
import { events, MessageBounced, MessageDelivered, MessageDispatched } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const messageId = 'msg_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';

describe('EVT-63..65: the events of notification-service', () => {
  contractConformance(events, samples);

  test('they are the three of the ledger, of the class hot', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.notification.message.dispatched.v1', 'hot'],
      ['melmastoon.notification.message.delivered.v1', 'hot'],
      ['melmastoon.notification.message.bounced.v1', 'hot'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-09: twenty at a time on up to fifty instances, in any order', () => {
  expect(service.delivery).toEqual({ mode: 'push', instances: 50, concurrency: 20, order: 'any' });
});

test('EVT-63, EVT-65: a second try is a second dispatch and may bounce again', () => {
  expect(keyOf(MessageDispatched, { attempt: 1 })).toBe(`${messageId}:dispatched:1`);
  expect(keyOf(MessageDispatched, { attempt: 2 })).toBe(`${messageId}:dispatched:2`);
  expect(keyOf(MessageBounced, { attempt: 2 })).toBe(`${messageId}:bounced:2`);
});

test('EVT-64: however often the provider says so, a message is delivered once', () => {
  expect(keyOf(MessageDelivered, { attempt: 1 })).toBe(`${messageId}:delivered`);
  expect(keyOf(MessageDelivered, { attempt: 2, deliveredAt: '2026-03-21T09:32:00.000Z' })).toBe(
    `${messageId}:delivered`,
  );
});

test.each(['email', 'phone', 'text'])('EVT-63, X-130: the %s of a message stays in its service', field => {
  const recipient = { kind: 'guest', guestId: 'gst_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D', [field]: 'x' };
  expect(refusalOf(MessageDispatched, { ...samples[MessageDispatched.subject], recipient })).toContain(field);
});

test('EVT-63: staff is written to as well, also about no booking', () => {
  const change = {
    recipient: { kind: 'operator', operatorId: 'usr_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2G' },
    reservationId: null,
    template: 'staff_alert',
  };
  expect(refusalOf(MessageDispatched, { ...samples[MessageDispatched.subject], ...change })).toBeUndefined();
});

test('EVT-63, X-124: paper at the desk is a channel, so that a guest whom nothing reaches is welcomed too', () => {
  const change = { channel: 'printed', provider: 'front_desk', providerReference: messageId };
  expect(refusalOf(MessageDispatched, { ...samples[MessageDispatched.subject], ...change })).toBeUndefined();
});

function keyOf(event: (typeof events)[number], change: object): string {
  return event.from({ ...samples[event.subject], ...change } as never, { aggregateVersion: 1 })
    .idempotencyKey;
}
