import type { DeadLetter } from '@ghasi/brokers/operations/dead-letters';
import { newId } from '@ghasi/domain-primitives/ids';
import type { ListedJob } from '@ghasi/jobs/list-jobs';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { letterTable } from './dlq.ts';
import { jobTable } from './jobs.ts';
import { describedServices } from './with-database.ts';

const longest = (texts: readonly string[]) =>
  texts.reduce((one, other) => (other.length > one.length ? other : one));
const services = describedServices();
const service = longest(services.map(({ name }) => name));
const error = 'the folio of this booking was closed meanwhile, and '.repeat(10);
const tenantId = newTenantId();

/** Columns of the widest line. */
const width = (text: string) => Math.max(...text.split('\n').map(line => line.length));

test('dead letters of the longest names fit into 120 columns, with ids that can be pasted', () => {
  const key = newId('rsv');
  const letter = {
    ...{ id: 1_234_567, tenantId, error, subscription: service, orderingKey: `${tenantId}:${key}` },
    topic: longest(services.flatMap(({ publishes }) => publishes.map(({ subject }) => subject))),
    ...{ attempts: 7, waiting: 120, deadSeconds: 4_000 },
  } as unknown as DeadLetter;
  const text = letterTable([letter, { ...letter, error: '' }]);
  expect(width(text)).toBeLessThanOrEqual(120);
  expect(text).toContain(`tenant ${tenantId}  key ${key}\n`);
  expect(text.split('\n\n')[0]?.split('\n')).toHaveLength(2 + 3 + 2); // what has no error takes no line for it
});

test('jobs of the longest names fit into 120 columns, with ids that can be pasted', () => {
  const job = {
    ...{ id: newId('job'), tenantId, error, queue: 'scheduled', status: 'dead_letter' },
    type: longest(services.flatMap(({ jobs }) => jobs.map(({ name }) => name))),
    ...{ failedRuns: 10, ageSeconds: 4_000 },
  } as unknown as ListedJob;
  const text = jobTable([job]);
  expect(width(text)).toBeLessThanOrEqual(120);
  expect(text).toContain(job.id);
  expect(text).toContain(`tenant ${tenantId}`);
});
