import type { Metrics } from '@ghasi/telemetry/metrics';
import { httpErrors } from './errors.ts';
import type { Limits } from './limits.ts';
import { type AnyRoute, isMutating } from './route.ts';

/** The requests being worked on at the same time. */
export type Crowd = {
  /** Throws TOO_BUSY when there is no room for a request of this route. */
  assertRoom(service: string, route: AnyRoute): void;
  /** Does the work of a request, if there is room. */
  within<T>(service: string, route: AnyRoute, work: () => Promise<T>): Promise<T>;
};

/**
 * Turns requests away at once when so many are being worked on that the next would only wait: without this everybody
 * waits, then everybody gives up and asks again, and the server does not come back. Reads go first. Whoever writes is
 * about to pay or to check in, and has twice the room.
 */
export function crowdOf({ inFlight }: Pick<Limits, 'inFlight'>, metrics: Metrics): Crowd {
  let inside = 0;
  const assertRoom = (service: string, route: AnyRoute) => {
    if (inside < (isMutating(route) ? 2 * inFlight : inFlight)) return;
    metrics.inc('melmastoon_http_requests_turned_away_total', { service });
    throw httpErrors.TOO_BUSY();
  };
  return {
    assertRoom,
    async within(service, route, work) {
      assertRoom(service, route);
      inside++;
      try {
        return await work();
      } finally {
        inside--;
      }
    },
  };
}
