import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { type StepUpAnswer, startPasskeyStepUp, stepUp } from '../commands/step-up.ts';
import { confirmed } from '../contract.ts';
import { errors } from '../errors.ts';
import type { Iam } from '../iam.ts';
import { anyOperator, blocked, guarded, instant, meOf } from './shapes.ts';
import {
  asAuthentication,
  asRequestOptions,
  authenticationResponse,
  requestOptions,
} from './webauthn-shapes.ts';

const answer = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('totp'), code: z.string().max(20), ...confirmed }),
  z.strictObject({
    method: z.literal('webauthn'),
    challengeId: idText('chl'),
    response: authenticationResponse,
  }),
]);

/** Confirming one action with a second factor. */
export function stepUpRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/step-up/options',
      summary: 'Start confirming an action with a passkey: options for navigator.credentials.get()',
      auth: anyOperator,
      body: z.strictObject(confirmed),
      returns: {
        201: z.strictObject({ challengeId: z.string(), expiresAt: instant, options: requestOptions }),
      },
      errors: [errors.NO_SECOND_FACTOR],
      idempotency: { none: 'every challenge is new and works once' },
      async handler(ctx, { body }) {
        const started = await startPasskeyStepUp(iam, ctx, { me: meOf(ctx.principal), confirmed: body });
        const { challengeId, expiresAt, options } = started;
        const reply = { challengeId, expiresAt: expiresAt.toISOString(), options: asRequestOptions(options) };
        return { status: 201, body: reply };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/api/v1/auth/step-up',
      summary:
        'Confirm an action; send the attestation in the Step-Up-Attestation header of the request that needs it',
      auth: anyOperator,
      body: answer,
      returns: { 201: z.strictObject({ attestationId: z.string(), expiresAt: instant }) },
      errors: [errors.SECOND_FACTOR_REFUSED, errors.NO_SECOND_FACTOR, coreErrors.RATE_LIMITED],
      idempotency: { none: 'a code works once, so a repeated request is refused by itself' },
      rateLimit: guarded(30),
      transaction: 'none',
      async handler(ctx, { body }) {
        const outcome = await stepUp(iam, ctx, { me: meOf(ctx.principal), answer: answerOf(body) });
        if (outcome.kind === 'blocked') throw blocked(outcome.until, ctx.now);
        if (outcome.kind === 'no_factor') throw errors.NO_SECOND_FACTOR();
        if (outcome.kind !== 'attested') throw errors.SECOND_FACTOR_REFUSED();
        const { attestationId, expiresAt } = outcome;
        return { status: 201, body: { attestationId, expiresAt: expiresAt.toISOString() } };
      },
    }),
  ];
}

function answerOf(body: z.output<typeof answer>): StepUpAnswer {
  if (body.method === 'webauthn') return { ...body, response: asAuthentication(body.response) };
  const { method, code, ...action } = body;
  return { method, code, confirmed: action };
}
