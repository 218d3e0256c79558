import { createHash } from 'node:crypto';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { parseZone } from '@ghasi/domain-primitives/zone';
import { newTenantId } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assaAbloyVendor, signatureOf } from './adapters/assa-abloy.ts';
import { saltoVendor } from './adapters/salto.ts';
import { ttlockVendor } from './adapters/ttlock.ts';
import { wiegandVendor } from './adapters/wiegand.ts';
import { readWiegandFrame, wiegandFormats, wiegandFrame } from './adapters/wiegand-frame.ts';
import { lockVendorConformance } from './lock-vendor.conformance.ts';
import type { KeyOrder, LockVendor } from './lock-vendor.ts';
import { assaAbloyProtocol } from './simulators/assa-abloy.ts';
import { saltoProtocol } from './simulators/salto.ts';
import { LockSimulator, type Protocol } from './simulators/simulator.ts';
import { startLockSimulator } from './simulators/start-lock-simulator.ts';
import { ttlockProtocol } from './simulators/ttlock.ts';
import { wiegandProtocol } from './simulators/wiegand.ts';

const password = 'simulator-password';
const oauth = { clientId: 'app', clientSecret: 'app-secret', password };
const known = <A>(tenantId: TenantId, account: A) => (tenantId.endsWith('dead') ? undefined : account);
const at = (baseUrl: string) => ({ baseUrl, timeoutMs: 1_000 });

const vendors: [name: string, protocol: Protocol, open: (url: string) => LockVendor][] = [
  [
    'ttlock',
    ttlockProtocol,
    url => ttlockVendor({ ...at(url), accountOf: t => known(t, { ...oauth, username: t }) }),
  ],
  [
    'salto',
    saltoProtocol,
    url => saltoVendor({ ...at(url), accountOf: t => known(t, { ...oauth, username: t, siteId: t }) }),
  ],
  [
    'assa abloy',
    assaAbloyProtocol,
    url => assaAbloyVendor({ ...at(url), accountOf: t => known(t, { username: t, password }) }),
  ],
  [
    'wiegand',
    wiegandProtocol,
    url =>
      wiegandVendor({
        ...at(url),
        accountOf: t => known(t, { user: t, password, format: 26, facility: 77 }),
      }),
  ],
];

for (const [name, protocol, open] of vendors) {
  lockVendorConformance(name, async () => {
    const simulator = new LockSimulator(protocol);
    const vendor = open(await simulator.listen());
    return { vendor, simulator, close: () => simulator.close() };
  });
}

const order = (more: Partial<KeyOrder> = {}): KeyOrder => ({
  tenantId: newTenantId(),
  credentialId: newId('key'),
  lockReference: '2211877',
  reach: 'gateway',
  zone: parseZone('Asia/Kabul'),
  window: { from: new Date('2026-12-01T09:30:00.000Z'), until: new Date('2026-12-04T07:30:00.000Z') },
  ...more,
});

async function opened(name: string) {
  const found = vendors.find(([one]) => one === name);
  if (found === undefined) throw new Error(`no vendor ${name}`);
  const simulator = new LockSimulator(found[1]);
  return { simulator, vendor: found[2](await simulator.listen()) };
}

describe('R27: what a TTLock code is', () => {
  test('it opens from its start to its end, and is dead when nobody used it within a day', async () => {
    const { simulator, vendor } = await opened('ttlock');
    const wanted = order();
    const { code } = await vendor.issue(wanted);
    const opens = (time: string) =>
      simulator.world.opens(wanted.lockReference, code as string, new Date(time));
    expect(opens('2026-12-01T09:29:00.000Z')).toBe(false);
    expect(opens('2026-12-02T09:31:00.000Z')).toBe(false); // unused for a day
    const again = order({ tenantId: wanted.tenantId, lockReference: '5' });
    const second = (await vendor.issue(again)).code as string;
    expect(simulator.world.opens('5', second, new Date('2026-12-01T12:00:00.000Z'))).toBe(true);
    expect(simulator.world.opens('5', second, new Date('2026-12-03T12:00:00.000Z'))).toBe(true);
    expect(simulator.world.opens('5', second, new Date('2026-12-04T07:30:00.000Z'))).toBe(false);
    await simulator.close();
  });

  test('an offline lock cannot be told: its code ends with its window, and nobody is called', async () => {
    const { simulator, vendor } = await opened('ttlock');
    const wanted = order({ reach: 'offline' });
    await vendor.issue(wanted);
    const asked = simulator.asked.length;
    expect(await vendor.revoke(wanted)).toEqual({ confirmedByLock: false });
    expect(simulator.asked).toHaveLength(asked);
    expect(vendor.changesInPlace('offline')).toBe(false);
    await simulator.close();
  });

  test('a key is found among more than a page of others', async () => {
    const { simulator, vendor } = await opened('ttlock');
    const wanted = order();
    await vendor.issue(wanted);
    const lock = simulator.world.locks.get(wanted.lockReference);
    if (lock === undefined) throw new Error('there is no lock');
    for (let n = 0; n < 150; n++) simulator.world.issue(lock, { ...wanted.window, name: `other ${n}` });
    const last = order({ tenantId: wanted.tenantId });
    const { reference } = await vendor.issue(last);
    expect(await vendor.inquire(last)).toMatchObject({ state: 'live', reference });
    await simulator.close();
  });
});

describe('Assa Abloy', () => {
  test('times are those of the clock in the house', async () => {
    const { simulator, vendor } = await opened('assa abloy');
    const wanted = order();
    await vendor.issue(wanted);
    const [made] = simulator.world.named(wanted.credentialId);
    expect(made?.from.toISOString()).toBe('2026-12-01T14:00:00.000Z'); // 14:00 in Kabul, which the server takes as it is
    await simulator.close();
  });

  test('requests are signed over method, body, type, date and path', () => {
    const parts = {
      method: 'POST',
      contentMd5: createHash('md5').update('{}').digest('base64'),
      contentType: 'application/json',
      date: 'Tue, 01 Dec 2026 09:30:00 GMT',
      path: '/api/v1/cards',
    };
    const one = signatureOf('key', parts);
    expect(one).toMatch(/^[A-Za-z0-9+/]{27}=$/);
    for (const [name, value] of Object.entries(parts))
      expect(signatureOf('key', { ...parts, [name]: `${value}x` })).not.toBe(one);
    expect(signatureOf('other', parts)).not.toBe(one);
  });

  test('a card is written by an encoder; a key that is not there cannot be', async () => {
    const { simulator, vendor } = await opened('assa abloy');
    const wanted = order();
    await expect(vendor.encode?.(wanted, 'desk-1')).rejects.toMatchObject({ failure: 'refused' });
    await vendor.issue(wanted);
    await vendor.encode?.(wanted, 'desk-1');
    expect(simulator.asked.filter(one => one === 'encode')).toHaveLength(2);
    await simulator.close();
  });
});

describe('Wiegand frames', () => {
  test('a frame of 26 bits: facility 212, number 7041', () => {
    // 11010100 0001|1011 10000001: five ones in the first half, five in the second
    expect(wiegandFrame({ format: 26, facility: 212, number: 7041 })).toBe(
      '1'.concat('110101000001101110000001', '0'),
    );
  });

  test('a frame of 34 bits: 0x89D4 and 0x1B81', () => {
    const data = '10001001110101000001101110000001';
    // seven ones in the first half, seven in the second… the even bit makes eight, the odd one nothing
    const ones = (text: string) => text.replaceAll('0', '').length;
    const even = ones(data.slice(0, 16)) % 2;
    const odd = (ones(data.slice(16)) + 1) % 2;
    expect(wiegandFrame({ format: 34, facility: 0x89d4, number: 0x1b81 })).toBe(`${even}${data}${odd}`);
  });

  const format = fc.constantFrom(26 as const, 34 as const);
  const card = format.chain(one =>
    fc.record({
      format: fc.constant(one),
      facility: fc.integer({ min: 0, max: 2 ** wiegandFormats[one].facilityBits - 1 }),
      number: fc.integer({ min: 0, max: 2 ** wiegandFormats[one].numberBits - 1 }),
    }),
  );

  test('every card can be read back, and its halves are even and odd', () => {
    fc.assert(
      fc.property(card, one => {
        const frame = wiegandFrame(one);
        const half = one.format / 2;
        const ones = (text: string) => [...text].filter(bit => bit === '1').length;
        expect(frame).toHaveLength(one.format);
        expect(ones(frame.slice(0, half)) % 2).toBe(0);
        expect(ones(frame.slice(half)) % 2).toBe(1);
        expect(readWiegandFrame(frame)).toEqual(one);
      }),
      { numRuns: 200 },
    );
  });

  test('one flipped bit is noticed', () => {
    fc.assert(
      fc.property(card, fc.nat(), (one, place) => {
        const frame = wiegandFrame(one);
        const at = place % frame.length;
        const flipped = `${frame.slice(0, at)}${frame[at] === '1' ? '0' : '1'}${frame.slice(at + 1)}`;
        expect(readWiegandFrame(flipped)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test('a number that does not fit is no card', () => {
    expect(() => wiegandFrame({ format: 26, facility: 256, number: 1 })).toThrow('8 bits');
    expect(() => wiegandFrame({ format: 26, facility: 1, number: 65_536 })).toThrow('16 bits');
    expect(readWiegandFrame('0101')).toBeUndefined();
  });

  test('two keys that come to the same number get different cards', async () => {
    const { simulator, vendor } = await opened('wiegand');
    const tenantId = newTenantId();
    const first = order({ tenantId });
    const { code } = await vendor.issue(first);
    const lock = simulator.world.locks.get(first.lockReference);
    if (lock === undefined || code === null) throw new Error('there is no key');
    // The controller knows another guest's card with the number that this key would ask for.
    const second = order({ tenantId });
    const probe = await vendor.issue(second);
    await vendor.revoke(second);
    const [, facility, number] = (probe.code as string).split(':').map(Number) as [number, number, number];
    const taken = wiegandFrame({ format: 26, facility, number });
    simulator.world.issue(lock, { ...first.window, name: 'somebody else', code: taken });
    const again = await vendor.issue(second);
    expect(again.code).not.toBe(probe.code);
    await simulator.close();
  });
});

test('the simulator of the demo runs in this process, and every house has an account there', async () => {
  const simulator = await startLockSimulator();
  const [vendor] = simulator.vendors;
  const wanted = order();
  expect(await vendor?.issue(wanted)).toMatchObject({ window: wanted.window });
  expect(await vendor?.inspect(wanted)).toEqual({ isOnline: true, battery: 87 });
  await simulator.stop();
  await expect(vendor?.inquire(wanted)).rejects.toMatchObject({ failure: 'unreachable' });
});
