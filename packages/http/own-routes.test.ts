import { createMetrics } from '@ghasi/telemetry/metrics';
import { signal } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { whoAmI } from './fixtures/routes.ts';
import { testHost } from './fixtures/test-host.ts';
import { open } from './route.ts';

test('TEN-20: /readyz runs every check, names the failing one and keeps its reason for the log', async () => {
  let broken = false;
  const host = await testHost([], {
    ready: {
      database: async () => {
        if (broken) throw new Error('connection to 10.1.2.3 refused');
      },
      hot: async () => {},
    },
  });
  const well = await host.fastify.inject('/readyz');
  expect([well.statusCode, well.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', hot: 'ok' } },
  ]);
  broken = true;
  const ill = await host.fastify.inject('/readyz');
  expect([ill.statusCode, ill.json()]).toEqual([
    503,
    { status: 'not ready', checks: { database: 'failed', hot: 'ok' } },
  ]);
  expect(host.logged()).toContain('10.1.2.3');
});

test('TEN-20: what is served without, if less well, is named by /readyz and sends nobody away', async () => {
  const host = await testHost([], {
    ready: { database: async () => {} },
    degrades: { redis: () => Promise.reject(new Error('connection refused')) },
  });
  const reply = await host.fastify.inject('/readyz');
  expect([reply.statusCode, reply.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', redis: 'failed' } },
  ]);
});

test('TEN-20: many who ask at once cause one look at the database', async () => {
  const [asked, answer] = [signal(), signal()];
  let looks = 0;
  const database = async () => {
    looks++;
    asked.fire();
    await answer.promise;
  };
  const host = await testHost([], { ready: { database } });
  const replies = Promise.all(Array.from({ length: 50 }, () => host.fastify.inject('/readyz')));
  await asked.promise;
  answer.fire();
  expect((await replies).map(({ statusCode }) => statusCode)).toEqual(Array(50).fill(200));
  expect(looks).toBe(1);
  expect((await host.fastify.inject('/readyz')).statusCode).toBe(200);
  expect(looks).toBe(2);
});

test('safety-53: health answers show no versions', async () => {
  const host = await testHost([]);
  const reply = await host.fastify.inject('/healthz');
  expect(reply.body).toBe('{"status":"ok"}');
  expect(Object.keys(reply.headers)).not.toContain('server');
  expect(Object.keys(reply.headers)).not.toContain('x-powered-by');
});

test('safety-53: /metrics answers this machine, not the world and not a proxy that forwards the world', async () => {
  const host = await testHost([whoAmI(open())]);
  await host.fastify.inject('/v1/me');
  const local = await host.fastify.inject('/metrics');
  expect(local.statusCode).toBe(200);
  expect(local.body).toContain('melmastoon_http_requests_total{');
  expect(local.body).toContain('route="/v1/me"');
  const remote = await host.fastify.inject({ url: '/metrics', remoteAddress: '203.0.113.9' });
  const forwarded = await host.fastify.inject({
    url: '/metrics',
    headers: { 'x-forwarded-for': '127.0.0.1' },
  });
  const unknown = await host.fastify.inject('/nowhere');
  for (const refused of [remote, forwarded]) {
    expect(refused.statusCode).toBe(404);
    expect({ ...refused.json(), correlationId: '' }).toEqual({ ...unknown.json(), correlationId: '' });
  }
});

test('/metrics can be opened to a separate network or switched off', async () => {
  const opened = await testHost([], { metrics: createMetrics(), config: { metricsAccess: 'public' } });
  expect((await opened.fastify.inject({ url: '/metrics', remoteAddress: '10.0.0.9' })).statusCode).toBe(200);
  const off = await testHost([], { config: { metricsAccess: 'off' } });
  expect((await off.fastify.inject('/metrics')).statusCode).toBe(404);
});

test('/openapi.json describes the routes, and /docs browses it with local assets under a policy without inline', async () => {
  const host = await testHost([whoAmI(open())]);
  const document = (await host.fastify.inject('/openapi.json')).json();
  expect(Object.keys(document.paths)).toEqual(['/v1/me']);
  const page = await host.fastify.inject('/docs/');
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect(page.headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
  expect(page.body).not.toMatch(/<script(?![^>]* src=)[^>]*>|<style| style=|https?:\/\//);
  const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, path]) => new URL(path ?? '', 'http://a/docs/').pathname,
  );
  expect(assets.length).toBeGreaterThan(3);
  for (const asset of assets)
    expect([asset, (await host.fastify.inject(asset)).statusCode]).toEqual([asset, 200]);
  const described = (await host.fastify.inject('/docs/json')).json();
  expect(described.paths).toEqual(document.paths);
});

test('the description can be switched off', async () => {
  const host = await testHost([], { config: { docs: false } });
  expect((await host.fastify.inject('/openapi.json')).statusCode).toBe(404);
  expect((await host.fastify.inject('/docs/')).statusCode).toBe(404);
});
