import { hours } from '@ghasi/domain-primitives/duration';
import { newId } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KeyOrder, LockVendor, VendorFailure } from './lock-vendor.ts';
import type { Failure } from './model/retries.ts';
import type { LockSimulator } from './simulators/simulator.ts';

/** A vendor to be proved, and the maker of locks behind it, whom the suite makes misbehave. */
export type Candidate = {
  readonly vendor: LockVendor;
  readonly simulator: LockSimulator;
  close(): Promise<void>;
};

/** What every vendor promises: run it for each adapter against its own simulator. */
export function lockVendorConformance(name: string, open: () => Promise<Candidate>): void {
  describe(`lock vendor ${name}`, () => {
    let it: Candidate;
    beforeAll(async () => {
      it = await open();
    });
    beforeEach(() => it.simulator.behave());
    afterAll(() => it?.close());

    const tenantId = newTenantId();
    // Whole hours in Kabul, which are half hours elsewhere.
    const window = {
      from: new Date('2026-12-01T09:30:00.000Z'),
      until: new Date('2026-12-04T07:30:00.000Z'),
    };
    let lastLock = 0;
    const order = (more: Partial<KeyOrder> = {}): KeyOrder => ({
      tenantId,
      credentialId: newId('key'),
      lockReference: String(2_211_877 + ++lastLock),
      reach: 'online',
      zone: parseZone('Asia/Kabul'),
      window,
      ...more,
    });
    /** How many keys of this name the lock itself would take. */
    const atDoor = ({ credentialId, lockReference }: KeyOrder) =>
      [...(it.simulator.world.locks.get(lockReference)?.keys.values() ?? [])].filter(
        key => key.name === credentialId && !key.isAsleep,
      );
    const failureOf = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: VendorFailure) => ({ failure: error.failure, isUnknown: error.isUnknown }),
      );

    test('a key is made, is found again, and opens its door', async () => {
      const wanted = order();
      expect(await it.vendor.inquire(wanted)).toEqual({ state: 'absent' });
      const made = await it.vendor.issue(wanted);
      expect(made.window).toEqual(window);
      expect(made.reference).toMatch(/^[\w.:-]{1,100}$/);
      expect(made.code === null).toBe(!it.vendor.hasCode);
      const found = await it.vendor.inquire(wanted);
      expect(found).toMatchObject({ state: 'live', reference: made.reference, window });
      expect(atDoor(wanted)).toHaveLength(1);
    });

    test('what is found again shows the same code, or none at all', async () => {
      const wanted = order();
      const made = await it.vendor.issue(wanted);
      const found = await it.vendor.inquire(wanted);
      if (found.state !== 'live') throw new Error(`it is ${found.state}`);
      expect([made.code, null]).toContain(found.code);
    });

    test('X-130: a reference is never the code', async () => {
      const made = await it.vendor.issue(order());
      expect(made.reference).not.toBe(made.code);
    });

    test('SAGA-53: a key gets another window and stays the same key, where that is possible', async () => {
      if (!it.vendor.changesInPlace('online')) throw new Error('no lock of this vendor can be talked to');
      const wanted = order();
      const made = await it.vendor.issue(wanted);
      const longer = { from: window.from, until: new Date(window.until.getTime() + hours(24)) };
      const changed = await it.vendor.change({ ...wanted, window: longer });
      expect(changed).toMatchObject({ reference: made.reference, window: longer });
      expect(await it.vendor.inquire(wanted)).toMatchObject({ state: 'live', window: longer });
      expect(atDoor(wanted)).toHaveLength(1);
    });

    test('a key sleeps and wakes up as the same one, where that is possible; else it says so', async () => {
      const wanted = order();
      const made = await it.vendor.issue(wanted);
      if (!it.vendor.canSleep('online')) {
        expect(await failureOf(it.vendor.suspend(wanted))).toEqual({ failure: 'refused', isUnknown: false });
        return;
      }
      await it.vendor.suspend(wanted);
      expect(atDoor(wanted)).toEqual([]);
      expect(await it.vendor.inquire(wanted)).toEqual({ state: 'asleep', reference: made.reference });
      expect(await it.vendor.resume(wanted)).toMatchObject({ reference: made.reference });
      expect(atDoor(wanted)).toHaveLength(1);
    });

    test('SAGA-44: a revoked key opens nothing, and revoking it again is no failure', async () => {
      const wanted = order();
      await it.vendor.issue(wanted);
      expect(await it.vendor.revoke(wanted)).toEqual({ confirmedByLock: true });
      expect(atDoor(wanted)).toEqual([]);
      expect(await it.vendor.inquire(wanted)).toEqual({ state: 'absent' });
      expect(await it.vendor.revoke(wanted)).toEqual({ confirmedByLock: true });
    });

    test('SAGA-49: a lock out of reach confirms nothing: it says so, or the vendor does', async () => {
      const wanted = order();
      await it.vendor.issue(wanted);
      const lock = it.simulator.world.locks.get(wanted.lockReference);
      if (lock === undefined) throw new Error('there is no lock');
      lock.isOnline = false;
      const said = await it.vendor.revoke(wanted).catch((error: VendorFailure) => error.failure);
      expect([{ confirmedByLock: false }, 'lock_offline']).toContainEqual(said);
      expect(await it.vendor.inspect(wanted)).toMatchObject({ isOnline: false });
    });

    test.each<[fault: 'cut' | 'lost' | 'error' | 'garbage' | 3_000, failure: Failure]>([
      ['cut', 'unreachable'],
      ['lost', 'unreachable'],
      ['error', 'bad_reply'],
      ['garbage', 'bad_reply'],
      [3_000, 'timeout'],
    ])(
      'an answer that is %s leaves the outcome unknown, and no second key comes of it',
      async (fault, failure) => {
        const wanted = order();
        it.simulator.misbehave('issue', fault);
        expect(await failureOf(it.vendor.issue(wanted))).toEqual({ failure, isUnknown: true });
        const standing = await it.vendor.inquire(wanted);
        const isWhole = standing.state === 'live' && (!it.vendor.hasCode || standing.code !== null);
        if (!isWhole) await it.vendor.issue(wanted);
        if (fault !== 3_000) expect(atDoor(wanted)).toHaveLength(1);
        await it.vendor.revoke(wanted);
        expect(atDoor(wanted)).toEqual([]);
      },
    );

    test('a request that arrives twice leaves nothing behind once the key is revoked', async () => {
      const wanted = order();
      it.simulator.misbehave('issue', 'duplicate');
      await it.vendor.issue(wanted);
      expect(await it.vendor.inquire(wanted)).toMatchObject({ state: 'live' });
      await it.vendor.revoke(wanted);
      expect(atDoor(wanted)).toEqual([]);
    });

    test.each<[fault: 'rate_limited', failure: Failure]>([['rate_limited', 'rate_limited']])(
      'a vendor that says %s has done nothing',
      async (fault, failure) => {
        const wanted = order();
        it.simulator.misbehave('issue', fault);
        expect(await failureOf(it.vendor.issue(wanted))).toEqual({ failure, isUnknown: false });
        expect(await it.vendor.inquire(wanted)).toEqual({ state: 'absent' });
      },
    );

    test('a lock that is offline while its key is changed is no unknown outcome', async () => {
      const wanted = order();
      await it.vendor.issue(wanted);
      it.simulator.misbehave('remove', 'lock_offline');
      const said = await failureOf(it.vendor.revoke(wanted));
      expect(said?.isUnknown).toBe(false);
      expect(await it.vendor.inquire(wanted)).toMatchObject({ state: 'live' });
    });

    test('a token that ran out is renewed without anybody noticing; a second refusal is told', async () => {
      it.simulator.misbehave('issue', 'token_expired');
      expect(await it.vendor.issue(order())).toMatchObject({ window });
      it.simulator.misbehave('issue', 'token_expired', 'token_expired');
      const wanted = order();
      expect(await failureOf(it.vendor.issue(wanted))).toEqual({
        failure: 'not_authorised',
        isUnknown: false,
      });
      expect(await it.vendor.inquire(wanted)).toEqual({ state: 'absent' });
    });

    test('many calls at once sign in once', async () => {
      const other = { tenantId: newTenantId() };
      const before = it.simulator.asked.filter(one => one === 'sign-in').length;
      await Promise.all([1, 2, 3, 4].map(() => it.vendor.issue(order(other))));
      expect(it.simulator.asked.filter(one => one === 'sign-in').length - before).toBe(1);
    });

    test('TEN-08: the lock of another house is not ours to open', async () => {
      const theirs = order();
      await it.vendor.issue(theirs);
      const ours = order({ tenantId: newTenantId(), lockReference: theirs.lockReference });
      const said = await failureOf(it.vendor.issue(ours));
      expect(said?.isUnknown).toBe(false);
      expect(['not_authorised', 'refused']).toContain(said?.failure);
      expect(await it.vendor.inquire({ ...ours, lockReference: '1' })).toEqual({ state: 'absent' });
    });

    test('a house without an account is refused before anybody is called', async () => {
      const asked = it.simulator.asked.length;
      const nobody = order({ tenantId: '00000000-0000-7000-8000-00000000dead' as KeyOrder['tenantId'] });
      expect(await failureOf(it.vendor.issue(nobody))).toEqual({
        failure: 'not_authorised',
        isUnknown: false,
      });
      expect(it.simulator.asked).toHaveLength(asked);
    });

    test('a lock says how it is', async () => {
      const wanted = order();
      await it.vendor.issue(wanted);
      const seen = await it.vendor.inspect(wanted);
      expect(seen.isOnline).toBe(true);
      expect([87, null]).toContain(seen.battery);
    });

    test('safety-45: a failure names no code, no token and no password', async () => {
      for (const fault of ['garbage', 'error', 'rate_limited', 'token_expired'] as const) {
        it.simulator.misbehave('issue', fault, fault);
        const error = await it.vendor.issue(order()).then(
          () => undefined,
          (thrown: VendorFailure) => thrown,
        );
        const text = `${error?.message} ${JSON.stringify(error)} ${String(error?.cause ?? '')}`;
        expect(text).not.toMatch(/simulator-password|tt-|ks-token|vl-|wg-|Bearer|Basic/);
        const codes = [...it.simulator.world.keys.values()]
          .map(({ code }) => code)
          .filter(code => code !== '');
        expect(codes.length).toBeGreaterThan(0);
        expect(codes.filter(code => text.includes(code))).toEqual([]);
        it.simulator.behave();
      }
    });
  });
}
