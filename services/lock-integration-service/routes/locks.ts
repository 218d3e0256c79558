import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { inspectLockNow } from '../commands/inspect-lock.ts';
import { changeKeyRules, pairLock, unpairLock } from '../commands/pair-lock.ts';
import { keyRules, keyRulesView, lockView, newLock } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { VendorFailure } from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import { findHouse } from '../queries/houses.ts';
import { listLocks, readLock } from '../queries/locks.ts';
import { viewLock, viewRules } from '../views.ts';
import { proofOf } from './second-factor.ts';

const readers = ['owner', 'manager', 'front_desk', 'maintenance', 'auditor'];
const managers = ['owner', 'manager'];
const one = z.strictObject({ lockId: idText('lck') });
const house = z.strictObject({ propertyId: idText('pro') });

/** Locks on doors, and the rules of a house about keys. */
export function lockRoutes(locks: Locks): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/locks',
      summary: 'The locks of a property and how they are',
      auth: operator(readers),
      query: house,
      returns: { 200: z.strictObject({ locks: z.array(lockView) }) },
      async handler({ tx }, { query: { propertyId } }) {
        return { status: 200, body: { locks: (await listLocks(tx, propertyId)).map(viewLock) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/locks',
      summary: 'Pair a lock with a door',
      auth: operator(managers),
      body: newLock,
      returns: { 201: lockView },
      errors: [
        errors.HOUSE_UNKNOWN,
        errors.ROOM_UNKNOWN,
        errors.ROOM_HAS_LOCK,
        errors.LOCK_PAIRED,
        errors.VENDOR_NOT_OFFERED,
      ],
      async handler(ctx, { body }) {
        const { value, events } = await pairLock(ctx, locks, { ...body, proof: proofOf(ctx.principal) });
        return { status: 201, body: viewLock(value), events };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/locks/:lockId',
      summary: 'Take a lock off its door',
      auth: operator(managers),
      params: one,
      returns: { 200: lockView },
      errors: [coreErrors.NOT_FOUND, errors.LOCK_IN_USE],
      async handler(ctx, { params: { lockId } }) {
        const lock = await unpairLock(ctx, { lockId, proof: proofOf(ctx.principal) });
        return { status: 200, body: viewLock(lock) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/locks/:lockId/inspect',
      summary: 'Ask the vendor now how a lock is',
      auth: operator(readers),
      params: one,
      returns: { 200: lockView },
      errors: [coreErrors.NOT_FOUND, errors.LOCK_UNPAIRED, errors.VENDOR_UNAVAILABLE],
      transaction: 'none',
      idempotency: { none: 'it only asks' },
      async handler(ctx, { params: { lockId } }) {
        const transaction = <R>(work: Parameters<typeof tenantTransaction<R>>[2]) =>
          tenantTransaction(ctx.db, ctx, work);
        const seen = await inspectLockNow(transaction, locks, lockId);
        if (seen === undefined) throw errors.LOCK_UNPAIRED();
        if (seen instanceof VendorFailure) throw errors.VENDOR_UNAVAILABLE({ failure: seen.failure });
        const lock = await transaction(({ tx }) => readLock(tx, lockId));
        return { status: 200, body: viewLock(lock) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/key-rules/:propertyId',
      summary: 'How a property rounds windows and hands out metal keys',
      auth: operator(readers),
      params: house,
      returns: { 200: keyRulesView },
      errors: [errors.HOUSE_UNKNOWN],
      async handler({ tx }, { params: { propertyId } }) {
        const found = await findHouse(tx, idToUuid(propertyId));
        if (found === undefined) throw errors.HOUSE_UNKNOWN();
        return { status: 200, body: viewRules(found) };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/v1/key-rules/:propertyId',
      summary: 'Change how a property rounds windows and hands out metal keys',
      auth: operator(managers),
      params: house,
      body: keyRules,
      returns: { 200: keyRulesView },
      errors: [errors.HOUSE_UNKNOWN],
      handler: async (ctx, { params, body }) => ({
        status: 200,
        body: viewRules(await changeKeyRules(ctx, { ...params, ...body })),
      }),
    }),
  ];
}
