import { brokerErrors } from '@ghasi/brokers/errors';
import type { Database } from '@ghasi/db/database';
import { settings } from './settings.ts';
import { withRelay } from './with-relay.ts';

/**
 * As `withRelay`, for what works on the log in PostgreSQL. The environment may know sooner than the database that messages
 * go another way; where the operator's shell does not say it, the operations themselves look.
 */
export async function withLog<T>(
  flags: { dataDir?: string },
  subscription: string,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { BROKER: broker } = settings(flags);
  if (broker !== 'postgres') throw brokerErrors.NOT_IN_LOG({ subscription, broker });
  return withRelay(flags, work);
}
