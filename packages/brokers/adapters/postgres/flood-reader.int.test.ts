import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outgoing } from '../../broker.ts';
import { append } from './append.ts';
import { FloodReader } from './flood-reader.ts';
import type { LogRow } from './log-reader.ts';

const tenants = [uuid7(), uuid7()] as const;
const topics = ['a.v1', 'b.v1', 'c.v1'];
type Logged = { off: number; topic: string; tenantId: string };

let database: TestDatabase;
let log: Logged[];
beforeAll(async () => {
  database = await testDatabase();
  const messages = Array.from({ length: 240 }, (_, n): Outgoing => {
    const tenantId = tenants[n % 7 === 0 ? 1 : 0];
    const topic = topics[(n * n) % 3] as string;
    const about = { topic, orderingKey: `k${n % 5}`, eventId: uuid7(), tenantId, enqueuedAt: new Date() };
    return { ...about, envelope: '{}', attributes: {} };
  });
  await append(database.openAs('relay'), messages);
  log = await database.admin<Logged>(
    'select off::float8 as off, topic, tenant_id as "tenantId" from brokers.log order by off',
  );
});
afterAll(() => database.drop());

/** Somebody who goes through the log: from where, up to where, for what, and in steps of which size. */
type Walk = { tenant: number; from: number; upTo: number; topics: string[]; limit: number };

const walk: fc.Arbitrary<Walk> = fc.record({
  tenant: fc.nat(1),
  from: fc.nat(240),
  upTo: fc.nat(240),
  topics: fc.subarray(topics, { minLength: 1 }),
  limit: fc.integer({ min: 1, max: 60 }),
});

async function walkThrough(reader: FloodReader, { tenant, from, upTo, limit, topics }: Walk) {
  const [first, end] = [log[0]?.off ?? 0, (log[0]?.off ?? 0) + upTo - 1];
  const seen: LogRow[] = [];
  for (let after = first + from - 1; after < end; ) {
    const wish = { tenantId: tenants[tenant] as string, after, upTo: end, topics: new Set(topics), limit };
    const found = await reader.read(wish);
    expect(found.rows.length).toBeLessThanOrEqual(limit);
    expect(found.upTo, 'it goes on').toBeGreaterThan(after);
    seen.push(...found.rows.filter(({ topic }) => topics.includes(topic)));
    after = found.upTo;
  }
  return seen;
}

function expected({ tenant, from, upTo, topics }: Walk): number[] {
  return log
    .slice(from, Math.max(from, upTo))
    .filter(row => row.tenantId === tenants[tenant] && topics.includes(row.topic))
    .map(({ off }) => off);
}

test('whoever goes through the log beside whom, each sees every row that is meant for it, once and in order', async () => {
  const db = database.openAs('relay');
  await fc.assert(
    fc.asyncProperty(
      fc.array(walk, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 90 }),
      async (walks, mostRows) => {
        const reader = new FloodReader(db, { mostRows });
        const seen = await Promise.all(walks.map(one => walkThrough(reader, one)));
        expect(seen.map(rows => rows.map(({ off }) => off))).toEqual(walks.map(expected));
      },
    ),
    { numRuns: 60 },
  );
});

test('those who go the same way are given the very same rows, read once', async () => {
  const reader = new FloodReader(database.openAs('relay'));
  const way = { tenant: 0, from: 0, upTo: 240, topics, limit: 20 };
  const [first, second] = await Promise.all([walkThrough(reader, way), walkThrough(reader, way)]);
  expect(first).toHaveLength(205);
  expect(second.every((row, place) => row === first[place])).toBe(true);
  const behind = await walkThrough(reader, { ...way, from: 100, topics: ['b.v1'], limit: 7 });
  expect(behind.every(row => first.includes(row))).toBe(true);
});

test('what was forgotten is read again', async () => {
  const reader = new FloodReader(database.openAs('relay'));
  const way = { tenant: 1, from: 0, upTo: 240, topics, limit: 50 };
  const before = await walkThrough(reader, way);
  reader.forget(tenants[1]);
  const after = await walkThrough(reader, way);
  expect(after).toEqual(before);
  expect(after.some((row, place) => row === before[place])).toBe(false);
});

test('heavy rows are read in small pages: what lies in memory is limited by its size', async () => {
  const heavy = 'h.v1';
  const about = { topic: heavy, tenantId: tenants[0], enqueuedAt: new Date(), attributes: {} };
  const envelope = JSON.stringify('x'.repeat(250_000));
  const messages = Array.from({ length: 120 }, () => ({
    ...about,
    orderingKey: 'k',
    eventId: uuid7(),
    envelope,
  }));
  const db = database.openAs('relay');
  const published = await append(db, messages);
  const ids = published.map(one => (one.ok ? Number(one.id) : 0));
  const reader = new FloodReader(db);
  const sizes: number[] = [];
  let after = (ids[0] as number) - 1;
  const upTo = ids.at(-1) as number;
  while (after < upTo) {
    const found = await reader.read({
      tenantId: tenants[0],
      after,
      upTo,
      topics: new Set([heavy]),
      limit: 50,
    });
    sizes.push(found.rows.length);
    after = found.upTo;
  }
  expect(sizes).toEqual([50, 33, 33, 4]); // 8 MB each, once it is known how heavy they are
});
