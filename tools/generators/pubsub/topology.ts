import type { Delivery } from '@ghasi/backbone/delivery';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { schemaPath } from '@ghasi/event-envelope/schema-uri';
import {
  DLQ_RETENTION,
  dlqTopic,
  type InspectorSubscription,
  inspectorOf,
  type Subscription,
  subscriptionOf,
  TOPIC_RETENTION,
  topicShort,
} from './subscriptions.ts';

/** One topic with everything around it. */
export type Topic = {
  readonly topic: string;
  readonly owner: string;
  readonly retentionClass: string;
  readonly crossTenant: boolean;
  readonly orderingKey: '<tenantId>:<aggregateId>';
  readonly schema: string;
  readonly messageRetentionDuration: string;
  /** Where the sink, which is planned, is to keep its messages, and how long (RET-01..03, RET-05). */
  readonly warehouse: { readonly table: string; readonly days: number; readonly coldlineYears?: number };
  readonly deadLetters: {
    readonly topic: string;
    readonly messageRetentionDuration: string;
    readonly inspector: InspectorSubscription;
  };
  readonly subscriptions: readonly Subscription[];
  /** Who is to read it and does not yet: a subscription would fill up, and nobody would acknowledge. */
  readonly planned: readonly string[];
};

/** What a service says, hears, and how; a `Service` is one. */
export type Party = {
  readonly name: string;
  readonly publishes: readonly EventType[];
  readonly reacts: readonly { readonly event: EventType }[];
  readonly delivery: Pick<Delivery, 'mode' | 'order'>;
};

/** Who is to read every topic; a service that does has a reaction to each, and one that is planned has none. */
export type EverythingReaders = {
  readonly services: readonly { readonly reader: string; readonly except: string; readonly planned?: true }[];
  readonly sink: string;
};

/** Every topic of the platform by name: its dead letters, and one subscription per service that reacts (BROKER-01, 03, 07). */
export function topicsOf(parties: readonly Party[], everything: EverythingReaders): Topic[] {
  const heard = new Map(parties.map(party => [party.name, subjectsHeard(party, everything)]));
  const events = parties.flatMap(party => party.publishes);
  return events
    .toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
    .map(event => {
      const readers = parties.filter(party => heard.get(party.name)?.has(event.subject));
      const subscriptions = readers.map(party => subscriptionOf(event.subject, party.name, party.delivery));
      return topicOf(event, {
        subscriptions: subscriptions.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        planned: plannedReaders(event, everything),
      });
    });
}

function plannedReaders(event: EventType, { services, sink }: EverythingReaders): string[] {
  const waiting = services.filter(({ planned, except }) => planned && event.service !== except);
  return [...waiting.map(({ reader }) => reader), sink].sort(); // the sink is to have its own on every topic
}

/** RET-01..03. */
const kept = { hot: { days: 30 }, warm: { days: 365 }, cold: { days: 365, coldlineYears: 7 } } as const;

function topicOf(event: EventType, readers: Pick<Topic, 'subscriptions' | 'planned'>): Topic {
  const { subject, owner, retention, crossTenant = false } = event;
  return {
    topic: subject,
    owner,
    retentionClass: retention,
    crossTenant,
    orderingKey: '<tenantId>:<aggregateId>',
    schema: schemaPath(event),
    messageRetentionDuration: TOPIC_RETENTION,
    // a table's name takes no dots; the version stays
    warehouse: { table: `melmastoon_events.${topicShort(subject).replaceAll('.', '_')}`, ...kept[retention] },
    deadLetters: {
      topic: dlqTopic(subject),
      messageRetentionDuration: DLQ_RETENTION,
      inspector: inspectorOf(subject),
    },
    ...readers,
  };
}

/** Subjects a party reacts to, the older versions it can upcast too; throws when it would hear itself for ever. */
function subjectsHeard({ name, reacts }: Party, { services }: EverythingReaders): Set<string> {
  const events = reacts.flatMap(({ event }) => withOlder(event));
  const { except } = services.find(({ reader }) => reader === name) ?? {};
  const loop = events.find(event => event.service === except);
  if (loop !== undefined)
    throw new Error(
      `${name} reacts to ${loop.subject}, which it raises itself: it would never end (X-073, X-074)`,
    );
  return new Set(events.map(event => event.subject));
}

function withOlder(event: EventType): EventType[] {
  return event.replaces === undefined ? [event] : [event, ...withOlder(event.replaces.event)];
}
