import { and, asc, eq, gt, isNull, lt, or, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { type Factor, lifetimes } from '../model.ts';
import { hashToken, newTypedCode } from '../secret-token.ts';
import { factors, recoveryCodes } from '../tables/accounts.ts';

export type FactorRow = typeof factors.$inferSelect;

const ofOperator = (ctx: Ctx, operatorId: Id<'usr'>) =>
  and(eq(factors.tenant_id, ctx.tenantId), eq(factors.operator_id, operatorId));

/** The factors of an account that count. */
export async function activeFactors(ctx: Ctx, operatorId: Id<'usr'>, kind?: Factor): Promise<FactorRow[]> {
  return ctx.tx
    .select()
    .from(factors)
    .where(
      and(
        ofOperator(ctx, operatorId),
        eq(factors.status, 'active'),
        kind === undefined ? undefined : eq(factors.kind, kind),
      ),
    )
    .orderBy(asc(factors.id));
}

/** A TOTP factor that still has to show its first code. */
export async function findPendingTotp(
  ctx: Ctx,
  operatorId: Id<'usr'>,
  id: Id<'fac'>,
): Promise<FactorRow | undefined> {
  const [found] = await ctx.tx
    .select()
    .from(factors)
    .where(
      and(
        ofOperator(ctx, operatorId),
        eq(factors.id, id),
        eq(factors.kind, 'totp'),
        eq(factors.status, 'pending'),
        gt(factors.created_at, new Date(ctx.now.getTime() - lifetimes.pendingFactorMs)),
      ),
    );
  return found;
}

/** Starts a TOTP factor over: a person has one, and at most one more that waits to be confirmed. */
export async function replacePendingTotp(
  ctx: Ctx,
  factor: { id: Id<'fac'>; operatorId: Id<'usr'>; label: string; sealedSecret: Buffer },
): Promise<void> {
  await ctx.tx
    .delete(factors)
    .where(and(ofOperator(ctx, factor.operatorId), eq(factors.kind, 'totp'), eq(factors.status, 'pending')));
  await ctx.tx.insert(factors).values({
    tenant_id: ctx.tenantId,
    id: factor.id,
    operator_id: factor.operatorId,
    kind: 'totp',
    label: factor.label,
    status: 'pending',
    sealed_secret: factor.sealedSecret,
    created_at: ctx.now,
  });
}

/** Makes a confirmed TOTP factor count, in place of an older one; returns its version then. */
export async function activateTotp(ctx: Ctx, operatorId: Id<'usr'>, id: Id<'fac'>): Promise<number> {
  await ctx.tx
    .delete(factors)
    .where(and(ofOperator(ctx, operatorId), eq(factors.kind, 'totp'), eq(factors.status, 'active')));
  const [active] = await ctx.tx
    .update(factors)
    .set({ status: 'active', confirmed_at: ctx.now, version: sql`${factors.version} + 1` })
    .where(and(ofOperator(ctx, operatorId), eq(factors.id, id)))
    .returning({ version: factors.version });
  if (active === undefined) throw new Error(`factor ${id} was gone before it could count`);
  return active.version;
}

/**
 * Marks a TOTP step as used; false when it or a later one was used before, in whatever process (RFC 6238, 5.2). One
 * conditional update is the whole defence: the row's lock makes 50 parallel uses take turns.
 */
export async function advanceTotpStep(ctx: Ctx, id: Id<'fac'>, step: number): Promise<boolean> {
  const taken = await ctx.tx
    .update(factors)
    .set({ last_step: BigInt(step) })
    .where(
      and(
        eq(factors.tenant_id, ctx.tenantId),
        eq(factors.id, id),
        or(isNull(factors.last_step), lt(factors.last_step, BigInt(step))),
      ),
    )
    .returning({ id: factors.id });
  return taken.length === 1;
}

/** Adds a passkey, at its first version; false when this credential is known already. */
export async function insertPasskey(
  ctx: Ctx,
  passkey: {
    id: Id<'fac'>;
    operatorId: Id<'usr'>;
    label: string;
    credentialId: string;
    publicKey: Buffer;
    signCount: number;
    transports: string[];
  },
): Promise<boolean> {
  const added = await ctx.tx
    .insert(factors)
    .values({
      tenant_id: ctx.tenantId,
      id: passkey.id,
      operator_id: passkey.operatorId,
      kind: 'webauthn',
      label: passkey.label,
      status: 'active',
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      sign_count: BigInt(passkey.signCount),
      transports: passkey.transports,
      created_at: ctx.now,
      confirmed_at: ctx.now,
    })
    .onConflictDoNothing()
    .returning({ id: factors.id });
  return added.length === 1;
}

/** Moves a passkey's counter on; false when it did not grow. Passkeys without a counter stay at zero. */
export async function advanceSignCount(ctx: Ctx, id: Id<'fac'>, count: number): Promise<boolean> {
  const grown = lt(factors.sign_count, BigInt(count));
  const moved = await ctx.tx
    .update(factors)
    .set({ sign_count: BigInt(count) })
    .where(
      and(
        eq(factors.tenant_id, ctx.tenantId),
        eq(factors.id, id),
        count === 0 ? eq(factors.sign_count, 0n) : grown,
      ),
    )
    .returning({ id: factors.id });
  return moved.length === 1;
}

/** Removes one factor; false when the account has no such factor. */
export async function deleteFactor(ctx: Ctx, operatorId: Id<'usr'>, id: Id<'fac'>): Promise<boolean> {
  const removed = await ctx.tx
    .delete(factors)
    .where(and(ofOperator(ctx, operatorId), eq(factors.id, id)))
    .returning({ id: factors.id });
  return removed.length === 1;
}

/** Removes every factor and recovery code of an account. */
export async function deleteAllFactors(ctx: Ctx, operatorId: Id<'usr'>): Promise<void> {
  await ctx.tx.delete(factors).where(ofOperator(ctx, operatorId));
  await deleteRecoveryCodes(ctx, operatorId);
}

const codesOf = (ctx: Ctx, operatorId: Id<'usr'>) =>
  and(eq(recoveryCodes.tenant_id, ctx.tenantId), eq(recoveryCodes.operator_id, operatorId));

export async function deleteRecoveryCodes(ctx: Ctx, operatorId: Id<'usr'>): Promise<void> {
  await ctx.tx.delete(recoveryCodes).where(codesOf(ctx, operatorId));
}

/** Replaces an account's recovery codes; returns them for the only time. */
export async function replaceRecoveryCodes(
  ctx: Ctx,
  operatorId: Id<'usr'>,
  count: number,
): Promise<string[]> {
  await deleteRecoveryCodes(ctx, operatorId);
  const codes = Array.from({ length: count }, () => newTypedCode('recovery'));
  await ctx.tx.insert(recoveryCodes).values(
    codes.map(({ hash }) => ({
      tenant_id: ctx.tenantId,
      operator_id: operatorId,
      code_hash: hash,
      created_at: ctx.now,
    })),
  );
  return codes.map(({ text }) => text);
}

/** Uses a recovery code up; false when it is not one or was used before. */
export async function consumeRecoveryCode(ctx: Ctx, operatorId: Id<'usr'>, code: string): Promise<boolean> {
  const used = await ctx.tx
    .update(recoveryCodes)
    .set({ used_at: ctx.now })
    .where(
      and(
        codesOf(ctx, operatorId),
        eq(recoveryCodes.code_hash, hashToken('recovery', code)),
        isNull(recoveryCodes.used_at),
      ),
    )
    .returning({ hash: recoveryCodes.code_hash });
  return used.length === 1;
}
