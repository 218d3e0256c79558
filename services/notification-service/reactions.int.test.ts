import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { describe, expect, test } from 'vitest';
import { newStay } from './fixtures/stay.ts';
import { service } from './service.ts';

const stay = newStay();
const facts = [
  stay.confirmed(),
  stay.cancelled(),
  stay.modified(),
  stay.reallocated(),
  stay.datesChanged({ reason: 'reallocation_failed' }),
  stay.checkInStarted(),
  stay.checkedOut(),
  stay.keyIssued(),
];
const samples = Object.fromEntries(facts.map(({ event, payload }) => [event.subject, payload]));

test('it reacts to eight facts of others and to nothing of its own', () => {
  expect(service.reacts.map(({ event }) => event.subject).sort()).toEqual(Object.keys(samples).sort());
});

describe('INBOX-10, ORD-09, ORD-14: facts in any order, however often', () => {
  doubleDeliveryContract([service], samples);
});
