import { PROJECT, publisherOf, subscriberOf } from './subscriptions.ts';
import type { Topic } from './topology.ts';

/** One right: who may do what on which topics or subscriptions. */
export type Binding = { readonly principal: string; readonly role: string; readonly on: readonly string[] };

/** All rights on the broker. */
export type IamMatrix = {
  readonly project: string;
  /** Owner × topic and reader × subscription, and nothing else (BROKER-20). */
  readonly bindings: readonly Binding[];
  /** What no service has: rights of tools and of Pub/Sub itself, each with its reason. */
  readonly exceptions: readonly (Binding & { readonly why: string; readonly condition?: string })[];
};

const PUBLISHER = 'roles/pubsub.publisher';
const SUBSCRIBER = 'roles/pubsub.subscriber';

/** The rights that follow from the topics (BROKER-14..19). */
export function iamMatrix(topics: readonly Topic[]): IamMatrix {
  const publishing = grouped(topics.map(({ owner, topic }) => [publisherOf(owner), topic]));
  const reading = grouped(
    topics.flatMap(({ subscriptions }) =>
      subscriptions.map(({ reader, name }) => [subscriberOf(reader), name]),
    ),
  );
  const subscriptions = topics.flatMap(topic => topic.subscriptions.map(({ name }) => name));
  return {
    project: PROJECT,
    bindings: [
      ...publishing.map(([principal, on]) => ({ principal, role: PUBLISHER, on })),
      ...reading.map(([principal, on]) => ({ principal, role: SUBSCRIBER, on })),
    ],
    exceptions: [
      {
        principal: `pubsub-dlq-inspector@${PROJECT}.iam`,
        role: SUBSCRIBER,
        on: topics.map(({ deadLetters }) => deadLetters.inspector.name),
        why: 'a person looks at dead letters through the inspector (DLQ-13, X-070)',
      },
      {
        principal: `oncall-replay@${PROJECT}.iam`,
        role: PUBLISHER,
        on: topics.map(({ topic }) => topic),
        why: 'the only way a human may publish: the replay tool, on call (BROKER-19, DLQ-30)',
        condition: 'granted for at most 1 h at a time; every use is in the audit log',
      },
      {
        principal: 'service-<project number>@gcp-sa-pubsub.iam.gserviceaccount.com',
        role: PUBLISHER,
        on: topics.map(({ deadLetters }) => deadLetters.topic),
        why: 'Pub/Sub itself moves a message to its dead-letter topic (DLQ-10)',
      },
      {
        principal: 'service-<project number>@gcp-sa-pubsub.iam.gserviceaccount.com',
        role: SUBSCRIBER,
        on: subscriptions,
        why: 'Pub/Sub itself acknowledges what it has moved to a dead-letter topic (DLQ-10)',
      },
    ],
  };
}

function grouped(pairs: readonly (readonly [string, string])[]): [string, string[]][] {
  const groups = Map.groupBy(pairs, ([principal]) => principal);
  return [...groups]
    .map(([principal, all]): [string, string[]] => [principal, all.map(([, on]) => on).sort()])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
