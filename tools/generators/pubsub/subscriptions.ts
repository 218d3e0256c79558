import type { Delivery } from '@ghasi/backbone/delivery';

/** The Google Cloud project of production (PATH-12). */
export const PROJECT = 'melmastoon-prod';

/** What a subscription says about itself; names of the Pub/Sub API. */
export type Subscription = {
  readonly name: string;
  /** The service that owns it; nobody shares one (BROKER-07). */
  readonly reader: string;
  readonly mode: 'push' | 'pull';
  /** Where a push arrives and who vouches for it (BROKER-10); absent on pull. */
  readonly push?: { readonly path: string; readonly oidcServiceAccount: string };
  readonly enableMessageOrdering: boolean;
  readonly ackDeadlineSeconds: number;
  readonly retryPolicy: { readonly minimumBackoff: string; readonly maximumBackoff: string };
  readonly messageRetentionDuration: string;
  readonly retainAckedMessages: true;
  /** Pub/Sub has it for pull only. */
  readonly enableExactlyOnceDelivery?: true;
  readonly deadLetterPolicy: { readonly deadLetterTopic: string; readonly maxDeliveryAttempts: number };
  /** Empty = never: an idle subscription would otherwise be deleted after 31 days, with what it holds. */
  readonly expirationPolicy: Readonly<Record<string, never>>;
};

/** The subscription in which a topic's dead letters wait for a person. */
export type InspectorSubscription = Pick<
  Subscription,
  'name' | 'ackDeadlineSeconds' | 'messageRetentionDuration' | 'expirationPolicy'
>;

const DAY = 86_400;

/** How long a topic and its subscriptions keep a message (DLQ-03, DLQ-11, X-065). */
export const TOPIC_RETENTION = `${7 * DAY}s`;

/** How long a dead letter is kept (DLQ-11, X-065). */
export const DLQ_RETENTION = `${14 * DAY}s`;

/** A topic without its prefix; the version stays, or v1 and v2 would collide (BROKER-06, X-010). */
export function topicShort(topic: string): string {
  return topic.slice(topic.indexOf('.') + 1);
}

/** Dead letters of a topic go here (DLQ-09, X-069). */
export function dlqTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** The subscription of one reader on one topic, with every setting of the ledger's section 8.1. */
export function subscriptionOf(
  topic: string,
  reader: string,
  delivery: Pick<Delivery, 'mode' | 'order'>,
): Subscription {
  const short = topicShort(topic);
  const isPull = delivery.mode === 'pull';
  return {
    name: `${reader}.${short}.sub`,
    reader,
    mode: delivery.mode,
    ...(isPull
      ? {}
      : { push: { path: `/internal/events/${short}`, oidcServiceAccount: subscriberOf(reader) } }),
    enableMessageOrdering: delivery.order === 'required',
    ackDeadlineSeconds: isPull ? 600 : 60,
    retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' },
    messageRetentionDuration: TOPIC_RETENTION,
    retainAckedMessages: true,
    ...(isPull ? { enableExactlyOnceDelivery: true } : {}),
    deadLetterPolicy: {
      deadLetterTopic: `projects/${PROJECT}/topics/${dlqTopic(topic)}`,
      maxDeliveryAttempts: 7,
    },
    expirationPolicy: {},
  };
}

/** Where the dead letters of a topic wait. */
export function inspectorOf(topic: string): InspectorSubscription {
  return {
    name: `pubsub-dlq-inspector.${topicShort(dlqTopic(topic))}.sub`,
    ackDeadlineSeconds: 600,
    messageRetentionDuration: DLQ_RETENTION,
    expirationPolicy: {},
  };
}

/** The account with which a service publishes (BROKER-14). */
export function publisherOf(service: string): string {
  return `${service}-publisher@${PROJECT}.iam`;
}

/** The account with which a service takes messages (BROKER-15). */
export function subscriberOf(service: string): string {
  return `${service}-subscriber@${PROJECT}.iam`;
}
