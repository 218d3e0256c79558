import { defineTask } from '@ghasi/jobs/define-task';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

// Bound to the vendors they call in jobs.ts.

/** Brings one key and its vendor together: issues, asks, changes or ends it (SAGA-05: on its own clock). */
export const workKey = defineTask({
  name: 'lock_integration.work-key',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ credentialId: idText('key') }),
  timeoutSeconds: 60,
});

/** Looks after the keys of one booking: fetches codes ahead, replaces what dies unused, closes what is over. */
export const lookAfterBooking = defineTask({
  name: 'lock_integration.look-after-booking',
  scope: 'tenant',
  input: z.strictObject({ reservationId: idText('rsv') }),
});

/** Asks the vendor how a lock is. */
export const inspectLock = defineTask({
  name: 'lock_integration.inspect-lock',
  queue: 'bulk',
  scope: 'tenant',
  input: z.strictObject({ lockId: idText('lck') }),
  timeoutSeconds: 60,
});
