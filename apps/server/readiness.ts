import { openDatabase } from '@ghasi/db/database';
import type { HotTiers } from '@ghasi/hot/hot-store';
import type { ReadinessCheck } from '@ghasi/http/health';
import type { Logger } from '@ghasi/telemetry/logger';

type Checks = Readonly<Record<string, ReadinessCheck>>;

/** Looks at what a process cannot serve without, and at what it serves less well without; to be closed. */
export type Readiness = { ready: Checks; degrades: Checks; close(): Promise<void> };

/** So long one look may take, with or without a connection. */
const LOOK_MS = 1_500;

/**
 * The database, in which all services are, over a connection that nobody else uses: a service whose own are all busy is no
 * reason to send people away from the others. Redis, where `hot` is on it, which carries the broker too, sends nobody away: all
 * processes would be gone at once, although rooms are sold and keys are cut without it (safety-36), and events wait.
 */
export function openReadiness(parts: { url: string; hot: HotTiers | undefined; log: Logger }): Readiness {
  const { url, hot, log } = parts;
  const database = openDatabase({
    url,
    service: 'readiness',
    max: 1,
    waitMs: LOOK_MS,
    answerMs: LOOK_MS,
    log,
  });
  return {
    ready: { database: async () => void (await database.pool.query('select')) },
    degrades: hot === undefined ? {} : { redis: async () => void (await hot.state.get('readiness')) },
    close: () => database.close(),
  };
}
