import { defineJob } from '@ghasi/jobs/define-job';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/*
 * Use cases enqueue these by name. What they run needs the vendors, which only the composed service has: jobs.ts binds
 * them.
 */
const unbound = async () => {
  throw new Error('this job is bound to its vendors in jobs.ts');
};

/** Brings one key and its vendor together: issues, asks, changes or ends it (SAGA-05: on its own clock). */
export const workKey = defineJob({
  name: 'lock_integration.work-key',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ credentialId: idText('key') }),
  timeoutSeconds: 60,
  transaction: 'none',
  run: unbound,
});

/** Looks after the keys of one booking: fetches codes ahead, replaces what dies unused, closes what is over. */
export const lookAfterBooking = defineJob({
  name: 'lock_integration.look-after-booking',
  scope: 'tenant',
  input: z.strictObject({ reservationId: idText('rsv') }),
  transaction: 'none',
  run: unbound,
});

/** Asks the vendor how a lock is. */
export const inspectLock = defineJob({
  name: 'lock_integration.inspect-lock',
  queue: 'bulk',
  scope: 'tenant',
  input: z.strictObject({ lockId: idText('lck') }),
  timeoutSeconds: 60,
  transaction: 'none',
  run: unbound,
});
