import type { EventType } from '@ghasi/event-envelope/define-event';
import { schemaPath } from '@ghasi/event-envelope/schema-uri';
import { everyService } from './every-service.ts';
import type { FileSet } from './generator.ts';
import { topicShort } from './pubsub/subscriptions.ts';
import type { Topic } from './pubsub/topology.ts';
import { everyTopic } from './pubsub.ts';
import { yamlText } from './yaml-text.ts';

const path = 'docs/reference/asyncapi.yaml';
const toRoot = '../../';

/** All topics as AsyncAPI 3, for tools that draw, mock and check event-driven systems. */
export const asyncApi: FileSet = {
  name: path,
  owns: file => file === path,
  async makeAll() {
    const events = (await everyService()).flatMap(({ publishes }) => publishes);
    const header = '# Generated from the contracts of every service by npm run generate; do not edit.\n';
    return new Map([[path, header + yamlText(asyncApiDocument(events, await everyTopic()))]]);
  },
};

/** The document; exported for its test. */
export function asyncApiDocument(events: readonly EventType[], topics: readonly Topic[]): object {
  const bySubject = new Map(events.map(event => [event.subject, event]));
  const known = topics.flatMap(topic => {
    const event = bySubject.get(topic.topic);
    return event === undefined ? [] : [{ topic, event, id: topicShort(topic.topic) }];
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Melmastoon events',
      version: '1.0.0',
      description:
        'One channel per subject. Every message is one event envelope; its payload is the schema of its subject.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(known.map(({ event, topic, id }) => [id, channelOf(event, topic, id)])),
    operations: Object.fromEntries(known.flatMap(({ topic, id }) => operationsOf(topic, id))),
    components: {
      messages: Object.fromEntries(known.map(({ event, id }) => [id, messageOf(event, id)])),
      schemas: { attributes },
    },
  };
}

function channelOf(
  event: EventType,
  { topic, retentionClass, crossTenant, deadLetters }: Topic,
  id: string,
): object {
  return {
    address: topic,
    description: `${event.summary}.`,
    messages: { event: { $ref: `#/components/messages/${id}` } },
    'x-owner': event.owner,
    'x-retention-class': retentionClass,
    'x-cross-tenant': crossTenant,
    'x-dead-letter-topic': deadLetters.topic,
  };
}

function operationsOf({ owner, subscriptions }: Topic, id: string): [string, object][] {
  const operation = (action: 'send' | 'receive', party: string) => ({
    action,
    channel: { $ref: `#/channels/${id}` },
    tags: [{ name: party }],
  });
  return [
    [`${owner}.sends.${id}`, operation('send', owner)],
    ...subscriptions.map(({ reader }): [string, object] => [
      `${reader}.receives.${id}`,
      operation('receive', reader),
    ]),
  ];
}

function messageOf(event: EventType, id: string): object {
  return {
    name: event.subject,
    title: id,
    summary: event.summary,
    headers: { $ref: '#/components/schemas/attributes' },
    correlationId: { location: '$message.payload#/correlationId' },
    payload: {
      allOf: [
        { $ref: `${toRoot}event-schemas/platform/event_envelope/v1.json` },
        {
          type: 'object',
          properties: {
            eventType: { const: event.type },
            eventVersion: { const: event.version },
            payload: { $ref: `${toRoot}${schemaPath(event)}` },
          },
        },
      ],
    },
  };
}

const text = (description: string) => ({ type: 'string', description });

/**
 * What travels beside the body (docs/decisions/0028). Of what ENV-32 names, event id, subject and tenant are fields of every
 * broker's message already, and the idempotency key is in the body only.
 */
const attributes = {
  type: 'object',
  properties: {
    traceparent: text('W3C trace context of the span that raised the event'),
    signature: text('proof that a service of this installation validated this very body'),
  },
  required: ['traceparent', 'signature'],
};
