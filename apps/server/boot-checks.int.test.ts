import { defineService } from '@ghasi/backbone/define-service';
import { defineRoute, operator } from '@ghasi/http/route';
import { testDatabase } from '@ghasi/testing/database';
import { service as staff } from '@melmastoon/staff-service/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { assertSafe } from './boot-checks.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const write = defineRoute({
  method: 'POST',
  path: '/api/v1/forgetful',
  summary: 'Writes something',
  auth: operator(['owner']),
  returns: { 200: z.strictObject({}) },
  handler: async () => ({ status: 200, body: {} }),
});

test('IDEM-01: a service that takes writes and has no table for idempotency keys does not start', async () => {
  const forgetful = defineService({
    name: 'forgetful-service',
    schema: 'forgetful',
    migrations: new URL('./migrations/', import.meta.url),
    routes: [write],
  });
  await expect(assertSafe(database.adminUrl, [forgetful], { BROKER: 'postgres' })).rejects.toMatchObject({
    code: 'NO_IDEMPOTENCY',
  });
});

test('a service without routes needs no such table', async () => {
  await expect(
    assertSafe(database.adminUrl, [{ ...staff, routes: [] }], { BROKER: 'postgres' }),
  ).resolves.toBeUndefined();
});
