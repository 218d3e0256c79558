import { waitUntil } from '@ghasi/testing/signal';
import { describe, expect, test } from 'vitest';
import { listDeadLetters } from './adapters/postgres/operations/dead-letters.ts';
import { replayDeadLetters, settleDeadLetters } from './adapters/postgres/operations/settle-letters.ts';
import type { Broker, featureNames, Outcome, Subscriber } from './broker.ts';
import {
  type BrokerHarness,
  done,
  fails,
  nameOf,
  newPlace,
  publishAll,
  recorder,
  upTo,
} from './conformance-world.conformance.ts';

/** Where the suite of a broker runs: what it started, and how tests join it. */
export type Stage = {
  harness(): BrokerHarness;
  /** Subscribes as a new member. */
  consume(...subscribers: Subscriber[]): Promise<Broker>;
  /** Runs a test where the feature is there; elsewhere the suite shows that it is missing. */
  ifFeature(name: (typeof featureNames)[number], title: string, body: () => Promise<void>): void;
};

const operator = { actor: 'usr_operator', reason: 'conformance' };

/** What every broker must do with messages that fail: retries, parked keys, dead letters. */
export function failureConformance({ harness, consume, ifFeature }: Stage): void {
  describe('failures', () => {
    test('DLQ-02: a failing message is tried again; its key waits behind it, everything else flows', async () => {
      const { service, topic, message } = newPlace();
      let failures = 3;
      const { subscriber, tried, deliveries } = recorder(service, [topic], {
        decide: what => (what === 'a:1' && failures-- > 0 ? fails : done),
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('b', 1), message('a', 3)]);
      await waitUntil('all is done', () => tried.includes('a:3'));
      expect(tried.filter(what => what.startsWith('a:'))).toEqual(['a:1', 'a:1', 'a:1', 'a:1', 'a:2', 'a:3']);
      expect(tried.indexOf('b:1')).toBeLessThan(tried.lastIndexOf('a:1'));
      const attempts = (what: string) =>
        deliveries.filter(one => nameOf(one) === what).map(one => one.attempt);
      expect(attempts('a:1')).toEqual([1, 2, 3, 4]);
      expect(attempts('a:2')).toEqual([1]); // it waited, which is no attempt
      await publishAll(broker, [message('a', 4)]);
      await waitUntil('the key flows again', () => tried.includes('a:4'));
    });

    test('a handler may name its own time', async () => {
      const { service, topic, message } = newPlace();
      const { subscriber, tried } = recorder(service, [topic], {
        decide: what =>
          what === 'a:1' ? { ...fails, kind: 'retry', error: 'later', afterMs: 3_600_000 } : done,
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('b', 1)]);
      await waitUntil('both were tried', () => tried.length >= 2);
      const parked = async () =>
        (
          await harness().relay.pool.query(
            `select attempts, retry_at > now() + interval '59 minutes' as later from brokers.parked_key where subscription = $1`,
            [service],
          )
        ).rows;
      await waitUntil('it is parked', async () => (await parked()).length > 0);
      expect(await parked()).toEqual([{ attempts: 1, later: true }]);
    });

    test('X-066: a pause counts no attempt', async () => {
      const { service, topic, message } = newPlace();
      let pauses = 3;
      const { subscriber, tried, deliveries } = recorder(service, [topic], {
        decide: () => (pauses-- > 0 ? { kind: 'pause', error: 'the vendor is away', forMs: 20 } : done),
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2)]);
      await waitUntil('both are done', () => tried.includes('a:2'));
      expect(tried).toEqual(['a:1', 'a:1', 'a:1', 'a:1', 'a:2']);
      expect(new Set(deliveries.map(({ attempt }) => attempt))).toEqual(new Set([1]));
      expect(await listDeadLetters(harness().relay, { subscription: service })).toEqual([]);
    });

    test('X-066, ORD-04: what pauses for one tenant pauses for no other, neither its messages nor its retries', async () => {
      const { service, topic, tenantId, message } = newPlace();
      const other = { tenantId: newPlace().tenantId };
      const hour = 3_600_000;
      let isAway = true;
      const { subscriber, tried } = recorder(service, [topic], {
        decide(what, { tenantId: of, attempt }) {
          if (of === tenantId && what !== 'late:1')
            return attempt === 1 && what.startsWith('k')
              ? { kind: 'retry', error: 'not yet', afterMs: hour }
              : { kind: 'pause', error: 'not for this tenant', forMs: hour, tenantId };
          return isAway && what === 'parked:1' ? { kind: 'retry', error: 'not yet', afterMs: hour } : done;
        },
      });
      const broker = await consume(subscriber);
      const keys = 210; // one look at what is due takes 200
      const parkedOfOne = Array.from({ length: keys }, (_, n) => message(`k${n}`, 1));
      await publishAll(broker, [...parkedOfOne, message('parked', 1, other)]);
      const { pool } = harness().relay;
      const parked = async (sql: string) =>
        (await pool.query(`${sql} where subscription = $1`, [service])).rowCount;
      const all = () => parked('select from brokers.parked_key');
      await waitUntil('all are parked', async () => (await all()) === keys + 1);
      await publishAll(broker, [message('paused', 1)]);
      await waitUntil('one tenant pauses', () => tried.includes('paused:1'));
      await publishAll(broker, [message('late', 1), message('a', 1, other), message('a', 2, other)]);
      await waitUntil('the other flows', () => tried.includes('a:2'));
      isAway = false;
      const longerDue = `(tenant_id = '${tenantId}')::int * interval '1 second'`;
      await parked(`update brokers.parked_key set retry_at = now() - ${longerDue}`);
      await broker.retryParked();
      await waitUntil('and so do its retries', async () => (await all()) === keys);
      expect(tried.filter(what => !/^(k|a:)/.test(what))).toEqual(['parked:1', 'paused:1', 'parked:1']);
      expect(tried.filter(what => what.startsWith('k'))).toHaveLength(keys);
    });

    test('X-066, ORD-02, ORD-04: tenants that pause with thousands waiting leave room for others, and go on in order', async () => {
      const { service, topic, message } = newPlace();
      const pausing = [newPlace().tenantId, newPlace().tenantId];
      let isAway = true;
      const { subscriber, deliveries } = recorder(service, [topic], {
        decide: (_, { tenantId }) =>
          isAway && pausing.includes(tenantId)
            ? { kind: 'pause', error: 'not for this tenant', forMs: 50, tenantId }
            : done,
      });
      const broker = await consume(subscriber);
      const each = 2_100; // two of them are more than a subscription keeps in memory
      for (const tenantId of pausing)
        await publishAll(
          broker,
          Array.from({ length: each }, (_, n) => message('a', n + 1, { tenantId })),
        );
      const of = (tenantId: string) => deliveries.filter(one => one.tenantId === tenantId).map(nameOf);
      await waitUntil('both pause', () => pausing.every(tenantId => of(tenantId).length > 0));
      const quiet = message('a', 1);
      await publishAll(broker, [quiet]);
      await waitUntil('another one flows', () => of(quiet.tenantId).length === 1);
      for (const tenantId of pausing) expect(new Set(of(tenantId))).toEqual(new Set(['a:1']));
      isAway = false;
      await waitUntil('all came', () => pausing.every(tenantId => of(tenantId).includes(`a:${each}`)));
      for (const tenantId of pausing) expect([...new Set(of(tenantId))]).toEqual(upTo('a', each));
      expect(new Set(deliveries.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    });

    test('DLQ-02, ORD-04: keys of a paused service that are due hold up the retries of no other', async () => {
      const [paused, flowing] = [newPlace(), newPlace()];
      const hour = 3_600_000;
      const waiting = recorder(paused.service, [paused.topic], {
        decide: (_, { attempt }) =>
          attempt === 1
            ? { kind: 'retry', error: 'the vendor is away', afterMs: hour }
            : { kind: 'pause', error: 'the vendor is still away', forMs: hour },
      });
      let failures = 1;
      const other = recorder(flowing.service, [flowing.topic], {
        decide: () => (failures-- > 0 ? fails : done),
      });
      const broker = await consume(waiting.subscriber, other.subscriber);
      const keys = 210; // one look at what is due takes 200
      await publishAll(
        broker,
        Array.from({ length: keys }, (_, n) => paused.message(`k${n}`, 1)),
      );
      const { pool } = harness().relay;
      const parked = (sql: string) => pool.query(`${sql} where subscription = $1`, [paused.service]);
      await waitUntil(
        'all are parked',
        async () => (await parked('select from brokers.parked_key')).rowCount === keys,
      );
      await parked('update brokers.parked_key set retry_at = now()');
      await waitUntil('it is paused', () => waiting.tried.length > keys);
      await publishAll(broker, [flowing.message('a', 1)]);
      await waitUntil('the other is tried again', () => other.tried.length === 2);
    });

    test('where order does not matter, a failing message waits alone', async () => {
      const { service, topic, message } = newPlace();
      let failures = 2;
      const { subscriber, tried } = recorder(service, [topic], {
        order: 'any',
        decide: what => (what === 'a:1' && failures-- > 0 ? fails : done),
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('a', 3)]);
      await waitUntil('all is done', () => tried.length >= 5);
      expect(tried.slice(0, 3)).toEqual(['a:1', 'a:2', 'a:3']);
      expect(tried.slice(3)).toEqual(['a:1', 'a:1']);
    });

    test('safety-28: a forged message that waits behind a failing one is a dead letter alone, and its key flows on', async () => {
      const { service, topic, message } = newPlace();
      let failures = 2;
      const { subscriber, tried } = recorder(service, [topic], {
        decide(what) {
          if (what === 'a:2') return { kind: 'dead', error: 'forged', stray: true };
          return what === 'a:1' && failures-- > 0 ? fails : done;
        },
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('a', 3)]);
      await waitUntil('the key flows again', () => tried.includes('a:3'));
      await publishAll(broker, [message('a', 4)]);
      await waitUntil('and goes on', () => tried.includes('a:4'));
      expect(tried).toEqual(['a:1', 'a:1', 'a:1', 'a:2', 'a:3', 'a:4']);
      const letters = () => listDeadLetters(harness().relay, { subscription: service });
      expect(await letters()).toMatchObject([{ error: 'forged', waiting: 0 }]);
      expect(await harness().deadLetterRecords(`${topic}.dlq`)).toHaveLength(1);
      await replayDeadLetters(harness().relay, operator, { subscription: service });
      await waitUntil('it was tried once more', () => tried.length === 7);
      await waitUntil('and is a dead letter again', async () => (await letters()).length === 1);
    });

    test('safety-28, X-066: a forged message behind one that pauses is a dead letter once, however often it pauses', async () => {
      const { service, topic, message } = newPlace();
      let pauses = 3;
      const tried: string[] = [];
      const decide = (what: string): Outcome => {
        if (what === 'a:2') return { kind: 'dead', error: 'forged', stray: true };
        return what === 'a:1' && pauses-- > 0
          ? { kind: 'pause', error: 'the vendor is away', forMs: 20 }
          : done;
      };
      const { subscriber } = recorder(service, [topic]);
      const broker = await consume({
        ...subscriber,
        // As our services do: what is forged is refused at once, whatever becomes of the others.
        async handle(batch) {
          const names = batch.map(nameOf);
          tried.push(...names);
          return names.map(decide);
        },
      });
      await publishAll(broker, [message('a', 1), message('a', 2)]);
      await waitUntil('it goes on', () => tried.filter(what => what === 'a:1').length === 4);
      await publishAll(broker, [message('a', 3)]);
      await waitUntil('the key flows', () => tried.includes('a:3'));
      expect(tried.filter(what => what === 'a:2')).toEqual(['a:2']);
      expect(await harness().deadLetterRecords(`${topic}.dlq`)).toHaveLength(1);
      const letters = await listDeadLetters(harness().relay, { subscription: service });
      expect(letters).toMatchObject([{ error: 'forged', waiting: 0 }]);
    });

    /** A service that cannot handle message 1 of key a, until `mend`. */
    const withDeadLetter = async () => {
      const place = newPlace();
      const { service, topic, message } = place;
      let isBroken = true;
      const seen = recorder(service, [topic], {
        decide: what => (isBroken && what === 'a:1' ? fails : done),
      });
      const broker = await consume(seen.subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('b', 1), message('a', 3)]);
      const letters = () => listDeadLetters(harness().relay, { subscription: service });
      await waitUntil('it is a dead letter', async () => (await letters()).length > 0);
      return { ...place, ...seen, broker, letters, mend: () => (isBroken = false) };
    };

    test('DLQ-07, DLQ-09, DLQ-10, DLQ-17: seven failures make a dead letter, whole and with its last error', async () => {
      const { service, topic, tenantId, tried, deliveries, letters } = await withDeadLetter();
      expect(tried.filter(what => what === 'a:1')).toHaveLength(7);
      expect(tried).not.toContain('a:2');
      expect(tried).toContain('b:1');
      const [letter] = await letters();
      const sent = deliveries.find(one => nameOf(one) === 'a:1');
      expect(letter).toMatchObject({
        attempts: 7,
        error: 'not yet',
        tenantId,
        topic,
        eventId: sent?.eventId,
      });
      const records = await harness().deadLetterRecords(`${topic}.dlq`);
      expect(records).toMatchObject([
        {
          eventId: sent?.eventId,
          attributes: { subscription: service, lastError: 'not yet', googclient_deliveryattempt: '7' },
        },
      ]);
    });

    test('DLQ-15, X-046: a replayed dead letter is tried in its place, and the key goes on in order', async () => {
      const { service, tried, deliveries, broker, letters, mend } = await withDeadLetter();
      mend();
      await replayDeadLetters(harness().relay, operator, { subscription: service });
      await broker.retryParked();
      await waitUntil('the key went on', () => tried.includes('a:3'));
      expect(tried.filter(what => what.startsWith('a:')).slice(7)).toEqual(['a:1', 'a:2', 'a:3']);
      expect(
        new Set(deliveries.filter(one => nameOf(one) === 'a:1').map(({ eventId }) => eventId)).size,
      ).toBe(1);
      expect(await letters()).toEqual([]);
    });

    test('DLQ-16: a skipped dead letter frees its key and is kept', async () => {
      const { service, tried, broker, letters } = await withDeadLetter();
      await settleDeadLetters(harness().relay, operator, {
        how: 'skipped',
        filter: { subscription: service },
      });
      await broker.retryParked();
      await waitUntil('the key went on', () => tried.includes('a:3'));
      expect(tried.filter(what => what.startsWith('a:')).slice(7)).toEqual(['a:2', 'a:3']);
      expect(await letters()).toEqual([]);
    });

    test('a parked key survives its member: the heir knows that it waits', async () => {
      const { service, topic, message, broker, letters } = await withDeadLetter();
      await broker.close();
      const heir = recorder(service, [topic]);
      const second = await consume(heir.subscriber);
      await publishAll(second, [message('a', 4), message('b', 2)]);
      await waitUntil('another key flows', () => heir.tried.includes('b:2'));
      await waitUntil('three wait behind', async () => (await letters())[0]?.waiting === 3);
      expect(heir.tried).toEqual(['b:2']);
    });

    test('a message that can never be handled is dead at once; a stray one holds nobody back', async () => {
      const { service, topic, message } = newPlace();
      const { subscriber, tried } = recorder(service, [topic], {
        decide: what => {
          if (what === 'a:1') return { kind: 'dead', error: 'no such version' };
          return what === 'b:1' ? { kind: 'dead', error: 'not ours', stray: true } : done;
        },
      });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1), message('a', 2), message('b', 1), message('b', 2)]);
      const letters = () => listDeadLetters(harness().relay, { subscription: service });
      await waitUntil('both are dead letters', async () => (await letters()).length === 2);
      await waitUntil('the stray one was passed', () => tried.includes('b:2'));
      expect(tried.filter(what => what.startsWith('a:'))).toEqual(['a:1']);
      expect((await letters()).map(({ attempts }) => attempts)).toEqual([1, 1]);
    });

    test.each([
      ['a NUL', 'bad\0 text', 'bad\ufffd text'],
      ['half a character', '\ud83d away', '\ufffd away'],
      ['a character on the cut', `${'x'.repeat(999)}😀`, `${'x'.repeat(999)}\ufffd`],
    ])('an error with %s is kept all the same', async (_what, error, kept) => {
      const { service, topic, message } = newPlace();
      const { subscriber } = recorder(service, [topic], { decide: () => ({ kind: 'dead', error }) });
      const broker = await consume(subscriber);
      await publishAll(broker, [message('a', 1)]);
      const letters = () => listDeadLetters(harness().relay, { subscription: service });
      await waitUntil('it is a dead letter', async () => (await letters()).length > 0);
      expect(await letters()).toMatchObject([{ error: kept }]);
      const records = await harness().deadLetterRecords(`${topic}.dlq`);
      expect(records.map(({ attributes }) => attributes.lastError)).toEqual([kept]);
      const { rows } = await harness().relay.pool.query(
        "select attributes ->> 'lastError' as error from brokers.log where topic = $1",
        [`${topic}.dlq`],
      );
      expect(rows).toEqual([{ error: kept }]);
    });

    ifFeature(
      'dlqSubscriptions',
      'X-070: a dead letter reaches whoever subscribes to the .dlq topic',
      async () => {
        const { service, topic, message } = newPlace();
        const inspector = recorder(`${service}-inspector`, [`${topic}.dlq`]);
        const failing = recorder(service, [topic], { decide: () => ({ kind: 'dead', error: 'never' }) });
        const broker = await consume(inspector.subscriber, failing.subscriber);
        const copy = { attributes: { traceparent: 't', replayTarget: service } }; // as a replay makes one
        await publishAll(broker, [message('a', 1), message('b', 1, copy)]);
        await waitUntil('the inspector has both', () => inspector.tried.length === 2);
        const ids = (of: typeof inspector) => of.deliveries.map(({ eventId }) => eventId).sort();
        expect(ids(inspector)).toEqual(ids(failing));
      },
    );
  });
}
