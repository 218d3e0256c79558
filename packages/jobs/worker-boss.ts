import { openDatabase, plainTypes as types } from '@ghasi/db/database';
import { sendAlone } from '@ghasi/db/send';
import type { Logger } from '@ghasi/telemetry/logger';
import { type Db, PgBoss } from 'pg-boss';
import { BOSS_SCHEMA } from './construction.ts';

/**
 * Seconds. A lease lasts 10 s (`heartbeatSeconds` of the queues) and is renewed every 3; expired leases are looked for
 * every 5. The job of a dead worker therefore starts again after 10 + 5 s and one poll: well below 30.
 */
export const rhythm = { heartbeatRefreshSeconds: 3, rescueSeconds: 5 } as const;

/** pg-boss, and what closes its connections once it has stopped. */
export type OpenBoss = { boss: PgBoss; close(): Promise<void> };

/**
 * pg-boss as `jobs_worker`: works in the schema that our migrator has made and changes nothing about it. Its statements
 * are prepared like all others: on a pool of its own it had each of them planned anew, for longer than it ran (measured).
 */
export function openBoss(options: { id: string; url: string; log: Logger }): OpenBoss {
  const { log } = options;
  const db = openDatabase({
    url: options.url,
    service: options.id, // becomes worker_id of what it claims
    max: 5, // its statements take a millisecond; the jobs themselves run on the pools of their services
    waitMs: 30_000, // nobody waits for a look at the queues; while a machine is busy, late is better than not at all
    log,
  });
  const executeSql: Db['executeSql'] = (text, values) =>
    values?.length ? sendAlone(db.pool, text, values, { types }) : db.pool.query({ text, types });
  const boss = new PgBoss({
    db: { executeSql },
    schema: BOSS_SCHEMA,
    migrate: false,
    createSchema: false,
    superviseIntervalSeconds: rhythm.rescueSeconds,
    monitorIntervalSeconds: rhythm.rescueSeconds,
    maintenanceIntervalSeconds: 3_600,
    flowIntervalSeconds: 3_600, // we have no flows
    cronMonitorIntervalSeconds: 5,
    cronWorkerIntervalSeconds: 1,
    reindex: false, // jobs_worker owns nothing
    monitorVacuum: false,
  });
  boss.on('error', error => log.warn({ err: error }, 'pg-boss met an error and goes on'));
  boss.on('warning', warning => log.warn({ warning }, 'pg-boss warns'));
  let closing: Promise<void> | undefined;
  return {
    boss,
    close() {
      closing ??= db.close(); // whoever stops workers twice waits twice
      return closing;
    },
  };
}
