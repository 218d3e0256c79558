import { describe, expect, test } from 'vitest';
import { crossTenantPolicy, crossTenantProblems } from './cross-tenant-policy.ts';
import { declare } from './fixtures/registry-events.ts';
import { createRegistry } from './registry.ts';

const map = declare('lab.atlas.map.drawn.v1', { crossTenant: true });
const sample = declare('lab.samples.sample.taken.v1');
const row = {
  subject: map.subject,
  owner: 'atlas-service',
  readers: ['public-service'],
  why: 'maps are public',
};
const policy = crossTenantPolicy([row]);

describe('publishing', () => {
  test('XT-06, ANTI-08: what leaves its tenant needs a row', () => {
    expect(policy.publishProblem(map)).toBeUndefined();
    expect(crossTenantPolicy([]).publishProblem(map)).toBe(
      'it has no row in the table of cross-tenant paths',
    );
  });

  test('CAT-07, XT-06: the row names the owner', () => {
    const stolen = crossTenantPolicy([{ ...row, owner: 'sample-service' }]);
    expect(stolen.publishProblem(map)).toBe('the table gives it to sample-service, not to atlas-service');
  });

  test('what stays in its tenant needs none', () => {
    expect(policy.publishProblem(sample)).toBeUndefined();
    expect(policy.subscribeProblem(sample, 'anybody')).toBeUndefined();
  });

  test('X-082: the append path asks the same policy through the registry', () => {
    expect(createRegistry([map], { crossTenant: policy }).crossTenantProblem(map)).toBeUndefined();
  });
});

describe('subscribing', () => {
  test('XT-06: only readers of the row may', () => {
    expect(policy.subscribeProblem(map, 'public-service')).toBeUndefined();
    expect(policy.subscribeProblem(map, 'sample-service')).toContain('does not name sample-service');
    expect(crossTenantPolicy([]).subscribeProblem(map, 'public-service')).toContain('no row');
  });
});

describe('declarations', () => {
  const atlas = { name: 'atlas-service', publishes: [map], reacts: [] };
  const reader = (name: string) => ({ name, publishes: [], reacts: [{ event: map }] });

  test('MIG-15: declared publishers and readers that the table does not know are found', () => {
    expect(crossTenantProblems([atlas, reader('public-service')], policy)).toEqual([]);
    expect(crossTenantProblems([atlas, reader('sample-service')], policy)).toEqual([
      `${map.subject}: the table of cross-tenant paths does not name sample-service as a reader`,
    ]);
    expect(crossTenantProblems([atlas], crossTenantPolicy([]))).toEqual([
      `${map.subject}: it has no row in the table of cross-tenant paths`,
    ]);
  });

  test('MIG-15: rows about nothing are found', () => {
    const idle = crossTenantPolicy([row, { ...row, subject: sample.subject, owner: 'sample-service' }]);
    const samples = { name: 'sample-service', publishes: [sample], reacts: [] };
    expect(crossTenantProblems([atlas, samples], idle)).toEqual([
      `${sample.subject}: the table has a row for it, and it is not crossTenant`,
    ]);
    expect(crossTenantProblems([], policy)).toEqual([
      `${map.subject}: the table has a row for it, and nobody publishes it`,
    ]);
  });

  test('two rows about one subject are refused', () => {
    expect(() => crossTenantPolicy([row, row])).toThrow('two rows are about one subject');
  });
});
