import type { Features } from '../../broker.ts';

/** What the log in PostgreSQL can do. */
export const postgresFeatures: Features = {
  serverSideRelay: {
    has: true,
    reason:
      'outboxes and log are one database: a statement moves a batch, and no payload passes through Node',
  },
  durable: { has: true, reason: 'a message is accepted by the commit that appends it' },
  orderedAcrossTopics: {
    has: true,
    reason: 'there is one log, and a key has one shard and one reader per subscription whatever the topic',
  },
  fencing: {
    has: true,
    reason: 'leases and effects are in one database: the transaction of an effect checks the fencing number',
  },
  seek: { has: true, reason: 'the log is kept 7 days, read or not; a seek moves the cursors' },
  replayTarget: { has: true, reason: 'the reader passes over messages that are meant for somebody else' },
  fairTenants: {
    has: true,
    reason:
      'a tenant keeps 2,000 messages in memory; the rest stays in the log and is read when its turn comes',
  },
  dlqSubscriptions: { has: true, reason: 'a dead letter is appended to the same log, as any other message' },
};
