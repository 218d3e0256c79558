import { defineService, type Service } from '@ghasi/backbone/define-service';
import { consumeAttestation } from '@melmastoon/iam-service/contract';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { lockJobs, lockSchedules } from './jobs.ts';
import { type LockParts, openLocks } from './locks.ts';
import { lockReactions } from './reactions.ts';
import { keyRoutes } from './routes/keys.ts';
import { lockRoutes } from './routes/locks.ts';
import { queueRoutes } from './routes/queue.ts';
import * as tables from './tables.ts';

/** Keys that open doors: issued, changed, suspended and revoked through the vendors of the locks. */
export function createLockIntegrationService(parts: LockParts = {}): Service {
  const locks = openLocks(parts);
  return defineService({
    name: 'lock-integration-service',
    schema: 'lock_integration',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: lockReactions(locks), // bookings, reallocations, cash, houses and rooms
    delivery: { instances: 10, concurrency: 2, order: 'required' }, // ORD-08: vendors are slow, so few at a time
    routes: [
      ...keyRoutes(locks), // keys: show, write, replace, suspend
      ...queueRoutes(locks), // what vendors did not do
      ...lockRoutes(locks), // pairing, status, rules of the house
    ],
    jobs: lockJobs(locks), // work-key, look-after-booking, inspect-lock
    schedules: lockSchedules, // sweep-keys, look-ahead
    needs: locks.ask === undefined ? [] : [consumeAttestation],
    errors,
  });
}

/** With metal keys only: an installation that has electronic locks makes its own. */
export const service = createLockIntegrationService();
