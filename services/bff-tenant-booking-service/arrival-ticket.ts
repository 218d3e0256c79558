import { createHmac, timingSafeEqual } from 'node:crypto';
import { minutes } from '@ghasi/domain-primitives/duration';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { errors } from './errors.ts';

/** safety-23: what a handoff is exchanged for is good for so long. */
export const TICKET_MS = minutes(1);

/** The one place where a ticket counts. */
export const TICKET_PATH = '/api/v1/booking/handoff/drafts';

/** Writes and reads the tickets of guests who have just arrived. */
export type ArrivalTickets = {
  /** A ticket for the handoff with this fingerprint; never good for longer than the handoff itself. */
  issue(tenantId: TenantId, fingerprint: string, of: { now: Date; handoffEnds: Date }): Ticket;
  /** The fingerprint that a ticket names. Refuses what is not ours, not of this tenant, or over. */
  read(tenantId: TenantId, ticket: string, now: Date): string;
};

export type Ticket = { ticket: string; expiresAt: Date };

/**
 * `<fingerprint>.<end, ms in base 36>.<HMAC-SHA256>`, bound to tenant and path by what is signed. Nothing is kept for
 * it: it is used up with its handoff, which is consumed once, so that a lost reply costs the guest nothing.
 */
export function arrivalTickets(key: string): ArrivalTickets {
  const sign = (tenantId: TenantId, payload: string) =>
    createHmac('sha256', key)
      .update(`melmastoon.arrival.v1\nPOST ${TICKET_PATH}\n${tenantId}\n${payload}`)
      .digest('base64url');
  return {
    issue(tenantId, fingerprint, { now, handoffEnds }) {
      const expiresAt = new Date(Math.min(now.getTime() + TICKET_MS, handoffEnds.getTime()));
      const payload = `${fingerprint}.${expiresAt.getTime().toString(36)}`;
      return { ticket: `${payload}.${sign(tenantId, payload)}`, expiresAt };
    },
    read(tenantId, ticket, now) {
      const [fingerprint = '', ends = '', signature = ''] = ticket.split('.');
      const expected = Buffer.from(sign(tenantId, `${fingerprint}.${ends}`));
      const given = Buffer.from(signature);
      if (expected.length !== given.length || !timingSafeEqual(expected, given))
        throw errors.HANDOFF_REFUSED();
      if (Number.parseInt(ends, 36) <= now.getTime()) throw errors.HANDOFF_EXPIRED();
      return fingerprint;
    },
  };
}
