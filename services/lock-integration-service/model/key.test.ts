import { hours } from '@ghasi/domain-primitives/duration';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterStep, conclude, type KeyLife, keyStatuses, nextStep, whereabouts, wishes } from './key.ts';
import { nextTry, waits } from './retries.ts';

const window = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T07:30:00Z') };
const other = { from: window.from, until: new Date('2026-12-05T07:30:00Z') };
const key = (more: Partial<KeyLife> = {}): KeyLife => ({
  status: 'wanted',
  wish: 'live',
  atVendor: 'absent',
  window,
  held: null,
  told: null,
  isUsable: false,
  announce: true,
  ...more,
});
const live = { atVendor: 'live', held: window, isUsable: true } as const;
const canSleep = { canSleep: true };

describe('the next step at the vendor', () => {
  test.each<[what: string, life: Partial<KeyLife>, step: string | undefined]>([
    ['nothing is there: it is issued', {}, 'issue'],
    ['nobody knows: it is asked about first', { atVendor: 'unknown' }, 'inquire'],
    ['also when it should be gone', { atVendor: 'unknown', wish: 'gone' }, 'inquire'],
    ['it is as it should be', live, undefined],
    ['it has another window', { ...live, held: other }, 'change'],
    ['it is there, but nobody saw the code', { ...live, isUsable: false }, 'issue'],
    ['it should be gone', { ...live, wish: 'gone' }, 'revoke'],
    ['it should be gone and is', { atVendor: 'gone', wish: 'gone' }, undefined],
    ['it should be gone and never was', { wish: 'gone' }, undefined],
    ['it should sleep', { ...live, wish: 'asleep' }, 'suspend'],
    ['it sleeps', { ...live, atVendor: 'asleep', wish: 'asleep' }, undefined],
    ['it should wake up', { ...live, atVendor: 'asleep' }, 'resume'],
    ['it sleeps and should be gone', { ...live, atVendor: 'asleep', wish: 'gone' }, 'revoke'],
    ['a person made it: no vendor is called', { ...live, atVendor: 'by_hand', wish: 'gone' }, undefined],
  ])('%s', (_what, life, step) => {
    expect(nextStep(key(life), canSleep)).toBe(step);
  });

  test('where keys cannot sleep, sleeping is being gone for a while', () => {
    const asleep = key({ ...live, wish: 'asleep' });
    expect(nextStep(asleep, { canSleep: false })).toBe('revoke');
    expect(nextStep({ ...asleep, atVendor: 'gone', held: null }, { canSleep: false })).toBeUndefined();
    expect(nextStep({ ...asleep, atVendor: 'gone', held: null, wish: 'live' }, { canSleep: false })).toBe(
      'issue',
    );
  });
});

describe('what others hear', () => {
  test.each<[what: string, life: Partial<KeyLife>, status: string, fact: string | undefined]>([
    ['it opens: issued', live, 'issued', 'issued'],
    ['it opens, but only lies ready', { ...live, announce: false }, 'ready', undefined],
    ['what lay ready is handed out', { ...live, status: 'ready' }, 'issued', 'issued'],
    ['nobody knows whether it opens', { atVendor: 'unknown' }, 'wanted', undefined],
    ['it opens at the wrong hours', { ...live, held: other }, 'wanted', undefined],
    ['others know', { ...live, status: 'issued', told: window }, 'issued', undefined],
    ['others know another window', { ...live, status: 'issued', told: other }, 'issued', 'dates_changed'],
    ['it is dead', { status: 'issued', wish: 'gone', atVendor: 'gone' }, 'revoked', 'revoked'],
    [
      'it is dead, and nobody knew of it',
      { status: 'ready', wish: 'gone', atVendor: 'gone' },
      'revoked',
      undefined,
    ],
    ['it is not dead yet', { ...live, status: 'issued', wish: 'gone' }, 'issued', undefined],
    [
      'a metal key comes back',
      { ...live, atVendor: 'by_hand', status: 'issued', wish: 'gone' },
      'revoked',
      'revoked',
    ],
    [
      'it sleeps',
      { ...live, status: 'issued', atVendor: 'asleep', wish: 'asleep' },
      'suspended',
      'suspended',
    ],
    ['it wakes up', { ...live, status: 'suspended', told: window }, 'issued', 'suspension_lifted'],
    ['once dead, always dead', { ...live, status: 'revoked' }, 'revoked', undefined],
  ])('%s', (_what, life, status, fact) => {
    expect(conclude(key(life))).toEqual({ status, fact });
  });

  const anyKey = fc.record({
    status: fc.constantFrom(...keyStatuses),
    wish: fc.constantFrom(...wishes),
    atVendor: fc.constantFrom(...whereabouts),
    window: fc.constantFrom(window, other),
    held: fc.constantFrom(null, window, other),
    told: fc.constantFrom(null, window, other),
    isUsable: fc.boolean(),
    announce: fc.boolean(),
  });

  test('said once is said: a conclusion that was told has nothing to add', () => {
    fc.assert(
      fc.property(anyKey, life => {
        const { status, fact } = conclude(life);
        const isTold = fact === 'issued' || fact === 'dates_changed' || fact === 'suspension_lifted';
        const after = { ...life, status, told: isTold ? life.held : life.told };
        expect(conclude(after)).toEqual({ status, fact: undefined });
      }),
      { numRuns: 300 },
    );
  });

  test('nobody hears of a key that opens nothing, and a dead key stays dead', () => {
    fc.assert(
      fc.property(anyKey, life => {
        const { status, fact } = conclude(life);
        if (fact === 'issued') {
          expect(life).toMatchObject({ wish: 'live', announce: true, isUsable: true });
          expect(['live', 'by_hand']).toContain(life.atVendor);
        }
        if (life.status === 'revoked') expect([status, fact]).toEqual(['revoked', undefined]);
      }),
      { numRuns: 300 },
    );
  });
});

test('a step that surely did not happen changes nothing; one that may have is asked about', () => {
  const before = 'live' as const;
  const failed = (isUnknown: boolean) =>
    afterStep(key(live), { outcome: { kind: 'failed', isUnknown }, before }).atVendor;
  expect([failed(false), failed(true)]).toEqual(['live', 'unknown']);
});

describe('SAGA-05, SAGA-26: the retry policy', () => {
  const now = new Date('2026-12-01T10:00:00Z');
  test.each(['desk', 'background'] as const)(
    '%s: tries, each later than the one before, then nobody',
    patience => {
      const times = waits[patience].map((_, tries) =>
        nextTry({ failure: 'timeout' }, { tries: tries + 1, patience, now })?.getTime(),
      );
      expect(times).toEqual(times.toSorted());
      const tries = waits[patience].length + 1;
      expect(nextTry({ failure: 'timeout' }, { tries, patience, now })).toBeNull();
    },
  );

  test('SAGA-39: a guest at the desk is not kept waiting longer than his check-in takes', () => {
    expect(waits.desk.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(30_000);
    expect(waits.background.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(hours(1));
  });

  test('a refusal is final, and a vendor who says when is asked then', () => {
    const first = { tries: 1, patience: 'background', now } as const;
    expect(nextTry({ failure: 'refused' }, first)).toBeNull();
    const later = nextTry({ failure: 'rate_limited', retryAfterMs: 60_000 }, first);
    expect(later).toEqual(new Date(now.getTime() + 60_000));
  });
});
