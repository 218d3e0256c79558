import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnomalyDetected, events, HitlDecided, InferenceLocalCompleted } from './contract.ts';
import { provenance, samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const hash = 'c3'.repeat(32);

describe('EVT-66..70: the events of ai-orchestrator-service', () => {
  contractConformance(events, samples);

  test('they are the five of the ledger, of the class cold', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.ai_orchestrator.completion.completed.v1', 'cold'],
      ['melmastoon.ai_orchestrator.completion.refused.v1', 'cold'],
      ['melmastoon.ai_orchestrator.inference.local_completed.v1', 'cold'],
      ['melmastoon.ai_orchestrator.anomaly.detected.v1', 'cold'],
      ['melmastoon.ai_orchestrator.hitl.decided.v1', 'cold'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test.each(events)('EVT-66..70, ENV-23, GEN-18: $subject must say which model made it', event => {
  expect(event.aiProvenance).toBe(true);
  const pending = event.from(samples[event.subject] as never, {
    aggregateVersion: 1,
    aiProvenance: provenance as never,
  });
  expect(pending.aiProvenance).toEqual(provenance);
});

test('EVT-68: an inference that is replayed from a device is one fact, whatever is known of it by then', () => {
  const key = (aggregateVersion: number) =>
    InferenceLocalCompleted.from(samples[InferenceLocalCompleted.subject] as never, { aggregateVersion })
      .idempotencyKey;
  expect([key(1), key(2)]).toEqual(Array(2).fill('inf_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F:recorded'));
});

test('EVT-69: an anomaly is about a booking, a payment or a lock, and names which', () => {
  const about = (what: object) => refusalOf(AnomalyDetected, sampleOf(AnomalyDetected, { about: what }));
  expect(about({ area: 'booking', reservationId: 'rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2H' })).toBeUndefined();
  expect(about({ area: 'payment', paymentId: 'pay_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2H' })).toBeUndefined();
  expect(about({ area: 'payment', reservationId: 'rsv_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2H' })).toContain('paymentId');
  expect(about({ area: 'weather' })).toContain('area');
});

test.each([-0.01, 1.01, Number.NaN])('EVT-69: %s is no score', score => {
  expect(refusalOf(AnomalyDetected, sampleOf(AnomalyDetected, { score }))).toContain('score');
});

test('EVT-70: something is applied unless it was rejected, and a reason given unless it was accepted', () => {
  const outcomes = fc.constantFrom('accepted', 'modified', 'rejected');
  const hashes = fc.option(fc.constant(hash));
  const reasons = fc.option(fc.constantFrom('wrong', 'unsafe'));
  fc.assert(
    fc.property(outcomes, hashes, reasons, (outcome, appliedHash, reason) => {
      const fits =
        (appliedHash !== null) === (outcome !== 'rejected') && (reason !== null) === (outcome !== 'accepted');
      const refusal = refusalOf(HitlDecided, sampleOf(HitlDecided, { outcome, appliedHash, reason }));
      expect(refusal === undefined).toBe(fits);
    }),
  );
});

test.each([
  [
    { kind: 'completion', completionId: 'cmp_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D' },
    'cmp_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2D:decided',
  ],
  [
    { kind: 'inference', inferenceId: 'inf_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F' },
    'inf_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2F:decided',
  ],
  [
    { kind: 'anomaly', anomalyId: 'ano_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2J' },
    'ano_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2J:decided',
  ],
])('EVT-70, X-133: one $0.kind has one decision, whoever came second', (about, key) => {
  const keys = ['hdc_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2N', 'hdc_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2Q'].map(decisionId => {
    const payload = sampleOf(HitlDecided, { about, decisionId });
    return HitlDecided.from(payload as never, { aggregateVersion: 1 }).idempotencyKey;
  });
  expect(keys).toEqual([key, key]);
});

function sampleOf({ subject }: { subject: string }, change: object) {
  return { ...samples[subject], ...change };
}
