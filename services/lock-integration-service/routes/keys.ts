import { tenantRead } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { liftKey, note, releaseKey, replaceKeys, suspendKey } from '../commands/desk.ts';
import {
  encoding,
  keyHistory,
  keyView,
  releasedKey,
  replacement,
  suspension,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { VendorFailure } from '../lock-vendor.ts';
import type { Locks } from '../locks.ts';
import { actionsOf } from '../queries/actions.ts';
import { findHouse } from '../queries/houses.ts';
import { listKeys, readKey } from '../queries/keys.ts';
import { findLock } from '../queries/locks.ts';
import { viewAction, viewKey } from '../views.ts';
import { confirmedBy, proofOf, RELEASE_ACTION, REPLACE_ACTION, useUp } from './second-factor.ts';

const readers = ['owner', 'manager', 'front_desk', 'auditor'];
const desk = ['owner', 'manager', 'front_desk'];
const managers = ['owner', 'manager'];
const params = z.strictObject({ credentialId: idText('key') });
const secretReply = { none: 'the reply opens a door and is not kept anywhere' };

/** Keys, for the desk. */
export function keyRoutes(locks: Locks): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/key-credentials',
      summary: 'The keys of a reservation or a room, newest first',
      auth: operator(readers),
      query: z
        .strictObject({ reservationId: idText('rsv').optional(), roomId: idText('rom').optional() })
        .refine(q => q.reservationId !== undefined || q.roomId !== undefined, 'name a reservation or a room'),
      returns: { 200: z.strictObject({ keys: z.array(keyView) }) },
      async handler({ tx }, { query }) {
        return { status: 200, body: { keys: (await listKeys(tx, query)).map(viewKey) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/key-credentials/:credentialId',
      summary: 'A key and everything that was done with it by hand',
      auth: operator(readers),
      params,
      returns: { 200: keyHistory },
      errors: [coreErrors.NOT_FOUND],
      async handler({ tx }, { params: { credentialId } }) {
        const key = await readKey(tx, credentialId);
        const actions = (await actionsOf(tx, key.id)).map(viewAction);
        return { status: 200, body: { key: viewKey(key), actions } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-credentials/:credentialId/release',
      summary: 'Show the code of a key to staff, once the guest is here',
      auth: confirmedBy(locks, desk, RELEASE_ACTION),
      params,
      returns: { 200: releasedKey },
      errors: [
        coreErrors.NOT_FOUND,
        errors.GUEST_NOT_HERE,
        errors.KEY_REVOKED,
        errors.KEY_NOT_ISSUED,
        errors.NOT_A_CODE,
        errors.ATTESTATION_REFUSED,
      ],
      transaction: 'late',
      idempotency: secretReply,
      async handler(ctx, { params: { credentialId } }) {
        const proof = await useUp(locks, ctx, { action: RELEASE_ACTION, resource: credentialId });
        return ctx.commit(async inside => {
          const { key, code } = await releaseKey(inside, locks, { credentialId, proof });
          return { status: 200, body: { key: viewKey(key), code } };
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-credentials/:credentialId/encode',
      summary: 'Write a key on the card that lies on an encoder',
      auth: confirmedBy(locks, desk, RELEASE_ACTION),
      params,
      body: encoding,
      returns: { 200: keyView },
      errors: [
        coreErrors.NOT_FOUND,
        errors.KEY_REVOKED,
        errors.KEY_NOT_ISSUED,
        errors.NOT_A_CARD,
        errors.VENDOR_UNAVAILABLE,
        errors.ATTESTATION_REFUSED,
      ],
      transaction: 'late',
      idempotency: { none: 'a card may be written as often as somebody puts one on the encoder' },
      async handler(ctx, { params: { credentialId }, body: { encoder } }) {
        const { key, lock, house } = await tenantRead(ctx.db, ctx, async ({ tx }) => {
          const found = await readKey(tx, credentialId);
          const [at, of] = [await findLock(tx, found.lockId), await findHouse(tx, found.propertyId)];
          return { key: found, lock: at, house: of };
        });
        const vendor = locks.vendorOf(key.vendor);
        if (vendor?.encode === undefined || lock === undefined) throw errors.NOT_A_CARD();
        if (key.wish === 'gone') throw errors.KEY_REVOKED();
        if (key.status !== 'issued') throw errors.KEY_NOT_ISSUED({ status: key.status });
        const proof = await useUp(locks, ctx, { action: RELEASE_ACTION, resource: credentialId });
        const order = {
          tenantId: ctx.tenantId,
          credentialId,
          lockReference: lock.vendorReference,
          reach: lock.reach,
          zone: parseZone(house?.zone ?? 'UTC'),
          window: { from: key.windowFrom, until: key.windowUntil },
        };
        await vendor.encode(order, encoder).catch((error: unknown) => {
          if (error instanceof VendorFailure) throw errors.VENDOR_UNAVAILABLE({ failure: error.failure });
          throw error;
        });
        return ctx.commit(async inside => {
          await note(inside, 'encode', { key, proof });
          return { status: 200, body: viewKey(key) };
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-credentials',
      summary: 'Give a guest another key; the old one dies at once',
      auth: confirmedBy(locks, desk, REPLACE_ACTION),
      body: replacement,
      returns: { 201: z.strictObject({ keys: z.array(keyView) }) },
      errors: [
        errors.BOOKING_UNKNOWN,
        errors.BOOKING_ENDED,
        errors.NO_ROOM_ASSIGNED,
        errors.GUEST_NOT_HERE,
        errors.ATTESTATION_REFUSED,
      ],
      transaction: 'late',
      async handler(ctx, { body }) {
        const proof = await useUp(locks, ctx, { action: REPLACE_ACTION, resource: body.bookedRoomId });
        return ctx.commit(async inside => {
          const { value, events } = await replaceKeys(inside, locks, { ...body, proof });
          return { status: 201, body: { keys: value.map(viewKey) }, events };
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-credentials/:credentialId/suspend',
      summary: 'Let a key sleep: police hold, dispute, security',
      auth: operator(managers),
      params,
      body: suspension,
      returns: { 200: keyView },
      errors: [coreErrors.NOT_FOUND, errors.METAL_KEY, errors.KEY_REVOKED, errors.KEY_NOT_ISSUED],
      async handler(ctx, { params: { credentialId }, body }) {
        const { value, events } = await suspendKey(ctx, locks, {
          credentialId,
          reason: body.reason,
          until: body.until === null ? null : new Date(body.until),
          proof: proofOf(ctx.principal),
        });
        return { status: 200, body: viewKey(value), events };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/key-credentials/:credentialId/lift',
      summary: 'Wake a key up that sleeps',
      auth: operator(managers),
      params,
      returns: { 200: keyView },
      errors: [coreErrors.NOT_FOUND, errors.NOT_SUSPENDED],
      async handler(ctx, { params: { credentialId } }) {
        const proof = proofOf(ctx.principal);
        const { value, events } = await liftKey(ctx, locks, { credentialId, proof });
        return { status: 200, body: viewKey(value), events };
      },
    }),
  ];
}
