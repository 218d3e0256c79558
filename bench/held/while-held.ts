import type { ValueOf } from '@ghasi/db/accepted';
import type { Database, Outbox } from '@ghasi/db/database';
import { sql } from '@ghasi/db/drizzle';
import { execute, row } from '@ghasi/db/sql';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { Client } from 'pg';
import { addBooking, occurred, who } from '../backbone/contenders/melmastoon.ts';
import { onClient } from '../backbone/ground.ts';

/** Two open write transactions: the event one of them has written, and the sessions of both. */
export type Held = { eventId: string; pids: number[] };

// Our roles may not hold a transaction this long; an operator's session or another program may.
const withoutLimits = sql`select set_config(name, '0', true) from pg_settings
  where name in ('transaction_timeout', 'idle_in_transaction_session_timeout')`;
const ownPid = sql`select pg_backend_pid() as pid`;

/**
 * Runs `work` while two write transactions stay open, one on `database` with a business row and an event whose number is
 * drawn, and one in the database `elsewhere`; afterwards the first commits and the other is rolled back.
 */
export async function whileHeld<T>(
  database: Database,
  elsewhere: string,
  work: (held: Held) => Promise<T>,
): Promise<ValueOf<T>> {
  return onClient(elsewhere, async there => {
    await there.query('create table held (n int)');
    await there.query('begin');
    await there.query('insert into held values (1)');
    const pidThere = (await there.query('select pg_backend_pid() as pid')).rows[0].pid;
    const outbox = database.outbox as Outbox;
    const found = await tenantTransaction(database, who, async ctx => {
      await execute(ctx.tx, withoutLimits);
      const body = { id: uuid7(), filler: 'held' };
      await addBooking(ctx, body);
      await outbox.insert(ctx, outbox.rowsOf(ctx, [occurred(body)]));
      ctx.afterCommit(() => outbox.committed(ctx.tenantId)); // as for events that are returned
      const here = await row<{ pid: number }>(ctx.tx, ownPid);
      return work({ eventId: body.id, pids: [here?.pid as number, pidThere] });
    });
    await there.query('rollback');
    return found;
  });
}

/** For how many seconds both have been open with something written; throws when one is not. */
export async function secondsOpen(client: Client, { pids }: Held): Promise<number> {
  const { rows } = await client.query(
    `select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
     from pg_stat_activity
     where pid = any($1) and state = 'idle in transaction' and backend_xid is not null`,
    [pids],
  );
  if (rows.length < pids.length) throw new Error(`${rows.length} of ${pids.length} transactions stayed open`);
  return Math.min(...rows.map(({ seconds }) => seconds));
}
