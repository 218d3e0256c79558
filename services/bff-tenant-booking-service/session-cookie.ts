import { createHmac, timingSafeEqual } from 'node:crypto';
import { days } from '@ghasi/domain-primitives/duration';
import { type Id, isId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { ReplyCookie } from '@ghasi/http/route';

export const SESSION_COOKIE = 'tnt_session';

/** TB-06: a session ends so long after the guest was last seen. */
export const SESSION_MS = days(30);

/** A cookie older than this is written anew, so that the 30 days slide. */
const RENEW_MS = days(1);

/** A session that a cookie names. */
export type Named = { sessionId: Id<'tnt'>; isOld: boolean };

/** Writes and reads the cookie of the anonymous session. */
export type SessionCookies = {
  issue(tenantId: TenantId, sessionId: Id<'tnt'>, now: Date): ReplyCookie;
  /** Undefined: not ours, not of this tenant, or too old. */
  read(tenantId: TenantId, text: string | undefined, now: Date): Named | undefined;
};

/**
 * `<session id>.<issued, seconds in base 36>.<HMAC-SHA256>`. The signature binds the session to its tenant and has 256
 * bits that nobody can guess (safety 17), so a session is proven without asking the hot store: a lost Redis costs what
 * the session remembered and not who the guest is.
 */
export function sessionCookies(key: string): SessionCookies {
  const sign = (tenantId: TenantId, payload: string) =>
    createHmac('sha256', key).update(`${tenantId}\n${payload}`).digest('base64url');
  return {
    issue(tenantId, sessionId, now) {
      const payload = `${sessionId}.${Math.floor(now.getTime() / 1_000).toString(36)}`;
      const value = `${payload}.${sign(tenantId, payload)}`;
      return { name: SESSION_COOKIE, value, maxAgeSeconds: SESSION_MS / 1_000, sameSite: 'lax' };
    },
    read(tenantId, text, now) {
      if (text === undefined || text.length > 120) return undefined;
      const [sessionId, issued, signature, ...more] = text.split('.');
      if (sessionId === undefined || issued === undefined || signature === undefined || more.length > 0)
        return undefined;
      if (!isId('tnt', sessionId) || !/^[0-9a-z]{1,10}$/.test(issued)) return undefined;
      const expected = Buffer.from(sign(tenantId, `${sessionId}.${issued}`));
      const given = Buffer.from(signature);
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
      const ageMs = now.getTime() - Number.parseInt(issued, 36) * 1_000;
      if (ageMs > SESSION_MS) return undefined;
      return { sessionId, isOld: ageMs > RENEW_MS };
    },
  };
}
