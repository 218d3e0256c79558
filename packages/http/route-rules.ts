import { isEmpty, mediaTypeOf } from './content.ts';
import { IDEMPOTENCY_LEASE_MS } from './limits.ts';
import { type AnyRoute, isIdempotent, isMutating } from './route.ts';
import { leakHoles, unknownKeyHoles } from './schema-holes.ts';

/** A service as far as the host sees it. */
export type RoutedService = { readonly name: string; readonly routes: readonly AnyRoute[] };

/** Paths the host serves itself. */
export const hostPaths = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'] as const;

/**
 * Everything that is wrong with a set of routes, as sentences; the host refuses to start unless it is empty.
 * Whatever a route's author can forget is asked for here, once, for all routes.
 */
export function routeViolations(services: readonly RoutedService[]): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const service of services) {
    for (const route of service.routes) {
      const name = `${service.name}: ${route.method} ${route.path}`;
      found.push(...violationsOf(route).map(violation => `${name} ${violation}`));
      const slot = `${route.method} ${route.path.replaceAll(/:[^/]+/g, ':')}`;
      const other = seen.get(slot);
      if (other !== undefined) found.push(`${name} clashes with ${other}`);
      seen.set(slot, name);
    }
  }
  return found;
}

function violationsOf(route: AnyRoute): string[] {
  return [
    ...pathViolations(route),
    ...inputViolations(route),
    ...outputViolations(route),
    ...writeViolations(route),
    ...(route.summary.trim() === '' ? ['needs a summary'] : []),
  ];
}

function pathViolations({ path, params, method, body }: AnyRoute): string[] {
  const found: string[] = [];
  // `.well-known` is the one segment that starts with a dot (RFC 8615).
  if (!/^(\/\.well-known)?(\/(:[a-zA-Z][a-zA-Z0-9]*|\.well-known|[a-z0-9][a-z0-9._-]*))+$/.test(path)) {
    found.push('has a path that is not like /v1/things/:thingId');
  }
  if (hostPaths.some(own => path === own || path.startsWith(`${own}/`))) {
    found.push('takes a path that the host serves itself');
  }
  const named = [...path.matchAll(/:([a-zA-Z0-9]+)/g)].map(match => match[1]);
  if (named.length > 0 && params === undefined) found.push('has path parameters but no params schema');
  if (method === 'GET' && body !== undefined) found.push('is a GET with a body');
  return found;
}

function inputViolations(route: AnyRoute): string[] {
  return (['params', 'query', 'body'] as const).flatMap(part => {
    const schema = route[part];
    if (schema === undefined) return [];
    return unknownKeyHoles(schema, part).map(
      place => `lets unknown keys pass in ${place}: use z.strictObject (ledger VAL-01)`,
    );
  });
}

function outputViolations(route: AnyRoute): string[] {
  const replies = Object.entries(route.returns);
  if (replies.length === 0) return ['declares no reply'];
  return replies.flatMap(([status, schema]) => {
    if (!/^[2-4]\d\d$/.test(status)) return [`declares status ${status}; a reply is 200 to 499`];
    if (isEmpty(schema) || mediaTypeOf(schema) !== undefined) return [];
    return leakHoles(schema, status).map(
      place =>
        `would let undeclared fields leave in ${place}: name the fields, or pipe a transform into a schema`,
    );
  });
}

function writeViolations(route: AnyRoute): string[] {
  const found: string[] = [];
  const mode = route.transaction ?? 'whole';
  if (!isMutating(route)) {
    if (mode === 'late') found.push('is a GET that wants to commit');
    if (route.idempotency !== undefined) found.push('is a GET: it needs no word on idempotency');
    return found;
  }
  if (route.idempotency !== undefined && route.idempotency.none.trim().length < 10) {
    found.push('must say in a sentence why it needs no idempotency');
  }
  if (mode === 'none' && isIdempotent(route)) {
    found.push(
      "has transaction 'none', so its effect and its idempotency record could not commit together: " +
        "use 'late', or say why in idempotency.none",
    );
  }
  if (isIdempotent(route) && (route.timeoutMs ?? 0) >= IDEMPOTENCY_LEASE_MS) {
    found.push('may run longer than its idempotency lease');
  }
  return found;
}
