import { randomUUID } from 'node:crypto';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute } from '@ghasi/http/route';
import { enqueue } from '@ghasi/jobs/enqueue';
import { z } from 'zod';
import { verificationView } from '../contract/resources.ts';
import type { auditJobs } from '../jobs.ts';
import { readHead } from '../queries/chain.ts';
import { insertVerification, listVerifications, readVerification } from '../queries/verifications.ts';
import { readers } from './entries.ts';

/** Asking for a look through the chain, and hearing how far it is. */
export function verificationRoutes({ verify }: Pick<ReturnType<typeof auditJobs>, 'verify'>): AnyRoute[] {
  const begin = defineRoute({
    method: 'POST',
    path: '/api/v1/audit/verifications',
    summary: 'Have the whole chain verified; a long one takes minutes',
    auth: readers,
    body: z.strictObject({}),
    returns: { 202: verificationView },
    handler: async ctx => {
      const id = randomUUID();
      const { position } = await readHead(ctx);
      await insertVerification(ctx, { id, askedBy: ctx.principal.id, lastPosition: position });
      await enqueue(ctx, verify, { verificationId: id });
      return { status: 202, body: await readVerification(ctx.tx, id) };
    },
  });

  const show = defineRoute({
    method: 'GET',
    path: '/api/v1/audit/verifications/:verificationId',
    summary: 'How far a verification is, and what it found',
    auth: readers,
    params: z.strictObject({ verificationId: z.uuid() }),
    returns: { 200: verificationView },
    errors: [coreErrors.NOT_FOUND],
    handler: async ({ tx }, { params }) => ({
      status: 200,
      body: await readVerification(tx, params.verificationId),
    }),
  });

  const list = defineRoute({
    method: 'GET',
    path: '/api/v1/audit/verifications',
    summary: 'The latest verifications',
    auth: readers,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
    returns: { 200: z.strictObject({ verifications: z.array(verificationView) }) },
    handler: async ({ tx }, { query }) => ({
      status: 200,
      body: { verifications: await listVerifications(tx, query.limit) },
    }),
  });

  return [begin, show, list];
}
