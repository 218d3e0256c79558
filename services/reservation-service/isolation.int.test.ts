import { isolationContract } from '@ghasi/testing/isolation';
import { type System, startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe } from 'vitest';
import { confirmReservation, draftReservation } from './commands.ts';
import { service } from './fixtures/front-office.ts';
import { newBooking } from './fixtures/new-booking.ts';

const [own, other] = [newTenantId(), newTenantId()];
let system: System;
beforeAll(async () => {
  system = await startSystem({ services: [service], relay: false, consumers: false, jobs: false });
  for (const tenantId of [own, other]) {
    const draft = await system.run(service, tenantId, draftReservation, newBooking());
    await system.run(service, tenantId, confirmReservation, draft.id);
  }
});
afterAll(() => system.stop());

describe('TEN-08, safety-3, safety-7: every table keeps tenants apart', () => {
  isolationContract(service, () => ({ database: system.database, db: system.db(service), own, other }));
});
