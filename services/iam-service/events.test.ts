import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { events, revocationReasons, SessionIssued, SessionRevoked } from './events.ts';
import { samples } from './fixtures/samples.ts';
import { amrOf, type RevokedReason } from './model.ts';

const sessionId = 'ses_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2E';

describe('EVT-01..06: the events of iam-service', () => {
  contractConformance(events, samples);

  test('they are the six of the ledger, of the class warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.iam.user.created.v1', 'warm'],
      ['melmastoon.iam.session.issued.v1', 'warm'],
      ['melmastoon.iam.session.revoked.v1', 'warm'],
      ['melmastoon.iam.device.bound.v1', 'warm'],
      ['melmastoon.iam.device.unbound.v1', 'warm'],
      ['melmastoon.iam.mfa.enrolled.v1', 'warm'],
    ]);
  });
});

test('EVT-02, ENV-27: each refresh of a session is a fact of its own, and the same one only once', () => {
  const key = (sequence: number, aggregateVersion: number) =>
    SessionIssued.from(sampleOf(SessionIssued, { sequence }) as never, { aggregateVersion }).idempotencyKey;
  expect(key(0, 1)).toBe(`${sessionId}:issued:0`);
  expect(key(1, 2)).toBe(`${sessionId}:issued:1`);
  expect(key(1, 3)).toBe(key(1, 2));
});

test.each(Object.entries(amrOf))('EVT-02: a sign-in by %s can be told', (_method, amr) => {
  expect(refusalOf(SessionIssued, sampleOf(SessionIssued, { amr }))).toBeUndefined();
});

test('EVT-03: a session ends for a reason the rules know, and ends once', () => {
  expectTypeOf<(typeof revocationReasons)[number]>().toEqualTypeOf<RevokedReason>();
  const keys = revocationReasons.map(reason => {
    const payload = sampleOf(SessionRevoked, { reason }) as never;
    return SessionRevoked.from(payload, { aggregateVersion: 1 }).idempotencyKey;
  });
  expect(new Set(keys)).toEqual(new Set([`${sessionId}:revoked`]));
  expect(refusalOf(SessionRevoked, sampleOf(SessionRevoked, { reason: 'bored' }))).toContain('reason');
});

test('EVT-02, X-130: neither a token nor an address of a person can travel in an event', () => {
  const leaks = { refreshToken: 'rft', email: 'desk@example.af' };
  expect(refusalOf(SessionIssued, sampleOf(SessionIssued, leaks))).toMatch(/"refreshToken", "email"/);
});

function sampleOf({ subject }: { subject: string }, change: object) {
  return { ...samples[subject], ...change };
}
