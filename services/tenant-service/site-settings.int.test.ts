import { createLogger } from '@ghasi/telemetry/logger';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteSettingsAnswer } from './answers.ts';
import { siteSettingsOf } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test('a booking site learns how its tenant writes and counts; there is nothing to learn of nobody', async () => {
  const { tenantId, slug } = await house.tenant();
  const log = createLogger({ name: 'test', level: 'silent' });
  const ctx = { db: house.db, log, ask: () => Promise.reject(new Error('asks nobody')) };
  const ask = async (of: typeof tenantId) =>
    siteSettingsOf.output.parse(await siteSettingsAnswer.handle(ctx, { tenantId: of }));
  expect(await ask(tenantId)).toMatchObject({ tenantId, slug, status: 'active', zone: 'Asia/Kabul' });
  expect(await ask(newTenantId())).toBeNull();
});
