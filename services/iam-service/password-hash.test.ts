import { signal } from '@ghasi/testing/signal';
import { expect, test } from 'vitest';
import { iamConfig } from './config.ts';
import { settings } from './fixtures/gate.ts';
import { installationKeys } from './installation-keys.ts';
import { boundedQueue, passwordHasher } from './password-hash.ts';

const keys = installationKeys(settings.secrets);
const owner = { tenantId: 'a', operatorId: 'b' };

test('safety-46: the default is argon2id with 64 MiB and 2 passes, and nothing below it is meant for production', async () => {
  const { argon2 } = iamConfig.parse({ ...settings, argon2: undefined });
  expect(argon2).toEqual({ memoryKib: 65_536, passes: 2, lanes: 1 });
  const hasher = passwordHasher(argon2, keys);
  const hash = await hasher.hash('a quiet valley', owner);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=2,p=1,keyid=[0-9a-f]{8}\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hasher.verify('a quiet valley', hash, owner)).toBe(true);
  expect(await hasher.verify('a quiet Valley', hash, owner)).toBe(false);
});

test('two hashes of one password differ', async () => {
  const hasher = passwordHasher(settings.argon2, keys);
  expect(await hasher.hash('a quiet valley', owner)).not.toBe(await hasher.hash('a quiet valley', owner));
});

test('safety-44: boot refuses a missing or short secret', () => {
  expect(() => iamConfig.parse({ ...settings, secrets: [] })).toThrow();
  expect(() => iamConfig.parse({ ...settings, secrets: ['x'.repeat(31)] })).toThrow();
});

test('a flood of hashes is worked off a few at a time, in order, and refused beyond its bound', async () => {
  const queue = boundedQueue(2, 3);
  const gate = signal();
  const started: number[] = [];
  const work = (n: number) =>
    queue(async () => {
      started.push(n);
      await gate.promise;
      return n;
    });
  const all = Array.from({ length: 7 }, (_, n) => work(n));
  const results = Promise.allSettled(all);
  expect(started).toEqual([0, 1]);
  gate.fire();
  const outcomes = await results;
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array(5).fill('fulfilled'),
    'rejected',
    'rejected',
  ]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
  await expect(work(9)).resolves.toBe(9);
});
