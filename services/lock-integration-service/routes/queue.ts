import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { doneByHand, retryKey } from '../commands/queue.ts';
import { keyView, queueEntry } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import type { Locks } from '../locks.ts';
import { roomNumbers } from '../queries/houses.ts';
import { listQueue } from '../queries/keys.ts';
import { viewKey, viewQueued } from '../views.ts';
import { proofOf } from './second-factor.ts';

const desk = ['owner', 'manager', 'front_desk'];
const params = z.strictObject({ credentialId: idText('key') });

/** What vendors did not do, for the front desk (SAGA-26). */
export function queueRoutes(locks: Locks): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/key-queue',
      summary: 'Keys of a property that somebody has to see to, oldest first',
      auth: operator([...desk, 'auditor']),
      query: z.strictObject({ propertyId: idText('pro') }),
      returns: { 200: z.strictObject({ entries: z.array(queueEntry) }) },
      async handler({ tx }, { query: { propertyId } }) {
        const numbers = await roomNumbers(tx, propertyId);
        const entries = (await listQueue(tx, propertyId)).map(key => viewQueued(key, numbers));
        return { status: 200, body: { entries } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-queue/:credentialId/retry',
      summary: 'Have the vendor tried again',
      auth: operator(desk),
      params,
      returns: { 202: keyView },
      errors: [coreErrors.NOT_FOUND, errors.NOT_IN_QUEUE],
      async handler(ctx, { params: { credentialId } }) {
        const proof = proofOf(ctx.principal);
        const { value, events } = await retryKey(ctx, locks, { credentialId, proof });
        return { status: 202, body: viewKey(value), events };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-queue/:credentialId/done',
      summary: 'Say that it was done by hand: a key handed over, changed or taken back',
      auth: operator(desk),
      params,
      returns: { 200: keyView },
      errors: [coreErrors.NOT_FOUND, errors.NOT_IN_QUEUE],
      async handler(ctx, { params: { credentialId } }) {
        const proof = proofOf(ctx.principal);
        const { value, events } = await doneByHand(ctx, locks, { credentialId, proof });
        return { status: 200, body: viewKey(value), events };
      },
    }),
  ];
}
