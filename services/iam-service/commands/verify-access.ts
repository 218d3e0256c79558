import type { AnswerCtx } from '@ghasi/backbone/question';
import { type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { isId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { membershipOf, platformRoles, type Role } from '@melmastoon/tenant-service/contract';
import type { z } from 'zod';
import { type AccessClaims, readAccessToken } from '../access-token.ts';
import type { verifyAccess as question } from '../contract.ts';
import { provenDevice } from '../device-proof.ts';
import type { Iam } from '../iam.ts';
import { isLive } from '../model.ts';
import { peekAttestation } from '../queries/challenges.ts';
import { record } from '../queries/security-log.ts';
import { findSessionToVerify } from '../queries/sessions.ts';

type Input = z.output<typeof question.input>;
type Output = z.input<typeof question.output>;
type Refusal = Extract<Output, { refused: unknown }>['refused'];

/** Finds out who sends a request; see the question in contract.ts. */
export async function verifyAccess(iam: Iam, { db, ask, log }: AnswerCtx, input: Input): Promise<Output> {
  const now = iam.now();
  const token = /^Bearer ([A-Za-z0-9._-]+)$/.exec(input.authorization ?? '')?.[1];
  if (token === undefined) return { refused: 'NO_TOKEN' };
  const claims = await readAccessToken(iam, { db, now }, token);
  if (claims === undefined) return { refused: 'BAD_TOKEN' };
  const { tenantId, operatorId } = claims;
  const who = { tenantId, actor: { type: 'user', id: operatorId }, now, log } as const;
  // A proof spends a nonce, hence writes; without one, reading is enough.
  const transaction =
    input.kind === 'device' || input.deviceProof !== undefined ? tenantTransaction : tenantRead;
  const [seen, membership] = await Promise.all([
    transaction(db, who, ctx => inspect(ctx, { input, claims, token })),
    ask(membershipOf, { tenantId, operatorId }),
  ]);
  if ('refused' in seen) return seen;
  if (membership?.status !== 'active') return { refused: 'NO_MEMBERSHIP' };
  const roles = effectiveRoles(membership.roles, { actingRole: seen.actingRole, tenantId });
  if (roles.length === 0) return { refused: 'NO_MEMBERSHIP' };
  const { deviceId } = seen;
  return {
    principal: {
      kind: input.kind,
      id: input.kind === 'device' ? (deviceId as string) : operatorId,
      operatorId,
      tenantId,
      roles,
      sessionId: claims.sessionId,
      ...(deviceId === undefined ? {} : { deviceId }),
      amr: seen.amr,
      ...(seen.attestation === undefined ? {} : { attestation: seen.attestation }),
    },
  };
}

type Seen = {
  deviceId: NonNullable<Extract<Output, { principal: unknown }>['principal']['deviceId']> | undefined;
  actingRole: string | null;
  amr: string[];
  attestation: Extract<Output, { principal: unknown }>['principal']['attestation'];
};

async function inspect(
  ctx: Ctx,
  { input, claims, token }: { input: Input; claims: AccessClaims; token: string },
): Promise<Seen | { refused: Refusal }> {
  const found = await findSessionToVerify(ctx, claims.sessionId);
  if (
    found === undefined ||
    found.session.operator_id !== claims.operatorId ||
    !isLive(found.session, ctx.now) ||
    found.operatorStatus !== 'active' ||
    found.deviceRevokedAt !== null
  ) {
    return { refused: 'SESSION_ENDED' };
  }
  const { session } = found;
  if (input.kind === 'device' && session.device_id === null) return { refused: 'NOT_A_DEVICE_SESSION' };
  const mustProve = input.kind === 'device' || input.deviceProof !== undefined;
  if (mustProve && !(await isProven(ctx, { input, token, deviceId: session.device_id }))) {
    const seen = {
      operatorId: session.operator_id,
      sessionId: session.id,
      deviceId: session.device_id ?? undefined,
    };
    await record(ctx, { event: 'device.proof_refused', ...seen });
    return { refused: 'DEVICE_PROOF_REFUSED' };
  }
  return {
    deviceId: session.device_id ?? undefined,
    actingRole: session.acting_role,
    // `pop`: this very request was signed by the device's key.
    amr: mustProve ? [...session.amr, 'pop'] : session.amr,
    attestation: await attestationFor(ctx, input, claims),
  };
}

async function isProven(
  ctx: Ctx,
  { input, token, deviceId }: { input: Input; token: string; deviceId: string | null },
): Promise<boolean> {
  const device = await provenDevice(ctx, {
    proof: input.deviceProof,
    method: input.method,
    target: input.path,
    bodyHash: input.bodyHash ?? '',
    token,
  });
  return device !== undefined && device.id === deviceId;
}

async function attestationFor(ctx: Ctx, { attestation, stepUp }: Input, { sessionId }: AccessClaims) {
  if (stepUp === undefined || !isId('mfa', attestation)) return undefined;
  const action = await peekAttestation(ctx, { id: attestation, sessionId });
  return action === stepUp ? { id: attestation, action } : undefined;
}

/** The roles that count: the one chosen for this session while still held, and platform roles on the platform only. */
function effectiveRoles(held: readonly Role[], by: { actingRole: string | null; tenantId: string }): Role[] {
  return held
    .filter(role => by.actingRole === null || role === by.actingRole)
    .filter(role => by.tenantId === PLATFORM_TENANT_ID || !platformRoles.some(platform => platform === role));
}
