import { versionsOf } from '@ghasi/backbone/read-delivery';
import { describe, expect, test } from 'vitest';
import { event, party } from '../fixtures/lab.ts';
import { everyService } from './every-service.ts';
import { iamMatrix } from './pubsub/iam.ts';
import { type Topic, topicsOf } from './pubsub/topology.ts';
import { everyTopic } from './pubsub.ts';

const taken = event('lab.samples.sample.taken.v1');
const takenV2 = event('lab.samples.sample.taken.v2', { replaces: { event: taken, upcast: p => p } });
const map = event('lab.atlas.map.drawn.v1');
const entry = event('lab.audit.entry.appended.v1');
const moved = event('lab.sync.cursor.moved.v1');

const everything = {
  services: [
    { reader: 'audit-service', except: 'audit' },
    { reader: 'sync-service', except: 'sync', planned: true },
  ],
  sink: 'warehouse',
} as const;
const lab = [
  party('sample-service', [taken]),
  party('atlas-service', [map], [taken, taken]),
  party('audit-service', [entry], [taken, moved]),
  party('sync-service', [moved]),
];

const topic = (topics: readonly Topic[], subject: string) =>
  topics.find(one => one.topic === subject) as Topic;
const readers = (topics: readonly Topic[], subject: string) =>
  topic(topics, subject).subscriptions.map(({ reader }) => reader);

describe('topics', () => {
  const topics = topicsOf(lab, everything);

  test('BROKER-01, CAT-06, X-009: one topic per subject, named like it', () => {
    expect(topics.map(one => one.topic)).toEqual([map.subject, entry.subject, taken.subject, moved.subject]);
  });

  test('BROKER-07, X-011: one subscription per reader and topic, however many reactions', () => {
    expect(readers(topics, taken.subject)).toEqual(['atlas-service', 'audit-service']);
  });

  test('BROKER-05, BROKER-06, X-010: its name is reader, topic without prefix but with version, sub', () => {
    expect(topic(topics, taken.subject).subscriptions[0]?.name).toBe(
      'atlas-service.samples.sample.taken.v1.sub',
    );
  });

  test('BROKER-16, BROKER-20: who reads everything has a subscription where it reacts, and none where it leaves out', () => {
    expect(readers(topics, moved.subject)).toEqual(['audit-service']);
    expect(readers(topics, map.subject)).toEqual([]);
  });

  test('X-072, X-074: a reader that is planned is named, and has no subscription that nobody would empty', () => {
    expect(topic(topics, taken.subject).planned).toEqual(['sync-service', 'warehouse']);
    expect(topic(topics, moved.subject).planned).toEqual(['warehouse']); // its own would never end
    expect(topics.flatMap(({ subscriptions }) => subscriptions.map(({ reader }) => reader))).not.toContain(
      'sync-service',
    );
  });

  test('X-073, X-074: a reaction that would never end is refused', () => {
    const loop = [
      ...lab.slice(0, 2),
      party('audit-service', [entry], [entry]),
      party('sync-service', [moved]),
    ];
    expect(() => topicsOf(loop, everything)).toThrow('audit-service reacts to lab.audit.entry.appended.v1');
  });

  test('REG-14, X-078: who reacts to v2 also reads v1, which it can upcast', () => {
    const both = topicsOf(
      [party('sample-service', [taken, takenV2]), party('atlas-service', [], [takenV2])],
      {
        services: [],
        sink: 'warehouse',
      },
    );
    for (const { subject } of [taken, takenV2]) expect(readers(both, subject)).toContain('atlas-service');
  });

  test('DLQ-01..08, BROKER-09, BROKER-10, X-065, X-067: a push subscription', () => {
    expect(topic(topics, taken.subject).subscriptions[0]).toEqual({
      name: 'atlas-service.samples.sample.taken.v1.sub',
      reader: 'atlas-service',
      mode: 'push',
      push: {
        path: '/internal/events/samples.sample.taken.v1',
        oidcServiceAccount: 'atlas-service-subscriber@melmastoon-prod.iam',
      },
      enableMessageOrdering: true,
      ackDeadlineSeconds: 60,
      retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' },
      messageRetentionDuration: '604800s',
      retainAckedMessages: true,
      deadLetterPolicy: {
        deadLetterTopic: 'projects/melmastoon-prod/topics/lab.samples.sample.taken.v1.dlq',
        maxDeliveryAttempts: 7,
      },
      expirationPolicy: {},
    });
  });

  test('DLQ-04, DLQ-05, BROKER-11, BROKER-12, X-067, X-075: a pull subscription has more time and exactly-once', () => {
    const audit = topic(topics, taken.subject).subscriptions[1];
    expect(audit).toMatchObject({ mode: 'pull', ackDeadlineSeconds: 600, enableExactlyOnceDelivery: true });
    expect(audit).not.toHaveProperty('push');
  });

  test.each([
    ['hot', { days: 30 }],
    ['warm', { days: 365 }],
    ['cold', { days: 365, coldlineYears: 7 }],
  ] as const)(
    'RET-01..03, RET-05, X-077: it is declared how long the planned warehouse is to keep %s events',
    (retention, kept) => {
      const one = event('lab.samples.sample.taken.v1', { retention });
      const [made] = topicsOf([party('sample-service', [one])], everything);
      expect(made?.warehouse).toEqual({ table: 'melmastoon_events.samples_sample_taken_v1', ...kept });
    },
  );

  test('DLQ-09, DLQ-11, X-069, X-070: dead letters have their own topic and wait 14 days for a person', () => {
    expect(topic(topics, taken.subject).deadLetters).toEqual({
      topic: 'lab.samples.sample.taken.v1.dlq',
      messageRetentionDuration: '1209600s',
      inspector: {
        name: 'pubsub-dlq-inspector.samples.sample.taken.v1.dlq.sub',
        ackDeadlineSeconds: 600,
        messageRetentionDuration: '1209600s',
        expirationPolicy: {},
      },
    });
  });
});

describe('rights', () => {
  const topics = topicsOf(lab, everything);
  const { bindings, exceptions } = iamMatrix(topics);
  const pairs = (role: string) =>
    bindings
      .filter(one => one.role === role)
      .flatMap(({ principal, on }) => on.map(name => `${principal} ${name}`));

  test('BROKER-14, BROKER-18, BROKER-20: who owns a topic may publish on it, and nobody else', () => {
    const expected = topics.map(one => `${one.owner}-publisher@melmastoon-prod.iam ${one.topic}`);
    expect(pairs('roles/pubsub.publisher').sort()).toEqual(expected.sort());
  });

  test('BROKER-15, BROKER-16, BROKER-20: who owns a subscription may read it, and nobody else', () => {
    const expected = topics.flatMap(({ subscriptions }) =>
      subscriptions.map(({ reader, name }) => `${reader}-subscriber@melmastoon-prod.iam ${name}`),
    );
    expect(pairs('roles/pubsub.subscriber').sort()).toEqual(expected.sort());
    expect(new Set(bindings.map(({ role }) => role)).size).toBe(2);
  });

  test('BROKER-19: a human may publish only through the replay role, for a time', () => {
    const publishers = exceptions.filter(({ role }) => role === 'roles/pubsub.publisher');
    expect(publishers.map(({ principal }) => principal)).toEqual([
      'oncall-replay@melmastoon-prod.iam',
      'service-<project number>@gcp-sa-pubsub.iam.gserviceaccount.com',
    ]);
    expect(publishers[0]?.condition).toContain('at most 1 h');
  });
});

describe('the platform', () => {
  test('REG-05, PATH-05, MIG-13, BROKER-03, CAT-09, X-069: every published subject is a topic with dead letters', async () => {
    const subjects = (await everyService()).flatMap(({ publishes }) =>
      publishes.map(({ subject }) => subject),
    );
    const topics = await everyTopic();
    expect(topics.map(one => one.topic)).toEqual(subjects.sort());
    const names = topics.flatMap(one => [one.topic, one.deadLetters.topic]);
    expect(new Set(names).size).toBe(subjects.length * 2);
  });

  test('BROKER-20: the subscriptions are those of reactions, version by version, and nothing else', async () => {
    const reacting = (await everyService()).flatMap(({ name, reacts }) =>
      reacts.flatMap(({ event }) => versionsOf(event).map(({ subject }) => `${name} ${subject}`)),
    );
    const made = (await everyTopic()).flatMap(one =>
      one.subscriptions.map(({ reader }) => `${reader} ${one.topic}`),
    );
    expect(made.sort()).toEqual([...new Set(reacting)].sort());
  });

  test('BROKER-07: no two subscriptions share a name, and every name is one Pub/Sub takes', async () => {
    const topics = await everyTopic();
    const names = topics.flatMap(({ subscriptions, deadLetters }) => [
      ...subscriptions.map(({ name }) => name),
      deadLetters.inspector.name,
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/);
  });
});
