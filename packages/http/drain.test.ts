import { signal } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { rawSocket } from './fixtures/raw-socket.ts';
import { readRoute } from './fixtures/routes.ts';
import { testHost } from './fixtures/test-host.ts';
import type { Limits } from './limits.ts';

async function heldHost(limits: Partial<Limits> = {}) {
  const [entered, released] = [signal(), signal()];
  const slow = readRoute(async () => {
    entered.fire();
    await released.promise;
    return { status: 200, body: { id: 'finished' } };
  });
  const host = await testHost([slow], { config: { limits } });
  return { host, address: await host.listen(0), entered: entered.promise, release: released.fire };
}

test('TEN-20: while draining /readyz is 503, /healthz is 200 and requests are still served', async () => {
  const { host, release } = await heldHost();
  expect((await host.fastify.inject('/readyz')).json()).toEqual({ status: 'ready', checks: {} });
  host.drain();
  const ready = await host.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'draining', checks: {} }]);
  expect((await host.fastify.inject('/healthz')).statusCode).toBe(200);
  release();
  const reply = await host.fastify.inject('/v1/thing');
  expect([reply.statusCode, reply.headers.connection]).toEqual([200, 'close']);
});

test('a request in flight finishes, its kept-alive connection closes, and nobody new gets in', async () => {
  const { host, address, entered, release } = await heldHost();
  const socket = rawSocket(address);
  socket.send('GET /v1/thing HTTP/1.1\r\nhost: a\r\n\r\n');
  await entered;
  const closing = host.close();
  await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  release();
  await closing;
  const received = await socket.closed;
  expect(received).toMatch(/^HTTP\/1\.1 200/);
  expect(received).toContain('connection: close');
  expect(received).toContain('finished');
});

test('a request that never ends does not hold the process: it is cut after the drain time', async () => {
  const { host, address, entered } = await heldHost({ drainTimeoutMs: 20 });
  const socket = rawSocket(address);
  socket.send('GET /v1/thing HTTP/1.1\r\nhost: a\r\n\r\n');
  await entered;
  await host.close();
  expect(await socket.closed).toBe('');
});

test('closing twice is closing once', async () => {
  const { host } = await heldHost();
  await Promise.all([host.close(), host.close()]);
});
