import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSubject,
  legacySubjects,
  parseSubject,
  serviceTokens,
  subjectOf,
  verbAllowList,
} from './subject.ts';

const snake = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,6}){0,2}$/);
const past = fc
  .tuple(snake, fc.constantFrom('added', 'held', 'went', 'closed'))
  .map(words => words.join('_'));
const token = fc.constantFrom(...Object.keys(serviceTokens));
const version = fc.integer({ min: 1, max: 9_999 });

describe('grammar', () => {
  test('CAT-01, CAT-05: what is put together from five segments comes apart into the same five', () => {
    fc.assert(
      fc.property(token, snake, past, version, (service, aggregate, verb, n) => {
        const type = `melmastoon.${service}.${aggregate}.${verb}`;
        const parts = parseSubject(`${type}.v${n}`);
        expect(parts).toMatchObject({ type, service, aggregate, verb, version: n });
        expect(subjectOf({ eventType: parts.type, eventVersion: parts.version })).toBe(parts.subject);
      }),
    );
  });

  test.each([
    ['melmastoon.reservation.booking.confirmed', 'expected five segments, got 4'],
    ['melmastoon.reservation.booking.room.confirmed.v1', 'expected five segments, got 6'],
    ['melmastoon.file.deleted.v1', 'expected five segments, got 4'],
    ['', 'expected five segments, got 1'],
    ['other.reservation.booking.confirmed.v1', 'it must start with melmastoon.'],
    ['melmastoon.reservations.booking.confirmed.v1', '"reservations" is not a service token'],
    ['melmastoon.lock-integration.vendor.error.v1', '"lock-integration" is not a service token'],
    ['melmastoon.constructor.booking.confirmed.v1', '"constructor" is not a service token'],
    ['melmastoon.reservation.Booking.confirmed.v1', 'aggregate "Booking" is not snake_case'],
    ['melmastoon.reservation..confirmed.v1', 'aggregate "" is not snake_case'],
    ['melmastoon.reservation.booking.dates-changed.v1', 'verb "dates-changed" is not snake_case'],
    ['melmastoon.reservation.booking.confirm.v1', 'verb "confirm" is not past tense'],
    ['melmastoon.reservation.booking.bed.v1', 'verb "bed" is not past tense'],
    ['melmastoon.reservation.booking.confirmed.v0', '"v0" is not a version such as v1'],
    ['melmastoon.reservation.booking.confirmed.1', '"1" is not a version such as v1'],
    ['melmastoon.reservation.booking.confirmed.v01', '"v01" is not a version such as v1'],
  ])('CAT-01..05: %s is refused', (subject, reason) => {
    expect(() => parseSubject(subject)).toThrow(reason);
    expect(isSubject(subject)).toBe(false);
  });

  test('a subject longer than a topic name is refused, and the message stays short', () => {
    const subject = `melmastoon.iam.${'a'.repeat(100_000)}.created.v1`;
    expect(() => parseSubject(subject)).toThrow('longer than 255 characters');
    expect(() => parseSubject(subject)).toThrow(/^.{0,400}$/);
  });
});

describe('exceptions', () => {
  test('X-003: exactly two four-segment subjects exist, and their aggregate is object', () => {
    expect(Object.keys(legacySubjects)).toHaveLength(2);
    expect(parseSubject('melmastoon.file.uploaded.v1')).toMatchObject({
      type: 'melmastoon.file.uploaded',
      service: 'file',
      aggregate: 'object',
      verb: 'uploaded',
      owner: 'file-storage-service',
    });
    expect(parseSubject('melmastoon.file.scanned.v1').verb).toBe('scanned');
    expect(() => parseSubject('melmastoon.file.uploaded.v2')).toThrow('expected five segments');
  });

  test('X-004: error and no_show are the verbs that need no past tense', () => {
    expect(verbAllowList).toEqual(['error', 'no_show']);
    expect(isSubject('melmastoon.lock_integration.vendor.error.v1')).toBe(true);
    expect(isSubject('melmastoon.reservation.booking.no_show.v1')).toBe(true);
  });

  test.each([
    'held',
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
