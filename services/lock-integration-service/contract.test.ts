import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DevicePaired,
  events,
  KeyCredentialIssued,
  KeyCredentialRevoked,
  KeyCredentialSuspended,
  KeyCredentialUpdated,
  VendorError,
  vendors,
} from './contract.ts';
import { pairingFailed, samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const credentialId = 'key_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C';
const lockId = 'lck_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2G';

describe('EVT-51..56: the events of lock-integration-service', () => {
  contractConformance(events, samples);

  test('they are the six of the ledger, of the class cold', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.lock_integration.key_credential.issued.v1', 'cold'],
      ['melmastoon.lock_integration.key_credential.updated.v1', 'cold'],
      ['melmastoon.lock_integration.key_credential.revoked.v1', 'cold'],
      ['melmastoon.lock_integration.key_credential.suspended.v1', 'cold'],
      ['melmastoon.lock_integration.vendor.error.v1', 'cold'],
      ['melmastoon.lock_integration.device.paired.v1', 'cold'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('ORD-08: two at a time on up to ten instances, in order per key', () => {
  expect(service.delivery).toEqual({ mode: 'push', instances: 10, concurrency: 2, order: 'required' });
});

test.each(vendors)('EVT-51: a key of %s can be told', vendor => {
  expect(refusalOf(KeyCredentialIssued, sampleOf(KeyCredentialIssued, { vendor }))).toBeUndefined();
});

test('EVT-51: the code that opens the door never travels', () => {
  expect(refusalOf(KeyCredentialIssued, sampleOf(KeyCredentialIssued, { passcode: '480211' }))).toContain(
    'passcode',
  );
});

test('EVT-51, R27: a key has a window that opens before it ends', () => {
  const hour = fc
    .integer({ min: 0, max: 24 * 365 })
    .map(at => new Date(Date.UTC(2026, 2, 21, at)).toISOString());
  fc.assert(
    fc.property(hour, hour, (validFrom, validUntil) => {
      const payload = sampleOf(KeyCredentialIssued, { window: { validFrom, validUntil } });
      const refusal = refusalOf(KeyCredentialIssued, payload);
      expect(refusal).toEqual(validFrom < validUntil ? undefined : expect.stringContaining('window'));
    }),
  );
});

test('EVT-52: a move changes the room, a change of dates the window', () => {
  const moved = (roomId: string) =>
    refusalOf(KeyCredentialUpdated, sampleOf(KeyCredentialUpdated, { change: 'room_moved', roomId }));
  expect(moved('rom_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2K')).toBeUndefined();
  expect(moved('rom_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F')).toContain('moved to where it was');
  const { window } = samples[KeyCredentialIssued.subject] as { window: object };
  const same = refusalOf(KeyCredentialUpdated, sampleOf(KeyCredentialUpdated, { window }));
  expect(same).toContain('the window it had');
});

test('EVT-52, EVT-54: each update and each suspension of a key is a fact of its own', () => {
  expect(keyOf(KeyCredentialUpdated, 2)).toBe(`${credentialId}:updated:2`);
  expect(keyOf(KeyCredentialUpdated, 3)).toBe(`${credentialId}:updated:3`);
  expect(keyOf(KeyCredentialSuspended, 4)).toBe(`${credentialId}:suspended:4`);
});

test('EVT-51, EVT-53: a key is issued once and dies once', () => {
  expect([keyOf(KeyCredentialIssued, 1), keyOf(KeyCredentialIssued, 2)]).toEqual(
    Array(2).fill(`${credentialId}:issued`),
  );
  expect([keyOf(KeyCredentialRevoked, 5), keyOf(KeyCredentialRevoked, 6)]).toEqual(
    Array(2).fill(`${credentialId}:revoked`),
  );
});

test('EVT-55, ORD-02: a failure is in order with what happens to its key, or to its lock', () => {
  const failed = VendorError.from(samples[VendorError.subject] as never, { aggregateVersion: 2 });
  expect(failed.aggregateId).toBe(credentialId);
  expect(failed.idempotencyKey).toBe(`${credentialId}:issue_failed:2`);
  const pairing = VendorError.from(pairingFailed as never, { aggregateVersion: 1 });
  expect(pairing.aggregateId).toBe(lockId);
  expect(pairing.idempotencyKey).toBe(`${lockId}:pair_failed:1`);
});

test('EVT-55, SAGA-26: a failed issue names the booking that waits for its key', () => {
  const { reservationId: _, ...rest } = sampleOf(VendorError, {}) as Record<string, unknown>;
  expect(refusalOf(VendorError, rest)).toContain('reservationId');
  expect(refusalOf(VendorError, { ...pairingFailed, operation: 'issue' })).toContain('credentialId');
  expect(refusalOf(VendorError, sampleOf(VendorError, { retryAt: null }))).toBeUndefined();
});

test('EVT-56: a lock can hang on a door that is no room', () => {
  expect(refusalOf(DevicePaired, sampleOf(DevicePaired, { roomId: null }))).toBeUndefined();
  expect(refusalOf(DevicePaired, sampleOf(DevicePaired, { vendor: 'acme' }))).toContain('vendor');
});

function sampleOf({ subject }: { subject: string }, change: object) {
  return { ...samples[subject], ...change };
}

function keyOf(event: (typeof events)[number], aggregateVersion: number): string {
  return event.from(samples[event.subject] as never, { aggregateVersion }).idempotencyKey;
}
