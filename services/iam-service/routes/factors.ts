import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute } from '@ghasi/http/route';
import { idText, line } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  type ActivateOutcome,
  confirmTotp,
  finishPasskey,
  removeFactor,
  renewRecoveryCodes,
  startPasskey,
  startTotp,
} from '../commands/factors.ts';
import { type ChangeProof, proveChange } from '../commands/prove-change.ts';
import type { Me } from '../commands/sessions.ts';
import { errors } from '../errors.ts';
import { type Bare, type Iam, inTenant } from '../iam.ts';
import { activeFactors } from '../queries/factors.ts';
import {
  anyOperator,
  blocked,
  type Delivery,
  deliveryOf,
  guarded,
  instant,
  meOf,
  password,
  sessionBody,
  sessionReply,
} from './shapes.ts';
import {
  asCreationOptions,
  asRegistration,
  creationOptions,
  registrationResponse,
} from './webauthn-shapes.ts';

const secretReply = { none: 'the reply carries secrets, and a stored reply would be a copy of them' };

const proof = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('password'), password }),
  z.strictObject({ kind: z.literal('attestation'), attestationId: idText('mfa') }),
  z.strictObject({ kind: z.literal('recovery'), code: z.string().max(60) }),
]);

const activated = z.strictObject({
  factorId: z.string(),
  /** With the first factor only, and never shown again. */
  recoveryCodes: z.array(z.string()).optional(),
  session: sessionBody,
});

const refusals = [errors.PROOF_NEEDED, coreErrors.RATE_LIMITED];
const activationRefusals = [
  errors.FACTOR_REFUSED,
  errors.SESSION_ENDED,
  errors.DEVICE_PROOF_REFUSED,
  coreErrors.RATE_LIMITED,
];

/** A person's own second factors. */
export function factorRoutes(iam: Iam): AnyRoute[] {
  /** Goes on only when the person has shown that it is him. */
  async function mustProve(bare: Bare, me: Me, given: ChangeProof): Promise<void> {
    const outcome = await proveChange(iam, bare, { me, proof: given });
    if (outcome.kind === 'blocked') throw blocked(outcome.until, bare.now);
    if (outcome.kind === 'refused') throw errors.PROOF_NEEDED();
  }

  async function activationReply(bare: Bare, outcome: ActivateOutcome, delivery: Delivery) {
    if (outcome.kind === 'blocked') throw blocked(outcome.until, bare.now);
    if (outcome.kind === 'refused') throw errors.FACTOR_REFUSED();
    const { factorId, recoveryCodes, opened } = outcome;
    const { body, cookies } = await sessionReply(iam, bare, { opened, delivery });
    const reply = { factorId, session: body };
    return {
      status: 200 as const,
      body: recoveryCodes === undefined ? reply : { ...reply, recoveryCodes },
      cookies,
    };
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/auth/factors',
      summary: 'My second factors',
      auth: anyOperator,
      returns: {
        200: z.strictObject({
          factors: z.array(
            z.strictObject({ id: z.string(), kind: z.string(), label: z.string(), createdAt: instant }),
          ),
        }),
      },
      async handler(ctx) {
        const found = await activeFactors(ctx, meOf(ctx.principal).operatorId);
        const factors = found.map(({ id, kind, label, created_at }) => ({
          id,
          kind,
          label,
          createdAt: created_at.toISOString(),
        }));
        return { status: 200, body: { factors } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/factors/totp',
      summary: 'Start an authenticator app: its secret, as text and for a QR code',
      auth: anyOperator,
      body: z.strictObject({ label: line(100), proof }),
      returns: { 201: z.strictObject({ factorId: z.string(), secret: z.string(), uri: z.string() }) },
      errors: refusals,
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }) {
        const me = meOf(ctx.principal);
        await mustProve(ctx, me, body.proof);
        return {
          status: 201,
          body: await inTenant(ctx, tx => startTotp(iam, tx, { me, label: body.label })),
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/factors/totp/:factorId/confirm',
      summary: 'Show the first code of an authenticator app; a new session takes the place of this one',
      auth: anyOperator,
      params: z.strictObject({ factorId: idText('fac') }),
      body: z.strictObject({ code: z.string().max(20) }),
      returns: { 200: activated },
      errors: activationRefusals,
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { params, body }, request) {
        const input = { me: meOf(ctx.principal), factorId: params.factorId, code: body.code };
        return activationReply(ctx, await confirmTotp(iam, ctx, input), deliveryOf(request));
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/factors/webauthn/options',
      summary: 'Start a passkey: options for navigator.credentials.create()',
      auth: anyOperator,
      body: z.strictObject({ proof }),
      returns: {
        201: z.strictObject({ challengeId: z.string(), expiresAt: instant, options: creationOptions }),
      },
      errors: refusals,
      idempotency: { none: 'every challenge is new and works once' },
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }) {
        const me = meOf(ctx.principal);
        await mustProve(ctx, me, body.proof);
        const { challengeId, expiresAt, options } = await inTenant(ctx, tx => startPasskey(iam, tx, me));
        const reply = {
          challengeId,
          expiresAt: expiresAt.toISOString(),
          options: asCreationOptions(options),
        };
        return { status: 201, body: reply };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/factors/webauthn',
      summary: 'Register the passkey the browser made; a new session takes the place of this one',
      auth: anyOperator,
      body: z.strictObject({ challengeId: idText('chl'), label: line(100), response: registrationResponse }),
      returns: { 200: activated },
      errors: activationRefusals,
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }, request) {
        const { challengeId, label } = body;
        const input = {
          me: meOf(ctx.principal),
          challengeId,
          label,
          response: asRegistration(body.response),
        };
        return activationReply(ctx, await finishPasskey(iam, ctx, input), deliveryOf(request));
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/factors/:factorId/remove',
      summary: 'Remove one of my factors',
      auth: anyOperator,
      params: z.strictObject({ factorId: idText('fac') }),
      body: z.strictObject({ proof }),
      returns: { 204: z.undefined() },
      errors: [...refusals, coreErrors.NOT_FOUND],
      idempotency: { none: 'removing what is gone changes nothing, and the body may hold a password' },
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { params, body }) {
        const me = meOf(ctx.principal);
        await mustProve(ctx, me, body.proof);
        await inTenant(ctx, tx => removeFactor(tx, { me, factorId: params.factorId }));
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/recovery-codes',
      summary: 'Make new recovery codes; the old ones stop working',
      auth: anyOperator,
      body: z.strictObject({ proof }),
      returns: { 201: z.strictObject({ recoveryCodes: z.array(z.string()) }) },
      errors: [...refusals, errors.NO_SECOND_FACTOR],
      idempotency: secretReply,
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }) {
        const me = meOf(ctx.principal);
        await mustProve(ctx, me, body.proof);
        return {
          status: 201,
          body: { recoveryCodes: await inTenant(ctx, tx => renewRecoveryCodes(tx, me)) },
        };
      },
    }),
  ];
}
