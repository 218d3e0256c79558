import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { makeCursor, readCursor } from '../cursor.ts';
import { errors } from '../errors.ts';
import type { Iam } from '../iam.ts';
import { readSecurityLog } from '../queries/security-log.ts';
import { instant } from './shapes.ts';

const entry = z.strictObject({
  id: z.string(),
  at: instant,
  event: z.string(),
  operatorId: z.string().nullable(),
  actor: z.string(),
  sessionId: z.string().nullable(),
  deviceId: z.string().nullable(),
  addressHash: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Reading what happened. */
export function securityLogRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/security-log',
      summary: 'Sign-ins, refusals, revocations and changes of factors, newest first',
      auth: operator(['owner', 'auditor', 'platform_admin']),
      query: z.strictObject({
        operatorId: idText('usr').optional(),
        cursor: z.string().max(300).optional(),
        limit: z.coerce.number().int().min(1).max(100).default(50),
      }),
      returns: { 200: z.strictObject({ entries: z.array(entry), next: z.string().nullable() }) },
      errors: [errors.CURSOR_REFUSED],
      async handler(ctx, { query }) {
        const { cursor, limit, operatorId } = query;
        const list = [ctx.tenantId, 'security-log', operatorId ?? ''];
        const before =
          cursor === undefined ? undefined : readCursor(iam.keys, list, { cursor, prefix: 'slg' });
        const found = await readSecurityLog(ctx, { before, operatorId, limit: limit + 1 });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        const entries = page.map(row => ({
          id: row.id,
          at: row.at.toISOString(),
          event: row.event,
          operatorId: row.operator_id,
          actor: row.actor,
          sessionId: row.session_id,
          deviceId: row.device_id,
          addressHash: row.address_hash,
          details: row.details,
        }));
        return {
          status: 200,
          body: { entries, next: last === undefined ? null : makeCursor(iam.keys, list, last.id) },
        };
      },
    }),
  ];
}
