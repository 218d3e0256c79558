import { defineQuestion } from '@ghasi/backbone/question';
import { isCurrencyCode } from '@ghasi/domain-primitives/currencies';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { roles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';

/** Money that an action is about: minor units as decimal text. */
export const amount = z.strictObject({
  amount: z.string().regex(/^-?(0|[1-9]\d{0,17})$/),
  currency: z.string().refine(isCurrencyCode, 'not an active ISO 4217 currency'),
});

/** What a person confirms with a second factor. `action` is the confirming service's own name for it. */
export const confirmed = {
  action: z
    .string()
    .regex(/^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$/)
    .max(100),
  amount: amount.optional(),
  resource: z.string().min(1).max(200).optional(),
};

/** Who sends a request, as iam found out. `operatorId` is the person, also when `kind` is device. */
export const principal = z.strictObject({
  kind: z.enum(['operator', 'device']),
  id: z.string(),
  operatorId: idText('usr'),
  tenantId: tenantIdText,
  roles: z.array(z.enum(roles)).min(1),
  sessionId: idText('ses'),
  deviceId: z.exactOptional(idText('dev')),
  amr: z.array(z.string()),
  /** Present when the request named an attestation that is good for `stepUp` and not used yet. Consume it. */
  attestation: z.exactOptional(z.strictObject({ id: idText('mfa'), action: z.string() })),
});

/** Why a request is not let in; for logs and metrics, the client hears one word. */
export const refusals = [
  'NO_TOKEN',
  'BAD_TOKEN',
  'SESSION_ENDED',
  'DEVICE_PROOF_REFUSED',
  'NOT_A_DEVICE_SESSION',
  'NO_MEMBERSHIP',
] as const;

/**
 * Who is this? Reads PostgreSQL on every call, so that a revoked session, device, operator or role is seen at once
 * (safety rule 17: within 1 s). Callers may keep an answer for 500 ms at most, and never one for a device, whose
 * proof works once.
 */
export const verifyAccess = defineQuestion({
  name: 'iam.verify-access',
  input: z.strictObject({
    kind: z.enum(['operator', 'device']),
    /** The Authorization header, `Bearer …`. */
    authorization: z.string().max(4_096).optional(),
    /** The Device-Proof header; needed for `device`. */
    deviceProof: z.string().max(4_096).optional(),
    method: z.string(),
    /** Path and query exactly as sent. */
    path: z.string(),
    /** SHA-256 of the raw body, lower-case hex; needed when there is a device proof. */
    bodyHash: z.string().optional(),
    /** The Step-Up-Attestation header and the action it is wanted for. */
    attestation: z.string().max(40).optional(),
    stepUp: z.string().max(100).optional(),
  }),
  output: z.union([z.strictObject({ principal }), z.strictObject({ refused: z.enum(refusals) })]),
});

/**
 * Uses up a second-factor confirmation: true for the first caller whose session, action, amount and resource are the
 * confirmed ones, false for everybody else and ever after. Ask before the effect: if the effect then fails, the
 * person confirms again.
 */
export const consumeAttestation = defineQuestion({
  name: 'iam.consume-attestation',
  input: z.strictObject({
    tenantId: tenantIdText,
    sessionId: idText('ses'),
    attestationId: idText('mfa'),
    ...confirmed,
  }),
  output: z.strictObject({ consumed: z.boolean() }),
});
