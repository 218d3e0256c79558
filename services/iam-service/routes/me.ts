import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { membershipOf, roles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';
import { changePassword } from '../commands/passwords.ts';
import { endOneSession, endSessions, switchRole } from '../commands/sessions.ts';
import { errors } from '../errors.ts';
import { type Iam, inTenant } from '../iam.ts';
import { getOperator } from '../queries/operators.ts';
import { listLiveSessions } from '../queries/sessions.ts';
import {
  anyOperator,
  blocked,
  deliveryOf,
  guarded,
  instant,
  meOf,
  password,
  REFRESH_COOKIE,
  refreshCookie,
  sessionBody,
  sessionReply,
} from './shapes.ts';

const endsTwice = { none: 'ending what has ended changes nothing' };

const sessionView = z.strictObject({
  id: z.string(),
  current: z.boolean(),
  device: z.string().nullable(),
  amr: z.array(z.string()),
  actingRole: z.string().nullable(),
  createdAt: instant,
  idleExpiresAt: instant,
  expiresAt: instant,
});

/** What a person does with his own account and sessions. */
export function meRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/auth/me',
      summary: 'Who is signed in, with which roles',
      auth: anyOperator,
      returns: {
        200: z.strictObject({
          id: z.string(),
          name: z.string(),
          email: z.string(),
          tenantId: z.string(),
          roles: z.array(z.string()),
          sessionId: z.string(),
          amr: z.array(z.string()),
        }),
      },
      async handler(ctx) {
        const me = meOf(ctx.principal);
        const { id, name, email } = await getOperator(ctx, me.operatorId);
        const { roles: held, amr } = ctx.principal;
        const body = {
          id,
          name,
          email,
          tenantId: ctx.tenantId,
          roles: [...held],
          sessionId: me.sessionId,
          amr: [...amr],
        };
        return { status: 200, body };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/sign-out',
      summary: 'End this session everywhere at once',
      auth: anyOperator,
      returns: { 204: z.undefined() },
      idempotency: endsTwice,
      async handler(ctx) {
        const me = meOf(ctx.principal);
        const mine = { operatorId: me.operatorId, sessionId: me.sessionId };
        const { events } = await endSessions(ctx, mine, 'signed_out');
        return { status: 204, cookies: [refreshCookie('', 0)], events };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/api/v1/auth/sessions',
      summary: 'My sessions that are alive now',
      auth: anyOperator,
      returns: { 200: z.strictObject({ sessions: z.array(sessionView) }) },
      async handler(ctx) {
        const me = meOf(ctx.principal);
        const found = await listLiveSessions(ctx, me.operatorId);
        const sessions = found.map(({ session, deviceName }) => ({
          id: session.id,
          current: session.id === me.sessionId,
          device: deviceName,
          amr: session.amr,
          actingRole: session.acting_role,
          createdAt: session.created_at.toISOString(),
          idleExpiresAt: session.idle_expires_at.toISOString(),
          expiresAt: session.expires_at.toISOString(),
        }));
        return { status: 200, body: { sessions } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/api/v1/auth/sessions/:sessionId',
      summary: 'End one of my sessions',
      auth: anyOperator,
      params: z.strictObject({ sessionId: idText('ses') }),
      returns: { 204: z.undefined() },
      errors: [coreErrors.NOT_FOUND],
      idempotency: endsTwice,
      async handler(ctx, { params }) {
        const { events } = await endOneSession(ctx, meOf(ctx.principal), params.sessionId);
        return { status: 204, events };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/api/v1/auth/sessions',
      summary: 'End all my sessions but this one',
      auth: anyOperator,
      returns: { 200: z.strictObject({ ended: z.int() }) },
      idempotency: endsTwice,
      async handler(ctx) {
        const me = meOf(ctx.principal);
        const others = { operatorId: me.operatorId, except: me.sessionId };
        const { value: ended, events } = await endSessions(ctx, others, 'revoked');
        return { status: 200, body: { ended }, events };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/role',
      summary:
        'Act in one of my roles, or in all again (null); needs the refresh token, and gives a new session',
      auth: anyOperator,
      body: z.strictObject({ role: z.enum(roles).nullable(), refreshToken: z.string().max(200).optional() }),
      returns: { 200: sessionBody },
      errors: [errors.ROLE_NOT_HELD, errors.SESSION_ENDED, errors.DEVICE_PROOF_REFUSED],
      idempotency: { none: 'the reply carries tokens, and a stored reply would be a copy of them' },
      transaction: 'none',
      async handler(ctx, { body }, request) {
        const me = meOf(ctx.principal);
        const { tenantId } = ctx;
        const membership = await iam.ask(membershipOf, { tenantId, operatorId: me.operatorId });
        const held = membership?.status === 'active' ? membership.roles : [];
        const refreshToken = body.refreshToken ?? request.cookies[REFRESH_COOKIE] ?? '';
        const opened = await inTenant(ctx, tx =>
          switchRole(iam, tx, { me, role: body.role, held, refreshToken }),
        );
        return { status: 200, ...(await sessionReply(iam, ctx, { opened, delivery: deliveryOf(request) })) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/password',
      summary: 'Change my password; ends my other sessions when asked to',
      auth: anyOperator,
      body: z.strictObject({
        currentPassword: password,
        newPassword: password,
        endOtherSessions: z.boolean(),
      }),
      returns: { 204: z.undefined() },
      errors: [errors.CURRENT_PASSWORD_WRONG, errors.PASSWORD_REFUSED, coreErrors.RATE_LIMITED],
      idempotency: { none: 'the kept hash of the body would be a fast hash of two passwords' },
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }) {
        const outcome = await changePassword(iam, ctx, {
          me: meOf(ctx.principal),
          current: body.currentPassword,
          wanted: body.newPassword,
          endOthers: body.endOtherSessions,
        });
        if (outcome.kind === 'blocked') throw blocked(outcome.until, ctx.now);
        if (outcome.kind === 'weak') throw errors.PASSWORD_REFUSED({ reason: outcome.reason });
        if (outcome.kind === 'refused') throw errors.CURRENT_PASSWORD_WRONG();
        return { status: 204 };
      },
    }),
  ];
}
