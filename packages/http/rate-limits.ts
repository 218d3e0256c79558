import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { RateLimiter } from '@ghasi/hot/rate-limit';
import type { Metrics } from '@ghasi/telemetry/metrics';

/** So many requests in a window; `burst` of them may come at once (default: `limit`). */
export type Quota = { limit: number; windowMs: number; burst?: number };

/** What a limit counts by. `principal` means the address on routes without a sign-in. */
export type RateLimitUnit = 'tenant' | 'principal' | 'address';

/**
 * A limit of one route. `whenDown: 'closed'` is for routes that check credentials: without the shared counter an
 * attacker could try everywhere at once, so they refuse. The default lets this process count alone.
 */
export type RouteRateLimit = Quota & { per: RateLimitUnit; whenDown?: 'local' | 'closed' };

/** The limits every route has. */
export type HostQuotas = {
  tenant: Quota;
  principal: Quota;
  address: Quota;
  /** Bad tokens and missing sessions, per address. */
  failedAuth: Quota;
};

const perMinute = (limit: number): Quota => ({ limit, windowMs: 60_000 });

/** Generous enough for a busy front desk behind one address, small enough to stop a loop. */
export const defaultQuotas: HostQuotas = {
  tenant: perMinute(6_000),
  principal: perMinute(600),
  address: perMinute(600),
  failedAuth: perMinute(30),
};

/** One limit to be charged. */
export type Charge = { name: string; key: readonly string[]; quota: Quota; whenDown: 'local' | 'closed' };

/** Charges limits in the given order; throws RATE_LIMITED, or UNAVAILABLE when a closed limit meets a missing store. */
export type RateLimits = { charge(service: string, charges: readonly Charge[]): Promise<void> };

/** Limits over the shared store. */
export function rateLimits(limiter: RateLimiter, metrics: Metrics): RateLimits {
  return {
    async charge(service, charges) {
      // One after the other, narrowest first: a caller over its own limit must not eat its tenant's.
      for (const { name, key, quota, whenDown } of charges) {
        // Parts are encoded, so that an id with a colon cannot reach a neighbour's counter (safety rule 29).
        const text = ['http', name, ...key].map(encodeURIComponent).join(':');
        const { allowed, retryAfterMs, unavailable } = await limiter.take(text, { ...quota, whenDown });
        if (allowed) continue;
        metrics.inc('melmastoon_rate_limit_refusals_total', { service, limit: name });
        if (unavailable && whenDown === 'closed') throw coreErrors.UNAVAILABLE();
        throw coreErrors.RATE_LIMITED({ retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) });
      }
    },
  };
}
