import type { IncomingHttpHeaders } from 'node:http';

/**
 * The CORS headers for a request; none unless its origin is on the list, letter for letter (safety rule 33). An
 * origin is never reflected unseen, and there is no `*`.
 */
export function corsHeaders(
  headers: IncomingHttpHeaders,
  allowedOrigins: ReadonlySet<string>,
): Record<string, string> {
  if (allowedOrigins.size === 0) return {};
  const { origin } = headers;
  if (origin === undefined || !allowedOrigins.has(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'X-Correlation-Id, Idempotency-Replayed, Retry-After, Location',
  };
}

/** The extra headers of a preflight answer. Age 0: another tenant behind the same origin decides for itself. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, Traceparent, X-Tenant-Slug',
    'access-control-max-age': '0',
  };
}

/** Origins as a browser writes them (`https://desk.example`); throws on anything else, `null` and `*` included. */
export function parseOrigins(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError(`"${origin}" is not an origin such as https://desk.example`);
    }
  }
  return new Set(origins);
}
