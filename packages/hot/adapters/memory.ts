import { randomUUID } from 'node:crypto';
import { hotErrors } from '../errors.ts';
import { spendFrom } from '../gcra.ts';
import { assertKey, assertRange, assertScore, assertTtl, assertValue, MAX_VALUE_BYTES } from '../limits.ts';
import type { HotLog } from '../observe.ts';
import type { HotIndex, HotLease, HotStore, Tier } from '../port.ts';
import { type Clock, MemorySpace } from './memory-space.ts';
import { SortedMembers } from './sorted-members.ts';
import { Subscribers } from './subscribers.ts';

/** `maxBytes` (default 64 MiB) counts keys, values and indexes; `clock` moves every expiry and every rate bucket. */
export type MemoryOptions = {
  tier: Tier;
  maxBytes?: number | undefined;
  maxValueBytes?: number | undefined;
  clock?: Clock | undefined;
  log?: HotLog | undefined;
};

const FOREVER = Number.POSITIVE_INFINITY;

/** The hot store of one process. It forgets everything when the process ends: for one machine and for tests. */
export function memoryHotStore(options: MemoryOptions): HotStore {
  const { tier, clock = Date.now, maxValueBytes = MAX_VALUE_BYTES } = options;
  const room = openRoom(options);
  const { space, put, text, write } = room;
  const subscribers = new Subscribers(options.log);
  const life = { id: randomUUID(), bornAt: clock(), afterLoss: false };

  return {
    tier,
    index: memoryIndex(room),
    lease: memoryLease(room, clock),

    async get(key) {
      return text(key);
    },
    async getMany(keys) {
      return keys.map(text);
    },
    async set(key, value, { ttlMs } = {}) {
      write(key, value, room.expiry(ttlMs));
    },
    async setIfAbsent(key, value, { ttlMs } = {}) {
      const absent = text(key) === undefined;
      if (absent) write(key, value, room.expiry(ttlMs));
      return absent;
    },
    async pull(key) {
      const value = text(key);
      space.delete(`k:${key}`);
      return value;
    },
    async delete(key) {
      room.check(key);
      return space.delete(`k:${key}`);
    },
    async deletePrefix(prefix) {
      room.check(prefix);
      return space.deleteWhere(cell => cell.startsWith(`k:${prefix}`));
    },
    async increment(key, { by = 1, ttlMs } = {}) {
      const before = text(key);
      const sum = Number(before ?? 0) + by;
      if (!/^-?\d+$/.test(before ?? '0') || !Number.isSafeInteger(sum))
        throw hotErrors.NOT_A_COUNTER({ key });
      write(
        key,
        String(sum),
        before === undefined ? room.expiry(ttlMs) : (space.expiresAt(`k:${key}`) ?? FOREVER),
      );
      return sum;
    },
    async expire(key, ttlMs) {
      room.check(key);
      return space.setExpiry(`k:${key}`, room.expiry(ttlMs));
    },
    async spend(key, bucket) {
      room.check(key);
      const known = space.get(`b:${key}`) as number | undefined;
      const { spent, fullAtUs } = spendFrom(known, bucket, Math.round(clock() * 1000));
      if (spent.allowed) put(`b:${key}`, fullAtUs, { sizeBytes: 8, expiresAt: fullAtUs / 1000 });
      return spent;
    },
    async publish(channel, message) {
      room.check(channel);
      assertValue(channel, message, maxValueBytes);
      subscribers.deliver(channel, message);
    },
    async subscribe(channel, onMessage) {
      room.check(channel);
      return subscribers.add(channel, { onMessage }); // inside one process there are no gaps to tell about
    },
    async life() {
      return { ...life };
    },
    async usage() {
      return space.usage;
    },
    async close() {
      room.close();
      subscribers.clear();
    },
  };
}

type Room = ReturnType<typeof openRoom>;

/** The bounded space and the checks around it. Kinds of content have their own first letter, so they never meet. */
function openRoom({
  tier,
  maxBytes = 64 * 1024 * 1024,
  maxValueBytes = MAX_VALUE_BYTES,
  clock = Date.now,
}: MemoryOptions) {
  const space = new MemorySpace<string | number | SortedMembers>({
    maxBytes,
    evicts: tier === 'cache',
    clock,
  });
  let closed = false;

  function check(key: string): void {
    if (closed) throw hotErrors.STORE_UNAVAILABLE({ tier, reason: 'it was closed' });
    assertKey(key);
  }
  function put(
    cell: string,
    value: string | number | SortedMembers,
    cost: { sizeBytes: number; expiresAt: number },
  ): void {
    if (!space.put(cell, value, cost)) throw hotErrors.STORE_FULL({ tier, limit: `${maxBytes} bytes` });
  }
  function text(key: string): string | undefined {
    check(key);
    return space.get(`k:${key}`) as string | undefined;
  }
  function write(key: string, value: string, expiresAt: number): void {
    check(key);
    assertValue(key, value, maxValueBytes);
    put(`k:${key}`, value, { sizeBytes: Buffer.byteLength(value), expiresAt });
  }
  function expiry(ttlMs: number | undefined): number {
    assertTtl(ttlMs);
    return ttlMs === undefined ? FOREVER : clock() + ttlMs;
  }
  function close(): void {
    closed = true;
    space.clear();
  }
  return { space, check, put, text, write, expiry, close };
}

function memoryIndex({ space, check, put }: Room): HotIndex {
  const of = (name: string) => space.get(`i:${name}`) as SortedMembers | undefined;
  return {
    async add(name, member, score) {
      check(name);
      assertKey(member);
      assertScore(score);
      const members = of(name) ?? new SortedMembers();
      put(`i:${name}`, members, { sizeBytes: members.bytes + members.growth(member), expiresAt: FOREVER });
      members.add(member, score);
    },
    async dueBefore(name, score, limit) {
      check(name);
      assertRange(score, limit);
      return of(name)?.upTo(score, limit) ?? [];
    },
    async remove(name, member) {
      check(name);
      const members = of(name);
      if (members === undefined || !members.remove(member)) return false;
      if (members.isEmpty) space.delete(`i:${name}`);
      else put(`i:${name}`, members, { sizeBytes: members.bytes, expiresAt: FOREVER });
      return true;
    },
  };
}

function memoryLease({ space, check, text, write, expiry }: Room, clock: Clock): HotLease {
  let lastFence = 0;
  return {
    async acquire(key, token, ttlMs) {
      if (text(key) !== undefined) return undefined;
      write(key, token, expiry(ttlMs));
      // Microseconds of the clock, as on Redis: a new process continues above the numbers of the one before.
      lastFence = Math.max(lastFence + 1, Math.round(clock() * 1000));
      return lastFence;
    },
    async renew(key, token, ttlMs) {
      return text(key) === token && space.setExpiry(`k:${key}`, expiry(ttlMs));
    },
    async release(key, token) {
      return text(key) === token && space.delete(`k:${key}`);
    },
    async commit(key, token, entry) {
      check(entry.key);
      if (text(key) !== token) return false;
      write(entry.key, entry.value, expiry(entry.ttlMs));
      space.delete(`k:${key}`);
      return true;
    },
  };
}
