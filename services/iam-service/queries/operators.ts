import { and, asc, eq, gt, isNull, ne, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LinkPurpose } from '../model.ts';
import { hashToken, newSecretToken, type SecretToken } from '../secret-token.ts';
import { operators, passwordLinks } from '../tables/accounts.ts';

export type Operator = typeof operators.$inferSelect;

const mine = (ctx: Ctx, id: Id<'usr'>) => and(eq(operators.tenant_id, ctx.tenantId), eq(operators.id, id));

/** The account behind an e-mail, in any case of its letters. */
export async function findOperatorByEmail(ctx: Ctx, email: string): Promise<Operator | undefined> {
  const [found] = await ctx.tx
    .select()
    .from(operators)
    .where(
      and(eq(operators.tenant_id, ctx.tenantId), eq(sql`lower(${operators.email})`, email.toLowerCase())),
    );
  return found;
}

/** One account; NOT_FOUND also for another tenant's. */
export async function getOperator(ctx: Ctx, id: Id<'usr'>): Promise<Operator> {
  const [found] = await ctx.tx.select().from(operators).where(mine(ctx, id));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Operator' });
  return found;
}

/**
 * Reads an account and makes everybody else who begins or ends its sessions wait. Lock order: operator, then its
 * sessions. Without it a sign-in could slip in behind a "sign out everywhere" and survive it.
 */
export async function lockOperator(ctx: Ctx, id: Id<'usr'>): Promise<Operator> {
  const [found] = await ctx.tx.select().from(operators).where(mine(ctx, id)).for('no key update');
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Operator' });
  return found;
}

/** The accounts of a tenant in the order of their ids. */
export async function listOperators(
  ctx: Ctx,
  page: { after?: Id<'usr'> | undefined; limit: number },
): Promise<Operator[]> {
  return ctx.tx
    .select()
    .from(operators)
    .where(
      and(
        eq(operators.tenant_id, ctx.tenantId),
        page.after === undefined ? undefined : gt(operators.id, page.after),
      ),
    )
    .orderBy(asc(operators.id))
    .limit(page.limit);
}

/** Adds an account; false when the e-mail is taken. */
export async function insertOperator(
  ctx: Ctx,
  operator: Pick<Operator, 'id' | 'email' | 'name' | 'status'> & Partial<Pick<Operator, 'password_hash'>>,
): Promise<boolean> {
  const added = await ctx.tx
    .insert(operators)
    .values({ ...operator, tenant_id: ctx.tenantId, created_at: ctx.now, updated_at: ctx.now })
    .onConflictDoNothing()
    .returning({ id: operators.id });
  return added.length === 1;
}

/** Writes changed fields of a locked account. */
export async function updateOperator(
  ctx: Ctx,
  id: Id<'usr'>,
  changes: Partial<Pick<Operator, 'status' | 'password_hash' | 'password_changed_at'>>,
): Promise<void> {
  await ctx.tx
    .update(operators)
    .set({ ...changes, updated_at: ctx.now, version: sql`${operators.version} + 1` })
    .where(mine(ctx, id));
}

/** Makes a one-time link; earlier ones of this account stop working. */
export async function insertPasswordLink(
  ctx: Ctx,
  link: { operatorId: Id<'usr'>; purpose: LinkPurpose; lifeMs: number },
): Promise<SecretToken & { expiresAt: Date }> {
  await voidPasswordLinks(ctx, link.operatorId);
  const token = newSecretToken('password-link');
  const expiresAt = new Date(ctx.now.getTime() + link.lifeMs);
  await ctx.tx.insert(passwordLinks).values({
    tenant_id: ctx.tenantId,
    token_hash: token.hash,
    operator_id: link.operatorId,
    purpose: link.purpose,
    created_at: ctx.now,
    expires_at: expiresAt,
  });
  return { ...token, expiresAt };
}

/** Ends every open link of an account. */
export async function voidPasswordLinks(ctx: Ctx, operatorId: Id<'usr'>): Promise<void> {
  await ctx.tx
    .update(passwordLinks)
    .set({ used_at: ctx.now })
    .where(
      and(
        eq(passwordLinks.tenant_id, ctx.tenantId),
        eq(passwordLinks.operator_id, operatorId),
        isNull(passwordLinks.used_at),
      ),
    );
}

const usable = (ctx: Ctx, token: string) =>
  and(
    eq(passwordLinks.tenant_id, ctx.tenantId),
    eq(passwordLinks.token_hash, hashToken('password-link', token)),
    isNull(passwordLinks.used_at),
    gt(passwordLinks.expires_at, ctx.now),
  );

/** The account a link would set the password of, while it works. */
export async function findLinkedOperator(ctx: Ctx, token: string): Promise<Operator | undefined> {
  const [found] = await ctx.tx
    .select({ operator: operators })
    .from(passwordLinks)
    .innerJoin(
      operators,
      and(eq(operators.tenant_id, passwordLinks.tenant_id), eq(operators.id, passwordLinks.operator_id)),
    )
    .where(and(usable(ctx, token), ne(operators.status, 'disabled')));
  return found?.operator;
}

/** Uses a link up; false when somebody was faster. */
export async function consumePasswordLink(ctx: Ctx, token: string): Promise<boolean> {
  const used = await ctx.tx
    .update(passwordLinks)
    .set({ used_at: ctx.now })
    .where(usable(ctx, token))
    .returning({ operatorId: passwordLinks.operator_id });
  return used.length === 1;
}
