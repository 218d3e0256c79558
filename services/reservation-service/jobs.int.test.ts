import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { enqueue } from '@ghasi/jobs/enqueue';
import { startSystem } from '@ghasi/testing/system';
import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { confirmReservation, draftReservation } from './commands.ts';
import { BookingCancelled } from './contract.ts';
import { service } from './fixtures/front-office.ts';
import { newBooking } from './fixtures/new-booking.ts';
import { sweepDeadlines } from './jobs.ts';

const nobody = () => Promise.reject(new Error('asks nobody'));

test('SAGA-08: the job ends overdue sagas of every tenant, and what it decides is told', async () => {
  await using system = await startSystem({ services: [service] });
  const tenants = [newTenantId(), newTenantId()];
  for (const tenantId of tenants) {
    const draft = await system.run(service, tenantId, draftReservation, newBooking());
    await system.run(service, tenantId, confirmReservation, draft.id);
  }
  await system.query('reservation', "update sagas set deadline_at = deadline_at - interval '1 hour'");
  await system.run(service, PLATFORM_TENANT_ID, ctx => enqueue(ctx, sweepDeadlines(nobody), {}), undefined);
  await system.settled();
  const told = await system.events(BookingCancelled);
  expect(told.map(({ tenantId }) => tenantId).sort()).toEqual([...tenants].sort());
  expect(told.map(({ payload }) => payload.deadlineKind)).toEqual(['allocation', 'allocation']);
});
