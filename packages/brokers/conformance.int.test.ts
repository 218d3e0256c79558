import { randomUUID } from 'node:crypto';
import { openDatabase } from '@ghasi/db/database';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { describeWithRedis } from '@ghasi/testing/redis';
import { type TcpProxy, targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { describe } from 'vitest';
import { postgresFeatures } from './adapters/postgres/features.ts';
import { PostgresBroker } from './adapters/postgres/postgres-broker.ts';
import { redisStreamsFeatures } from './adapters/redis-streams/features.ts';
import {
  openRedisStreamsBroker,
  type RedisStreamsBroker,
} from './adapters/redis-streams/redis-streams-broker.ts';
import { brokerConformance } from './broker.conformance.ts';
import type { BrokerHarness, MemberOptions } from './conformance-world.conformance.ts';

const times = { leaseMs: 2_000, heartbeatMs: 100, pollMs: 100, ackMs: 50, markMs: 100, trimMs: 300 };

/** A line that can be cut, for good or once at a text, or none. */
async function line(
  url: string,
  { cuttable, cutAt }: MemberOptions,
): Promise<{ url: string; cut(): Promise<void> }> {
  if (cuttable !== true && cutAt === undefined) return { url, cut: async () => {} };
  let cuts = 0;
  const judge = (chunk: Buffer) =>
    cutAt !== undefined && chunk.includes(cutAt) && cuts++ === 0 ? 'cut-before' : 'pass';
  const proxy: TcpProxy = await tcpProxy({ target: targetOf(url), judge });
  return { url: proxy.through(url), cut: () => proxy.close() };
}

/** A database of its own for each suite; whatever members open is closed with it. */
async function place(): Promise<{
  database: TestDatabase;
  relay: BrokerHarness['relay'];
  relayThrough(options: MemberOptions): Promise<{ db: BrokerHarness['relay']; cut(): Promise<void> }>;
  close(): Promise<void>;
}> {
  const database = await testDatabase();
  const opened: { close(): Promise<void> }[] = [];
  return {
    database,
    relay: database.openAs('relay', { max: 4 }),
    async relayThrough(options) {
      const { url, cut } = await line(database.roleUrl('relay'), options);
      const db = openDatabase({ url, service: 'relay', max: 6 });
      opened.push(db);
      return { db, cut };
    },
    async close() {
      await Promise.all(opened.map(db => db.close()));
      await database.drop();
    },
  };
}

describe('the broker in PostgreSQL', () => {
  brokerConformance({
    features: postgresFeatures,
    async start() {
      const { database, relay, relayThrough, close } = await place();
      return {
        relay,
        close,
        async open({ retry, ...lines } = {}) {
          const { db, cut } = await relayThrough(lines);
          return { broker: new PostgresBroker({ db, times, ...(retry && { retry }) }), cut };
        },
        deadLetterRecords: topic =>
          database.admin('select event_id as "eventId", attributes from brokers.log where topic = $1', [
            topic,
          ]),
      };
    },
  });
});

describeWithRedis('the broker on Redis Streams', redisUrl => {
  brokerConformance({
    features: redisStreamsFeatures,
    async start() {
      const { relay, relayThrough, close } = await place();
      const namespace = `test-${randomUUID()}`;
      const open = async (
        db: BrokerHarness['relay'],
        url: string,
        more: object = {},
      ): Promise<RedisStreamsBroker> => {
        const broker = await openRedisStreamsBroker({ url, db, namespace, times, ...more });
        return broker;
      };
      const inspector = await open(relay, redisUrl);
      await inspector.recover(async () => {});
      return {
        relay,
        async close() {
          await inspector.close();
          await close();
        },
        async open({ retry, ...lines } = {}) {
          const sql = await relayThrough(lines);
          const redis = await line(redisUrl, { cuttable: lines.cuttable === true });
          const cut = async () => {
            await Promise.all([sql.cut(), redis.cut()]);
          };
          return { broker: await open(sql.db, redis.url, { ...(retry && { retry }) }), cut };
        },
        deadLetterRecords: async topic =>
          (await inspector.streams.deadLetters(topic.replace(/\.dlq$/, ''))).map(
            ({ eventId = '', attributes = '{}' }) => ({
              eventId,
              attributes: JSON.parse(attributes),
            }),
          ),
      };
    },
  });
});
