import { randomUUID } from 'node:crypto';
import { type HotTiers, openHotStore } from '@ghasi/hot/hot-store';
import { describeWithRedis, redisUrl } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { tcpProxy } from '@ghasi/testing/tcp-proxy';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { availabilityOf, cheapestRates } from './availability.ts';
import { tags, ttlMs } from './caches.ts';
import { Upstream } from './fixtures/upstream.ts';
import { tagsTouching } from './night-tags.ts';
import { cachedTenants, forgetSlugs } from './resolve-tenant.ts';
import { type Booking, createBooking } from './runtime.ts';
import { siteOf } from './site.ts';

test('TB-08..TB-12: answers are as old as the ledger allows, and not older', () => {
  expect(ttlMs).toEqual({
    'tenant-bootstrap': 300_000,
    slug: 3_600_000,
    availability: 30_000,
    cheapest: 60_000,
    confirmation: 300_000,
  });
});

describe.for(['memory', 'Redis'] as const)('cached answers on %s', tier => {
  let hot: HotTiers;
  let booking: Booking;
  let [a, b] = [new Upstream(), new Upstream()];
  beforeEach(async () => {
    [a, b] = [new Upstream(), new Upstream()];
    const at = tier === 'Redis' ? { redisUrl: redisUrl(), namespace: `bff-${randomUUID()}` } : {};
    hot = await openHotStore(at);
    booking = createBooking({ ask: Upstream.ask(a, b), secret: 'of this test' });
    booking.use(hot);
  });
  afterEach(async () => {
    await booking.close();
    await hot.close();
  });
  const wanted = ({ propertyId }: Upstream) => ({
    ...{ propertyId, arrival: '2026-05-01', departure: '2026-05-02', adults: 1, children: 0, rooms: 1 },
  });

  test('TB-14, CACHE-26: however many come at once, prices are asked for once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => availabilityOf(booking, a.tenantId, wanted(a))),
    );
    expect(answers.every(({ offers }) => offers.length === 1)).toBe(true);
    expect(a.asked.get('pricing.offers')).toBe(1);
    expect(a.asked.get('inventory.availability')).toBe(1);
    await cheapestRates(booking, a.tenantId, wanted(a));
    expect(a.asked.get('pricing.offers')).toBe(1);
    await availabilityOf(booking, a.tenantId, { ...wanted(a), adults: 2 }); // another party, another answer
    expect(a.asked.get('pricing.offers')).toBe(2);
  });

  test('CACHE-21: what changed is asked for anew, and only of the house that changed', async () => {
    const price = async () =>
      (await availabilityOf(booking, a.tenantId, wanted(a))).cheapest[0]?.gross.amount;
    expect(await price()).toBe('100000');
    await availabilityOf(booking, b.tenantId, wanted(b));
    a.nightly = 120_000;
    expect(await price()).toBe('100000');
    const { availability } = await booking.caches();
    await availability.invalidateTags([tags.house(a.tenantId, a.propertyId)]);
    expect(await price()).toBe('120000');
    await availabilityOf(booking, b.tenantId, wanted(b));
    expect(b.asked.get('pricing.offers')).toBe(1);
  });

  test('CACHE-21: a booking makes answers about its own nights new, and no others', async () => {
    const stay = { ...wanted(a), arrival: '2026-05-01', departure: '2026-05-03' };
    const later = { ...wanted(a), arrival: '2026-05-03', departure: '2026-05-05' };
    const free = async (asked: typeof stay) =>
      (await availabilityOf(booking, a.tenantId, asked)).offers[0]?.free;
    for (const asked of [stay, later]) expect(await free(asked)).toBe(3);
    a.free = 2;
    const { availability } = await booking.caches();
    await availability.invalidateTags(tagsTouching(a, ['2026-05-02']));
    expect(await free(stay)).toBe(2);
    expect(await free(later)).toBe(3);
  });

  test('safety-29: a cached answer of one tenant is not there for another, with the right id', async () => {
    b.name = 'Pamir Lodge';
    await availabilityOf(booking, a.tenantId, wanted(a));
    await siteOf(booking, a.tenantId);
    await expect(availabilityOf(booking, b.tenantId, wanted(a))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await siteOf(booking, b.tenantId)).tenant.name).toBe('Pamir Lodge');
    expect((await siteOf(booking, a.tenantId)).tenant.name).toBe('Khyber Inn');
  });

  test('TB-09: a slug is asked for once; a suspension is seen at once, and so is what follows it', async () => {
    const resolve = cachedTenants(booking);
    const find = (slug: string) => resolve({ host: 'book.example', slug });
    for (const _ of [1, 2, 3]) expect(await find(a.slug)).toEqual({ tenantId: a.tenantId, status: 'active' });
    expect(a.asked.get('tenant.resolve')).toBe(1);
    a.status = 'suspended';
    await forgetSlugs(booking);
    expect(await find(a.slug)).toMatchObject({ status: 'suspended' });
    a.status = 'active'; // nobody tells us: a suspended tenant is not remembered
    expect(await find(a.slug)).toMatchObject({ status: 'active' });
    for (const slug of ['nobody', '../x', 'x'.repeat(2_000), 'a:b\nc'])
      expect(await find(slug)).toBeUndefined();
  });
});

describeWithRedis('on Redis', url => {
  test('a Redis that was away when the caches were first needed is asked again', async () => {
    const { hostname, port } = new URL(url);
    let away = false;
    const judge = () => (away ? 'cut-before' : 'pass');
    const proxy = await tcpProxy({ target: { host: hostname, port: Number(port) }, judge });
    const hot = await openHotStore({ redisUrl: proxy.through(url), namespace: `bff-${randomUUID()}` });
    const upstream = new Upstream();
    const booking = createBooking({ ask: Upstream.ask(upstream, new Upstream()), secret: 'of this test' });
    booking.use(hot);
    onTestFinished(async () => {
      await booking.close();
      await hot.close();
      await proxy.close();
    });
    away = true;
    await expect(booking.caches()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    away = false;
    await waitUntil('the caches are there', () => booking.caches().catch(() => false));
  });
});
