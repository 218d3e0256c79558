import { expect, test } from 'vitest';
import { events } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

test('X-006: bff-consumer-service has a name and no facts of its own', () => {
  expect(service.name).toBe('bff-consumer-service');
  expect(service.publishes).toBe(events);
  expect(events).toEqual([]);
  expect(samples).toEqual({});
});
