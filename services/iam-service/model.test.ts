import { hours, minutes, seconds } from '@ghasi/domain-primitives/duration';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assertNext,
  countAttempt,
  decideRefresh,
  idleEnd,
  isLive,
  operatorStatuses,
  type Presented,
} from './model.ts';

const presented = fc.record<Presented>({
  live: fc.boolean(),
  bound: fc.boolean(),
  proof: fc.boolean(),
  token: fc.record({ state: fc.constantFrom('current', 'used', 'superseded'), sequence: fc.nat({ max: 5 }) }),
  lastUsed: fc.integer({ min: -1, max: 5 }),
});

describe('decideRefresh', () => {
  test('nothing of an ended session is ever rotated or revoked again', () => {
    fc.assert(
      fc.property(presented, facts => {
        expect(decideRefresh({ ...facts, live: false })).toEqual({ kind: 'refuse', reason: 'ended' });
      }),
    );
  });

  test('a bound session never rotates without the proof of its device', () => {
    fc.assert(
      fc.property(presented, facts => {
        expect(decideRefresh({ ...facts, bound: true, proof: false }).kind).not.toBe('rotate');
      }),
    );
  });

  test('an unbound session rotates its current token only; any other ends the family', () => {
    fc.assert(
      fc.property(presented, facts => {
        const decision = decideRefresh({ ...facts, live: true, bound: false });
        expect(decision).toEqual(
          facts.token.state === 'current' ? { kind: 'rotate', retry: false } : { kind: 'revoke' },
        );
      }),
    );
  });

  test('a second chance is for the token that was exchanged last, by the device itself', () => {
    const lost = {
      live: true,
      bound: true,
      proof: true,
      token: { state: 'used', sequence: 3 },
      lastUsed: 3,
    } as const;
    expect(decideRefresh(lost)).toEqual({ kind: 'rotate', retry: true });
    expect(decideRefresh({ ...lost, lastUsed: 4 })).toEqual({ kind: 'revoke' });
    expect(decideRefresh({ ...lost, proof: false })).toEqual({ kind: 'revoke' });
    expect(decideRefresh({ ...lost, token: { state: 'superseded', sequence: 3 } })).toEqual({
      kind: 'revoke',
    });
  });
});

describe('countAttempt', () => {
  const start = new Date('2026-03-21T08:00:00Z');

  test('whoever guesses without a pause gets about a hundred guesses a day', () => {
    let now = start;
    let state: { failures: number; last_at: Date; blocked_until: Date | null } | undefined;
    let judged = 0;
    while (now.getTime() < start.getTime() + hours(24)) {
      const outcome = countAttempt('password', state, now);
      if (outcome.kind === 'blocked') {
        now = outcome.until;
        continue;
      }
      judged += 1;
      state = outcome.counted;
    }
    expect(judged).toBeGreaterThan(90);
    expect(judged).toBeLessThan(115);
  });

  test('waits never shrink, never exceed 15 minutes, and a day without failures is forgotten', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), failures => {
        const before = { failures, last_at: start, blocked_until: null };
        const one = countAttempt('password', before, start);
        const two = countAttempt('password', { ...before, failures: failures + 1 }, start);
        if (one.kind !== 'allowed' || two.kind !== 'allowed') throw new Error('not blocked yet');
        const wait = (of: Date | null) => (of === null ? 0 : of.getTime() - start.getTime());
        expect(wait(two.counted.blocked_until)).toBeGreaterThanOrEqual(wait(one.counted.blocked_until));
        expect(wait(two.counted.blocked_until)).toBeLessThanOrEqual(minutes(15));
        const later = countAttempt('password', before, new Date(start.getTime() + hours(24)));
        expect(later).toMatchObject({ counted: { failures: 1, blocked_until: null } });
      }),
    );
  });
});

test('a session is alive up to its idle end, its absolute end and its revocation, whichever comes first', () => {
  const now = new Date('2026-03-21T08:00:00Z');
  const at = (ms: number) => new Date(now.getTime() + ms);
  const session = { idle_expires_at: at(minutes(30)), expires_at: at(hours(12)), revoked_at: null };
  expect(isLive(session, now)).toBe(true);
  expect(isLive(session, at(minutes(30)))).toBe(false);
  expect(isLive({ ...session, expires_at: now }, now)).toBe(false);
  expect(isLive({ ...session, revoked_at: at(-1) }, now)).toBe(false);
  expect(idleEnd(now, minutes(30), at(seconds(10)))).toEqual(at(seconds(10)));
});

test('an account goes only where its life leads', () => {
  const allowed = operatorStatuses.flatMap(from =>
    operatorStatuses
      .filter(to => {
        try {
          assertNext(from, to);
          return true;
        } catch {
          return false;
        }
      })
      .map(to => `${from} -> ${to}`),
  );
  expect(allowed).toEqual([
    'invited -> active',
    'invited -> disabled',
    'active -> disabled',
    'disabled -> invited',
    'disabled -> active',
  ]);
});
