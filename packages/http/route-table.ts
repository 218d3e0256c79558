import { isIdempotent, isMutating } from './route.ts';
import type { RoutedService } from './route-rules.ts';

/** One line of the role table: who may call what, and what guards it. */
export type RouteRow = {
  service: string;
  method: string;
  path: string;
  auth: string;
  /** One of these is enough; `*` means everybody of that kind. */
  roles: string[];
  /** `key` = Idempotency-Key required; else the written reason; undefined for reads. */
  idempotency: string | undefined;
  rateLimit: string | undefined;
};

/**
 * All routes as rows, sorted, for `melm describe` and the golden role table: a route that is new or whose roles
 * changed shows up as a difference (safety rule 11).
 */
export function routeTable(services: readonly RoutedService[]): RouteRow[] {
  return services
    .flatMap(({ name, routes }) =>
      routes.map(route => {
        const { auth, rateLimit } = route;
        const stepUp = auth.kind === 'operator' && auth.stepUp ? ` + step-up ${auth.stepUp}` : '';
        return {
          service: name,
          method: route.method,
          path: route.path,
          auth: `${auth.kind}${stepUp}`,
          roles: 'roles' in auth && auth.roles.length > 0 ? [...auth.roles].sort() : ['*'],
          idempotency: isIdempotent(route) ? 'key' : isMutating(route) ? route.idempotency?.none : undefined,
          rateLimit:
            rateLimit &&
            `${rateLimit.limit} per ${rateLimit.windowMs / 1000} s per ${rateLimit.per}` +
              (rateLimit.whenDown === 'closed' ? ', closed when the store is down' : ''),
        };
      }),
    )
    .sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
