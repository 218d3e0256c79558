import { signal } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { rawSocket } from './fixtures/raw-socket.ts';
import { echo, readRoute } from './fixtures/routes.ts';
import { testHost } from './fixtures/test-host.ts';

const ROOM = 3;

/** A host whose reads stay until they are let go, with room for three of them. */
async function crowdedHost() {
  const released = signal();
  let inside = 0;
  const full = signal();
  const slow = readRoute(async () => {
    if (++inside === ROOM) full.fire();
    await released.promise;
    inside--;
    return { status: 200, body: { id: 'done' } };
  });
  const host = await testHost([slow, echo()], { config: { limits: { inFlight: ROOM } } });
  const read = () => host.fastify.inject('/v1/thing');
  const write = () => host.fastify.inject({ method: 'POST', url: '/v1/echo', payload: { text: 'a' } });
  return { host, read, write, full: full.promise, release: released.fire };
}

test('a read too many hears 503 at once and when to come back, and is let in when the others have gone', async () => {
  const { read, full, release } = await crowdedHost();
  const waiting = Array.from({ length: ROOM }, read);
  await full;
  const refused = await read();
  expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([
    503,
    'TOO_BUSY',
    '3',
  ]);
  release();
  expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  expect((await read()).statusCode).toBe(200);
});

test('where reads are turned away, whoever writes still gets in, and so does the load balancer', async () => {
  const { host, read, write, full, release } = await crowdedHost();
  const waiting = Array.from({ length: ROOM }, read);
  await full;
  expect((await read()).statusCode).toBe(503);
  expect((await write()).json()).toEqual({ text: 'a' });
  expect((await host.fastify.inject('/readyz')).statusCode).toBe(200);
  expect((await host.fastify.inject('/metrics')).body).toContain(
    'melmastoon_http_requests_turned_away_total{service="desk-service"} 1',
  );
  expect(host.logged()).not.toContain('a request failed');
  release();
  await Promise.all(waiting);
});

test('safety-38: bodies that arrive slowly take nobody’s place', async () => {
  const { host, read, release } = await crowdedHost();
  const address = await host.listen(0);
  for (let n = 0; n < 2 * ROOM; n++)
    rawSocket(address).send(
      'POST /v1/echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"te',
    );
  const late = await fetch(`${address}/v1/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'b' }),
  });
  expect(await late.json()).toEqual({ text: 'b' });
  release();
  expect((await read()).statusCode).toBe(200);
});
