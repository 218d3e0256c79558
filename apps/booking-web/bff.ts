import type { FastifyInstance } from 'fastify';

/** One call to the BFF's interface under /api/v1/booking. The tenant is a slug, else the host of the visitor. */
export type BffCall = {
  method: 'GET' | 'POST' | 'DELETE';
  /** After /api/v1/booking, with its query: `/bootstrap?locale=ps`. */
  path: string;
  slug?: string;
  host?: string;
  /** The Cookie header of the visitor. */
  cookie?: string;
  body?: unknown;
  idempotencyKey?: string;
  clientIp?: string;
};

/** What came back; `body` is parsed JSON, a problem when the status is 400 or more. */
export type BffReply = { status: number; body: unknown; setCookie?: readonly string[] };

/** How the site reaches the BFF: in one process through `injectedBff`, elsewhere over HTTP. */
export type Bff = (call: BffCall) => Promise<BffReply>;

/** The BFF of the same process: no socket, but every hook and check of a request. */
export function injectedBff(fastify: FastifyInstance): Bff {
  return async call => {
    const reply = await fastify.inject({
      method: call.method,
      url: `/api/v1/booking${call.path}`,
      headers: headersOf(call),
      ...(call.clientIp === undefined ? {} : { remoteAddress: call.clientIp }),
      ...(call.body === undefined ? {} : { payload: JSON.stringify(call.body) }),
    });
    const setCookie = reply.headers['set-cookie'];
    return {
      status: reply.statusCode,
      body: parsed(reply.body),
      setCookie: setCookie === undefined ? [] : [setCookie].flat(),
    };
  };
}

/** The BFF of another process, at an origin such as `http://127.0.0.1:8080`. */
export function fetchedBff(origin: string): Bff {
  return async call => {
    const { host: _, ...headers } = headersOf(call); // fetch names the host itself; a hotel's own host needs a proxy
    const reply = await fetch(`${origin}/api/v1/booking${call.path}`, {
      method: call.method,
      headers,
      redirect: 'manual',
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    return {
      status: reply.status,
      body: parsed(await reply.text()),
      setCookie: reply.headers.getSetCookie(),
    };
  };
}

function headersOf(call: BffCall): Record<string, string> {
  return {
    accept: 'application/json',
    ...(call.slug === undefined ? {} : { 'x-tenant-slug': call.slug }),
    ...(call.host === undefined ? {} : { host: call.host }),
    ...(call.cookie === undefined ? {} : { cookie: call.cookie }),
    ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // not JSON: the status alone has to explain it
  }
}
