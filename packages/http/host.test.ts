import { AppError, defineErrors } from '@ghasi/domain-primitives/errors';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { content } from './content.ts';
import { echo, readRoute, whoAmI } from './fixtures/routes.ts';
import { testHost } from './fixtures/test-host.ts';
import { defineRoute, open, operator } from './route.ts';

const errors = defineErrors('desk', { ROOM_TAKEN: { status: 409, text: 'Room {room} is taken' } });

test('VAL-07: an error of the catalogue becomes problem+json with its code, text and correlation id', async () => {
  const host = await testHost([
    readRoute(async () => {
      throw errors.ROOM_TAKEN({ room: '12' });
    }),
  ]);
  const reply = await host.fastify.inject('/v1/thing');
  expect(reply.statusCode).toBe(409);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(reply.json()).toEqual({
    type: 'urn:problem:MELMASTOON.DESK.ROOM_TAKEN',
    title: 'Conflict',
    status: 409,
    detail: 'Room 12 is taken',
    code: 'ROOM_TAKEN',
    qualifiedCode: 'MELMASTOON.DESK.ROOM_TAKEN',
    correlationId: reply.headers['x-correlation-id'],
  });
});

test('safety-49, VAL-13: any other error is INTERNAL outside and complete in the log', async () => {
  const host = await testHost([
    readRoute(async () => {
      const sql = 'insert into desk.bookings failed: duplicate key ux_secret';
      throw Object.assign(new Error(sql), { code: '23505', constraint: 'ux_secret' });
    }),
  ]);
  const reply = await host.fastify.inject('/v1/thing');
  expect(reply.statusCode).toBe(500);
  expect(reply.json()).toMatchObject({ code: 'INTERNAL', detail: 'Something went wrong on our side' });
  expect(reply.body).not.toMatch(/insert|ux_secret|23505|\.ts|node_modules|at /);
  expect(host.logged()).toContain('ux_secret');
});

test('safety-12: fields outside the reply schema never leave', async () => {
  const row = { id: '1', tenant_id: 't', password_hash: 'x', nested: { keep: 1, drop: 2 } };
  const schema = z.object({ id: z.string(), nested: z.object({ keep: z.number() }) });
  const host = await testHost([readRoute(async () => ({ status: 200, body: row }), schema)]);
  const reply = await host.fastify.inject('/v1/thing');
  expect(reply.json()).toEqual({ id: '1', nested: { keep: 1 } });
});

test.each([
  ['a body that does not fit its schema', { status: 200, body: { id: 47110815 } }],
  ['a status it did not declare', { status: 201, body: { id: '47110815' } }],
  ['no reply at all', undefined],
  ['a body where none was declared', { status: 204, body: { id: '47110815' } }],
  [
    'a header with a line break',
    { status: 200, body: { id: '1' }, headers: { location: '/a\r\nset-cookie: 47110815' } },
  ],
  ['a header of the host', { status: 200, body: { id: '1' }, headers: { 'Set-Cookie': '47110815' } }],
])(
  'safety-12, safety-39: a handler that returns %s is a logged 500 that leaks nothing',
  async (_what, returned) => {
    const host = await testHost([readRoute(async () => returned)]);
    const reply = await host.fastify.inject('/v1/thing');
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain('47110815');
    expect(host.logged()).toContain('returned a reply it did not declare');
  },
);

test('VAL-01, VAL-02: unknown keys in body and query are refused, with every issue at once', async () => {
  const host = await testHost([echo()]);
  const reply = await host.fastify.inject({
    method: 'POST',
    url: '/v1/echo?page=2',
    payload: { text: 1, color: 'red' },
  });
  expect(reply.statusCode).toBe(400);
  const { code, issues } = reply.json<{ code: string; issues: { path: string; code: string }[] }>();
  expect(code).toBe('VALIDATION_FAILED');
  expect(issues.map(issue => [issue.path, issue.code])).toEqual([
    ['query', 'unrecognized_keys'],
    ['body.text', 'invalid_type'],
    ['body.color', 'unrecognized_keys'],
  ]);
});

test.each(['tenant_id', 'tenantId', 'role', 'price', 'status', 'balance', 'id'])(
  'safety-12: %s in a body is refused before any handler runs',
  async key => {
    const host = await testHost([echo()]);
    const reply = await host.fastify.inject({
      method: 'POST',
      url: '/v1/echo',
      payload: { text: 'a', [key]: 'x' },
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ issues: [{ path: `body.${key}` }] });
  },
);

test('X-024: the correlation id is the trace id of the caller, and a new one without a usable trace', async () => {
  const seen: string[] = [];
  const host = await testHost([
    defineRoute({
      method: 'GET',
      path: '/v1/thing',
      summary: 'A thing',
      auth: open(),
      returns: { 204: z.undefined() },
      transaction: 'none',
      async handler(ctx, _input, request) {
        seen.push(request.correlationId);
        ctx.log.info('inside');
        return { status: 204 };
      },
    }),
  ]);
  const traceparent = '00-0198b3c27b1e7c3a9f1e2b7d5c1a9e10-00f067aa0ba902b7-01';
  const traced = await host.fastify.inject({ url: '/v1/thing', headers: { traceparent } });
  expect(traced.headers['x-correlation-id']).toBe('01K2SW4YRYFGX9Y7HBFNE1N7GG');
  expect(seen).toEqual(['01K2SW4YRYFGX9Y7HBFNE1N7GG']);
  const lines = host
    .logged()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { msg: string; correlationId: string });
  expect(lines.map(line => [line.msg, line.correlationId])).toEqual([
    ['inside', '01K2SW4YRYFGX9Y7HBFNE1N7GG'],
    ['request answered', '01K2SW4YRYFGX9Y7HBFNE1N7GG'],
  ]);
  for (const bad of [
    '',
    'x',
    traceparent.replace('00-', 'ff-'),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  ]) {
    const reply = await host.fastify.inject({ url: '/v1/thing', headers: { traceparent: bad } });
    expect(reply.headers['x-correlation-id']).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(reply.headers['x-correlation-id']).not.toBe('01K2SW4YRYFGX9Y7HBFNE1N7GG');
  }
});

test('an unknown address, a path that does not decode and an endless parameter get problem+json too', async () => {
  const host = await testHost([whoAmI(open(), '/t/:slug/me')]);
  for (const [url, status] of [
    ['/nowhere', 404],
    ['/%E0%A4%A', 400],
    [`/t/${'x'.repeat(200)}/me`, 414],
    ['/t/a%00b/me', 400],
  ] as const) {
    const reply = await host.fastify.inject(url);
    expect([url, reply.statusCode]).toEqual([url, status]);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(reply.json()).toMatchObject({ status, correlationId: expect.any(String) });
  }
});

test('safety-29: what a signed-in caller gets is no-store, whatever the handler says; open replies may be cached', async () => {
  const cached = async () => ({
    status: 200 as const,
    body: { id: '1' },
    headers: { 'Cache-Control': 'public, max-age=60' },
  });
  const shared = {
    summary: 'A thing',
    transaction: 'none',
    returns: { 200: z.object({ id: z.string() }) },
  } as const;
  const host = await testHost([
    defineRoute({ ...shared, method: 'GET', path: '/v1/open', auth: open(), handler: cached }),
    defineRoute({ ...shared, method: 'GET', path: '/v1/mine', auth: operator([]), handler: cached }),
  ]);
  const authorization = `Bearer ${host.door.signIn({ tenantId: newTenantId() })}`;
  const mine = await host.fastify.inject({ url: '/v1/mine', headers: { authorization } });
  const opened = await host.fastify.inject('/v1/open');
  const refused = await host.fastify.inject('/v1/mine');
  expect(mine.headers['cache-control']).toBe('no-store');
  expect(opened.headers['cache-control']).toBe('public, max-age=60');
  expect(refused.headers['cache-control']).toBe('no-store');
});

test('safety-29: Host, X-Forwarded-* and Accept-Language change nothing in an open reply', async () => {
  const host = await testHost([whoAmI(open())]);
  const plain = await host.fastify.inject('/v1/me');
  const odd = await host.fastify.inject({
    url: '/v1/me',
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'accept-language': 'ps' },
  });
  expect(odd.body).toBe(plain.body);
});

test('safety-34: every response has its own nonce, no unsafe source, no sniffing and no framing', async () => {
  const host = await testHost([readRoute(async () => ({ status: 204 }))]);
  const policies = await Promise.all(
    ['/v1/thing', '/v1/thing', '/nowhere'].map(async url => {
      const { headers } = await host.fastify.inject(url);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['strict-transport-security']).toContain('max-age=');
      return String(headers['content-security-policy']);
    }),
  );
  expect(new Set(policies).size).toBe(3);
  for (const policy of policies) {
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/script-src\s+'nonce-[0-9a-f]{32}'/);
    expect(policy).not.toContain('unsafe');
  }
});

test('a handler can send text of another type and set cookies that scripts cannot read', async () => {
  const host = await testHost([
    defineRoute({
      method: 'GET',
      path: '/v1/calendar',
      summary: 'A calendar',
      auth: open(),
      returns: { 200: content('text/calendar') },
      transaction: 'none',
      handler: async () => ({
        status: 200,
        body: 'BEGIN:VCALENDAR',
        cookies: [{ name: '__Host-seen', value: 'yes', maxAgeSeconds: 60 }],
      }),
    }),
  ]);
  const reply = await host.fastify.inject('/v1/calendar');
  expect(reply.headers['content-type']).toBe('text/calendar');
  expect(reply.body).toBe('BEGIN:VCALENDAR');
  expect(reply.headers['set-cookie']).toBe(
    '__Host-seen=yes; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
  );
});

test('HEAD is GET without the body', async () => {
  const host = await testHost([readRoute(async () => ({ status: 200, body: { id: '1' } }))]);
  const reply = await host.fastify.inject({ method: 'HEAD', url: '/v1/thing' });
  expect([reply.statusCode, reply.body, reply.headers['content-length']]).toEqual([200, '', '10']);
});

test('a handler that takes too long is answered with 504 and told to stop', async () => {
  const told = Promise.withResolvers<unknown>();
  const host = await testHost([
    defineRoute({
      method: 'GET',
      path: '/v1/slow',
      summary: 'Never ends',
      auth: open(),
      returns: { 204: z.undefined() },
      transaction: 'none',
      timeoutMs: 5,
      handler: (_ctx, _input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told.resolve(signal.reason);
            reject(signal.reason);
          });
        }),
    }),
  ]);
  const reply = await host.fastify.inject('/v1/slow');
  expect(reply.statusCode).toBe(504);
  expect(await told.promise).toBeInstanceOf(AppError);
});
