import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { InstallationKeys } from './installation-keys.ts';
import { activeFactors, advanceTotpStep, type FactorRow } from './queries/factors.ts';
import { seal, unseal } from './sealed.ts';

/** A step before and a step after: phones' clocks are off by seconds, not by minutes. */
const TOLERANCE_SECONDS = 30;

/** A new secret: for the app, as text and as the address in the QR code. */
export function newTotpSecret(issuer: string, account: string): { secret: string; uri: string } {
  const secret = generateSecret(); // 160 bits, as RFC 4226 recommends
  return { secret, uri: generateURI({ issuer, label: account, secret }) };
}

type Owner = { tenantId: string; operatorId: string; factorId: string };

/** A sealed secret opens for its own factor only. */
const placeOf = ({ tenantId, operatorId, factorId }: Owner) => ({
  purpose: 'totp secret',
  context: [tenantId, operatorId, factorId],
});

/** The secret as it is stored. */
export function sealTotpSecret(keys: InstallationKeys, secret: string, owner: Owner): Buffer {
  return seal(keys, Buffer.from(secret), placeOf(owner));
}

/** Accepts a code once: true for the first use of a step that is later than all used before (safety rule 20). */
export async function acceptTotp(
  ctx: Ctx,
  keys: InstallationKeys,
  factor: FactorRow,
  code: string,
): Promise<boolean> {
  if (!/^\d{6}$/.test(code) || factor.sealed_secret === null) return false;
  const owner = { tenantId: ctx.tenantId, operatorId: factor.operator_id, factorId: factor.id };
  const result = verifySync({
    secret: unseal(keys, factor.sealed_secret, placeOf(owner)).toString(),
    token: code,
    epoch: Math.floor(ctx.now.getTime() / 1000),
    epochTolerance: TOLERANCE_SECONDS,
  });
  if (!result.valid || !('timeStep' in result)) return false;
  return advanceTotpStep(ctx, factor.id, result.timeStep);
}

/** Accepts a code of whichever TOTP factor the person has. */
export async function acceptTotpOf(
  ctx: Ctx,
  keys: InstallationKeys,
  { operatorId, code }: { operatorId: Id<'usr'>; code: string },
): Promise<boolean> {
  const [factor] = await activeFactors(ctx, operatorId, 'totp');
  return factor !== undefined && acceptTotp(ctx, keys, factor, code);
}
