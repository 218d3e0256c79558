import { defineEvent } from '@melmastoon/catalog/define-event';
import { idText, instant } from '@melmastoon/catalog/parts';
import { roles } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';

/** An account exists. Name and address stay in iam-service: payloads carry ids. */
export const UserCreated = defineEvent({
  subject: 'melmastoon.iam.user.created.v1',
  summary: 'a user account has been provisioned',
  retention: 'warm',
  payload: z.strictObject({
    operatorId: idText('usr'),
    /** `invited` until the person has set a password. */
    status: z.enum(['invited', 'active']),
    /** Null: the platform or a seed. */
    createdBy: idText('usr').nullable(),
  }),
  aggregateId: p => p.operatorId,
  idempotencyKey: p => `${p.operatorId}:created`,
});

/** Why tokens were handed out. */
export const issueReasons = ['signed_in', 'refreshed', 'role_switched', 'factor_added'] as const;

/** A session got its first or next pair of tokens. The tokens themselves never leave iam-service. */
export const SessionIssued = defineEvent({
  subject: 'melmastoon.iam.session.issued.v1',
  summary: 'an access and refresh token pair was handed out',
  retention: 'warm',
  payload: z.strictObject({
    sessionId: idText('ses'),
    operatorId: idText('usr'),
    /** Null: a session no device key is bound to. */
    deviceId: idText('dev').nullable(),
    reason: z.enum(issueReasons),
    /** 0 for the first pair of a session, one more with each refresh. */
    sequence: z.int().min(0),
    /** How the person proved himself, RFC 8176. */
    amr: z.array(z.string().regex(/^[a-z]{2,8}$/)).min(1),
    /** Null: all roles of the membership. */
    actingRole: z.enum(roles).nullable(),
    idleExpiresAt: instant,
    expiresAt: instant,
  }),
  aggregateId: p => p.sessionId,
  idempotencyKey: p => `${p.sessionId}:issued:${p.sequence}`,
});

/** Why a session ended before its time. */
export const revocationReasons = [
  'signed_out',
  'revoked',
  'refresh_reused',
  'role_switched',
  'factor_added',
  'password_changed',
  'password_reset',
  'operator_disabled',
  'device_revoked',
] as const;

/** A session opens no door any more. */
export const SessionRevoked = defineEvent({
  subject: 'melmastoon.iam.session.revoked.v1',
  summary: 'a refresh token was revoked or a session ended',
  retention: 'warm',
  payload: z.strictObject({
    sessionId: idText('ses'),
    operatorId: idText('usr'),
    deviceId: idText('dev').nullable(),
    reason: z.enum(revocationReasons),
  }),
  aggregateId: p => p.sessionId,
  idempotencyKey: p => `${p.sessionId}:revoked`,
});

/** A device may push and pull from now on. */
export const DeviceBound = defineEvent({
  subject: 'melmastoon.iam.device.bound.v1',
  summary: 'a desktop device finished pairing',
  retention: 'warm',
  payload: z.strictObject({
    deviceId: idText('dev'),
    /** What the house calls it: `Front desk 2`. */
    name: z.string().min(1).max(100),
    /** RFC 7638 thumbprint of its public key, base64url. */
    keyThumbprint: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    boundBy: idText('usr'),
  }),
  aggregateId: p => p.deviceId,
  idempotencyKey: p => `${p.deviceId}:bound`,
});

/** A device may neither push nor pull any more; its sessions ended with it. */
export const DeviceUnbound = defineEvent({
  subject: 'melmastoon.iam.device.unbound.v1',
  summary: 'a device pairing was withdrawn',
  retention: 'warm',
  payload: z.strictObject({
    deviceId: idText('dev'),
    unboundBy: idText('usr'),
    endedSessions: z.array(idText('ses')),
  }),
  aggregateId: p => p.deviceId,
  idempotencyKey: p => `${p.deviceId}:unbound`,
});

/** An operator has one more second factor. */
export const MfaEnrolled = defineEvent({
  subject: 'melmastoon.iam.mfa.enrolled.v1',
  summary: 'a TOTP or WebAuthn factor was added',
  retention: 'warm',
  payload: z.strictObject({
    factorId: idText('fac'),
    operatorId: idText('usr'),
    kind: z.enum(['totp', 'webauthn']),
  }),
  aggregateId: p => p.factorId,
  idempotencyKey: p => `${p.factorId}:enrolled`,
});

/** All events of iam-service. */
export const events = [UserCreated, SessionIssued, SessionRevoked, DeviceBound, DeviceUnbound, MfaEnrolled];
