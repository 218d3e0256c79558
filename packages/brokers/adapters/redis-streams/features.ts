import type { Features } from '../../broker.ts';

/** What Redis Streams can do, with leases and parked keys in PostgreSQL. */
export const redisStreamsFeatures: Features = {
  serverSideRelay: {
    has: false,
    reason: 'Redis is across a network: the relay claims keys, publishes outside any transaction, then marks',
  },
  durable: {
    has: false,
    reason:
      'Redis says yes before anything is on disk. A loss (FLUSHALL, restart, failover) is noticed by the next publish, which waits until the outboxes, which keep published rows 7 days, have given everything unread again',
  },
  orderedAcrossTopics: {
    has: true,
    reason: 'a key has one stream whatever the topic, with one reader per subscription',
  },
  fencing: {
    has: true,
    reason:
      'the lease and its number are in PostgreSQL, where the transaction of an effect checks it; reading from a stream checks it too. XACK does not: a former owner can only acknowledge what it has committed',
  },
  seek: {
    has: false,
    reason:
      'what every subscription acknowledged leaves memory; republish from the outboxes instead, 7 days back',
  },
  replayTarget: { has: true, reason: 'the reader acknowledges messages that are meant for somebody else' },
  fairTenants: {
    has: true,
    reason:
      'up to 50,000 messages of a flood are known by number only, so that whoever comes behind them is reached',
  },
  dlqSubscriptions: {
    has: false,
    reason:
      'a dead letter is kept in PostgreSQL until somebody decides; its record is in a stream of its own per topic for 14 days, outside the shards, which are trimmed',
  },
};
