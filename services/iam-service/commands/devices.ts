import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { type DeviceKey, provesPossession, thumbprintOf } from '../device-proof.ts';
import { DeviceBound, DeviceUnbound } from '../events.ts';
import { FIRST_VERSION, sessionsRevoked } from '../facts.ts';
import { type Bare, inTenant } from '../iam.ts';
import { lifetimes } from '../model.ts';
import { clearAttempts, reserveAttempt } from '../queries/attempts.ts';
import { consumePairing, insertDevice, insertPairing, revokeDeviceRow } from '../queries/devices.ts';
import { record } from '../queries/security-log.ts';
import { revokeSessions } from '../queries/sessions.ts';
import type { Me } from './sessions.ts';
import type { Caller } from './sign-in.ts';

/** Makes a code that one device may use within ten minutes. */
export async function startPairing(
  ctx: Ctx,
  { me, deviceName }: { me: Me; deviceName: string },
): Promise<{ code: string; expiresAt: Date }> {
  const { text, expiresAt } = await insertPairing(ctx, {
    deviceName,
    createdBy: me.operatorId,
    lifeMs: lifetimes.pairingCodeMs,
  });
  await record(ctx, { event: 'device.pairing_started', operatorId: me.operatorId });
  return { code: text, expiresAt };
}

export type PairOutcome =
  | { kind: 'paired'; deviceId: Id<'dev'>; name: string }
  | { kind: 'refused' | 'key_in_use' | 'no_proof' }
  | { kind: 'blocked'; until: Date };

/** Registers the key of a device that has a code and shows that it holds the key. */
export async function pairDevice(
  bare: Bare,
  { code, key, caller }: { code: string; key: DeviceKey; caller: Caller },
): Promise<PairOutcome> {
  if (!(await provesPossession(key, caller.signed, bare.now))) return { kind: 'no_proof' };
  const thumbprint = await thumbprintOf(key);
  return inTenant(bare, async ctx => {
    const { addressHash } = caller;
    const subject = { kind: 'pairing', of: [addressHash] } as const;
    const until = await reserveAttempt(ctx, subject);
    if (until !== undefined) return { kind: 'blocked', until };
    const pairing = await consumePairing(ctx, code);
    if (pairing === undefined) {
      await record(ctx, { event: 'device.pairing_refused', addressHash });
      return { kind: 'refused' };
    }
    await clearAttempts(ctx, subject);
    const deviceId = ctx.newId('dev', ctx.now.getTime());
    const device = {
      id: deviceId,
      name: pairing.device_name,
      public_jwk: key,
      thumbprint,
      paired_by: pairing.created_by,
    };
    if (!(await insertDevice(ctx, device))) return { kind: 'key_in_use' };
    await record(ctx, { event: 'device.paired', operatorId: pairing.created_by, deviceId, addressHash });
    const { device_name: name, created_by: boundBy } = pairing;
    const bound = { deviceId, name, keyThumbprint: thumbprint, boundBy };
    return accepted<PairOutcome>({ kind: 'paired', deviceId, name }, [
      DeviceBound.from(bound, { aggregateVersion: FIRST_VERSION }),
    ]);
  });
}

/** Takes a device out of service: from this commit on it can neither push nor pull (safety rule 18). */
export async function revokeDevice(
  ctx: Ctx,
  { me, deviceId }: { me: Me; deviceId: Id<'dev'> },
): Promise<Accepted<void>> {
  const version = await revokeDeviceRow(ctx, deviceId);
  if (version === undefined) throw coreErrors.NOT_FOUND({ entity: 'Device' });
  const ended = await revokeSessions(ctx, { deviceId }, 'device_revoked');
  await record(ctx, { event: 'device.revoked', deviceId, details: { sessions: ended.length } });
  const unbound = { deviceId, unboundBy: me.operatorId, endedSessions: ended.map(({ id }) => id) };
  return accepted(undefined, [
    DeviceUnbound.from(unbound, { aggregateVersion: version }),
    ...sessionsRevoked(ended, 'device_revoked'),
  ]);
}
