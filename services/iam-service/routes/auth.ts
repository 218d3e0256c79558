import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { z } from 'zod';
import { finishSignIn } from '../commands/finish-sign-in.ts';
import { setPasswordByLink } from '../commands/passwords.ts';
import { refreshSession } from '../commands/refresh-session.ts';
import { signIn } from '../commands/sign-in.ts';
import { errors } from '../errors.ts';
import { hashAddress, type Iam } from '../iam.ts';
import {
  blocked,
  callerOf,
  delivery,
  email,
  guarded,
  instant,
  ofTenant,
  password,
  REFRESH_COOKIE,
  sessionBody,
  sessionReply,
} from './shapes.ts';
import {
  asAuthentication,
  asRequestOptions,
  authenticationResponse,
  requestOptions,
} from './webauthn-shapes.ts';

const secretReply = { none: 'the reply carries tokens, and a stored reply would be a copy of them' };

const secondFactorNeeded = z.strictObject({
  kind: z.literal('mfa_required'),
  challenge: z.string(),
  expiresAt: instant,
  methods: z.array(z.enum(['totp', 'webauthn', 'recovery'])),
  /** For the browser, when the account has a passkey. */
  passkey: requestOptions.optional(),
});

const answers = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('totp'),
    challenge: z.string().max(200),
    code: z.string().max(20),
    delivery,
  }),
  z.strictObject({
    method: z.literal('recovery'),
    challenge: z.string().max(200),
    code: z.string().max(60),
    delivery,
  }),
  z.strictObject({
    method: z.literal('webauthn'),
    challenge: z.string().max(200),
    response: authenticationResponse,
    delivery,
  }),
]);

/** Signing in, and staying signed in. Nobody is known yet, so all of these are open. */
export function authRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/sign-in',
      summary: 'Sign in with e-mail and password; a Device-Proof header binds the session to a paired device',
      auth: open(),
      body: z.strictObject({ email, password, delivery }),
      returns: { 200: z.union([sessionBody, secondFactorNeeded]) },
      errors: [errors.SIGN_IN_REFUSED, errors.DEVICE_PROOF_REFUSED, coreErrors.RATE_LIMITED],
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(bare, { body }, request) {
        const ctx = ofTenant(bare);
        const caller = await callerOf(iam, request);
        const outcome = await signIn(iam, ctx, { email: body.email, password: body.password, caller });
        switch (outcome.kind) {
          case 'session':
            return {
              status: 200,
              ...(await sessionReply(iam, ctx, { opened: outcome.opened, delivery: body.delivery })),
            };
          case 'second_factor': {
            const { token, expiresAt, methods, passkey } = outcome;
            const reply = {
              kind: 'mfa_required',
              challenge: token,
              expiresAt: expiresAt.toISOString(),
              methods,
            } as const;
            return {
              status: 200,
              body: passkey === undefined ? reply : { ...reply, passkey: asRequestOptions(passkey) },
            };
          }
          case 'blocked':
            throw blocked(outcome.until, ctx.now);
          case 'bad_proof':
            throw errors.DEVICE_PROOF_REFUSED();
          default:
            throw errors.SIGN_IN_REFUSED();
        }
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/mfa',
      summary: 'Finish a sign-in with the second factor',
      auth: open(),
      body: answers,
      returns: { 200: sessionBody },
      errors: [errors.SECOND_FACTOR_REFUSED, coreErrors.RATE_LIMITED],
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(bare, { body }, request) {
        const ctx = ofTenant(bare);
        const answer =
          body.method === 'webauthn'
            ? { method: body.method, response: asAuthentication(body.response) }
            : { method: body.method, code: body.code };
        const caller = await callerOf(iam, request);
        const outcome = await finishSignIn(iam, ctx, { token: body.challenge, answer, caller });
        if (outcome.kind === 'blocked') throw blocked(outcome.until, ctx.now);
        if (outcome.kind === 'refused') throw errors.SECOND_FACTOR_REFUSED();
        return {
          status: 200,
          ...(await sessionReply(iam, ctx, { opened: outcome.opened, delivery: body.delivery })),
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/refresh',
      summary:
        'Exchange the refresh token, from the body or the cookie, for the next one; device-bound sessions sign it',
      auth: open(),
      body: z.strictObject({ refreshToken: z.string().max(200).optional() }),
      returns: { 200: sessionBody },
      errors: [errors.SESSION_ENDED, errors.DEVICE_PROOF_REFUSED],
      idempotency: secretReply,
      rateLimit: guarded(120),
      transaction: 'none',
      async handler(bare, { body }, request) {
        const ctx = ofTenant(bare);
        const cookie = request.cookies[REFRESH_COOKIE];
        const refreshToken = body.refreshToken ?? cookie;
        if (refreshToken === undefined || refreshToken === '') throw errors.SESSION_ENDED();
        const outcome = await refreshSession(iam, ctx, {
          refreshToken,
          caller: await callerOf(iam, request),
        });
        if (outcome.kind === 'no_device_proof') throw errors.DEVICE_PROOF_REFUSED();
        if (outcome.kind !== 'session') throw errors.SESSION_ENDED();
        const where = body.refreshToken === undefined ? 'cookie' : 'body';
        return {
          status: 200,
          ...(await sessionReply(iam, ctx, { opened: outcome.opened, delivery: where })),
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/password-links/use',
      summary: 'Set a password with the one-time link of an invitation or a reset; signs nobody in',
      auth: open(),
      body: z.strictObject({ token: z.string().max(200), password }),
      returns: { 204: z.undefined() },
      errors: [errors.LINK_REFUSED, errors.PASSWORD_REFUSED],
      idempotency: {
        none: 'the link works once, and the kept hash of the body would be a fast hash of a password',
      },
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(bare, { body }, request) {
        const ctx = ofTenant(bare);
        const outcome = await setPasswordByLink(iam, ctx, {
          ...body,
          addressHash: hashAddress(iam, request.address),
        });
        if (outcome.kind === 'weak') throw errors.PASSWORD_REFUSED({ reason: outcome.reason });
        if (outcome.kind !== 'changed') throw errors.LINK_REFUSED();
        return { status: 204 };
      },
    }),
  ];
}
