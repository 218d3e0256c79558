import { splitSubject } from '@ghasi/event-envelope/subject';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogue } from './catalogue.ts';
import { defineEvent } from './define-event.ts';
import { serviceTokens } from './service-tokens.ts';

const { parseSubject, isSubject } = catalogue;
const snake = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,6}){0,2}$/);
const past = fc
  .tuple(snake, fc.constantFrom('added', 'held', 'went', 'closed'))
  .map(words => words.join('_'));

describe('grammar', () => {
  test('CAT-01, CAT-02, CAT-05: every token, aggregate, past tense and version make a subject', () => {
    const token = fc.constantFrom(...Object.entries(serviceTokens));
    fc.assert(
      fc.property(
        token,
        snake,
        past,
        fc.integer({ min: 1, max: 9_999 }),
        ([service, owner], aggregate, verb, n) => {
          const type = `melmastoon.${service}.${aggregate}.${verb}`;
          const subject = `${type}.v${n}`;
          expect(parseSubject(subject)).toEqual({
            subject,
            type,
            service,
            aggregate,
            verb,
            version: n,
            owner,
          });
        },
      ),
    );
  });

  test.each([
    ['melmastoon.reservation.booking.confirmed', '"confirmed" is not a version'],
    ['melmastoon.reservation.booking.room.confirmed.v1', 'expected five segments, got 6'],
    ['melmastoon.file.deleted.v1', 'expected five segments, got 4'],
    ['booking.created', 'expected five segments, got 2'],
    ['other.reservation.booking.confirmed.v1', 'it must start with melmastoon.'],
    [
      'melmastoon.reservations.booking.confirmed.v1',
      '"reservations" is not a service token; they are `services` of eventCatalogue(…) in services/catalog/service-tokens.ts',
    ],
    ['melmastoon.platform.thing.created.v1', '"platform" is not a service token'],
    ['melmastoon.lock-integration.vendor.error.v1', 'service "lock-integration" is not snake_case'],
    ['melmastoon.constructor.booking.confirmed.v1', '"constructor" is not a service token'],
    ['melmastoon.reservation.Booking.confirmed.v1', 'aggregate "Booking" is not snake_case'],
    ['melmastoon.reservation.booking.confirm.v1', 'verb "confirm" is not past tense'],
    ['melmastoon.reservation.booking.confirmed.v0', '"v0" is not a version such as v1'],
  ])('CAT-01..05, CAT-11: %s is refused', (subject, reason) => {
    expect(() => parseSubject(subject)).toThrow(reason);
    expect(isSubject(subject)).toBe(false);
  });

  test.each([
    'held',
    'bound',
    'unbound',
    'dates_changed',
    'check_in_started',
    'checked_in',
    'checked_out',
    'went_offline',
    'local_completed',
  ])('CAT-04: %s is past tense', verb => {
    expect(isSubject(`melmastoon.reservation.booking.${verb}.v1`)).toBe(true);
  });
});

describe('exceptions', () => {
  test('X-003: exactly two four-segment subjects exist, and their aggregate is object', () => {
    expect(Object.keys(catalogue.legacySubjects)).toHaveLength(2);
    expect(parseSubject('melmastoon.file.uploaded.v1')).toMatchObject({
      type: 'melmastoon.file.uploaded',
      service: 'file',
      aggregate: 'object',
      verb: 'uploaded',
      owner: 'file-storage-service',
    });
    expect(parseSubject('melmastoon.file.scanned.v1').aggregate).toBe('object');
    expect(() => parseSubject('melmastoon.file.uploaded.v2')).toThrow('expected five segments');
    expect(splitSubject('melmastoon.file.uploaded.v1').aggregate).toBeUndefined();
  });

  test('X-004: error and no_show are the verbs that need no past tense', () => {
    expect(catalogue.verbs).toEqual(['error', 'no_show']);
    expect(isSubject('melmastoon.lock_integration.vendor.error.v1')).toBe(true);
    expect(isSubject('melmastoon.reservation.booking.no_show.v1')).toBe(true);
  });

  test('XT-01, ANTI-08: only analytics and search_aggregation may publish across tenants', () => {
    const define = (subject: string) => () => defineEvent({ ...simple, subject, crossTenant: true });
    for (const token of Object.keys(serviceTokens)) {
      const attempt = define(`melmastoon.${token}.thing.made.v1`);
      if (['analytics', 'search_aggregation'].includes(token)) expect(attempt().crossTenant).toBe(true);
      else expect(attempt).toThrow('XT-01');
    }
  });

  test('GEN-18, ENV-23: exactly the events of ai_orchestrator must say which model made them', () => {
    const needing = Object.keys(serviceTokens).filter(
      token => defineEvent({ ...simple, subject: `melmastoon.${token}.thing.made.v1` }).aiProvenance,
    );
    expect(needing).toEqual(['ai_orchestrator']);
  });

  test('GEN-15, X-027, XT-08: eight subjects may be the platform’s, each with a reason, all of iam and tenant', () => {
    const reasons = Object.entries(catalogue.platformSubjects);
    expect(reasons.map(([subject]) => parseSubject(subject).owner)).toEqual([
      ...Array<string>(6).fill('iam-service'),
      'tenant-service',
      'tenant-service',
    ]);
    for (const [subject, reason] of reasons) {
      expect(reason).toContain('platform');
      expect(defineEvent({ ...simple, subject }).platform).toBe(true);
    }
    expect(defineEvent({ ...simple, subject: 'melmastoon.tenant.tenant.created.v1' }).platform).toBe(false);
  });
});

describe('services', () => {
  test('CAT-12..33, X-006: 24 tokens for 24 directories', () => {
    expect(Object.keys(serviceTokens)).toHaveLength(24);
    expect(new Set(Object.values(serviceTokens)).size).toBe(24);
  });

  test('CAT-12..33, X-005: all but payment, theme and file are their directory minus -service', () => {
    const irregular = Object.entries(serviceTokens).filter(
      ([service, directory]) => directory !== `${service.replaceAll('_', '-')}-service`,
    );
    expect(irregular.map(([service]) => service)).toEqual(['payment', 'theme', 'file']);
  });

  test.each([
    ['payment', 'payment-gateway-service'],
    ['theme', 'theme-config-service'],
    ['file', 'file-storage-service'],
    ['lock_integration', 'lock-integration-service'],
    ['bff_backoffice', 'bff-backoffice-service'],
    ['bff_consumer', 'bff-consumer-service'],
  ])('CAT-02, X-005: the table gives %s to %s', (service, directory) => {
    expect(parseSubject(`melmastoon.${service}.thing.created.v1`).owner).toBe(directory);
  });
});

const simple = {
  summary: 'something happened',
  retention: 'warm' as const,
  payload: z.strictObject({ id: z.string() }),
  aggregateId: (p: { id: string }) => p.id,
  idempotencyKey: (p: { id: string }) => p.id,
};
