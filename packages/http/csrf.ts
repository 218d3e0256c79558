import type { IncomingHttpHeaders } from 'node:http';
import { httpErrors } from './errors.ts';

/**
 * Refuses a state-changing request that a page of another site sent (safety rule 32). Browsers tell the truth in
 * `Origin` and `Sec-Fetch-Site`; a client that sends neither is no browser and carries no cookies of a victim.
 */
export function refuseCrossSite(
  headers: IncomingHttpHeaders,
  host: string,
  allowedOrigins: ReadonlySet<string>,
): void {
  const { origin } = headers;
  const fetchSite = headers['sec-fetch-site'];
  if (origin !== undefined) {
    // An allowed or own origin outweighs Sec-Fetch-Site: a sister site on the list is "cross-site" there.
    if (allowedOrigins.has(origin) || isOwnOrigin(origin, host)) return;
    throw httpErrors.CROSS_SITE_REQUEST();
  }
  // "same-site" is a neighbour subdomain: other hotels live there.
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') {
    throw httpErrors.CROSS_SITE_REQUEST();
  }
}

/** Same host and port. The scheme is not compared: TLS may end at a proxy in front of us. */
function isOwnOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false; // "null" among others
  const url = new URL(origin);
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.host === host.toLowerCase();
}
