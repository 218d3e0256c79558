import { createHash } from 'node:crypto';
import { and, eq } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type AttemptKind, countAttempt } from '../model.ts';
import { attempts } from '../tables/accounts.ts';

/** Who or what is being guessed at. Hashed, so that the table tells nobody which accounts exist. */
export type Subject = { kind: AttemptKind; of: readonly string[] };

function at(ctx: Ctx, { kind, of }: Subject) {
  const subject = createHash('sha256')
    .update(JSON.stringify([kind, ...of]))
    .digest();
  const where = and(
    eq(attempts.tenant_id, ctx.tenantId),
    eq(attempts.kind, kind),
    eq(attempts.subject, subject),
  );
  return { subject, where };
}

/**
 * Counts an attempt as failed before it is judged; returns until when further attempts are refused, or undefined when
 * this one may go on. PostgreSQL counts, so that a lost Redis opens nothing (safety rules 30, 36).
 */
export async function reserveAttempt(ctx: Ctx, subject: Subject): Promise<Date | undefined> {
  const row = at(ctx, subject);
  await ctx.tx
    .insert(attempts)
    .values({
      tenant_id: ctx.tenantId,
      kind: subject.kind,
      subject: row.subject,
      failures: 0,
      last_at: ctx.now,
    })
    .onConflictDoNothing();
  // Everybody who guesses at the same thing waits here for the one before.
  const [before] = await ctx.tx.select().from(attempts).where(row.where).for('update');
  const outcome = countAttempt(subject.kind, before, ctx.now);
  if (outcome.kind === 'blocked') return outcome.until;
  await ctx.tx.update(attempts).set(outcome.counted).where(row.where);
  return undefined;
}

/** Forgets the failures after a success. */
export async function clearAttempts(ctx: Ctx, subject: Subject): Promise<void> {
  await ctx.tx.delete(attempts).where(at(ctx, subject).where);
}
