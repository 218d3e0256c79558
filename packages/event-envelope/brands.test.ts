import { readdirSync, readFileSync } from 'node:fs';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { ULID, UUIDv7 } from '@ghasi/domain-primitives/uuid';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { EventEnvelope } from './envelope.ts';
import { type ISODate, isIsoDate, isoDate } from './instant.ts';
import type { DataResidency } from './metadata.ts';
import type { RetentionClass } from './retention.ts';
import { isSemVer, type SemVer } from './semver.ts';

describe('ENV-31: unions and brands', () => {
  test('ENV-31: members of the envelope carry their brand, and plain text is none of them', () => {
    expectTypeOf<EventEnvelope['eventId']>().toEqualTypeOf<UUIDv7>();
    expectTypeOf<EventEnvelope['correlationId']>().toEqualTypeOf<ULID>();
    expectTypeOf<EventEnvelope['tenantId']>().toEqualTypeOf<TenantId | 'platform'>();
    expectTypeOf<EventEnvelope['occurredAt']>().toEqualTypeOf<ISODate>();
    expectTypeOf<EventEnvelope['metadata']['retentionClass']>().toEqualTypeOf<RetentionClass>();
    expectTypeOf<EventEnvelope['metadata']['dataResidency']>().toEqualTypeOf<DataResidency>();
    expectTypeOf<string>().not.toExtend<SemVer>();
  });

  test('ENV-12, ENV-31: every Date of the years 0 to 9999 has one ISODate', () => {
    const min = new Date('0000-01-01T00:00:00.000Z');
    const max = new Date('9999-12-31T23:59:59.999Z');
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), date => {
        expect(new Date(isoDate(date)).getTime()).toBe(date.getTime());
        expect(isIsoDate(isoDate(date))).toBe(true);
      }),
    );
    expect(() => isoDate(new Date(max.getTime() + 1))).toThrow('outside the years');
  });

  test.each([
    '2026-03-20',
    '2026-03-20T10:15:00Z',
    '2026-13-01T00:00:00.000Z',
    '2026-03-20T24:00:00.000Z',
    5,
  ])('ENV-12: %s is no ISODate', text => {
    expect(isIsoDate(text)).toBe(false);
  });

  test.each(['0.1.0', '1.2.3-rc.1', '1.0.0+build.5'])('ENV-31: %s is a SemVer', text => {
    expect(isSemVer(text)).toBe(true);
  });

  test.each(['1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', 3])('ENV-31: %s is no SemVer', text => {
    expect(isSemVer(text)).toBe(false);
  });
});

test('no file of this package needs Node: it runs in a browser', () => {
  const folder = new URL('./', import.meta.url);
  const sources = readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThanOrEqual(15);
  const imports = sources.flatMap(name => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    expect(text).not.toMatch(/\b(process\.|Buffer\.|require\()/);
    return [...text.matchAll(/from '([^']+)'/g)].map(([, target = '']) => target);
  });
  expect(imports.filter(target => !/^(\.\/|zod$|@ghasi\/domain-primitives\/)/.test(target))).toEqual([]);
});
