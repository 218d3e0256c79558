import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { installationSecret } from './secret.ts';

test('nothing set means the defaults', () => {
  expect(readEnvironment({})).toMatchObject({
    PORT: 4000,
    SERVICES: 'all',
    ROLE: 'all',
    MELM_ENV: 'development',
    MELM_DATA_DIR: '.melmastoon',
    MELM_METRICS: 'loopback',
  });
});

test('an empty variable counts as not set', () => {
  expect(readEnvironment({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 4000 });
});

test.for([
  [{ MELM_SERCET: 'x' }, /MELM_SERCET is not known/],
  [{ PORT: 'eighty' }, /PORT must be a port number/],
  [{ PORT: '70000' }, /PORT/],
  [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be an address that starts with postgres:/],
  [{ REDIS_URL: 'localhost' }, /REDIS_URL must be an address/],
  [{ ROLE: 'everything' }, /ROLE/],
  [{ MELM_METRICS: 'yes' }, /MELM_METRICS/],
  [{ SERVICES: ' , ' }, /SERVICES/],
  [{ MELM_SECRET: 'short' }, /MELM_SECRET must have at least 32 characters/],
  [{ MELM_TRUSTED_PROXIES: 'proxy.example' }, /MELM_TRUSTED_PROXIES must be addresses or ranges/],
  [{ MELM_TRUSTED_PROXIES: '10.0.0.0/33' }, /MELM_TRUSTED_PROXIES must be addresses or ranges/],
  [{ MELM_PEERS: 'iam' }, /"iam" is not like iam=http/],
] as const)('%j is refused in one line that names it', ([env, message]) => {
  expect(() => readEnvironment(env)).toThrow(message);
  try {
    readEnvironment(env);
  } catch (error) {
    expect(String((error as Error).message)).not.toContain('\n');
  }
});

test('every bad variable is named at once', () => {
  expect(() => readEnvironment({ PORT: 'x', MELM_NO: '1' })).toThrow(/MELM_NO.*PORT/);
});

test('peers are read as a map', () => {
  const { MELM_PEERS } = readEnvironment({ MELM_PEERS: 'iam=http://127.0.0.1:1, tenant=http://127.0.0.1:2' });
  expect([...(MELM_PEERS ?? [])]).toEqual([
    ['iam', 'http://127.0.0.1:1'],
    ['tenant', 'http://127.0.0.1:2'],
  ]);
});

test('trusted proxies are addresses, ranges, or the names that Fastify has for some', () => {
  const given = '10.0.0.7, 10.0.0.0/8, ::1, fd00::/8, loopback';
  const { MELM_TRUSTED_PROXIES } = readEnvironment({ MELM_TRUSTED_PROXIES: given });
  expect(MELM_TRUSTED_PROXIES).toEqual(given.split(', '));
});

test('a database of your own needs a secret of your own', async () => {
  const env = readEnvironment({ DATABASE_URL: 'postgres://a@b/c' });
  await expect(installationSecret(env)).rejects.toMatchObject({ code: 'NO_SECRET' });
});

test('safety-27, TEN-16: production takes no generated secret', async () => {
  await expect(installationSecret(readEnvironment({ MELM_ENV: 'production' }))).rejects.toMatchObject({
    code: 'NO_SECRET',
  });
});

test.for([
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'change-me-change-me-change-me-1234567890',
  'this-is-the-default-secret-0123456789',
])('a secret as weak as %s is refused', async MELM_SECRET => {
  await expect(installationSecret(readEnvironment({ MELM_SECRET }))).rejects.toMatchObject({
    code: 'WEAK_SECRET',
  });
});
