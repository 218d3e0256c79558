import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { idText, line } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { pairDevice, revokeDevice, startPairing } from '../commands/devices.ts';
import { deviceKey } from '../device-proof.ts';
import { errors } from '../errors.ts';
import type { Iam } from '../iam.ts';
import { listDevices } from '../queries/devices.ts';
import { blocked, callerOf, guarded, instant, managers, meOf, ofTenant } from './shapes.ts';

const view = z.strictObject({
  id: z.string(),
  name: z.string(),
  pairedBy: z.string(),
  pairedAt: instant,
  revokedAt: instant.nullable(),
});

/** Pairing computers of the hotel, and taking them out of service. */
export function deviceRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/devices/pairing-codes',
      summary: 'A code to type on the device within ten minutes; it works once',
      auth: managers,
      body: z.strictObject({ deviceName: line(100) }),
      returns: { 201: z.strictObject({ code: z.string(), expiresAt: instant }) },
      idempotency: { none: 'the reply carries a one-time code; an unused one expires by itself' },
      rateLimit: { limit: 20, windowMs: 60_000, per: 'tenant' },
      async handler(ctx, { body }) {
        const { code, expiresAt } = await startPairing(ctx, { me: meOf(ctx.principal), ...body });
        return { status: 201, body: { code, expiresAt: expiresAt.toISOString() } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/devices/pair',
      summary: 'Register the key of this device; the Device-Proof header shows that it holds it',
      auth: open(),
      body: z.strictObject({ code: z.string().max(40), publicKey: deviceKey }),
      returns: { 201: z.strictObject({ deviceId: z.string(), name: z.string() }) },
      errors: [
        errors.PAIRING_REFUSED,
        errors.DEVICE_PROOF_REFUSED,
        errors.DEVICE_KEY_REFUSED,
        coreErrors.RATE_LIMITED,
      ],
      idempotency: { none: 'a code works once, so a repeated request is refused by itself' },
      rateLimit: guarded(20),
      transaction: 'none',
      async handler(bare, { body }, request) {
        const ctx = ofTenant(bare);
        const outcome = await pairDevice(ctx, {
          code: body.code,
          key: body.publicKey,
          caller: await callerOf(iam, request),
        });
        if (outcome.kind === 'blocked') throw blocked(outcome.until, ctx.now);
        if (outcome.kind === 'no_proof') throw errors.DEVICE_PROOF_REFUSED();
        if (outcome.kind === 'key_in_use')
          throw errors.DEVICE_KEY_REFUSED({ reason: 'a paired device has it already' });
        if (outcome.kind !== 'paired') throw errors.PAIRING_REFUSED();
        return { status: 201, body: { deviceId: outcome.deviceId, name: outcome.name } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/api/v1/devices',
      summary: 'The devices of this hotel group',
      auth: managers,
      returns: { 200: z.strictObject({ devices: z.array(view) }) },
      async handler(ctx) {
        const devices = (await listDevices(ctx)).map(({ id, name, paired_by, paired_at, revoked_at }) => ({
          id,
          name,
          pairedBy: paired_by,
          pairedAt: paired_at.toISOString(),
          revokedAt: revoked_at?.toISOString() ?? null,
        }));
        return { status: 200, body: { devices } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/api/v1/devices/:deviceId',
      summary: 'Take a device out of service; its sessions end at once',
      auth: managers,
      params: z.strictObject({ deviceId: idText('dev') }),
      returns: { 204: z.undefined() },
      errors: [coreErrors.NOT_FOUND],
      idempotency: { none: 'revoking what is revoked changes nothing' },
      async handler(ctx, { params }) {
        const { events } = await revokeDevice(ctx, { me: meOf(ctx.principal), ...params });
        return { status: 204, events };
      },
    }),
  ];
}
