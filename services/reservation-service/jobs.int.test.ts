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

test('SAGA-08: a saga that cannot be ended keeps those of other tenants from nothing', async () => {
  await using system = await startSystem({ services: [service] });
  const [broken, sound] = [newTenantId(), newTenantId()];
  for (const tenantId of [broken, sound]) {
    const draft = await system.run(service, tenantId, draftReservation, newBooking());
    await system.run(service, tenantId, confirmReservation, draft.id);
  }
  await system.query(
    'reservation',
    `update sagas set deadline_at = now() - case when tenant_id = $1 then interval '2 hours' else interval '1 hour' end`,
    [broken],
  );
  const refused = `alter table reservations add constraint broken check (tenant_id <> '${broken}') not valid`;
  await system.query('reservation', refused);
  await system.run(service, PLATFORM_TENANT_ID, ctx => enqueue(ctx, sweepDeadlines(nobody), {}), undefined);
  await system.settled();
  const told = await system.events(BookingCancelled);
  expect(told.map(({ tenantId }) => tenantId)).toEqual([sound]);
});
