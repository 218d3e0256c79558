import { and, eq, gt, isNull, lt, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { CHALLENGE_TRIES, type Confirmed, type Factor, lifetimes } from '../model.ts';
import { hashToken } from '../secret-token.ts';
import { attestations, challenges } from '../tables/accounts.ts';

export type Challenge = typeof challenges.$inferSelect;

/** An action as columns; null where nothing was said, so that nothing matches only nothing. */
export function confirmedColumns({ action, amount, resource }: Confirmed) {
  return {
    action,
    amount_minor: amount === undefined ? null : BigInt(amount.amount),
    currency: amount?.currency ?? null,
    resource: resource ?? null,
  };
}

/** Puts a question that must be answered within minutes. */
export async function insertChallenge(
  ctx: Ctx,
  challenge: Pick<Challenge, 'purpose' | 'operator_id'> &
    Partial<
      Pick<
        Challenge,
        | 'session_id'
        | 'device_id'
        | 'token_hash'
        | 'webauthn_challenge'
        | 'action'
        | 'amount_minor'
        | 'currency'
        | 'resource'
      >
    >,
): Promise<{ id: Id<'chl'>; expiresAt: Date }> {
  const id = ctx.newId('chl', ctx.now.getTime());
  const expiresAt = new Date(ctx.now.getTime() + lifetimes.challengeMs);
  await ctx.tx.insert(challenges).values({
    ...challenge,
    tenant_id: ctx.tenantId,
    id,
    created_at: ctx.now,
    expires_at: expiresAt,
  });
  return { id, expiresAt };
}

const open = (ctx: Ctx) =>
  and(
    eq(challenges.tenant_id, ctx.tenantId),
    isNull(challenges.consumed_at),
    gt(challenges.expires_at, ctx.now),
    lt(challenges.failures, CHALLENGE_TRIES),
  );

/** The half-finished sign-in behind a token, locked, while it can be finished. */
export async function lockSignIn(ctx: Ctx, token: string): Promise<Challenge | undefined> {
  const [found] = await ctx.tx
    .select()
    .from(challenges)
    .where(
      and(
        open(ctx),
        eq(challenges.purpose, 'sign_in'),
        eq(challenges.token_hash, hashToken('sign-in', token)),
      ),
    )
    .for('update');
  return found;
}

/** Uses up a passkey's challenge of this session: right or wrong, it is answered once. */
export async function takeChallenge(
  ctx: Ctx,
  which: { id: Id<'chl'>; purpose: 'register' | 'step_up'; sessionId: Id<'ses'> },
): Promise<Challenge | undefined> {
  const [taken] = await ctx.tx
    .update(challenges)
    .set({ consumed_at: ctx.now })
    .where(
      and(
        open(ctx),
        eq(challenges.id, which.id),
        eq(challenges.purpose, which.purpose),
        eq(challenges.session_id, which.sessionId),
      ),
    )
    .returning();
  return taken;
}

/** Marks a challenge as answered. */
export async function consumeChallenge(ctx: Ctx, id: Id<'chl'>): Promise<void> {
  await ctx.tx
    .update(challenges)
    .set({ consumed_at: ctx.now })
    .where(and(eq(challenges.tenant_id, ctx.tenantId), eq(challenges.id, id)));
}

/** Counts a wrong answer. */
export async function countWrongAnswer(ctx: Ctx, id: Id<'chl'>): Promise<void> {
  await ctx.tx
    .update(challenges)
    .set({ failures: sql`${challenges.failures} + 1` })
    .where(and(eq(challenges.tenant_id, ctx.tenantId), eq(challenges.id, id)));
}

/** Writes a confirmation down. */
export async function insertAttestation(
  ctx: Ctx,
  attestation: { operatorId: Id<'usr'>; sessionId: Id<'ses'>; method: Factor; confirmed: Confirmed },
): Promise<{ id: Id<'mfa'>; expiresAt: Date }> {
  const id = ctx.newId('mfa', ctx.now.getTime());
  const expiresAt = new Date(ctx.now.getTime() + lifetimes.attestationMs);
  await ctx.tx.insert(attestations).values({
    ...confirmedColumns(attestation.confirmed),
    tenant_id: ctx.tenantId,
    id,
    operator_id: attestation.operatorId,
    session_id: attestation.sessionId,
    method: attestation.method,
    created_at: ctx.now,
    expires_at: expiresAt,
  });
  return { id, expiresAt };
}

const unused = (ctx: Ctx, which: { id: Id<'mfa'>; sessionId: Id<'ses'> }) =>
  and(
    eq(attestations.tenant_id, ctx.tenantId),
    eq(attestations.id, which.id),
    eq(attestations.session_id, which.sessionId),
    isNull(attestations.consumed_at),
    gt(attestations.expires_at, ctx.now),
  );

/** The action an unused confirmation of this session is for. */
export async function peekAttestation(ctx: Ctx, which: { id: Id<'mfa'>; sessionId: Id<'ses'> }) {
  const [found] = await ctx.tx
    .select({ action: attestations.action })
    .from(attestations)
    .where(unused(ctx, which));
  return found?.action;
}

/** Uses a confirmation up; undefined unless session, action, amount and resource are all the confirmed ones. */
export async function takeAttestation(
  ctx: Ctx,
  which: { id: Id<'mfa'>; sessionId: Id<'ses'>; confirmed: Confirmed },
) {
  const wanted = confirmedColumns(which.confirmed);
  const [taken] = await ctx.tx
    .update(attestations)
    .set({ consumed_at: ctx.now })
    .where(
      and(
        unused(ctx, which),
        eq(attestations.action, wanted.action),
        sql`${attestations.amount_minor} is not distinct from ${wanted.amount_minor}`,
        sql`${attestations.currency} is not distinct from ${wanted.currency}`,
        sql`${attestations.resource} is not distinct from ${wanted.resource}`,
      ),
    )
    .returning({ operatorId: attestations.operator_id });
  return taken;
}
