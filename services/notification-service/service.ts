import { defineService, type Service } from '@ghasi/backbone/define-service';
import { propertyOf } from '@melmastoon/property-service/contract';
import { contactOf } from '@melmastoon/reservation-service/contract/questions';
import { events } from './contract.ts';
import { errors } from './errors.ts';
import { messageJobs, messageSchedules } from './jobs.ts';
import { openPost, type PostParts } from './post.ts';
import { messageReactions } from './reactions.ts';
import { messageRoutes } from './routes/messages.ts';
import { receiptRoutes } from './routes/receipts.ts';
import { settingsRoutes } from './routes/settings.ts';
import { wordingRoutes } from './routes/wording.ts';
import * as tables from './tables.ts';

/** What we write to guests and staff, and whether it arrived. Without channels only paper is left: nobody is contacted. */
export function createNotificationService(parts: PostParts): Service {
  const post = openPost(parts);
  return defineService({
    name: 'notification-service',
    schema: 'notification',
    migrations: new URL('./migrations/', import.meta.url),
    tables,
    publishes: events,
    reacts: messageReactions(post), // bookings, new dates, keys
    delivery: { instances: 50, concurrency: 20, order: 'any' }, // ORD-09: one message does not wait for another
    routes: [
      ...messageRoutes(post), // what was written, and once more
      ...wordingRoutes, // the house's own words
      ...settingsRoutes(post), // sender, channels, quiet hours, opt-outs
      ...receiptRoutes(post), // providers
    ],
    jobs: messageJobs(post), // write-letter, send-message
    schedules: messageSchedules, // sweep-messages, purge-texts
    needs: [contactOf, propertyOf],
    errors,
  });
}

/** For whoever only looks at what it owns and says: it asks nobody, so it writes to nobody. */
export const service = createNotificationService({
  ask: () => Promise.reject(new Error('this service was not composed: see createNotificationService')),
  secret: 'no address is ever hashed with this one',
});
