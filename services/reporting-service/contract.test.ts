import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { events, ReportGenerated, reportKinds } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-75: the event of reporting-service', () => {
  contractConformance(events, samples);

  test('it is the one of the ledger, of the class warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.reporting.report.generated.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });
});

test('EVT-75: a report covers at least one day', () => {
  const first = parseLocalDate('2026-03-21');
  fc.assert(
    fc.property(fc.integer({ min: -40, max: 40 }), length => {
      const period = { from: first, until: addDays(first, length) };
      const refusal = refusalOf(ReportGenerated, { ...samples[ReportGenerated.subject], period });
      expect(refusal === undefined).toBe(length > 0);
    }),
  );
});

test.each(reportKinds)('EVT-75: a report of %s can be told', kind => {
  expect(refusalOf(ReportGenerated, { ...samples[ReportGenerated.subject], kind })).toBeUndefined();
});

test('EVT-75, ENV-27: a report is generated once; asked for again it is another report', () => {
  const { idempotencyKey } = ReportGenerated.from(samples[ReportGenerated.subject] as never, {
    aggregateVersion: 3,
  });
  expect(idempotencyKey).toBe('rep_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C:generated');
});
