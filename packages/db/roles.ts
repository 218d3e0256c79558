import { createHmac } from 'node:crypto';

/** Owns every schema and table; nobody logs in as it. */
export const OWNER_ROLE = 'melm_owner';

/** Login roles that work across tenants, each on the tables that name it (ledger X-093). */
export const platformRoles = ['relay', 'maintenance', 'jobs_worker'] as const;

/** The login role of the service that owns `schema`; it reaches that schema and nothing else. */
export function serviceRole(schema: string): string {
  return `svc_${schema}`;
}

/**
 * Limits set on every login role. A transaction that outlives its request must end by itself: a forgotten one
 * holds locks, stops vacuum and keeps an unknown commit unsettled.
 */
export const roleLimits = {
  statement_timeout: '15s',
  transaction_timeout: '30s', // PostgreSQL 17+
  idle_in_transaction_session_timeout: '15s',
  lock_timeout: '10s',
} as const;

/** The secret, unless there is none: with it, anybody could derive every password. */
export function givenSecret(secret: string): string {
  if (!secret) throw new TypeError('The installation has no secret: give it 32 or more random characters.');
  return secret;
}

/** Password of one role, derived from the installation's secret, so that no list of passwords has to be kept. */
export function rolePassword(secret: string, role: string): string {
  return createHmac('sha256', givenSecret(secret)).update(`postgres-role:${role}`).digest('base64url');
}

/** The address a role signs in at: the administrator's address with that role's name and password. */
export function roleUrl(adminUrl: string, role: string, secret: string): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = rolePassword(secret, role);
  return url.href;
}
