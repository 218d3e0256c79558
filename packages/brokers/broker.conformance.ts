import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type Signal, signal, waitUntil } from '@ghasi/testing/signal';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seek } from './adapters/postgres/operations/seek.ts';
import { type Broker, featureNames, type Subscriber } from './broker.ts';
import { failureConformance } from './broker-failures.conformance.ts';
import {
  type BrokerHarness,
  type Candidate,
  done,
  expectNoOverlaps,
  firstsOf,
  type Member,
  nameOf,
  newPlace,
  publishAll,
  recorder,
  shortRetry,
  upTo,
} from './conformance-world.conformance.ts';

const operator = { actor: 'usr_operator', reason: 'conformance' };

/** What every broker must do. What brokers may differ in is a feature, and a missing one is a test of its own. */
export function brokerConformance({ features, start }: Candidate): void {
  let harness: BrokerHarness;
  const members: Member[] = [];
  const gates: Signal<void>[] = [];
  beforeAll(async () => {
    harness = await start();
  });
  afterEach(async () => {
    for (const gate of gates.splice(0)) gate.fire();
    await Promise.all(members.splice(0).map(({ broker }) => broker.close()));
    expectNoOverlaps();
  });
  afterAll(() => harness.close());

  /** Holds handlers until it fires, at the end of the test at the latest. */
  const newGate = () => {
    const gate = signal();
    gates.push(gate);
    return gate;
  };
  const join = async (options?: Parameters<BrokerHarness['open']>[0]): Promise<Member> => {
    const member = await harness.open({ retry: shortRetry, ...options });
    members.push(member);
    return member;
  };
  const consume = async (...subscribers: Subscriber[]): Promise<Broker> => {
    const { broker } = await join();
    await broker.subscribe(subscribers);
    return broker;
  };
  /** Runs a test where the feature is there; elsewhere the suite shows that it is missing, and why. */
  const ifFeature = (name: (typeof featureNames)[number], title: string, body: () => Promise<void>) => {
    if (features[name].has) test(title, body);
    else
      test(`${name} is missing: ${features[name].reason}`, async () => {
        expect((await join()).broker.features[name]).toEqual({ has: false, reason: features[name].reason });
      });
  };

  test('says of every feature whether it has it and why', async () => {
    const { broker } = await join();
    expect(broker.features).toBe(features);
    expect(Object.keys(features).sort()).toEqual([...featureNames].sort());
    for (const { reason } of Object.values(features)) expect(reason.length).toBeGreaterThan(20);
  });

  describe('delivery', () => {
    test('a message arrives as it was sent, to the byte', async () => {
      const { service, topic, message } = newPlace();
      const { subscriber, deliveries } = recorder(service, [topic], { decide: () => done });
      const broker = await consume(subscriber);
      const sent = message('k', 1, {
        envelope: '{ "key":"k" ,"n": 1, "name":"خوش آمدید", "big": 9007199254740993.10 }',
        attributes: { signature: 'k1.abc', traceparent: '00-1-2-01' },
        enqueuedAt: new Date('2026-03-21T04:05:06.789Z'),
      });
      await publishAll(broker, [sent]);
      await waitUntil('it arrived', () => deliveries.length > 0);
      expect(deliveries[0]).toMatchObject({ ...sent, attempt: 1 });
      expect(deliveries[0]?.id).toEqual(expect.any(String));
      expect(deliveries[0]?.publishedAt).toBeInstanceOf(Date);
      expect(await broker.publish([])).toEqual([]);
    });

    ifFeature(
      'orderedAcrossTopics',
      'ORD-02, X-088: a key arrives in order, also across topics',
      async () => {
        const { service, topic, other, message } = newPlace();
        const { subscriber, tried } = recorder(service, [topic, other], { maxBatch: 7 });
        const broker = await consume(subscriber);
        const keys = Array.from({ length: 24 }, (_, at) => `k${at}`);
        for (let n = 1; n <= 8; n++)
          await publishAll(
            broker,
            keys.map(key => message(key, n, { topic: n % 2 === 0 ? topic : other })),
          );
        await waitUntil('all arrived', () => tried.length >= keys.length * 8);
        for (const key of keys) expect(tried.filter(one => one.startsWith(`${key}:`))).toEqual(upTo(key, 8));
      },
    );

    test('BROKER-07: each subscription gets every message of its topics and no other', async () => {
      const { service, topic, other, message } = newPlace();
      const both = recorder(`${service}-both`, [topic, other]);
      const one = recorder(`${service}-one`, [other]);
      const broker = await consume(both.subscriber, one.subscriber);
      await publishAll(broker, [message('a', 1), message('b', 1, { topic: other }), message('a', 2)]);
      await waitUntil('both have theirs', () => both.tried.length >= 3 && one.tried.length >= 1);
      expect(both.tried.sort()).toEqual(['a:1', 'a:2', 'b:1']);
      expect(one.tried).toEqual(['b:1']);
    });

    test('what is published before a prepared subscription runs waits for it', async () => {
      const { service, topic, message } = newPlace();
      const { broker } = await join();
      await broker.prepare([service]);
      await publishAll(broker, [message('a', 1), message('a', 2)]);
      const { subscriber, tried } = recorder(service, [topic]);
      await consume(subscriber);
      await waitUntil('it got both', () => tried.length >= 2);
      expect(tried).toEqual(['a:1', 'a:2']);
    });

    ifFeature(
      'replayTarget',
      'X-068: a message for one subscription is passed over by the others',
      async () => {
        const { service, topic, message } = newPlace();
        const target = recorder(`${service}-target`, [topic]);
        const other = recorder(`${service}-other`, [topic]);
        const broker = await consume(target.subscriber, other.subscriber);
        const again = { attributes: { replayTarget: target.subscriber.name } };
        await publishAll(broker, [message('a', 1, again), message('a', 2)]);
        await waitUntil('both came to the end', () => target.tried.length >= 2 && other.tried.length >= 1);
        expect(target.tried).toEqual(['a:1', 'a:2']);
        expect(other.tried).toEqual(['a:2']);
      },
    );

    test('a handler that throws loses nothing: its batch comes again, with no attempt counted', async () => {
      const { service, topic, message } = newPlace();
      let calls = 0;
      const { subscriber, tried, deliveries } = recorder(service, [topic], {
        decide: () => {
          if (++calls === 1) throw new Error('a bug');
          return done;
        },
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1)]);
      await waitUntil('it came again', () => tried.length >= 2);
      expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });
  });

  describe('flow control', () => {
    test('as many batches at once as there are slots, none larger than asked, each of one tenant', async () => {
      const { service, topic, message } = newPlace();
      const gate = newGate();
      const seen = recorder(service, [topic], {
        concurrency: 3,
        maxBatch: 4,
        decide: () => gate.promise.then(() => done),
      });
      const broker = await consume(seen.subscriber);
      const tenants = [uuid7(), uuid7(), uuid7(), uuid7()] as string[];
      const sent = tenants.flatMap(tenantId =>
        upTo('k', 15).map((_, at) => message(`k${at}`, 1, { tenantId })),
      );
      await publishAll(broker, sent);
      await waitUntil('all slots are in use', () => seen.mostAtOnce === 3);
      expect((await broker.backlog()).get(service)).toBe(sent.length);
      gate.fire();
      await waitUntil('all arrived', () => seen.tried.length >= sent.length);
      expect(seen.mostAtOnce).toBe(3);
      for (const batch of seen.batches) {
        expect(batch.length).toBeLessThanOrEqual(4);
        expect(new Set(batch.map(({ tenantId }) => tenantId)).size).toBe(1);
      }
      await waitUntil('nothing is left', async () => {
        await broker.flush();
        return (await broker.backlog()).get(service) === 0;
      });
    });

    ifFeature(
      'fairTenants',
      'ORD-04: a tenant that floods holds nobody up, and loses nothing by it',
      async () => {
        const { service, topic, message } = newPlace();
        const quiet = uuid7() as string;
        const gate = newGate();
        const { subscriber, tried, deliveries } = recorder(service, [topic], {
          concurrency: 2,
          maxBatch: 50,
          decide: (_, { tenantId }) => (tenantId === quiet ? done : gate.promise.then(() => done)),
        });
        const broker = await consume(subscriber);
        const flood = Array.from({ length: 5_000 }, (_, at) =>
          message(`k${at % 40}`, Math.floor(at / 40) + 1),
        );
        await publishAll(broker, flood);
        await publishAll(broker, [message('quiet', 1, { tenantId: quiet })]);
        await waitUntil('the other tenant has its turn', () => tried.includes('quiet:1'));
        expect(deliveries.filter(({ tenantId }) => tenantId !== quiet).length).toBeLessThanOrEqual(50);
        gate.fire();
        await waitUntil('the flood is over', () => tried.length >= flood.length + 1);
        for (let key = 0; key < 40; key++)
          expect(tried.filter(what => what.startsWith(`k${key}:`))).toEqual(upTo(`k${key}`, 125));
      },
    );
  });

  describe('several members', () => {
    /** How many shards each member holds. */
    const shares = async (service: string) => {
      const { rows } = await harness.relay.pool.query<{ n: number }>(
        'select count(*)::int as n from brokers.cursor where subscription = $1 and owner is not null group by owner',
        [service],
      );
      return rows.map(({ n }) => n);
    };

    test('they share the keys; whoever joins or leaves, nothing is lost and order holds', async () => {
      const { service, topic, message } = newPlace();
      const { subscriber, tried } = recorder(service, [topic]); // one record for both: it sees who overtakes whom
      const keys = Array.from({ length: 20 }, (_, at) => `k${at}`);
      const first = await consume(subscriber);
      const publish = (n: number) =>
        publishAll(
          first,
          keys.map(key => message(key, n)),
        );
      for (let n = 1; n <= 3; n++) await publish(n);
      const second = (await join()).broker;
      await second.subscribe([subscriber]);
      for (let n = 4; n <= 6; n++) await publish(n);
      await waitUntil('each has half', async () => (await shares(service)).join() === '8,8');
      for (let n = 7; n <= 9; n++) await publish(n);
      await second.close();
      for (let n = 10; n <= 12; n++) await publish(n);
      await waitUntil('all arrived', () => new Set(tried).size === keys.length * 12);
      for (const key of keys) expect(firstsOf(tried, key)).toEqual(upTo(key, 12));
    });

    test('shards that could not be handed over are handed over at a later heartbeat', async () => {
      const { service, topic } = newPlace();
      const { subscriber } = recorder(service, [topic]);
      const { broker } = await join({ cutAt: 'set owner = null' });
      await broker.subscribe([subscriber]);
      await consume(subscriber);
      await waitUntil('each has half', async () => (await shares(service)).join() === '8,8');
    });

    test('a service that is not done with a shard it has to give up holds up no other of its process', async () => {
      const [busy, other] = [newPlace(), newPlace()];
      const gate = newGate();
      const hanging = recorder(busy.service, [busy.topic], { decide: () => gate.promise.then(() => done) });
      const quick = recorder(other.service, [other.topic]);
      const first = await consume(hanging.subscriber, quick.subscriber);
      await publishAll(first, [busy.message('a', 1)]);
      await waitUntil('it has a message in hand', () => hanging.tried.length > 0);
      await consume(recorder(busy.service, [busy.topic]).subscriber);
      const beats = async () => {
        const { rows } = await harness.relay.pool.query<{ at: string }>(
          'select heartbeat_at::text as at from brokers.member where $1 = any(subscriptions)',
          [other.service],
        );
        return rows[0]?.at;
      };
      for (const _ of ['who is there', 'what is to be given up', 'it is being given up']) {
        const before = await beats();
        await waitUntil('a heartbeat', async () => (await beats()) !== before);
      }
      await publishAll(first, [other.message('a', 1)]);
      await waitUntil('the other service got it', () => quick.tried.length > 0);
      expect(await shares(busy.service)).not.toEqual([8, 8]);
    });

    test('after a clean stop nothing is delivered again', async () => {
      const { service, topic, message } = newPlace();
      const before = recorder(service, [topic]);
      const first = await consume(before.subscriber);
      await publishAll(
        first,
        upTo('a', 20).map((_, at) => message('a', at + 1)),
      );
      await waitUntil('all arrived', () => before.tried.length >= 20);
      await first.close();
      const after = recorder(service, [topic]);
      const second = await consume(after.subscriber);
      await publishAll(second, [message('a', 21)]);
      await waitUntil('the next arrived', () => after.tried.length > 0);
      expect(after.tried).toEqual(['a:21']);
    });

    const takeover = async () => {
      const { service, topic, message } = newPlace();
      const gate = newGate();
      const dying = recorder(service, [topic], { maxBatch: 2, decide: () => gate.promise.then(() => done) });
      const { broker, cut } = await join({ cuttable: true });
      await broker.subscribe([dying.subscriber]);
      await publishAll(
        broker,
        ['a', 'b', 'c'].flatMap(key => [1, 2, 3, 4].map(n => message(key, n))),
      );
      await waitUntil('it has messages in hand', () => dying.tried.length > 0);
      await cut();
      const heir = recorder(service, [topic]);
      await consume(heir.subscriber);
      await waitUntil('the heir got them all', () => heir.tried.length >= 12);
      return { dying, heir };
    };

    test('what a member had in hand when it died goes to another one, in order, under the same ids', async () => {
      const { dying, heir } = await takeover();
      for (const key of ['a', 'b', 'c']) expect(firstsOf(heir.tried, key)).toEqual(upTo(key, 4));
      const lost = dying.deliveries[0];
      expect(heir.deliveries.find(one => lost !== undefined && nameOf(one) === nameOf(lost))).toMatchObject({
        eventId: lost?.eventId,
        attempt: 1,
      });
    });

    ifFeature('fencing', 'a member that lost its shards can no longer prove that it holds them', async () => {
      const { dying, heir } = await takeover();
      const holds = async ({ subscription, shards, epochs }: (typeof heir.fences)[number]) => {
        const { rowCount } = await harness.relay.pool.query(
          `select from unnest($2::smallint[], $3::bigint[]) as f (shard, epoch)
           join brokers.cursor c on c.subscription = $1 and c.shard = f.shard and c.epoch = f.epoch`,
          [subscription, shards, epochs],
        );
        return rowCount === shards.length;
      };
      expect(dying.fences.length).toBeGreaterThan(0);
      for (const fence of heir.fences) expect(await holds(fence)).toBe(true);
      for (const fence of dying.fences) expect(await holds(fence)).toBe(false);
    });
  });

  failureConformance({ harness: () => harness, consume, ifFeature });

  ifFeature(
    'seek',
    'DLQ-26, DLQ-27: a subscription that is moved back gets its messages again, in order',
    async () => {
      const { service, topic, message } = newPlace();
      const { subscriber, tried } = recorder(service, [topic]);
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('b', 1)]);
      await waitUntil('all arrived', () => tried.length >= 3);
      await broker.flush();
      await seek(harness.relay, operator, { subscription: service, to: 'start' });
      await waitUntil('all arrived again', () => tried.length >= 6);
      expect(tried.slice(3).filter(what => what.startsWith('a:'))).toEqual(['a:1', 'a:2']);
    },
  );
}
