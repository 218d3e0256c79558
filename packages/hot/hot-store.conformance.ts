import { signal } from '@ghasi/testing/signal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hotErrors } from './errors.ts';
import type { Harness, Shared } from './harness.conformance.ts';
import { MAX_KEY_BYTES, MAX_VALUE_BYTES } from './limits.ts';

const HOUR = 3_600_000;
// Long enough that a busy machine does not reach it between two lines, short enough to wait for.
const SHORT = 400;

/** What every adapter of the hot store must do, on both tiers. */
export function hotStoreConformance(harness: Harness): void {
  let shared: Shared;
  beforeEach(async () => {
    shared = await harness('state');
  });
  afterEach(async () => {
    await shared.close();
  });

  test('a value written by one process is read by another, byte for byte', async () => {
    for (const value of ['', 'plain', 'خوش آمدید', '\u0000\r\n*2\r\n', '"quoted"']) {
      await shared.one.set('greeting', value);
      expect(await shared.two.get('greeting')).toBe(value);
    }
    expect(await shared.two.get('nobody wrote this')).toBeUndefined();
    await shared.one.set('second', 'b');
    expect(await shared.two.getMany(['second', 'missing', 'greeting'])).toEqual(['b', undefined, '"quoted"']);
    expect(await shared.two.getMany([])).toEqual([]);
  });

  test('a value is gone after its time to live, one without stays', async () => {
    await shared.one.set('short', 'x', { ttlMs: SHORT });
    await shared.one.set('endless', 'y');
    await shared.one.set('long', 'z', { ttlMs: HOUR });
    expect(await shared.one.get('short')).toBe('x');
    await shared.eventually(
      'the short value is gone',
      async () => (await shared.two.get('short')) === undefined,
    );
    expect(await shared.two.getMany(['endless', 'long'])).toEqual(['y', 'z']);
  });

  test('writing again replaces the time to live, and expire moves it', async () => {
    await shared.one.set('witness', 'x', { ttlMs: SHORT });
    await shared.one.set('rewritten', 'a', { ttlMs: SHORT });
    await shared.one.set('rewritten', 'b');
    await shared.one.set('moved', 'c', { ttlMs: SHORT });
    expect(await shared.two.expire('moved', HOUR)).toBe(true);
    expect(await shared.two.expire('missing', HOUR)).toBe(false);
    await shared.eventually(
      'the witness is gone',
      async () => (await shared.one.get('witness')) === undefined,
    );
    expect(await shared.one.getMany(['rewritten', 'moved'])).toEqual(['b', 'c']);
  });

  test('of 50 parallel callers one creates the key', async () => {
    const attempts = Array.from({ length: 50 }, (_, at) =>
      (at % 2 ? shared.one : shared.two).setIfAbsent('nonce', String(at), { ttlMs: HOUR }),
    );
    const won = (await Promise.all(attempts)).flatMap((created, at) => (created ? [String(at)] : []));
    expect(won).toHaveLength(1);
    expect(await shared.one.get('nonce')).toBe(won[0]);
  });

  test('BO-15: of 50 parallel callers one pulls the value, and it is gone', async () => {
    await shared.one.set('mfa:mfa_1', 'attested');
    const pulled = await Promise.all(
      Array.from({ length: 50 }, (_, at) => (at % 2 ? shared.one : shared.two).pull('mfa:mfa_1')),
    );
    expect(pulled.filter(value => value === 'attested')).toHaveLength(1);
    expect(pulled.filter(value => value === undefined)).toHaveLength(49);
  });

  test('delete says whether there was something', async () => {
    await shared.one.set('once', 'x');
    expect(await shared.two.delete('once')).toBe(true);
    expect(await shared.one.delete('once')).toBe(false);
  });

  test('deletePrefix takes the prefix literally, pattern characters too', async () => {
    const keys = ['a*:1', 'a*:2', 'ab:1', 'a?c', 'a[b]:1', 'a\\:1', 'a'];
    for (const key of keys) await shared.one.set(key, 'x');
    expect(await shared.two.deletePrefix('a*:')).toBe(2);
    expect(await shared.two.deletePrefix('a[b]')).toBe(1);
    expect(await shared.two.deletePrefix('a?')).toBe(1);
    expect(await shared.two.deletePrefix('a\\')).toBe(1);
    expect(await shared.one.getMany(keys)).toEqual([
      undefined,
      undefined,
      'x',
      undefined,
      undefined,
      undefined,
      'x',
    ]);
  });

  test('200 parallel increments are all counted, and only the first sets the time to live', async () => {
    const sums = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        (at % 2 ? shared.one : shared.two).increment('hits', { ttlMs: HOUR }),
      ),
    );
    expect(sums.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(await shared.one.increment('hits', { by: -50 })).toBe(150);
    await shared.one.increment('short', { ttlMs: SHORT });
    await shared.one.increment('short', { ttlMs: HOUR });
    await shared.eventually('the counter ended', async () => (await shared.one.get('short')) === undefined);
  });

  test('incrementing something that is no number is refused and changes nothing', async () => {
    await shared.one.set('name', 'Zarlasht');
    await expect(shared.one.increment('name')).rejects.toSatisfy(hotErrors.NOT_A_COUNTER.is);
    await expect(shared.one.increment('half', { by: 0.5 })).rejects.toSatisfy(hotErrors.NOT_A_COUNTER.is);
    expect(await shared.one.getMany(['name', 'half'])).toEqual(['Zarlasht', undefined]);
  });

  test('X-144: the index gives what is due, oldest first, although the values have expired', async () => {
    await shared.one.set('booking_draft:b', 'draft', { ttlMs: SHORT });
    for (const [member, score] of [
      ['c', 300],
      ['a', 100],
      ['b', 200],
      ['a', 150],
    ] as const) {
      await shared.one.index.add('drafts', member, score);
    }
    await shared.eventually(
      'the draft is gone',
      async () => (await shared.two.get('booking_draft:b')) === undefined,
    );
    expect(await shared.two.index.dueBefore('drafts', 200, 10)).toEqual([
      { member: 'a', score: 150 },
      { member: 'b', score: 200 },
    ]);
    expect(await shared.two.index.dueBefore('drafts', 1e15, 1)).toEqual([{ member: 'a', score: 150 }]);
    expect(await shared.two.index.dueBefore('others', 1e15, 10)).toEqual([]);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(shared.one.index.add('drafts', 'x', wrong)).rejects.toSatisfy(
        hotErrors.MALFORMED_SCORE.is,
      );
      await expect(shared.one.index.dueBefore('drafts', wrong, 1)).rejects.toSatisfy(
        hotErrors.MALFORMED_SCORE.is,
      );
    }
    await expect(shared.one.index.dueBefore('drafts', 1, -1)).rejects.toSatisfy(hotErrors.MALFORMED_SCORE.is);
  });

  test('of 20 sweepers one removes a member', async () => {
    await shared.one.index.add('drafts', 'x', 1);
    const removed = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? shared.one : shared.two).index.remove('drafts', 'x')),
    );
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await shared.one.index.dueBefore('drafts', 10, 10)).toEqual([]);
  });

  test('keys, indexes, buckets and channels of one name do not meet', async () => {
    await shared.one.set('same', 'value');
    await shared.one.index.add('same', 'member', 1);
    await shared.one.spend('same', { intervalUs: 1_000_000, burst: 2, cost: 1 });
    expect(await shared.one.get('same')).toBe('value');
    expect(await shared.one.index.dueBefore('same', 2, 9)).toHaveLength(1);
    expect(await shared.one.delete('same')).toBe(true);
    expect(await shared.one.index.dueBefore('same', 2, 9)).toHaveLength(1);
  });

  test('a lease belongs to its token: others can neither renew, release nor commit', async () => {
    expect(await shared.one.lease.acquire('job', 'mine', HOUR)).toBeGreaterThan(0);
    expect(await shared.two.lease.acquire('job', 'theirs', HOUR)).toBeUndefined();
    expect(await shared.two.lease.renew('job', 'theirs', HOUR)).toBe(false);
    expect(await shared.two.lease.release('job', 'theirs')).toBe(false);
    expect(await shared.two.lease.commit('job', 'theirs', { key: 'result', value: 'wrong' })).toBe(false);
    expect(await shared.one.get('result')).toBeUndefined();
    expect(await shared.one.lease.renew('job', 'mine', HOUR)).toBe(true);
    expect(await shared.one.lease.commit('job', 'mine', { key: 'result', value: 'right', ttlMs: HOUR })).toBe(
      true,
    );
    expect(await shared.two.get('result')).toBe('right');
    expect(await shared.two.lease.acquire('job', 'theirs', HOUR)).toBeGreaterThan(0);
  });

  test('a message reaches all subscribers of its channel, also those of the sender, in order', async () => {
    const heard: string[] = [];
    const [first, second] = [signal(), signal()];
    const note = (who: string, done: () => void) => (message: string) => {
      heard.push(`${who} ${message}`);
      if (message === '3') done();
    };
    await shared.one.subscribe('sse:bus', note('one', first.fire));
    await shared.two.subscribe('sse:bus', note('two', second.fire));
    await shared.two.subscribe('other', () => heard.push('wrong channel'));
    for (const message of ['1', '2', '3']) await shared.one.publish('sse:bus', message);
    await Promise.all([first.promise, second.promise]);
    expect(heard.filter(entry => entry.startsWith('one'))).toEqual(['one 1', 'one 2', 'one 3']);
    expect(heard.filter(entry => entry.startsWith('two'))).toEqual(['two 1', 'two 2', 'two 3']);
    expect(heard).not.toContain('wrong channel');
  });

  test('a subscriber that throws harms nobody, and one that left hears nothing', async () => {
    const heard: string[] = [];
    const done = signal();
    const leave = await shared.two.subscribe('news', message => heard.push(`left ${message}`));
    await shared.two.subscribe('news', () => {
      throw new Error('a bug in a subscriber');
    });
    await shared.two.subscribe('news', async () => {
      throw new Error('a bug in a subscriber that answers later'); // it would end the process
    });
    await shared.two.subscribe('news', message => {
      heard.push(`stayed ${message}`);
      if (message === 'b') done.fire();
    });
    await leave();
    await leave(); // twice is fine
    await shared.one.publish('news', 'a');
    await shared.one.publish('news', 'b');
    await done.promise;
    expect(heard).toEqual(['stayed a', 'stayed b']);
  });

  test('bounded: empty, overlong and broken keys, huge values and impossible times are refused', async () => {
    const { one } = shared;
    const malformed = ['', 'k'.repeat(MAX_KEY_BYTES + 1), 'half \ud800 pair'];
    for (const key of malformed) {
      await expect(one.set(key, 'x')).rejects.toSatisfy(hotErrors.MALFORMED_KEY.is);
      await expect(one.get(key)).rejects.toSatisfy(hotErrors.MALFORMED_KEY.is);
      await expect(one.subscribe(key, () => {})).rejects.toSatisfy(hotErrors.MALFORMED_KEY.is);
      await expect(one.index.add('drafts', key, 1)).rejects.toSatisfy(hotErrors.MALFORMED_KEY.is);
    }
    const huge = 'x'.repeat(MAX_VALUE_BYTES + 1);
    await expect(one.set('huge', huge)).rejects.toSatisfy(hotErrors.VALUE_TOO_LARGE.is);
    await expect(one.setIfAbsent('huge', huge)).rejects.toSatisfy(hotErrors.VALUE_TOO_LARGE.is);
    await expect(one.publish('huge', huge)).rejects.toSatisfy(hotErrors.VALUE_TOO_LARGE.is);
    for (const ttlMs of [0, -1, 1.5, Number.NaN, 401 * 86_400_000]) {
      await expect(one.set('k', 'x', { ttlMs })).rejects.toSatisfy(hotErrors.MALFORMED_TTL.is);
      await expect(one.expire('k', ttlMs)).rejects.toSatisfy(hotErrors.MALFORMED_TTL.is);
    }
    expect(await one.getMany(['huge', 'k'])).toEqual([undefined, undefined]);
    await one.set('k'.repeat(MAX_KEY_BYTES), 'x'.repeat(MAX_VALUE_BYTES));
  });

  test('a closed store refuses at once', async () => {
    await shared.close();
    await expect(shared.one.get('x')).rejects.toSatisfy(hotErrors.STORE_UNAVAILABLE.is);
    await expect(shared.one.spend('x', { intervalUs: 1, burst: 1, cost: 1 })).rejects.toSatisfy(
      hotErrors.STORE_UNAVAILABLE.is,
    );
  });
}
