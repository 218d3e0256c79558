import type { FastifyRequest } from 'fastify';
import { httpErrors } from './errors.ts';
import type { RequestFacts } from './principal.ts';
import type { LazyBody } from './read-body.ts';
import type { AnyRoute } from './route.ts';

/** Collects what is known of a request before anybody is trusted. */
export function factsOf(request: FastifyRequest, route: AnyRoute, body: LazyBody): RequestFacts {
  const { url } = request;
  // PostgreSQL text cannot hold NUL; in JSON bodies parseSafeJson refuses it.
  if (url.includes('%00')) throw httpErrors.MALFORMED_REQUEST();
  const slug = slugOf(request, route);
  const stepUp = route.auth.kind === 'operator' ? route.auth.stepUp : undefined;
  return {
    method: request.method,
    path: url.split('?', 1)[0] ?? url,
    target: url,
    headers: request.headers,
    cookies: request.cookies,
    address: request.ip,
    host: request.host,
    ...(slug === undefined ? {} : { slug }),
    correlationId: request.id,
    bodySha256: body.sha256,
    ...(stepUp === undefined ? {} : { stepUp }),
  };
}

function slugOf(request: FastifyRequest, route: AnyRoute): string | undefined {
  const header = request.headers['x-tenant-slug'];
  const named = typeof header === 'string' && header !== '' ? header : undefined;
  if (!/^\/t\/:slug(\/|$)/.test(route.path)) return named;
  const { slug } = request.params as { slug: string };
  if (named !== undefined && named !== slug) throw httpErrors.TENANT_AMBIGUOUS();
  return slug;
}
