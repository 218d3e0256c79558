import { openDatabase } from '@ghasi/db/database';
import type { HotTiers } from '@ghasi/hot/hot-store';
import type { ReadinessCheck } from '@ghasi/http/health';
import type { Logger } from '@ghasi/telemetry/logger';

/** Looks at what a process cannot serve without; to be closed. */
export type Readiness = { checks: Readonly<Record<string, ReadinessCheck>>; close(): Promise<void> };

/** So long one look may take, with or without a connection. */
const LOOK_MS = 1_500;

/**
 * The database, in which all services are, over a connection that nobody else uses: a service whose own are all busy is no
 * reason to send people away from the others. And Redis where `hot` is on it, which carries the broker too; its cache may be
 * away, that costs time only.
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
    checks: {
      database: async () => void (await database.pool.query('select')),
      ...(hot === undefined ? {} : { redis: async () => void (await hot.state.get('readiness')) }),
    },
    close: () => database.close(),
  };
}
