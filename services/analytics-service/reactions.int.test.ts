import { doubleDeliveryContract, type Samples } from '@ghasi/testing/double-delivery';
import { describe, expect, test } from 'vitest';
import { service } from './fixtures/open-analytics.ts';

const owners = ['reservation', 'pricing', 'property', 'billing', 'housekeeping', 'maintenance'];
const samplesOf = async (owner: string) => {
  const file = new URL(`../${owner}-service/fixtures/samples.ts`, import.meta.url);
  return ((await import(file.href)) as { samples: Samples }).samples;
};
const samples = Object.assign({}, ...(await Promise.all(owners.map(samplesOf)))) as Samples;

describe('INBOX-10, ORD-14: whatever arrives twice or in another order leaves the same rows behind', () => {
  doubleDeliveryContract([service], samples);
});

test('BROKER-08: it hears of a confirmed booking, and of no guest', () => {
  const subjects = service.reacts.map(({ event }) => event.subject);
  expect(subjects).toContain('melmastoon.reservation.booking.confirmed.v1');
  expect(new Set(subjects).size).toBe(subjects.length);
});
