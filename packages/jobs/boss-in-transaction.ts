import { AsyncLocalStorage } from 'node:async_hooks';
import { sendPrepared } from '@ghasi/db/send';
import type { Tx } from '@ghasi/db/sql';
import { type CommandResponse, type Db, PgBoss } from 'pg-boss';
import { z } from 'zod';
import { BOSS_SCHEMA } from './construction.ts';

const transaction = new AsyncLocalStorage<Tx>();
let boss: PgBoss | undefined;

/**
 * Uses pg-boss inside the caller's transaction, as the caller's role and tenant: row-level security decides which jobs
 * exist. The one instance is never started, opens no connection, and remembers the queues, so that a call costs one
 * statement.
 */
export function bossIn<T>(tx: Tx, use: (boss: PgBoss) => Promise<T>): Promise<T> {
  boss ??= new PgBoss({ schema: BOSS_SCHEMA, db: throughTransaction });
  const instance = boss;
  return transaction.run(tx, () => use(instance));
}

const throughTransaction: Db = {
  async executeSql(text, values) {
    const tx = transaction.getStore();
    if (tx === undefined) throw new Error('pg-boss was used outside of bossIn');
    return values?.length ? sendPrepared(tx.$client, text, values) : tx.$client.query(text);
  },
};

const response = z.object({ affected: z.int() });

/** How many jobs a command of pg-boss found and changed; its types leave the number out. */
export function affected(by: CommandResponse): number {
  return response.parse(by).affected;
}
