import { expect, test } from 'vitest';
import { echo, whoAmI } from './fixtures/routes.ts';
import { testHost } from './fixtures/test-host.ts';
import { open } from './route.ts';

const json = { 'content-type': 'application/json' };

test('safety-32: a foreign page can neither post JSON nor smuggle it as text or form', async () => {
  const host = await testHost([echo()]);
  const post = (headers: Record<string, string>, payload = '{"text":"a"}') =>
    host.fastify.inject({
      method: 'POST',
      url: '/v1/echo',
      payload,
      headers: { host: 'desk.example', ...headers },
    });
  const own = await post({ ...json, origin: 'https://desk.example' });
  expect(own.statusCode).toBe(200);
  for (const headers of [
    { ...json, origin: 'https://evil.example' },
    { ...json, origin: 'null' },
    { ...json, 'sec-fetch-site': 'cross-site' },
  ]) {
    const reply = await post(headers);
    expect([headers, reply.statusCode, reply.json().code]).toEqual([headers, 403, 'CROSS_SITE_REQUEST']);
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/json; charset=utf-16',
    'application/jsonp',
    '',
  ]) {
    const reply = await post({ 'content-type': type });
    expect([type, reply.statusCode, reply.headers['content-type']]).toEqual([
      type,
      415,
      'application/problem+json',
    ]);
  }
});

test('safety-32: a method override is ignored, in a header as in the query', async () => {
  const host = await testHost([echo(), whoAmI(open(), '/v1/echo')]);
  const headers = { 'x-http-method-override': 'POST', 'x-method-override': 'POST', 'x-http-method': 'POST' };
  const reply = await host.fastify.inject({ method: 'GET', url: '/v1/echo', headers });
  expect(reply.json()).toEqual({ id: null, tenantId: null });
  const inQuery = await host.fastify.inject({ method: 'GET', url: '/v1/echo?_method=POST' });
  expect(inQuery.statusCode).toBe(400);
});

test('safety-33: CORS is closed by default, and open to exactly the listed origins otherwise', async () => {
  const closed = await testHost([echo()]);
  const preflight = {
    method: 'OPTIONS',
    url: '/v1/echo',
    headers: { origin: 'https://booking.example', 'access-control-request-method': 'POST' },
  } as const;
  const refused = await closed.fastify.inject(preflight);
  expect(refused.statusCode).toBe(404);
  expect(Object.keys(refused.headers).filter(name => name.startsWith('access-control'))).toEqual([]);

  const opened = await testHost([echo()], { config: { allowedOrigins: ['https://booking.example'] } });
  const allowed = await opened.fastify.inject(preflight);
  expect(allowed.statusCode).toBe(204);
  expect(allowed.headers).toMatchObject({
    'access-control-allow-origin': 'https://booking.example',
    'access-control-max-age': '0',
    vary: 'Origin',
  });
  const headers = { ...preflight.headers, origin: 'https://booking.example.evil.example' };
  const stranger = await opened.fastify.inject({ ...preflight, headers });
  expect(Object.keys(stranger.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  const sent = await opened.fastify.inject({
    method: 'POST',
    url: '/v1/echo',
    headers: { origin: 'https://booking.example', 'sec-fetch-site': 'cross-site' },
    payload: { text: 'a' },
  });
  expect(sent.statusCode).toBe(200);
});
