import type { Database } from '@ghasi/db/database';
import { bossQueue, queueNames } from '@ghasi/jobs/queues';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Backbone } from './backbone.ts';

/** What to look at. */
export type SettledOptions = {
  readonly backbone: Backbone;
  /** Signed in as `relay`. */
  readonly relayDb: Database;
  /** Signed in as `jobs_worker`; leave it out where no jobs run. */
  readonly jobsDb?: Database;
  /** Schemas of the services. */
  readonly schemas: readonly string[];
  /** A retry or job that is due within this time counts as due. Default 0. */
  readonly soonMs?: number;
};

/**
 * Says in words what is not done yet: rows in an outbox, messages a subscription has not handled, retries and jobs that
 * are due. Empty when everything caused so far is done. Call it until then; `packages/testing` does.
 *
 * One statement sees all messages at one moment, after the cursors were written down: what a message caused is either in
 * an outbox or in the log by then. Jobs are seen by another role, hence at another moment; they are believed when no
 * message came in between.
 */
export async function unsettled(options: SettledOptions): Promise<string[]> {
  await options.backbone.hurry();
  const before = await messages(options);
  if (before.open.length > 0 || options.jobsDb === undefined) return before.open;
  const jobs = await openJobs(options.jobsDb, options);
  if (jobs.length > 0) return jobs;
  const after = await messages(options);
  if (after.open.length > 0 || after.head === before.head) return after.open;
  return [`the log grew from ${before.head} to ${after.head}`];
}

type Messages = { head: number; open: string[] };

async function messages({ relayDb, schemas, soonMs = 0 }: SettledOptions): Promise<Messages> {
  const { rows } = await relayDb.pool.query<Messages>(statementFor(schemas), [soonMs]);
  return rows[0] as Messages;
}

const SOON = `clock_timestamp() + $1 * interval '1 millisecond'`;

function statementFor(schemas: readonly string[]): string {
  const outboxes = schemas.map(schema => {
    const name = escapeIdentifier(schema);
    return `union all
      select count(*) || ${escapeLiteral(` rows wait in ${schema}.outbox`)}
      from ${name}.outbox
      where status in ('pending', 'retrying') and next_attempt_at <= ${SOON}
      having count(*) > 0`;
  });
  return `
    with head as (
      select coalesce((select l.off from brokers.log l order by l.off desc limit 1), 0) as off
    ), open as (
      select c.subscription || ' has come to ' || min(c.off) || ' of ' || h.off as what
      from brokers.cursor c
      cross join head h
      where c.off < h.off
      group by c.subscription, h.off
      union all
      select k.subscription || ' will try ' || k.park_key || ' again: ' || k.last_error
      from brokers.parked_key k
      where k.state = 'retrying' and k.retry_at <= ${SOON}
      ${outboxes.join('\n')}
    )
    select h.off::float8 as head, array(select o.what from open o order by o.what) as open
    from head h`;
}

async function openJobs(db: Database, { schemas, soonMs = 0 }: SettledOptions): Promise<string[]> {
  const queues = schemas.flatMap(schema => queueNames.map(queue => bossQueue(schema, queue)));
  const { rows } = await db.pool.query<{ what: string }>(
    `select count(*) || ' jobs in ' || name || ' are ' || state as what
     from jobs.job
     where name = any($2)
       and (state = 'active' or (state in ('created', 'retry') and start_after <= ${SOON}))
     group by name, state
     order by 1`,
    [soonMs, queues],
  );
  return rows.map(({ what }) => what);
}
