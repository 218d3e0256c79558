import { hours } from '@ghasi/domain-primitives/duration';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterStep,
  conclude,
  type Fact,
  type KeyLife,
  nextStep,
  type Outcome,
  type Whereabouts,
} from './key.ts';
import { isSameWindow, plus, type Window } from './windows.ts';

const first = { from: new Date('2026-12-01T09:30:00Z'), until: new Date('2026-12-04T07:30:00Z') };
const windows = [0, 24, 48].map(more => ({ from: first.from, until: plus(first.until, hours(more)) }));

/** What can happen to a call: nothing of it, all of it without an answer, or that the caller dies on either side. */
type Luck = 'ok' | 'refused' | 'cut' | 'lost' | 'dies before' | 'dies after';

/** A vendor with one door, that keeps every code ever asked for until it is revoked. */
class Vendor {
  readonly codes: { window: Window; isAsleep: boolean }[] = [];
  readonly canSleep: boolean;

  constructor(canSleep: boolean) {
    this.canSleep = canSleep;
  }

  do(step: string, window: Window): Outcome {
    const [code] = this.codes;
    const live = (of: Window): Outcome => ({ kind: 'live', reference: 'r', window: of, isUsable: true });
    switch (step) {
      case 'inquire':
        return code === undefined
          ? { kind: 'absent' }
          : code.isAsleep
            ? { kind: 'asleep' }
            : live(code.window);
      case 'issue':
        this.codes.push({ window, isAsleep: false });
        return live(window);
      case 'revoke':
        this.codes.length = 0;
        return { kind: 'ended', confirmedByLock: true };
      default:
        if (code === undefined) throw new Error(`${step} of nothing`);
        code.isAsleep = step === 'suspend';
        if (step !== 'suspend') code.window = window;
        return step === 'suspend' ? { kind: 'asleep' } : live(window);
    }
  }
}

/** One key, whoever works on it. */
class World {
  readonly vendor: Vendor;
  readonly facts: Fact[] = [];
  key: KeyLife = {
    status: 'wanted',
    wish: 'live',
    atVendor: 'absent',
    window: first,
    held: null,
    told: null,
    isUsable: false,
    announce: false,
  };

  constructor(canSleep: boolean) {
    this.vendor = new Vendor(canSleep);
  }

  change(change: Partial<KeyLife>): void {
    const next = { ...this.key, ...change };
    const { status, fact } = conclude(next);
    const isTold = fact === 'issued' || fact === 'dates_changed' || fact === 'suspension_lifted';
    this.key = { ...next, status, told: isTold ? next.held : next.told };
    if (fact !== undefined) this.facts.push(fact);
  }

  work(luck: Luck): void {
    const step = nextStep(this.key, this.vendor);
    if (step === undefined) return;
    const before: Whereabouts = this.key.atVendor;
    this.key = { ...this.key, atVendor: 'unknown' }; // what is in the row while the vendor is called
    if (luck === 'dies before') return;
    const happens = luck === 'ok' || luck === 'lost' || luck === 'dies after';
    const said = happens ? this.vendor.do(step, this.key.window) : undefined;
    if (luck === 'dies after') return;
    const outcome: Outcome =
      luck === 'ok' && said !== undefined ? said : { kind: 'failed', isUnknown: luck !== 'refused' };
    this.change(afterStep(this.key, { outcome, before }));
  }
}

const luck = fc.constantFrom<Luck>('ok', 'ok', 'refused', 'cut', 'lost', 'dies before', 'dies after');
const event = fc.oneof(
  luck.map(one => (world: World) => world.work(one)),
  fc.constantFrom(...windows).map(window => (world: World) => world.change({ window })),
  fc.constant((world: World) => world.change({ announce: true })),
  fc
    .constantFrom('live' as const, 'asleep' as const)
    .map(wish => (world: World) => world.key.wish !== 'gone' && world.change({ wish })),
  fc.constant((world: World) => world.change({ wish: 'gone' })),
);

test('R27, SAGA-05: whatever is lost, refused or dies, a key has one code at most, and ends as it should', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(event, { maxLength: 30 }), (canSleep, history) => {
      const world = new World(canSleep);
      for (const happens of history) {
        happens(world);
        expect(world.vendor.codes.length).toBeLessThanOrEqual(1);
      }
      for (let round = 0; round < 6; round++) world.work('ok'); // the net is back
      const { key, vendor, facts } = world;
      expect(nextStep(key, vendor)).toBeUndefined();
      const [code] = vendor.codes;
      const opens = code !== undefined && !code.isAsleep;
      expect(opens).toBe(key.wish === 'live');
      if (opens) expect(isSameWindow(code.window, key.window)).toBe(true);
      if (key.wish === 'gone') expect(key.status).toBe('revoked');
      if (key.wish === 'live') expect(key.status).toBe(key.announce ? 'issued' : 'ready');
      expect(facts.filter(fact => fact === 'issued').length).toBeLessThanOrEqual(1);
      expect(facts.filter(fact => fact === 'revoked').length).toBeLessThanOrEqual(1);
      if (facts.length > 0) expect(facts[0]).toBe('issued');
      if (facts.includes('revoked')) expect(facts.at(-1)).toBe('revoked');
      expect(facts.includes('revoked')).toBe(facts.includes('issued') && key.wish === 'gone');
    }),
    { numRuns: 300 },
  );
});
