import { openHotStore } from '@ghasi/hot/hot-store';
import { describeWithRedis } from '@ghasi/testing/redis';
import { tcpProxy } from '@ghasi/testing/tcp-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { whoAmI } from './fixtures/routes.ts';
import { type TestHost, testHost } from './fixtures/test-host.ts';
import { open } from './route.ts';

// A window so long that nothing comes back while the test runs.
const limit = (count: number) => ({ limit: count, windowMs: 86_400_000, per: 'address' }) as const;
const unlimited = { limit: 1_000_000, windowMs: 1_000 };

describeWithRedis('rate limits on a shared Redis', url => {
  async function hostOn(redisUrl: string, namespace: string, routes: Parameters<typeof testHost>[0]) {
    const hot = await openHotStore({ redisUrl, namespace });
    onTestFinished(() => hot.close());
    return testHost(routes, { hot, config: { quotas: { address: unlimited } } });
  }
  const codes = async (hosts: TestHost[], times: number, path = '/v1/me') => {
    const sent = Array.from({ length: times }, (_, at) => hosts[at % hosts.length]?.fastify.inject(path));
    const replies = await Promise.all(sent);
    return replies.map(reply => reply?.statusCode);
  };

  test('safety-36: of 200 parallel requests over two processes exactly the limit passes', async () => {
    const name = `rate-${crypto.randomUUID()}`;
    const login = [whoAmI(open(), '/v1/me', { ...limit(20), whenDown: 'closed' })];
    const hosts = [await hostOn(url, name, login), await hostOn(url, name, login)];
    const seen = await codes(hosts, 200);
    expect(seen.filter(status => status === 200)).toHaveLength(20);
    expect(seen.filter(status => status === 429)).toHaveLength(180);
  });

  test('safety-36: when Redis goes away, routes that check credentials close and others stay bounded', async () => {
    const proxy = await tcpProxy({ target: { host: '127.0.0.1', port: Number(new URL(url).port) } });
    onTestFinished(() => proxy.close());
    const routes = [
      whoAmI(open(), '/v1/login', { ...limit(50), whenDown: 'closed' }),
      whoAmI(open(), '/v1/search', limit(10)),
    ];
    const host = await hostOn(proxy.through(url), `rate-${crypto.randomUUID()}`, routes);
    expect(await codes([host], 2, '/v1/login')).toEqual([200, 200]);
    await proxy.close();
    expect(await codes([host], 3, '/v1/login')).toEqual([503, 503, 503]);
    const searches = await codes([host], 40, '/v1/search');
    expect(searches.filter(status => status === 200)).toHaveLength(10);
    expect(searches.filter(status => status === 429)).toHaveLength(30);
  });
});
