import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { TenantIdClass } from '@ghasi/telemetry/tenant-class';
import { expect, test } from 'vitest';
import { rememberTenantClass } from './observe-tenant-class.ts';

const HOUR = 3_600_000;

/** A source that says how often it was asked. */
function source(answer: (tenantId: string) => TenantIdClass | Promise<TenantIdClass>) {
  const asked: string[] = [];
  const classOf = (tenantId: string) => {
    asked.push(tenantId);
    return answer(tenantId);
  };
  return { asked, classOf };
}

test('X-040: a tenant is small until somebody says otherwise, and the platform is the platform', () => {
  const classOf = rememberTenantClass();
  expect(classOf('t1')).toBe('small');
  expect(classOf(PLATFORM_TENANT_ID)).toBe('platform');
});

test('OBS-05: a tenant is asked for once an hour, and the platform never', () => {
  let now = 0;
  const { asked, classOf } = source(() => 'large');
  const remembered = rememberTenantClass(classOf, () => now);
  for (let n = 0; n < 3; n++) expect(remembered('t1')).toBe('large');
  expect(remembered(PLATFORM_TENANT_ID)).toBe('platform');
  expect(asked).toEqual(['t1']);
  now = HOUR;
  expect(remembered('t1')).toBe('large');
  expect(asked).toEqual(['t1', 't1']);
});

test('OBS-05: those who ask while the answer is on its way share it', async () => {
  const answer = Promise.withResolvers<TenantIdClass>();
  const { asked, classOf } = source(() => answer.promise);
  const remembered = rememberTenantClass(classOf);
  const both = [remembered('t1'), remembered('t1')];
  answer.resolve('medium');
  expect(await Promise.all(both)).toEqual(['medium', 'medium']);
  expect(remembered('t1')).toBe('medium');
  expect(asked).toEqual(['t1']);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
  ['says at once what is no class', () => 'enterprise'], // a label that no metric takes: to count it would throw
  ['says what is no class', () => Promise.resolve('enterprise')],
  ['finds nothing', () => Promise.resolve(undefined)],
])('OBS-05: a source that %s makes the tenant small for a minute', async (_how, answer) => {
  let now = 0;
  const { asked, classOf } = source(answer as never);
  const remembered = rememberTenantClass(classOf, () => now);
  expect(await remembered('t1')).toBe('small');
  expect(remembered('t1')).toBe('small');
  expect(asked).toHaveLength(1);
  now = 60_000;
  await remembered('t1');
  expect(asked).toHaveLength(2);
});

test('OBS-14: only so many tenants are remembered, and the one not asked for longest is forgotten first', () => {
  const { asked, classOf } = source(() => 'small');
  const remembered = rememberTenantClass(classOf);
  for (let n = 0; n <= 10_000; n++) void remembered(`t${n}`);
  void remembered('t10000');
  expect(asked).toHaveLength(10_001);
  void remembered('t0');
  expect(asked).toHaveLength(10_002);
});
