import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rawSocket } from './fixtures/raw-socket.ts';
import { echo, whoAmI } from './fixtures/routes.ts';
import { type TestHost, testHost } from './fixtures/test-host.ts';
import type { Limits } from './limits.ts';
import { open } from './route.ts';

async function listening(limits: Partial<Limits> = {}): Promise<TestHost & { address: string }> {
  const host = await testHost([echo(), whoAmI(open())], {
    config: { limits, quotas: { address: unlimited } },
  });
  return Object.assign(host, { address: await host.listen(0) });
}
const unlimited = { limit: 1_000_000, windowMs: 1_000 };
const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]);
const json = { 'content-type': 'application/json' };

async function post(address: string, body: BodyInit, headers: Record<string, string> = json) {
  const reply = await fetch(`${address}/v1/echo`, {
    method: 'POST',
    body,
    headers,
    duplex: 'half',
  } as RequestInit);
  return { status: reply.status, problem: (await reply.json()) as { code: string; detail: string } };
}

/** Growth of memory while something happens; the collector runs first, so only what is kept or huge counts. */
async function rssGrowth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  await work();
  clearInterval(watch);
  return Math.max(peak, process.memoryUsage.rss()) - before;
}

test('safety-38: more than 1 MB is 413, declared or streamed, and exactly 1 MB of JSON is read', async () => {
  const { address } = await listening();
  const fits = JSON.stringify({ text: 'x'.repeat(1_048_576 - 11) });
  expect(fits.length).toBe(1_048_576);
  expect((await post(address, fits)).status).toBe(200);
  const declared = await post(address, `${fits} `);
  expect([declared.status, declared.problem.code]).toEqual([413, 'BODY_TOO_LARGE']);

  const socket = rawSocket(address);
  socket.send(
    'POST /v1/echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  for (let sent = 0; sent < 18; sent++) socket.send(chunk);
  expect(statusOf(await socket.closed)).toBe(413);
});

test('safety-38: deep, wide, duplicate and poisoned JSON is 400 and says why', async () => {
  const { address } = await listening();
  const keys = Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join();
  const growth = await rssGrowth(async () => {
    for (const [body, reason] of [
      ['['.repeat(10_000) + ']'.repeat(10_000), 'deeper than 32'],
      [`{${keys}}`, 'more than 10000 keys'],
      ['{"text":"a","text":"b"}', 'same key twice'],
      ['{"text":"a","__proto__":{"admin":true}}', 'not allowed'],
      ['{"text":', 'does not parse'],
    ] as const) {
      const { status, problem } = await post(address, body);
      expect([status, problem.code]).toEqual([400, 'MALFORMED_JSON']);
      expect(problem.detail).toContain(reason);
    }
  });
  expect(growth).toBeLessThan(50 * 1_048_576);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test.each(['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip'])(
  'safety-38: a %s body is 415 without being inflated',
  async encoding => {
    const { address } = await listening();
    const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 0x20));
    const { status, problem } = await post(address, bomb, { ...json, 'content-encoding': encoding });
    expect([status, problem.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  },
);

test('safety-38: 100 KB of headers is 431 with a problem body', async () => {
  const { address } = await listening();
  const socket = rawSocket(address);
  socket.send(`GET /v1/me HTTP/1.1\r\nhost: a\r\nx-long: ${'y'.repeat(100_000)}\r\n\r\n`);
  const received = await socket.closed;
  expect(statusOf(received)).toBe(431);
  expect(received).toContain('"code":"HEADERS_TOO_LARGE"');
});

test.each([
  [
    'Content-Length and Transfer-Encoding',
    'content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two different Content-Lengths', 'content-length: 4\r\ncontent-length: 5\r\n\r\nabcd'],
  ['a chunked that is not last', 'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a folded header', 'x-a: 1\r\n  folded\r\ncontent-length: 0\r\n\r\n'],
  ['a control character in a header', 'x-a: a\u0001b\r\ncontent-length: 0\r\n\r\n'],
])('safety-38: a request with %s is 400 and its connection ends', async (_what, rest) => {
  const { address } = await listening();
  const socket = rawSocket(address);
  socket.send(`POST /v1/echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${rest}`);
  const received = await socket.closed;
  expect(statusOf(received)).toBe(400);
  expect(received).toContain('"code":"MALFORMED_REQUEST"');
});

test('safety-38: a client that sends its headers drop by drop is cut off with 408', async () => {
  const { address } = await listening({ headersTimeoutMs: 50, requestTimeoutMs: 100, connectionCheckMs: 20 });
  const socket = rawSocket(address);
  const drops = setInterval(() => socket.send('x-a: b\r\n'), 10);
  socket.send('GET /v1/me HTTP/1.1\r\nhost: a\r\n');
  const received = await socket.closed;
  clearInterval(drops);
  expect(statusOf(received)).toBe(408);
  expect(received).toContain('"code":"REQUEST_TIMEOUT"');
});

test('safety-38: a client that sends its body drop by drop is cut off too', async () => {
  const { address } = await listening({ headersTimeoutMs: 50, requestTimeoutMs: 100, connectionCheckMs: 20 });
  const socket = rawSocket(address);
  socket.send(
    'POST /v1/echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n',
  );
  const drops = setInterval(() => socket.send(' '), 10);
  const received = await socket.closed;
  clearInterval(drops);
  expect(statusOf(received)).toBe(408);
});

test('the rest of a refused body is never taken for the next request', async () => {
  const { address } = await listening();
  const socket = rawSocket(address);
  const smuggled = 'GET /v1/me HTTP/1.1\r\nhost: a\r\n\r\n';
  socket.send(
    `POST /v1/echo HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`,
  );
  const received = await socket.closed;
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(statusOf(received)).toBe(415);
});
