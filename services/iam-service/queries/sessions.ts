import { and, desc, eq, gt, isNull, ne, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Role } from '@melmastoon/tenant-service/contract';
import { idleEnd, type RevokedReason } from '../model.ts';
import { hashToken, newSecretToken, type SecretToken } from '../secret-token.ts';
import { operators } from '../tables/accounts.ts';
import { devices, refreshTokens, sessions } from '../tables/sessions.ts';

export type Session = typeof sessions.$inferSelect;

/** A session with the one copy of its refresh token that will ever exist outside the client, and that token's number. */
export type OpenedSession = { session: Session; refresh: SecretToken; sequence: number };

type Times = { sessionMs: number; sessionIdleMs: number };

/** Begins a session. `expiresAt` keeps the absolute end of the one it replaces. Lock the operator first. */
export async function insertSession(
  ctx: Ctx,
  times: Times,
  start: {
    operatorId: Id<'usr'>;
    deviceId: Id<'dev'> | null;
    amr: readonly string[];
    actingRole?: Role | null;
    expiresAt?: Date;
  },
): Promise<OpenedSession> {
  const expiresAt = start.expiresAt ?? new Date(ctx.now.getTime() + times.sessionMs);
  const session: Session = {
    tenant_id: ctx.tenantId,
    id: ctx.newId('ses', ctx.now.getTime()),
    operator_id: start.operatorId,
    device_id: start.deviceId,
    amr: [...start.amr],
    acting_role: start.actingRole ?? null,
    created_at: ctx.now,
    idle_expires_at: idleEnd(ctx.now, times.sessionIdleMs, expiresAt),
    expires_at: expiresAt,
    revoked_at: null,
    revoked_reason: null,
    version: 1,
  };
  await ctx.tx.insert(sessions).values(session);
  return { session, sequence: 0, refresh: await insertRefreshToken(ctx, session.id, 0) };
}

async function insertRefreshToken(ctx: Ctx, sessionId: Id<'ses'>, sequence: number): Promise<SecretToken> {
  const token = newSecretToken('refresh');
  await ctx.tx.insert(refreshTokens).values({
    tenant_id: ctx.tenantId,
    token_hash: token.hash,
    session_id: sessionId,
    sequence,
    state: 'current',
    created_at: ctx.now,
  });
  return token;
}

const mine = (ctx: Ctx, id: Id<'ses'>) => and(eq(sessions.tenant_id, ctx.tenantId), eq(sessions.id, id));

/** A session with the account and device behind it, for deciding whether it opens a door. */
export async function findSessionToVerify(ctx: Ctx, id: Id<'ses'>) {
  const [found] = await ctx.tx
    .select({ session: sessions, operatorStatus: operators.status, deviceRevokedAt: devices.revoked_at })
    .from(sessions)
    .innerJoin(
      operators,
      and(eq(operators.tenant_id, sessions.tenant_id), eq(operators.id, sessions.operator_id)),
    )
    .leftJoin(devices, and(eq(devices.tenant_id, sessions.tenant_id), eq(devices.id, sessions.device_id)))
    .where(mine(ctx, id));
  return found;
}

/** Reads a session and makes everybody else who rotates or ends it wait. */
export async function lockSession(ctx: Ctx, id: Id<'ses'>): Promise<Session | undefined> {
  const [found] = await ctx.tx.select().from(sessions).where(mine(ctx, id)).for('no key update');
  return found;
}

/** A presented refresh token; undefined when we never made it. */
export async function findRefreshToken(ctx: Ctx, token: string) {
  const [found] = await ctx.tx
    .select()
    .from(refreshTokens)
    .where(
      and(
        eq(refreshTokens.tenant_id, ctx.tenantId),
        eq(refreshTokens.token_hash, hashToken('refresh', token)),
      ),
    );
  return found;
}

const family = (ctx: Ctx, id: Id<'ses'>) =>
  and(eq(refreshTokens.tenant_id, ctx.tenantId), eq(refreshTokens.session_id, id));

/** The newest token of a family that was exchanged, or -1. Read it under the session's lock. */
export async function lastUsedSequence(ctx: Ctx, id: Id<'ses'>): Promise<number> {
  const [found] = await ctx.tx
    .select({ sequence: refreshTokens.sequence })
    .from(refreshTokens)
    .where(and(family(ctx, id), eq(refreshTokens.state, 'used')))
    .orderBy(desc(refreshTokens.sequence))
    .limit(1);
  return found?.sequence ?? -1;
}

/** Replaces the family's current token and keeps the session from going idle. Needs the session's lock. */
export async function rotateRefreshToken(
  ctx: Ctx,
  session: Session,
  { retry, idleMs }: { retry: boolean; idleMs: number },
): Promise<OpenedSession> {
  const [replaced] = await ctx.tx
    .update(refreshTokens)
    .set({ state: retry ? 'superseded' : 'used' })
    .where(and(family(ctx, session.id), eq(refreshTokens.state, 'current')))
    .returning({ sequence: refreshTokens.sequence });
  if (replaced === undefined) throw new Error(`session ${session.id} has no current refresh token`);
  const idle_expires_at = idleEnd(ctx.now, idleMs, session.expires_at);
  const version = session.version + 1;
  await ctx.tx.update(sessions).set({ idle_expires_at, version }).where(mine(ctx, session.id));
  const sequence = replaced.sequence + 1;
  return {
    session: { ...session, idle_expires_at, version },
    sequence,
    refresh: await insertRefreshToken(ctx, session.id, sequence),
  };
}

const live = (ctx: Ctx) =>
  and(
    eq(sessions.tenant_id, ctx.tenantId),
    isNull(sessions.revoked_at),
    gt(sessions.expires_at, ctx.now),
    gt(sessions.idle_expires_at, ctx.now),
  );

/** The sessions of an account that are alive now, newest first. */
export async function listLiveSessions(ctx: Ctx, operatorId: Id<'usr'>) {
  return ctx.tx
    .select({ session: sessions, deviceName: devices.name })
    .from(sessions)
    .leftJoin(devices, and(eq(devices.tenant_id, sessions.tenant_id), eq(devices.id, sessions.device_id)))
    .where(and(live(ctx), eq(sessions.operator_id, operatorId)))
    .orderBy(desc(sessions.id));
}

/** Which sessions to end. Name an operator, a device, or one session of an operator. */
export type SessionsOf = {
  operatorId?: Id<'usr'>;
  deviceId?: Id<'dev'>;
  sessionId?: Id<'ses'>;
  except?: Id<'ses'> | undefined;
};

/** Ends sessions for good; returns those that were still open, as they are now. */
export async function revokeSessions(ctx: Ctx, which: SessionsOf, reason: RevokedReason): Promise<Session[]> {
  const chosen = [
    which.operatorId && eq(sessions.operator_id, which.operatorId),
    which.deviceId && eq(sessions.device_id, which.deviceId),
    which.sessionId && eq(sessions.id, which.sessionId),
  ].filter(part => part !== undefined);
  if (chosen.length === 0) throw new TypeError('revokeSessions: of whom?');
  const ended = await ctx.tx
    .update(sessions)
    .set({ revoked_at: ctx.now, revoked_reason: reason, version: sql`${sessions.version} + 1` })
    .where(
      and(
        eq(sessions.tenant_id, ctx.tenantId),
        isNull(sessions.revoked_at),
        ...chosen,
        which.except === undefined ? sql`true` : ne(sessions.id, which.except),
      ),
    )
    .returning();
  if (ended.length > 0)
    ctx.count('melmastoon_sessions_revoked_total', { service: 'iam-service', reason }, ended.length);
  return ended;
}
