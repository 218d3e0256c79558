import { expect, test } from 'vitest';
import { type MetricDefinition, metricCatalogue } from './metric-catalogue.ts';
import { productionCode, recordingProblems } from './recorded.fixture.ts';

const code = productionCode(new URL('../../', import.meta.url));

test('every metric of the catalogue is recorded by code that runs, or says that it is only planned', () => {
  expect(code.length).toBeGreaterThan(300);
  expect(recordingProblems(metricCatalogue, code)).toEqual([]);
});

test('a metric nobody records is found, and one that is called planned too long', () => {
  const counter: MetricDefinition = { kind: 'counter', help: 'Planted.', labels: {} };
  const planted = {
    melmastoon_planted_total: counter,
    melmastoon_http_requests_total: { ...counter, planned: 'one day' },
    melmastoon_events_dlq_total: counter,
    melmastoon_planned_total: { ...counter, planned: 'one day' },
  };
  expect(recordingProblems(planted, code)).toEqual([
    'nobody records melmastoon_planted_total',
    'melmastoon_http_requests_total is recorded, and still called planned',
  ]);
});
