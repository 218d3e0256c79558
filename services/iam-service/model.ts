import { hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import { errors } from './errors.ts';

/** Life of an account. */
export const operatorStatuses = ['invited', 'active', 'disabled'] as const;
export type OperatorStatus = (typeof operatorStatuses)[number];

const next: Record<OperatorStatus, readonly OperatorStatus[]> = {
  invited: ['active', 'disabled'],
  active: ['disabled'],
  disabled: ['active', 'invited'],
};

/** Throws OPERATOR_STATUS unless an account may go this way. */
export function assertNext(from: OperatorStatus, to: OperatorStatus): void {
  if (!next[from].includes(to)) throw errors.OPERATOR_STATUS({ from, to });
}

/** What a one-time link is for: the first password, or another one. */
export const linkPurposes = ['invite', 'reset'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** Second factors. Recovery codes replace one at sign-in and nowhere else. */
export const factorKinds = ['totp', 'webauthn'] as const;
export type Factor = (typeof factorKinds)[number];
export type SignInMethod = Factor | 'recovery';

/** How a person proved himself, in the words of RFC 8176. */
export const amrOf: Record<SignInMethod, readonly string[]> = {
  totp: ['pwd', 'otp', 'mfa'],
  webauthn: ['pwd', 'hwk', 'user', 'mfa'],
  recovery: ['pwd', 'kba'],
};

/** Why a session ended before its time. */
export type RevokedReason =
  | 'signed_out'
  | 'revoked'
  | 'refresh_reused'
  | 'role_switched'
  | 'factor_added'
  | 'password_changed'
  | 'password_reset'
  | 'operator_disabled'
  | 'device_revoked';

type Lifetimes = { idle_expires_at: Date; expires_at: Date; revoked_at: Date | null };

/** True while a session opens doors. */
export function isLive(session: Lifetimes, now: Date): boolean {
  return session.revoked_at === null && session.idle_expires_at > now && session.expires_at > now;
}

/** When a session that is used now goes idle: never after its absolute end. */
export function idleEnd(now: Date, idleMs: number, end: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, end.getTime()));
}

/** `current` works; `used` gave way to a successor; `superseded` was replaced before anybody used it. */
export const tokenStates = ['current', 'used', 'superseded'] as const;
export type TokenState = (typeof tokenStates)[number];

/** What is known when a refresh token is presented. `proof`: did the device the session is bound to sign this request? */
export type Presented = {
  live: boolean;
  bound: boolean;
  proof: boolean;
  token: { state: TokenState; sequence: number };
  /** Sequence of the newest token that was ever exchanged; -1 when none was. */
  lastUsed: number;
};

export type RefreshDecision =
  | { kind: 'rotate'; retry: boolean }
  | { kind: 'refuse'; reason: 'ended' | 'no_device_proof' }
  | { kind: 'revoke' };

/**
 * Decides about a refresh. A token that was exchanged before is a copy, and the family ends: one of two holders is a
 * thief and nobody can tell which (RFC 9700, 4.14.2). There is one exception, and no grace period. On bad lines the
 * reply of a refresh gets lost; a device-bound client may then present the same token again, freshly signed by the
 * device key. Whoever can do that is the device, not somebody who copied a token, and as long as the successor was
 * never used nobody else holds it. If a thief did use the successor, `lastUsed` has moved on and the family ends.
 * The same proof twice is refused before this is asked: its nonce is spent. Sessions without a device key get no
 * second chance; they sign in again.
 */
export function decideRefresh({ live, bound, proof, token, lastUsed }: Presented): RefreshDecision {
  if (!live) return { kind: 'refuse', reason: 'ended' };
  const proven = !bound || proof;
  if (token.state === 'current') {
    return proven ? { kind: 'rotate', retry: false } : { kind: 'refuse', reason: 'no_device_proof' };
  }
  const replyWasLost = bound && proof && token.state === 'used' && token.sequence === lastUsed;
  return replyWasLost ? { kind: 'rotate', retry: true } : { kind: 'revoke' };
}

/** What is counted: passwords per account, factors per operator, pairing codes per tenant and address. */
export const attemptKinds = ['password', 'factor', 'pairing'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/** Failures in a row that cost nothing, and when they are forgotten. */
const freeFailures: Record<AttemptKind, number> = { password: 5, factor: 5, pairing: 20 };
const FORGOTTEN_AFTER_MS = hours(24);
const LONGEST_BLOCK_MS = minutes(15);

type Counted = { failures: number; last_at: Date; blocked_until: Date | null };

/**
 * Counts one more attempt as failed before it is judged, so that parallel guesses cannot slip through between
 * counting and checking; a success clears the count. From the sixth on each failure blocks twice as long, 2 s to
 * 15 min: about 110 guesses a day. A block never becomes permanent, or a stranger could lock the hotel out.
 */
export function countAttempt(
  kind: AttemptKind,
  before: Counted | undefined,
  now: Date,
): { kind: 'blocked'; until: Date } | { kind: 'allowed'; counted: Counted } {
  if (before?.blocked_until && before.blocked_until > now)
    return { kind: 'blocked', until: before.blocked_until };
  const remembered =
    before && now.getTime() - before.last_at.getTime() < FORGOTTEN_AFTER_MS ? before.failures : 0;
  const failures = remembered + 1;
  return {
    kind: 'allowed',
    counted: { failures, last_at: now, blocked_until: blockAfter(kind, failures, now) },
  };
}

function blockAfter(kind: AttemptKind, failures: number, now: Date): Date | null {
  const over = failures - freeFailures[kind];
  if (over < 0) return null;
  return new Date(now.getTime() + Math.min(seconds(2) * 2 ** Math.min(over, 20), LONGEST_BLOCK_MS));
}

/** Times that are part of a promise. */
export const lifetimes = {
  pairingCodeMs: minutes(10),
  /** Between password and second factor, and between a passkey's challenge and its answer. */
  challengeMs: minutes(5),
  /** From the secret of an authenticator app to its first code. */
  pendingFactorMs: minutes(15),
  /** A confirmation of one action (safety rule 20). */
  attestationMs: minutes(5),
  inviteMs: hours(72),
  resetMs: hours(1),
  /** How far a device's clock may be off; nonces are kept for as long as their proof could pass. */
  proofSkewMs: minutes(2),
  /** Retired keys verify so long; access tokens live 5 minutes. */
  retiredKeyMs: hours(1),
} as const;

/** Wrong codes after which a sign-in must start again. */
export const CHALLENGE_TRIES = 5;

/** Recovery codes handed out at a time. */
export const RECOVERY_CODES = 10;

/** What an attestation is good for. Absent parts match absent parts only. */
export type Confirmed = {
  action: string;
  amount?: { amount: string; currency: string } | undefined;
  resource?: string | undefined;
};
